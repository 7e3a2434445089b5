import Explanation
import Oracles
import TLS
import Testing

@testable import Captures

/// Writes connections of every suite in every version as captures with key logs, and reads them with tshark.
@Suite("tshark opens every suite in every version", .needs(.tshark))
struct TsharkHistoryTests {
  /// A suite in a version.
  struct Run: Sendable, CustomStringConvertible {
    let version: ProtocolVersion
    let suite: CipherSuite
    var description: String { "\(suite) in \(version)" }

    static let all = ProtocolVersion.implemented.flatMap { version in
      CipherSuite.implemented.filter { $0.isUsable(in: version) }.map { Run(version: version, suite: $0) }
    }
  }

  @Test("tshark reads every connection with the key log, and without it only NULL ciphers")
  func everyRun() throws {
    let runs = Run.all
    #expect(runs.count > 60)
    var capture = PacketCapture()
    var flows: [Flow] = []
    var lines: [String] = []
    for (index, run) in runs.enumerated() {
      let recording = try Recording(run, number: index)
      flows.append(recording.flow)
      lines.append(recording.keyLogLine)
    }
    try capture.append(flows, from: Instant(secondsSince1970: 1_477_958_400))
    let fields = [
      "-Y", "http", "-T", "fields", "-e", "tcp.stream", "-e", "http.request.uri", "-e", "http.response.code",
    ]
    let opened = try Tshark.read(capture.bytes, keyLog: lines.joined(separator: "\n") + "\n", fields)
    for (index, run) in runs.enumerated() {
      #expect(opened.output.contains("\(index)\t/\(index)\t\n"), "\(run): the request")
      #expect(
        opened.output.contains("\(index)\t\t200\n") || opened.output.contains("\(index)\t/\(index)\t200\n"), "\(run)")
    }
    let closed = try Tshark.read(capture.bytes, keyLog: "", fields)
    for (index, run) in runs.enumerated() where run.suite.registration?.cipher != .null {
      #expect(!closed.output.contains("\(index)\t/\(index)\t"), "\(run) without keys")
    }
  }

  /// A connection between two ends in memory.
  struct Recording {
    private(set) var portions: [Flow.Chunk] = []
    private var client: Connection
    private var server: Connection
    private let key: PublicKeyAnswer
    private let number: Int
    private var values: [Value.ID: [UInt8]] = [:]

    typealias PublicKeyAnswer = CertificateAnswer

    init(_ run: Run, number: Int) throws {
      self.number = number
      let random = { (party: String) in RandomStreams(seed: .number(UInt64(number + 1)), party: party) }
      var offer = ClientConfiguration(
        host: "api.example", versions: run.version...run.version, cipherSuites: [run.suite], random: random("client"))
      offer.splitsRecords = number.isMultiple(of: 2)
      let identity = try TestIdentity(isEC: run.suite.name.contains("ECDSA"))
      let choice = ServerConfiguration(
        certificates: [identity.certificate], privateKey: identity.key, privateKeyName: "api.key",
        versions: run.version...run.version, cipherSuites: [run.suite], random: random("server"))
      (client, server) = (Connection(offer), Connection(choice))
      key = .accepted(identity.key.publicKey)
      deliver(client.start(), from: .client)
      deliver(client.send(Array("GET /\(number) HTTP/1.1\r\nHost: api.example\r\n\r\n".utf8)), from: .client)
      deliver(server.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".utf8)), from: .server)
      deliver(server.close(), from: .server)
    }

    private mutating func deliver(_ effects: [ConnectionEffect], from side: Side) {
      for effect in effects {
        switch effect {
        case .send(let message):
          portions.append(Flow.Chunk(side, message.bytes, number: number * 100 + portions.count))
          deliver(side == .client ? server.receive(message.bytes) : client.receive(message.bytes), from: side.peer)
        case .evaluateCertificate: deliver(client.certificateEvaluated(key), from: side)
        case .derived(let value): values[value.id] = value.bytes
        default: break
        }
      }
    }

    var flow: Flow {
      let port = UInt16(50_000 + number)
      return Flow(
        id: "\(number)",
        ends: Flow.Ends(
          client: SocketAddress(address: [192, 0, 2, 1], port: port),
          server: SocketAddress(address: [192, 0, 2, 2], port: 443)),
        portions: portions)
    }

    var keyLogLine: String {
      KeyLog.Line(
        label: .clientRandom, key: values["client_random"] ?? [], secret: values["master_secret"] ?? []
      ).text
    }
  }
}

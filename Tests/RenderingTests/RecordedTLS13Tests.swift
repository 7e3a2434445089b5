import Captures
import Cryptography
import Endpoint
import Explanation
import Oracles
import Rendering
import Scenarios
import Simulator
import TLS
import Testing

private let captureList = "tls13/captures.json"
private let transcriptList = "tls13/tls13_transcripts.json"

@Suite("Recordings of TLS 1.3 with key logs")
struct RecordedTLS13Tests {
  struct CaptureList: Decodable {
    let captures: [Capture]
  }

  struct Capture: Decodable, CustomStringConvertible {
    let file, key_log: String
    let connections: [Connection]

    var description: String { file }
  }

  struct Connection: Decodable {
    let client_port: UInt16
    let not_tls13: Bool?
    let cipher_suite: String?
    let handshake_complete: Bool?
    let application_sha256: [String: String]?
    let modelled_suite: Bool?
  }

  static let all: [Capture] = (try? SharedData.decode(captureList) as CaptureList)?.captures ?? []

  private func sessions(_ capture: Capture, hasKeys: Bool = true) throws -> [ReplayedSession] {
    var file = try RecordingFile(SharedData.bytes("tls13/\(capture.file)"), path: capture.file)
    if hasKeys { file.add(try keyLog(capture)) }
    return file.sessions.map { ReplayedSession($0) }
  }

  private func keyLog(_ capture: Capture) throws -> KeyLog {
    let text = String(decoding: try SharedData.bytes("tls13/\(capture.key_log)"), as: UTF8.self)
    return try KeyLog.read(text, path: capture.key_log)
  }

  private func pairs(_ capture: Capture, hasKeys: Bool = true) throws -> [(Connection, ReplayedSession)] {
    let sessions = try sessions(capture, hasKeys: hasKeys)
    return capture.connections.compactMap { connection in
      sessions.first { $0.recording.ends?.client.port == connection.client_port }.map { (connection, $0) }
    }
  }

  private func text(_ session: ReplayedSession) -> String {
    ReplayView(path: "run.pcap", sessions: [session]).document(.story).text()
  }

  @Test("each capture opens as a whole, unless its suite is not modelled", .needsData(captureList), arguments: all)
  func opened(_ capture: Capture) throws {
    let pairs = try pairs(capture)
    #expect(pairs.count == capture.connections.count)
    for (connection, session) in pairs where connection.not_tls13 != true {
      #expect(session.isTLS13)
      guard connection.modelled_suite == true else {
        #expect(session.failure?.finding.rule == .suiteNotImplemented && session.verdict.word == .notApplicable)
        continue
      }
      #expect(session.openedCount == session.protectedCount && session.openedCount > 0)
      #expect((session.parameters != nil) == connection.handshake_complete)
      #expect(session.selected?.cipherSuite.name == connection.cipher_suite)
      for side in Side.allCases {
        let digest = Hash.sha256.digest(session.applicationData(of: side))
        #expect(Hex.string(digest) == connection.application_sha256?["\(side)"])
      }
      #expect(session.findings.contains { $0.rule == .badSignature && $0.outcome == .satisfied })
      for finding in session.findings where finding.outcome == .violated {
        #expect([.fatalAlert, .truncatedConnection].contains(finding.rule), "\(finding)")
      }
    }
  }

  @Test(
    "without the key log, the hellos are shown, and neither side is blamed", .needsData(captureList), arguments: all)
  func unopened(_ capture: Capture) throws {
    for (connection, session) in try pairs(capture, hasKeys: false) where connection.modelled_suite == true {
      #expect(session.openedCount == 0 && session.protectedCount > 0)
      #expect(session.verdict.word == .notApplicable && !session.findings.contains { $0.outcome == .violated })
      #expect(session.selected?.cipherSuite.name == connection.cipher_suite)
      #expect(!session.knowledge(of: .eavesdropper).knows("server.certificate"))
      let words = text(session)
      #expect(words.contains(connection.cipher_suite ?? "") && words.contains("TLSv1.3"))
    }
  }

  @Test("every recorded session in JSON is accepted if both sides close it", .needsData(transcriptList))
  func transcripts() throws {
    let file = try RecordingFile(SharedData.bytes(transcriptList), path: "sessions.json")
    #expect(file.sessions.count >= 35)
    for recording in file.sessions {
      let session = ReplayedSession(recording)
      #expect(session.openedCount == session.protectedCount && session.openedCount > 0, "\(recording.id)")
      let isRefused = recording.id == "openssl-client-auth-required-none"
      #expect(session.verdict.word == (isRefused ? .refused : .accepted), "\(recording.id): \(session.verdict)")
      let isResumed = session.selected?.isResumed == true
      #expect(
        session.findings.contains { $0.rule == .badSignature && $0.outcome == .satisfied } != isResumed,
        "\(recording.id)")
      // The eavesdropper has the key log, and therefore also the certificate.
      let knowledge = session.knowledge(of: .eavesdropper)
      #expect(knowledge.knows("server_application_traffic_secret_0"))
      if !session.applicationData(of: .client).isEmpty { #expect(knowledge.knows("application_data.client.1")) }
      #expect(!knowledge.knows("handshake_secret") && !knowledge.knows("shared_secret"))
    }
  }

  private func session(_ capture: Capture, without label: String) throws -> ReplayedSession {
    let log = try keyLog(capture).lines.filter { $0.label.rawValue != label }.map(\.text)
    var file = try RecordingFile(SharedData.bytes("tls13/\(capture.file)"), path: capture.file)
    file.add(try KeyLog.read(log.joined(separator: "\n"), path: "part.keys"))
    return try #require(file.sessions.map { ReplayedSession($0) }.first)
  }

  @Test("the missing label of a key log is named, and the other secrets open their records", .needsData(captureList))
  func missing() throws {
    let capture = try #require(Self.all.first { $0.file.contains("illustrated") })
    let data: [Side: ValueName] = [.client: "application_data.client.1", .server: "application_data.server.1"]
    for secret in ScheduledSecret.allCases where secret.side != nil && secret != .clientEarlyTraffic {
      let label = try #require(secret.keyLogLabel)
      let session = try session(capture, without: label)
      #expect(session.lackingSecrets == [secret], "\(label)")
      // The recording ends without close_notify, which is visible in opened records only.
      #expect(session.verdict.word != .accepted, "\(label)")
      #expect(session.findings.deciding.allSatisfy { $0 == .truncatedConnection }, "\(label)")
      #expect(text(session).contains("lacks \(label)"))
      for (side, name) in data where secret != .applicationTraffic(of: side) {
        #expect(session.knowledge(of: .eavesdropper).knows(name), "\(label) \(name)")
      }
    }
  }

  @Test("tshark reads the same handshake messages", .needs(.tshark), .needsData(captureList), arguments: all)
  func tshark(_ capture: Capture) throws {
    let log = String(decoding: try SharedData.bytes("tls13/\(capture.key_log)"), as: UTF8.self)
    let answer = try Tshark.read(
      SharedData.bytes("tls13/\(capture.file)"), keyLog: log,
      [
        "-d", "tcp.port==9000,tls", "-d", "tcp.port==8400,tls", "-T", "fields", "-E", "separator=|", "-e",
        "tcp.srcport", "-e", "tcp.dstport", "-e", "tls.handshake.type",
      ])
    #expect(answer.status == 0)
    let rows = answer.output.split(separator: "\n").map {
      $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
    for (connection, session) in try pairs(capture) where connection.modelled_suite == true {
      let port = String(connection.client_port)
      let theirs = rows.filter { $0.prefix(2).contains(port) }.flatMap { $0[2].split(separator: ",").map(String.init) }
      let ours = session.trace.steps.compactMap { step -> String? in
        guard step.kind == .message, step.bytes.isEmpty == false else { return nil }
        return step.handshakeType13
      }
      #expect(ours == theirs, "\(capture.file) \(port)")
    }
  }
}

extension Step {
  /// The type of the handshake message as tshark prints it; nil for another message.
  fileprivate var handshakeType13: String? {
    guard case .sent(let transmission, _) = event, let type = transmission.message?.handshakeType else { return nil }
    return String(type == .helloRetryRequest ? HandshakeType.serverHello.rawValue : type.rawValue)
  }
}

import Captures
import Endpoint
import Explanation
import Foundation
import Oracles
import Rendering
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Our captures in tshark", .needs(.tshark))
struct TsharkTests {
  @Test("tshark decrypts every run, and reports no problem")
  func sample() throws { try Self.check(Curriculum.sample) }

  static func check(_ results: [CaseResult]) throws {
    // A proxy connection begins with another protocol, which the next test covers.
    let groups = CaptureGroup.all(of: results.map(\.simulation).filter { $0.plans.allSatisfy { $0.proxy == nil } })
    #expect(!groups.isEmpty)
    for group in groups {
      let answer = try group.answer()
      let count = try group.capture.packetCount
      #expect(answer.packets.count == count)
      let reset = Set(group.connections.indices.filter { group.connections[$0].isReset })
      for packet in answer.packets {
        // A certificate of the curriculum has bytes after its content on purpose.
        let intended =
          ["Trailing stray characters"] + (reset.contains(packet.stream) ? ["Connection reset (RST)"] : [])
        #expect(packet.complaints.allSatisfy { intended.contains($0) }, "\(packet)")
      }
      for (stream, connection) in group.connections.enumerated() where connection.isReadable {
        let packets = answer.packets.filter { $0.stream == stream }
        #expect(packets.flatMap(\.handshakeTypes) == connection.handshakeTypes, "\(connection)")
        #expect(packets.flatMap(\.alerts) == connection.alerts, "\(connection)")
        #expect(packets.flatMap(\.contentTypes) == connection.contentTypes, "\(connection)")
        let content = answer.content(stream, connection.isSecure)
        // In a resumed session the server finishes first, and tshark takes it for the client.
        let isTurned = connection.plan.resumesSessions && content == connection.content.reversed()
        #expect(isTurned || content == connection.content, "\(connection)")
      }
    }
  }

  @Test("tshark reads the stapled response, and those that a client fetches on separate connections")
  func statuses() throws {
    let columns = [
      "tcp.stream", "tls.handshake.type", "ocsp.responseStatus", "ocsp.certStatus", "http.request.method",
      "http.content_type", "tcp.dstport",
    ]
    func rows(_ id: String) throws -> [[String]] {
      let simulation = try #require(Curriculum.result(id)).simulation
      let answer = try Tshark.read(
        PacketCapture(simulation).bytes, keyLog: KeyLog(simulation).text,
        ["-T", "fields", "-E", "separator=|"] + columns.flatMap { ["-e", $0] })
      #expect(answer.status == 0)
      return answer.output.split(separator: "\n").map {
        $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      }
    }
    let stapled = try #require(try rows("L5-20").first { $0[1].split(separator: ",").contains("22") })
    #expect(stapled[2] == "0" && stapled[3] == "0", "\(stapled)")
    let fetched = try rows("L5-21")
    let request = try #require(fetched.first { $0[4] == "GET" })
    let response = try #require(fetched.first { $0[5] == "application/ocsp-response" })
    #expect(request[6] == "80" && request[0] == response[0] && request[0] != "0")
    #expect(response[2] == "0" && response[3] == "1", "\(response)")
    let listed = try #require(try rows("L5-22").first { $0[5] == "application/pkix-crl" })
    #expect(listed[0] != "0")
  }

  @Test("through a proxy tshark reads CONNECT on one connection, and TLS after it")
  func tunnel() throws {
    let simulation = try #require(Curriculum.result("L11-21")).simulation
    let bytes = try PacketCapture(simulation).bytes
    let answer = try Tshark.read(
      bytes, keyLog: KeyLog(simulation).text,
      [
        "-T", "fields", "-E", "separator=|", "-e", "tcp.stream", "-e", "http.request.method", "-e",
        "http.response.code",
        "-e", "tls.handshake.type",
      ])
    #expect(answer.status == 0)
    let rows = answer.output.split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: false) }
    #expect(rows.allSatisfy { $0.first == "0" })
    func column(_ index: Int) -> [String] {
      rows.compactMap { $0.count > index && !$0[index].isEmpty ? String($0[index]) : nil }
    }
    // Inside the tunnel tshark also reads the app's request.
    #expect(column(1) == ["CONNECT", "CONNECT", "GET"] && column(2) == ["407", "200", "200"])
    #expect(column(3).first == "1" && column(3).contains("2"))
  }

  @Test("without the key log, no protected data can be read")
  func withoutKeys() throws {
    let simulation = try #require(Curriculum.result("L1-01")).simulation
    let answer = try CaptureGroup(simulations: [simulation]).answer(keyLog: "")
    #expect(answer.content(0, true) == [[], []])
    #expect(answer.packets.flatMap(\.handshakeTypes).contains(1))
    #expect(!answer.packets.flatMap(\.handshakeTypes).contains(20))
  }

  @Test("a changed byte makes a checksum wrong")
  func changedByte() throws {
    let simulation = try #require(Curriculum.result("L1-01")).simulation
    var group = CaptureGroup(simulations: [simulation])
    group.alter { $0[$0.count - 1] ^= 1 }
    let answer = try group.answer()
    #expect(answer.packets.contains { $0.complaints.contains { $0.contains("checksum") } })
  }
}

/// Runs in one capture whose key logs do not contradict each other: many scenarios share their randoms.
struct CaptureGroup {
  private(set) var simulations: [Simulation]
  private var alteration: (inout [UInt8]) -> Void = { _ in }

  init(simulations: [Simulation]) { self.simulations = simulations }

  static func all(of simulations: [Simulation]) -> [CaptureGroup] {
    var groups: [CaptureGroup] = []
    for simulation in simulations {
      let fitting = groups.firstIndex { group in
        let lines = KeyLog(group.simulations + [simulation]).lines
        // Wireshark finds resumed sessions by their ids, which follow from the seed, so a capture has one such run.
        return KeyLog(simulation).lines.allSatisfy(lines.contains) && !simulation.resumesSessions
      }
      if let fitting {
        groups[fitting].simulations.append(simulation)
      } else {
        groups.append(CaptureGroup(simulations: [simulation]))
      }
    }
    return groups
  }

  mutating func alter(_ alteration: @escaping (inout [UInt8]) -> Void) { self.alteration = alteration }

  var capture: PacketCapture {
    get throws { try PacketCapture(simulations) }
  }

  /// Every connection on which data was sent, in order.
  var connections: [CapturedConnection] {
    simulations.flatMap { simulation in
      simulation.plans.flatMap { plan in
        let steps = simulation.trace.steps.filter { $0.kind == .message && $0.connection == plan.name }
        return CapturedConnection.all(steps, of: plan, in: simulation)
      }
    }
  }

  func answer(keyLog: String? = nil) throws -> TsharkAnswer {
    var bytes = try capture.bytes
    alteration(&bytes)
    var arguments = ["-T", "fields", "-E", "separator=|", "-E", "aggregator=;", "-2"]
    arguments += TsharkAnswer.Packet.fields.flatMap { ["-e", $0] }
    for (stream, connection) in connections.enumerated() {
      let (port, name) = (connection.port, connection.isSecure ? "tls" : "http")
      arguments += ["-z", "follow,\(connection.isSecure ? "tls" : "tcp"),raw,\(stream)"]
      if port != 443, port != 80 { arguments += ["-d", "tcp.port==\(port),\(name)"] }
    }
    let answer = try Tshark.read(bytes, keyLog: keyLog ?? KeyLog(simulations).text, arguments)
    #expect(answer.status == 0)
    return TsharkAnswer(answer.output)
  }
}

/// The expected form of one connection of a run.
struct CapturedConnection: CustomStringConvertible {
  let plan: World.Plan
  let steps: [Step]
  /// Whether a key log can decrypt it.
  let isReadable: Bool

  /// The endpoints of a message, and the fetched response or CRL if it has a connection of its own.
  private struct Ends: Equatable {
    let parties: Set<Party?>
    let fetched: String?
  }

  /// The connections between each two parties, in the order in which they begin.
  static func all(_ steps: [Step], of plan: World.Plan, in simulation: Simulation) -> [CapturedConnection] {
    let pairs = steps.map { Ends(parties: [$0.from, $0.to], fetched: $0.fetchedURL) }
    let distinct = pairs.reduce(into: [Ends]()) { if !$0.contains($1) { $0.append($1) } }
    return distinct.map { pair in
      CapturedConnection(
        plan: plan, steps: zip(steps, pairs).filter { $0.1 == pair }.map(\.0),
        isReadable: plan.replayed == nil && isLogged(plan, simulation))
    }
  }

  /// Whether the key log, which identifies connections by their client random, has this one's master secret.
  private static func isLogged(_ plan: World.Plan, _ simulation: Simulation) -> Bool {
    guard let master = simulation.trace.values[plan.scope.name(.masterSecret)] else { return true }
    return KeyLog(simulation).lines.contains { $0.secret == master.bytes }
  }

  var isSecure: Bool { steps.first?.message == .handshake(.clientHello) }
  /// Whether a side sends data to a peer that has ended the connection with a fatal alert (RFC 9293 section 3.10.7.1).
  var isReset: Bool {
    steps.indices.contains { index in
      let (alert, later) = (steps[index], steps[index...].dropFirst())
      guard alert.message == .tls(.alert), said(alert).first == 2 else { return false }
      return later.contains { $0.from != alert.from } && !later.contains { $0.from == alert.from }
    }
  }
  var port: UInt16 {
    let upstream = plan.interceptor?.back?.decision.load.url
    return (steps.first?.from == .interceptor ? upstream?.port : nil) ?? plan.url.port ?? 443
  }
  var description: String { "\(plan.name ?? "") \(plan.url)" }
  var contentTypes: [Int] {
    isSecure
      ? steps.flatMap { step in
        step.fields.filter { $0.name == "Record" }.map { Int(step.bytes[$0.range.lowerBound]) }
      } : []
  }
  var handshakeTypes: [Int] {
    steps.filter { $0.bytes.first == ContentType.handshake.rawValue }.map { Int(said($0)[0]) }
  }
  var alerts: [Int] { steps.filter { $0.message == .tls(.alert) }.map { Int(said($0)[1]) } }
  /// The content sent by the client, and by the server.
  var content: [[UInt8]] {
    let steps = steps.filter { !isSecure || $0.message == .tls(.applicationData) }
    return [true, false].map { isClient in
      steps.filter { ($0.from == self.steps.first?.from) == isClient }.flatMap {
        $0.isProtected ? $0.plaintext : $0.bytes
      }
    }
  }

  private func said(_ step: Step) -> [UInt8] {
    step.isProtected ? step.plaintext : Array(step.bytes.dropFirst(Record.headerLength))
  }
}

/// The output of `tshark`: a line for every packet, then the content of every stream.
struct TsharkAnswer {
  struct Packet: CustomStringConvertible {
    static let fields = [
      "tcp.stream", "ip.checksum.status", "tcp.checksum.status", "_ws.malformed", "_ws.expert.severity",
      "_ws.expert.message", "tls.record.content_type", "tls.handshake.type", "tls.alert_message.desc",
    ]
    let description: String
    private let values: [String]

    init?(_ line: Substring) {
      values = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      guard values.count == Self.fields.count, Int(values[0]) != nil else { return nil }
      description = String(line)
    }

    var stream: Int { Int(values[0]) ?? -1 }
    var contentTypes: [Int] { numbers(6) }
    var handshakeTypes: [Int] { numbers(7) }
    var alerts: [Int] { numbers(8) }

    /// Bad checksums (1), malformed data, and every note above chat level (0x200000). Notes on closed connections and
    /// on intentionally unknown extensions are left out.
    var complaints: [String] {
      var complaints: [String] = []
      if values[1] != "1" { complaints.append("IPv4 checksum \(values[1])") }
      if values[2] != "1" { complaints.append("TCP checksum \(values[2])") }
      if !values[3].isEmpty { complaints.append("malformed") }
      for (severity, message) in zip(numbers(4), values[5].split(separator: ";")) where severity > 0x200000 {
        let isUsual = ["the connection closing", "Session resumption", "Dissector for OID not implemented"]
          .contains { message.contains($0) }
        if !isUsual {
          complaints.append(String(message))
        }
      }
      return complaints
    }

    private func numbers(_ index: Int) -> [Int] { values[index].split(separator: ";").compactMap { Int($0) } }
  }

  let packets: [Packet]
  private var streams: [String: [[UInt8]]] = [:]

  init(_ output: String) {
    let lines = output.split(separator: "\n")
    packets = lines.compactMap { Packet($0) }
    var stream: String?
    var kind = ""
    for line in lines {
      if line.hasPrefix("Follow: ") { kind = String(line.dropFirst(8).prefix(3)) }
      if line.hasPrefix("Filter: tcp.stream eq ") { stream = "\(kind) \(line.dropFirst(22))" }
      if line.hasPrefix("====") { stream = nil }
      guard let stream, let bytes = Hex.bytes(String(line)) else { continue }
      streams[stream, default: [[], []]][line.hasPrefix("\t") ? 1 : 0] += bytes
    }
  }

  /// The content of a stream: the client's, and the server's.
  func content(_ stream: Int, _ isSecure: Bool) -> [[UInt8]] {
    streams["\(isSecure ? "tls" : "tcp") \(stream)"] ?? [[], []]
  }
}

extension Simulation {
  /// Whether its servers resume sessions.
  fileprivate var resumesSessions: Bool { world.plans.contains(where: \.resumesSessions) }
}

extension World.Plan {
  /// Whether its server caches sessions, or issues tickets.
  fileprivate var resumesSessions: Bool { server.tls.sessions != nil || !server.tls.ticketKeys.isEmpty }
}

import Explanation
import TLS
import Testing

@testable import Captures

@Suite struct PacketCaptureTests {
  @Test("the checksum equals the example in RFC 1071 section 3")
  func checksum() {
    #expect(InternetChecksum.of([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]) == ~0xddf2)
    #expect(InternetChecksum.of([]) == 0xffff)
    #expect(InternetChecksum.of([0x12]) == ~0x1200)
  }

  @Test("a time outside the file format's range is an error; its last one is not")
  func clocks() throws {
    #expect(throws: CaptureError.clock(Instant(secondsSince1970: -1))) {
      _ = try CaptureTime(Instant(secondsSince1970: -1))
    }
    #expect(throws: CaptureError.self) { _ = try CaptureTime(Instant(secondsSince1970: 1 << 32)) }
    let last = try CaptureTime(Instant(secondsSince1970: 1 << 32 - 1)).adding(microseconds: 999_999)
    #expect(last.adding(microseconds: 2).seconds == .max)
  }

  @Test("a large message is split into full segments, every second one acknowledged")
  func segments() {
    var tcp = Self.conversation()
    #expect(tcp.take().map(\.flags) == [.syn, [.syn, .ack], .ack])
    tcp.send([UInt8](repeating: 7, count: 3 * TCPSegment.maximumSize + 1), from: .server)
    tcp.settle()
    let segments = tcp.take()
    #expect(segments.map(\.data.count) == [1460, 1460, 0, 1460, 1, 0])
    #expect(segments.map(\.flags) == [.ack, .ack, .ack, .ack, [.psh, .ack], .ack])
    #expect(segments.last?.acknowledgement == segments[0].sequence &+ 4381)
    #expect(segments.allSatisfy { $0.frame.count == 54 + $0.data.count })
  }

  @Test("an endpoint responds with a reset after a full close, but not after a half-close")
  func closing() {
    var tcp = Self.conversation()
    tcp.finish(.client, forGood: true)
    tcp.send([1], from: .server)
    tcp.send([2], from: .server)
    #expect(tcp.take().suffix(3).map(\.flags) == [[.fin, .ack], [.psh, .ack], [.rst, .ack]])
    var polite = Self.conversation()
    polite.finish(.client)
    polite.send([1], from: .server)
    polite.finish(.server)
    polite.settle()
    #expect(polite.take().suffix(4).map(\.flags) == [[.fin, .ack], [.psh, .ack], [.fin, .ack], .ack])
  }

  private static func conversation() -> TCPConversation { TCPConversation(ends) }

  private static let ends = Flow.Ends(
    client: SocketAddress(address: [192, 0, 2, 1], port: 49_152),
    server: SocketAddress(address: [192, 0, 2, 2], port: 443))

  /// The first bytes of a ClientHello, a response of several segments, and both closes.
  private static let portions: [Flow.Chunk] = [
    .init(.client, [22, 3, 1, 0, 2, 1, 9], at: now, number: 0),
    .init(.server, [UInt8](repeating: 5, count: 4000), at: now, number: 1, ending: .orderly),
    .init(.client, [6, 6, 6], at: now, number: 2, ending: .orderly),
  ]

  private static let now = Instant(secondsSince1970: 1_500_000_000)

  @Test("TLS is found after plaintext, and in segments of any size")
  func preambles() throws {
    func count(_ portions: [(Side, [UInt8])]) throws -> [Int] {
      var capture = PacketCapture()
      let flow = Flow(
        id: "", ends: Self.ends,
        portions: portions.enumerated().map { Flow.Chunk($1.0, $1.1, at: Self.now, number: $0) })
      try capture.append([flow], from: Self.now)
      return try CaptureReader(capture.bytes).sessions.map { $0.flow.portions.flatMap(\.bytes).count }
    }
    let tls: [(Side, [UInt8])] = [(.client, [22, 3, 1, 0, 2, 1, 9]), (.server, [5])]
    func asking(_ command: String) -> [(Side, [UInt8])] {
      [(.server, Array("220 ready\r\n".utf8)), (.client, Array(command.utf8)), (.server, Array("220 go on\r\n".utf8))]
    }
    #expect(try count(tls) == [8])
    for command in ["STARTTLS\r\n", "a1 starttls\r\n", "STLS\r\n", "AUTH TLS\r\n"] {
      #expect(try count(asking(command) + tls) == [8], "\(command)")
    }
    #expect(try count(asking("QUIT\r\n") + tls) == [])
    #expect(try count([(.client, [22]), (.client, [3, 1, 0]), (.client, [2, 1, 9]), (.server, [5])]) == [8])
    #expect(try count([(.client, [22]), (.server, [5])]) == [])
  }

  @Test("a DTLS handshake is recognized")
  func datagrams() throws {
    func capture(_ payload: [UInt8], from protocolNumber: UInt8 = 17) throws -> CaptureReader {
      let header: [UInt8] = [0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocolNumber, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
      let frame = [UInt8](repeating: 0, count: 12) + [8, 0] + header + [UInt8](repeating: 0, count: 8) + payload
      let length = UInt8(frame.count)
      let file: [UInt8] =
        [0xa1, 0xb2, 0xc3, 0xd4] + [UInt8](repeating: 0, count: 16) + [0, 0, 0, 1]
        + [UInt8](repeating: 0, count: 8) + [0, 0, 0, length, 0, 0, 0, length] + frame
      return try CaptureReader(file)
    }
    let dtls: [UInt8] = [22, 0xfe, 0xfd, 0, 0, 0, 0, 0]
    #expect(try capture(dtls).hasDatagramTLS && capture([0xc3, 0, 0, 0, 1, 8, 8]).hasDatagramTLS)
    #expect(try !capture(dtls, from: 6).hasDatagramTLS && !capture([22, 3, 1, 0, 0, 0, 0]).hasDatagramTLS)
    #expect(try !capture([]).hasDatagramTLS)
  }

  @Test("a flow that is written and read back has each side's bytes in order")
  func roundTrip() throws {
    var capture = PacketCapture()
    try capture.append([Flow(id: "", ends: Self.ends, portions: Self.portions)], from: Self.now)
    let sessions = try CaptureReader(capture.bytes).sessions
    let flow = try #require(sessions.first?.flow)
    #expect(sessions.count == 1 && flow.ends == Self.ends && flow.id == "192.0.2.1:49152-192.0.2.2:443")
    for side in Side.allCases {
      let sent = Self.portions.filter { $0.side == side }.flatMap(\.bytes)
      #expect(flow.portions.filter { $0.side == side }.flatMap(\.bytes) == sent)
    }
    #expect(flow.portions.allSatisfy { $0.at == Self.now })
  }

  @Test("flows recorded together are written in the order of their chunks")
  func interleaving() throws {
    let other = Flow.Ends(client: SocketAddress(address: [192, 0, 2, 1], port: 49_153), server: Self.ends.server)
    var capture = PacketCapture()
    try capture.append(
      [
        Flow(id: "", ends: Self.ends, portions: [Self.portions[0], .init(.client, [8], number: 3)]),
        Flow(id: "", ends: other, portions: [.init(.client, Self.portions[0].bytes, number: 1)]),
      ], from: Self.now)
    let flows = try CaptureReader(capture.bytes).sessions.map(\.flow)
    #expect(flows.map { $0.ends } == [Self.ends, other])
    let numbers = flows.flatMap { flow in flow.portions.map(\.number) }
    #expect(numbers.count == 3 && numbers[2] > numbers[0] && numbers[2] < numbers[1])
  }

  @Test("a file that is read in chunks is complete, and each chunk is released")
  func pieces() throws {
    var (whole, taken) = (PacketCapture(), PacketCapture())
    var pieces = [taken.take()]
    for (index, port) in [49_152, 49_153, 49_154].enumerated() {
      let ends = Flow.Ends(
        client: SocketAddress(address: [192, 0, 2, 1], port: UInt16(port)), server: Self.ends.server)
      let flow = Flow(id: "\(index)", ends: ends, portions: Self.portions)
      try whole.append([flow], from: Self.now)
      try taken.append([flow], from: Self.now)
      pieces.append(taken.take())
      #expect(taken.bytes.isEmpty && taken.packetCount == whole.packetCount)
    }
    #expect(pieces.map(\.isEmpty) == [false, false, false, false] && pieces.first?.count == 24)
    #expect(pieces.flatMap(\.self) == whole.bytes)
    #expect(try CaptureReader(pieces.prefix(2).flatMap(\.self)).sessions.count == 1)
  }

  @Test("an incomplete flow is left out, and a truncated file has its position")
  func ends() throws {
    var capture = PacketCapture()
    try capture.append([Flow(id: "json", portions: Self.portions)], from: Self.now)
    #expect(capture.packetCount == 0 && capture.connectionCount == 0)
    #expect(throws: CaptureError.cut(within: "its header", at: 20)) {
      _ = try CaptureReader(Array(capture.bytes.prefix(20)))
    }
  }
}

@Suite struct KeyLogTests {
  private static let random = [UInt8](repeating: 1, count: 32)
  private static let master = [UInt8](repeating: 2, count: 48)

  @Test("secrets are written and read back; of a repeated client random the first is written")
  func roundTrip() throws {
    var log = KeyLog()
    log.add(clientRandom: Self.random, masterSecret: Self.master)
    log.add(clientRandom: Self.random, masterSecret: [])
    #expect(log.lines.count == 1)
    let read = KeyLog("# by hand\n\nECH_SECRET 00 11\n" + log.text)
    #expect(read.lines == log.lines && read.problems.isEmpty)
    #expect(read.others.map(\.label) == ["ECH_SECRET"] && read.others.allSatisfy(\.isRegistered))
    #expect(log.secrets.masterSecrets == [Self.random: Self.master])
  }

  @Test("the labels of TLS 1.3 are read; secrets after a KeyUpdate follow from others")
  func trafficSecrets() {
    let secrets = ScheduledSecret.allCases.filter { $0.keyLogLabel != nil }
    let lines = secrets.enumerated().map { index, secret in
      KeyLog.Line(
        label: KeyLog.Label(rawValue: secret.keyLogLabel ?? "") ?? .clientRandom, key: Self.random,
        secret: [UInt8](repeating: UInt8(index), count: index.isMultiple(of: 2) ? 32 : 48))
    }
    let next = "CLIENT_TRAFFIC_SECRET_N \(Hex.string(Self.random)) \(Hex.string(Self.master))\n"
    let log = KeyLog(lines.map { $0.text + "\n" }.joined() + next)
    #expect(log.lines == lines && log.problems.isEmpty && log.others.allSatisfy(\.isRegistered))
    let read = log.secrets.trafficSecrets[Self.random]
    #expect(secrets.count == 7 && read?.count == 7)
    for (secret, line) in zip(secrets, lines) { #expect(read?[secret] == line.secret, "\(secret)") }
    #expect(KeyLog("CLIENT_TRAFFIC_SECRET_0 \(Hex.string(Self.random)) 00\n").problems.count == 1)
  }

  @Test("of two lines for the same session, the later counts")
  func later() throws {
    let first = KeyLog.Line(label: .clientRandom, key: Self.random, secret: Self.master)
    let second = KeyLog.Line(label: .clientRandom, key: Self.random, secret: Self.master.map { $0 + 1 })
    let log = KeyLog("\(first.text)\n\(second.text)\n")
    #expect(log.lines == [first, second])
    #expect(log.secrets.masterSecrets[Self.random] == second.secret)
    #expect(log.secrets.earlierMasterSecrets[Self.random] == [first.secret])
  }

  @Test(
    "a malformed line is reported with its position",
    arguments: [
      ("# fine\nCLIENT_RANDOM 00", 2, 17), ("CLIENT_RANDOM zz 00", 1, 15), ("CLIENT_RANDOM 00 00", 1, 15),
      ("RSA 0011 22", 1, 5),
    ])
  func problems(_ text: String, _ line: Int, _ column: Int) {
    let log = KeyLog(text)
    #expect(log.problems.map(\.line) == [line] && log.problems.map(\.column) == [column] && log.lines.isEmpty)
  }

  @Test(
    "an ignored line does not affect the others",
    arguments: [
      "\u{feff}", "RSA Session-ID: Master-Key:\(String(repeating: "02", count: 48))\n", "CLIENT_RANDOM 00\n",
      "OTHER_TOOL 00 11\n", "; a comment of another program\n", "\r\n\r\n",
    ])
  func others(_ text: String) {
    var log = KeyLog()
    log.add(clientRandom: Self.random, masterSecret: Self.master)
    let read = KeyLog(text + log.text)
    #expect(read.lines == log.lines)
    let isBlank = text.allSatisfy { $0 == "\u{feff}" || $0.isNewline }
    #expect(isBlank == (read.problems.isEmpty && read.others.isEmpty))
  }

  @Test("a session's secret is also found by its id; an empty id is none")
  func sessionID() {
    let id = [UInt8](repeating: 3, count: 32)
    let line = "RSA Session-ID:\(Hex.string(id)) Master-Key:\(Hex.string(Self.master))"
    let log = KeyLog(line)
    #expect(
      log.lines == [KeyLog.Line(label: .sessionID, key: id, secret: Self.master)] && log.lines.first?.text == line)
    #expect(log.secrets.sessions == [id: Self.master])
    #expect(KeyLog("RSA Session-ID: Master-Key:\(Hex.string(Self.master))").secrets.isEmpty)
  }
}

import Explanation
import TLS
import Testing

@testable import Captures

@Suite("Link types of a capture")
struct LinkLayerTests {
  private static let hello: [UInt8] = [22, 3, 1, 0, 2, 1, 9]
  /// The IP packets of a connection.
  private static let packets = CaptureFile.segments([(.client, hello), (.server, [5])]).map {
    Array($0.frame.dropFirst(14))
  }

  private static let addresses = [UInt8](repeating: 2, count: 12)
  private static let snap: [UInt8] = [0xaa, 0xaa, 3, 0, 0, 0, 8, 0]
  private static let wireless: [UInt8] = [0x08, 0x01, 0, 0] + [UInt8](repeating: 4, count: 18) + [0x10, 0]
  private static let quality: [UInt8] = [0x88, 0x01, 0, 0] + [UInt8](repeating: 4, count: 18) + [0x10, 0, 0, 0]

  /// A link type, and the header before each IP packet.
  static let layers: [(UInt32, [UInt8])] = [
    (0, [2, 0, 0, 0]), (12, []), (101, []), (228, []),
    (1, addresses + [8, 0]),
    (1, addresses + [0x81, 0, 0, 7, 8, 0]),
    (1, addresses + [0x88, 0xa8, 0, 7, 0x81, 0, 0, 8, 8, 0]),
    (1, addresses + [0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64]),
    (1, addresses + [0x88, 0x64, 0x11, 0, 0, 1, 0, 99, 0, 0x21]),
    (1, addresses + [0, 100] + snap),
    (9, [0, 0x21]), (9, [0xff, 3, 0, 0x21]), (9, [0x21]), (204, [1, 0xff, 3, 0, 0x21]), (104, [0x0f, 0, 8, 0]),
    (51, [0x11, 0, 0, 1, 0, 99, 0, 0x21]),
    (105, wireless + snap), (105, quality + snap), (105, quality + [0, 0] + snap),
    (127, [0, 0, 8, 0, 0, 0, 0, 0] + wireless + snap),
    (113, [UInt8](repeating: 0, count: 14) + [8, 0]),
    (276, [8, 0] + [UInt8](repeating: 0, count: 18)),
    (258, [12, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0]),
  ]

  @Test("IP is found after the headers of the link layer", arguments: layers)
  func headers(_ linkType: UInt32, _ header: [UInt8]) throws {
    let capture = try CaptureReader(CaptureFile(linkType: linkType, frames: Self.packets.map { header + $0 }).bytes)
    #expect(capture.sessions.map { $0.flow.portions.flatMap(\.bytes) } == [Self.hello + [5]])
    #expect(capture.obstacles.isEmpty)
  }

  @Test("an unsupported link type is named, and so are encrypted wireless frames")
  func notRead() throws {
    let usb = try CaptureReader(CaptureFile(linkType: 220, frames: Self.packets).bytes)
    #expect(usb.sessions.isEmpty)
    #expect(usb.obstacles == [.linkType("link type 220 (USB)", count: Self.packets.count)])
    let sealed = Self.packets.map { [0x08, 0x41] + Self.wireless.dropFirst(2) + $0 }
    let air = try CaptureReader(CaptureFile(linkType: 105, frames: sealed).bytes)
    #expect(air.sessions.isEmpty && air.obstacles == [.encryptedWireless(count: Self.packets.count)])
  }

  @Test("without TCP, the other protocols are named")
  func noTCP() throws {
    let datagrams = Self.packets.map { packet in
      var packet = packet
      packet[9] = 47
      return packet
    }
    let capture = try CaptureReader(CaptureFile(linkType: 101, frames: datagrams).bytes)
    #expect(capture.sessions.isEmpty && capture.obstacles == [.noTCP("\(datagrams.count) of GRE")])
  }

  @Test("packets without IP are counted with their link type; an empty file has none")
  func noIP() throws {
    let requests = Self.packets.map { Self.addresses + [8, 6] + $0 }
    let capture = try CaptureReader(CaptureFile(frames: requests).bytes)
    #expect(capture.obstacles == [.noIP("link type 1 (Ethernet)", count: requests.count)])
    #expect(try CaptureReader(CaptureFile().bytes).obstacles == [.noPackets])
  }

  @Test("the check sequence length in the header is not part of the link type")
  func checkSequence() throws {
    let frames = Self.packets.map { Self.addresses + [8, 0] + $0 + [1, 2, 3, 4] }
    let capture = try CaptureReader(CaptureFile(linkType: 0x2400_0001, frames: frames).bytes)
    #expect(capture.sessions.map { $0.flow.portions.flatMap(\.bytes) } == [Self.hello + [5]])
  }

  @Test("packets truncated after the headers have no data, and that is reported")
  func cutBehindHeaders() throws {
    let frames = Self.packets.map { Self.addresses + [8, 0] + $0 }
    for length in [40, 54] {
      let capture = try CaptureReader(CaptureFile(frames: frames, snapLength: length).bytes)
      guard case .cutPackets(_, length)? = capture.obstacles.last else {
        Issue.record("\(length): \(capture.obstacles)")
        continue
      }
      #expect(capture.sessions.isEmpty)
    }
    #expect(try CaptureReader(CaptureFile(frames: frames, snapLength: 1500).bytes).obstacles.isEmpty)
  }

  @Test("IPv6 extension headers are read before TCP and before a fragment", arguments: [0, 43, 51, 60, 135])
  func extensions(_ number: UInt8) throws {
    let ends = [UInt8](repeating: 1, count: 16) + [UInt8](repeating: 2, count: 16)
    func packet(_ content: [UInt8], next: UInt8) -> [UInt8] {
      // Sixteen bytes in the units of each header (RFC 8200 section 4, RFC 4302 section 2.2).
      let words: UInt8 = number == 51 ? 2 : 1
      let header = [next, words] + [UInt8](repeating: 0, count: 14)
      let length = UInt16(header.count + content.count).networkOrder
      return [0x60, 0, 0, 0] + length + [number, 64] + ends + header + content
    }
    let segment = Array(Self.packets[0].dropFirst(20))
    let whole = try #require(TCPSegment(packet(segment, next: 6)[...], linkType: 101))
    #expect(whole.flags == .syn)
    func fragment(_ part: ArraySlice<UInt8>, at offset: UInt16, isLast: Bool) -> [UInt8] {
      packet([6, 0] + (offset | (isLast ? 0 : 1)).networkOrder + [0, 0, 0, 9] + part, next: 44)
    }
    var fragments = IPFragments()
    #expect(fragments.take(fragment(segment[..<16], at: 0, isLast: false)[...], linkType: 101) == nil)
    let joined = fragments.take(fragment(segment[16...], at: 16, isLast: true)[...], linkType: 101)
    let packet = try #require(joined)
    #expect(TCPSegment(packet.bytes, linkType: packet.linkType)?.sequence == whole.sequence)
  }

  /// A block of pcapng in big-endian order.
  private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = UInt32(padded.count + 12).networkOrder
    return type.networkOrder + length + padded + length
  }

  @Test("Simple Packet Blocks have packets without a time, and unknown blocks have none")
  func simplePackets() throws {
    let section = block(0x0a0d_0d0a, [0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0] + [UInt8](repeating: 0xff, count: 8))
    let interface = block(1, [0, 101, 0, 0, 0, 0, 0, 0])
    let packets = Self.packets.flatMap { block(3, UInt32($0.count).networkOrder + $0) }
    let capture = try CaptureReader(section + interface + packets + block(77, [1, 2, 3, 4]))
    #expect(capture.packetCount == Self.packets.count && capture.unknownBlocks == [77])
    let flow = try #require(capture.sessions.first?.flow)
    #expect(flow.portions.flatMap(\.bytes) == Self.hello + [5] && flow.portions.allSatisfy { $0.at == nil })
    let none = try CaptureReader(section + interface + block(77, [1, 2, 3, 4]))
    #expect(none.sessions.isEmpty && none.obstacles == [.blocks([77])])
  }
}

@Suite("Plaintext before TLS")
struct PreludeTests {
  private static let hello: [UInt8] =
    [22, 3, 1, 0, 47, 1, 0, 0, 43, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0, 0x2f, 1, 0]
  private static let answer: [UInt8] =
    [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0, 0x2f, 0]

  private func read(_ said: [(Side, [UInt8])]) throws -> CaptureReader {
    try CaptureReader(CaptureFile(frames: CaptureFile.segments(said).map(\.frame)).bytes)
  }

  private static func text(_ side: Side, _ text: String) -> (Side, [UInt8]) { (side, Array(text.utf8)) }

  /// A prelude, and a word of its name.
  static let preludes: [(String, [(Side, [UInt8])])] = [
    ("CONNECT", [text(.client, "CONNECT a:443 HTTP/1.1\r\n\r\n"), text(.server, "HTTP/1.1 200 OK\r\n\r\n")]),
    (
      "SMTP",
      [
        text(.server, "220 a\r\n"), text(.client, "EHLO b\r\n"), text(.server, "250 STARTTLS\r\n"),
        text(.client, "STARTTLS\r\n"), text(.server, "220 go\r\n"),
      ]
    ),
    ("IMAP", [text(.server, "* OK\r\n"), text(.client, "a STARTTLS\r\n"), text(.server, "a OK\r\n")]),
    ("POP3", [text(.server, "+OK\r\n"), text(.client, "STLS\r\n"), text(.server, "+OK\r\n")]),
    ("FTP", [text(.server, "220 a\r\n"), text(.client, "AUTH TLS\r\n"), text(.server, "234 go\r\n")]),
    ("PostgreSQL", [(.client, [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]), text(.server, "S")]),
    (
      "MySQL",
      [
        (.server, [74, 0, 0, 0, 10, 56, 46, 48, 0]),
        (.client, [32, 0, 0, 1, 0x85, 0xae] + [UInt8](repeating: 0, count: 30)),
      ]
    ),
    (
      "RDP",
      [(.client, [3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0]), (.server, [3, 0, 0, 19, 14, 0xd0])]
    ),
    (
      "LDAP",
      [
        (.client, [0x30, 29, 2, 1, 1, 0x77, 24, 0x80, 22] + "1.3.6.1.4.1.1466.20037".utf8),
        (.server, [0x30, 12, 2, 1, 1, 0x78, 7, 10, 1, 0, 4, 0, 4, 0]),
      ]
    ),
    (
      "XMPP",
      [
        text(.client, "<stream:stream>"), text(.server, "<features/>"),
        text(.client, "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"), text(.server, "<proceed/>"),
      ]
    ),
    (
      "SOCKS 5",
      [
        (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 3, 1, 97, 1, 187]),
        (.server, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
      ]
    ),
    ("unknown", [(.client, [1, 2, 3]), (.server, [4])]),
  ]

  @Test("TLS is read after a prelude, which has a name", arguments: preludes)
  func named(_ name: String, _ said: [(Side, [UInt8])]) throws {
    let sessions = try read(said + [(.client, Self.hello), (.server, Self.answer)]).sessions
    let flow = try #require(sessions.first?.flow)
    #expect(flow.portions.map(\.bytes) == [Self.hello, Self.answer])
    #expect(flow.prelude?.contains(name) == true, "\(flow.prelude ?? "")")
    // TLS alone has no prelude.
    #expect(try read([(.client, Self.hello), (.server, Self.answer)]).sessions.first?.flow.prelude == nil)
  }

  @Test("a PROXY protocol header may be in one segment with the ClientHello")
  func sameSegment() throws {
    let line = Array("PROXY TCP4 192.0.2.1 192.0.2.2 5 443\r\n".utf8)
    let flow = try #require(try read([(.client, line + Self.hello), (.server, Self.answer)]).sessions.first?.flow)
    #expect(flow.portions.map(\.bytes) == [Self.hello, Self.answer] && flow.prelude?.contains("PROXY") == true)
  }

  @Test("a connection of another protocol is not a session, and is named")
  func others() throws {
    let http = try read([Self.text(.client, "GET / HTTP/1.1\r\n\r\n"), Self.text(.server, "HTTP/1.1 200 OK\r\n\r\n")])
    #expect(http.sessions.isEmpty)
    guard case .connection(_, let speaks)? = http.obstacles.first else {
      Issue.record("\(http.obstacles)")
      return
    }
    #expect(speaks == "HTTP without TLS")
    let alert = try read([Self.text(.client, "GET / HTTP/1.1\r\n\r\n"), (.server, [21, 3, 3, 0, 2, 2, 10])])
    guard case .connection(_, let refused)? = alert.obstacles.first else {
      Issue.record("\(alert.obstacles)")
      return
    }
    #expect(refused.hasPrefix("HTTP") && refused.contains("alert"))
    let declined = try read([(.client, [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]), Self.text(.server, "N")])
    guard case .connection(_, let answer)? = declined.obstacles.first else {
      Issue.record("\(declined.obstacles)")
      return
    }
    #expect(declined.sessions.isEmpty && answer.contains("PostgreSQL"))
    let records: [(Side, [UInt8])] = [(.client, [23, 3, 3, 0, 1, 9]), (.server, [23, 3, 3, 0, 1, 9])]
    let begun = try CaptureReader(CaptureFile(frames: CaptureFile.segments(records).dropFirst(3).map(\.frame)).bytes)
    #expect(begun.sessions.isEmpty && begun.obstacles == [.beganBefore(begunName)])
    // If the capture has the SYN, nothing preceded.
    guard case .connection(_, let spoken)? = try read(records).obstacles.first else {
      Issue.record("\(try read(records).obstacles)")
      return
    }
    #expect(spoken.contains("without a ClientHello"))
  }

  /// A protocol without TLS, and a word of its name.
  static let declined: [(String, [(Side, [UInt8])])] = [
    (
      "454",
      [
        text(.server, "220 a\r\n"), text(.client, "EHLO b\r\n"), text(.server, "250 a\r\n"),
        text(.client, "STARTTLS\r\n"), text(.server, "454 not now\r\n"),
      ]
    ),
    (
      "403",
      [text(.client, "CONNECT a:443 HTTP/1.1\r\n\r\n"), text(.server, "HTTP/1.1 403 No\r\nServer: x\r\n\r\n")]
    ),
    (
      "error 5",
      [
        (.client, [5, 1, 0]), (.server, [5, 0]), (.client, [5, 1, 0, 3, 1, 97, 1, 187]),
        (.server, [5, 5, 0, 1, 0, 0, 0, 0, 0, 0]),
      ]
    ),
    (
      "refuses",
      [
        (.client, [3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0]),
        (.server, [3, 0, 0, 19, 14, 0xd0, 0, 0, 0x12, 0x34, 0, 3, 0, 8, 0, 2, 0, 0, 0]),
      ]
    ),
    (
      "PostgreSQL without",
      [(.client, [0, 0, 0, 12, 0, 3, 0, 0, 97, 0, 98, 0]), (.server, [82, 0, 0, 0, 8, 0, 0, 0, 0])]
    ),
    ("MySQL", [(.server, [9, 0, 0, 0, 0xff, 0x6a, 4, 78, 111, 33])]),
    (
      "LDAP without",
      [(.client, [0x30, 12, 2, 1, 1, 0x60, 7, 2, 1, 3, 4, 0, 0x80, 0]), (.server, [0x30, 12, 2, 1, 1, 0x61])]
    ),
    ("HTTP", [text(.client, "PROPFIND / HTTP/1.1\r\n\r\n"), text(.server, "HTTP/1.1 207 a\r\n\r\n")]),
    ("2a310d0a", [text(.client, "*1\r\n$4\r\nPING\r\n"), text(.server, "+PONG\r\n")]),
    ("100c0004", [(.client, [0x10, 12, 0, 4, 77, 81, 84, 84]), (.server, [0x20, 2, 0, 0])]),
  ]

  @Test("a protocol instead of TLS is named, with the refusal", arguments: declined)
  func refusals(_ word: String, _ said: [(Side, [UInt8])]) throws {
    let capture = try read(said)
    guard case .connection(_, let speaks)? = capture.obstacles.first else {
      Issue.record("\(capture.obstacles)")
      return
    }
    #expect(capture.sessions.isEmpty && speaks.contains(word), "\(speaks)")
  }

  @Test("a connection without data has a reason")
  func silent() throws {
    #expect(try read([]).obstacles == [.silent(begunName, found: "no data from either side")])
    let opening = CaptureFile.segments([]).prefix(1)
    var refusal = CaptureFile.segments([])[1]
    let alone = try CaptureReader(CaptureFile(frames: opening.map(\.frame)).bytes)
    #expect(alone.obstacles == [.silent(begunName, found: "no packet from the server, and no data")])
    refusal.flags = [.rst, .ack]
    let refused = try CaptureReader(CaptureFile(frames: (opening + [refusal]).map(\.frame)).bytes)
    guard case .silent(_, let found)? = refused.obstacles.first else {
      Issue.record("\(refused.obstacles)")
      return
    }
    #expect(found.contains("reset"))
  }

  @Test("a server's greeting is a prelude before a ServerHello, otherwise a reply without TLS")
  func greeting() throws {
    let banner = Self.text(.server, "BANNER\r\n")
    let flow = try #require(try read([banner, (.client, Self.hello), (.server, Self.answer)]).sessions.first?.flow)
    #expect(flow.portions.map(\.bytes) == [Self.hello, Self.answer] && flow.prelude?.hasPrefix("8 bytes") == true)
    let plain = try #require(try read([banner, (.client, Self.hello), banner]).sessions.first?.flow)
    #expect(plain.portions.filter { $0.side == .server }.flatMap(\.bytes) == banner.1 + banner.1)
  }

  private var begunName: String { "\(CaptureFile.ends.client)-\(CaptureFile.ends.server)" }
}

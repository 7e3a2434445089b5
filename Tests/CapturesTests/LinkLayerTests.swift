import TLS
import Testing

@testable import Captures

@Suite("Kinds of networks in a capture")
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

  /// A link type, and the header in front of each IP packet.
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

  @Test("IP is found behind the headers of the link layer", arguments: layers)
  func headers(_ linkType: UInt32, _ header: [UInt8]) throws {
    let capture = try CaptureReader(CaptureFile(linkType: linkType, frames: Self.packets.map { header + $0 }).bytes)
    #expect(capture.sessions.map { $0.flow.portions.flatMap(\.bytes) } == [Self.hello + [5]])
    #expect(capture.obstacles.isEmpty)
  }

  @Test("a link type that is not read is named, and so are frames that are encrypted on the air")
  func notRead() throws {
    let usb = try CaptureReader(CaptureFile(linkType: 220, frames: Self.packets).bytes)
    #expect(usb.sessions.isEmpty)
    #expect(usb.obstacles == [.linkType("link type 220 (USB)", count: Self.packets.count)])
    let sealed = Self.packets.map { [0x08, 0x41] + Self.wireless.dropFirst(2) + $0 }
    let air = try CaptureReader(CaptureFile(linkType: 105, frames: sealed).bytes)
    #expect(air.sessions.isEmpty && air.obstacles == [.encryptedWireless(count: Self.packets.count)])
  }

  @Test("where there is no TCP, the other protocols are named")
  func noTCP() throws {
    let datagrams = Self.packets.map { packet in
      var packet = packet
      packet[9] = 47
      return packet
    }
    let capture = try CaptureReader(CaptureFile(linkType: 101, frames: datagrams).bytes)
    #expect(capture.sessions.isEmpty && capture.obstacles == [.noTCP("\(datagrams.count) of GRE")])
  }

  /// A block of pcapng in big-endian order.
  private func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = UInt32(padded.count + 12).networkOrder
    return type.networkOrder + length + padded + length
  }

  @Test("Simple Packet Blocks have packets without a time, and a block of no known type has none")
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

@Suite("What is said before TLS")
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
    ("not known", [(.client, [1, 2, 3]), (.server, [4])]),
  ]

  @Test("TLS is read behind it, and what came before has a name", arguments: preludes)
  func named(_ name: String, _ said: [(Side, [UInt8])]) throws {
    let sessions = try read(said + [(.client, Self.hello), (.server, Self.answer)]).sessions
    let flow = try #require(sessions.first?.flow)
    #expect(flow.portions.map(\.bytes) == [Self.hello, Self.answer])
    #expect(flow.prelude?.contains(name) == true, "\(flow.prelude ?? "")")
    // TLS alone has no prelude.
    #expect(try read([(.client, Self.hello), (.server, Self.answer)]).sessions.first?.flow.prelude == nil)
  }

  @Test("a header of the PROXY protocol may come in one segment with the ClientHello")
  func sameSegment() throws {
    let line = Array("PROXY TCP4 192.0.2.1 192.0.2.2 5 443\r\n".utf8)
    let flow = try #require(try read([(.client, line + Self.hello), (.server, Self.answer)]).sessions.first?.flow)
    #expect(flow.portions.map(\.bytes) == [Self.hello, Self.answer] && flow.prelude?.contains("PROXY") == true)
  }

  @Test("a connection of another protocol is no session, and is named")
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
    #expect(declined.sessions.isEmpty && answer.contains("PostgreSQL") && answer.contains("does not offer TLS"))
    let begun = try read([(.client, [23, 3, 3, 0, 1, 9]), (.server, [23, 3, 3, 0, 1, 9])])
    #expect(begun.sessions.isEmpty && begun.obstacles == [.beganBefore(begunName)])
  }

  private var begunName: String { "\(CaptureFile.ends.client)-\(CaptureFile.ends.server)" }
}

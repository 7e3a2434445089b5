import Explanation
import TLS
import Testing

@testable import Captures

/// A capture file of frames, in the classic format.
struct CaptureFile {
  static let ends = Flow.Ends(
    client: SocketAddress(address: [192, 0, 2, 1], port: 49_152),
    server: SocketAddress(address: [192, 0, 2, 2], port: 443))

  var linkType: UInt32 = 1
  var frames: [[UInt8]] = []
  /// The maximum number of captured bytes of a frame.
  var snapLength = 65_535

  var bytes: [UInt8] {
    let header: [UInt8] = [0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4] + [UInt8](repeating: 0, count: 12)
    return frames.reduce(header + linkType.networkOrder) { file, frame in
      let kept = frame.prefix(snapLength)
      let lengths = UInt32(kept.count).networkOrder + UInt32(frame.count).networkOrder
      return file + [UInt8](repeating: 0, count: 8) + lengths + kept
    }
  }

  /// The segments of a connection on which both sides send these bytes in turn.
  static func segments(_ said: [(Side, [UInt8])], closes: Bool = true) -> [TCPSegment] {
    var tcp = TCPConversation(ends)
    for (side, bytes) in said { tcp.send(bytes, from: side) }
    if closes {
      tcp.finish(.client)
      tcp.finish(.server)
    }
    tcp.settle()
    return tcp.take()
  }
}

@Suite("The order of packets in a capture")
struct OrderTests {
  private static let hello: [UInt8] = [22, 3, 1, 0, 2, 1, 9]
  private static let said: [(Side, [UInt8])] = [
    (.client, hello), (.server, [UInt8](repeating: 5, count: 4000)), (.client, [6, 6, 6]), (.server, [7, 7]),
    (.client, [8, 8]),
  ]

  private func sessions(_ segments: [TCPSegment]) throws -> [CaptureReader.Session] {
    try CaptureReader(CaptureFile(frames: segments.map(\.frame)).bytes).sessions
  }

  /// The bytes of each side in order; consecutive ones of a side are joined.
  private func talk(_ flow: Flow) -> [[UInt8]] {
    flow.portions.reduce(into: [(Side, [UInt8])]()) { talk, portion in
      if talk.last?.0 == portion.side, let last = talk.indices.last {
        talk[last].1 += portion.bytes
      } else {
        talk.append((portion.side, portion.bytes))
      }
    }.map(\.1)
  }

  @Test("sequence and acknowledgement numbers determine the order, not the packets' (RFC 9293 section 3.4)")
  func anyOrder() throws {
    let segments = CaptureFile.segments(Self.said)
    let byServer = segments.filter { $0.source == CaptureFile.ends.server }
    let byClient = segments.filter { $0.source == CaptureFile.ends.client }
    for order in [segments, segments.reversed(), byServer + byClient, byClient + byServer, segments + segments] {
      let found = try sessions(order)
      let session = try #require(found.first)
      #expect(found.count == 1 && session.incomplete.isEmpty && session.flow.unfinished.isEmpty)
      #expect(session.flow.ends == CaptureFile.ends)
      #expect(talk(session.flow) == Self.said.map(\.1))
    }
  }

  @Test("a capture of one direction has a session, whose other direction is unknown")
  func oneDirection() throws {
    let serverHello: [UInt8] =
      [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0, 0x2f, 0]
    let segments = CaptureFile.segments([(.client, Self.hello), (.server, serverHello), (.client, [6])])
    for (side, place) in [(Side.client, CaptureFile.ends.client), (.server, CaptureFile.ends.server)] {
      let session = try #require(try sessions(segments.filter { $0.source == place }).first)
      #expect(session.incomplete == [side.peer])
      #expect(session.flow.portions.allSatisfy { $0.side == side } && session.flow.ends == CaptureFile.ends)
      #expect(session.flow.incomplete[side.peer]?.contains("one direction") == true)
    }
    #expect(try sessions(segments).first?.incomplete == [])
  }

  @Test("acknowledged bytes that are not in the capture are missing, also at the end")
  func acknowledged() throws {
    let segments = CaptureFile.segments(Self.said, closes: false)
    let last = try #require(segments.last { $0.source == CaptureFile.ends.server && $0.data == [7, 7] })
    let without = segments.filter { $0.sequence != last.sequence || $0.data != last.data }
    #expect(try sessions(without).first?.incomplete == [.server])
    #expect(try sessions(segments).first?.incomplete == [])
  }

  @Test("a connection that reuses the ports of an earlier one is another session")
  func reusedPorts() throws {
    let first = CaptureFile.segments(Self.said)
    let second = first.map { segment in
      var moved = segment
      let isClients = segment.source == CaptureFile.ends.client
      moved.sequence &+= isClients ? 1 << 20 : 1 << 21
      if segment.flags.contains(.ack) { moved.acknowledgement &+= isClients ? 1 << 21 : 1 << 20 }
      return moved
    }
    let found = try sessions(first + second)
    #expect(found.map { talk($0.flow) } == [Self.said.map(\.1), Self.said.map(\.1)])
  }

  @Test("only truncated packets leave bytes out")
  func snapLength() throws {
    var file = CaptureFile(frames: CaptureFile.segments(Self.said).map(\.frame))
    let whole = try CaptureReader(file.bytes)
    #expect(whole.cutPackets.count == 0 && whole.sessions.first?.incomplete == [])
    file.snapLength = 128
    let cut = try CaptureReader(file.bytes)
    #expect(cut.cutPackets.count == 3 && cut.cutPackets.length == 128)
    #expect(cut.sessions.first?.incomplete == [.server])
    #expect(cut.sessions.first?.flow.incomplete[.server]?.contains("128 bytes (snap length)") == true)
  }
}

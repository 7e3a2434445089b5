import Explanation
import Scenarios
import Testing

@testable import Rendering

@Suite struct CaptureTests {
  @Test("the checksum is that of the example in RFC 1071 section 3")
  func checksum() {
    #expect(InternetChecksum.of([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]) == ~0xddf2)
    #expect(InternetChecksum.of([]) == 0xffff)
    #expect(InternetChecksum.of([0x12]) == ~0x1200)
  }

  @Test("the same run gives the same bytes, and a file begins as libpcap's do")
  func determinism() throws {
    let simulation = try #require(Curriculum.result("L1-01")).simulation
    let first = try PacketCapture(simulation)
    #expect(try PacketCapture(simulation).bytes == first.bytes)
    #expect(Array(first.bytes.prefix(8)) == [0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4])
    #expect(first.connectionCount == 1)
  }

  @Test("a load that is blocked sends no packet, and has no secrets")
  func blocked() throws {
    let simulation = try #require(Curriculum.result("L0-06")).simulation
    let capture = try PacketCapture(simulation)
    #expect((capture.packetCount, capture.bytes.count) == (0, 24))
    #expect(KeyLog(simulation).text.isEmpty)
  }

  @Test("a key log has one line for each connection with a master secret")
  func keyLog() throws {
    let simulation = try #require(Curriculum.result("L1-01")).simulation
    let values = simulation.trace.values
    let random = Hex.string(try #require(values["client_random"]).bytes)
    let master = Hex.string(try #require(values["master_secret"]).bytes)
    #expect(KeyLog(simulation).text == "CLIENT_RANDOM \(random) \(master)\n")
    #expect(KeyLog([simulation, simulation]).lines.count == 1)
  }

  @Test("a clock outside of what the file can say is an error, and one at its end is not")
  func clocks() throws {
    #expect(throws: CaptureError.clock(Instant(secondsSince1970: -1))) {
      _ = try CaptureTime(Instant(secondsSince1970: -1))
    }
    #expect(throws: CaptureError.self) { _ = try CaptureTime(Instant(secondsSince1970: 1 << 32)) }
    let last = try CaptureTime(Instant(secondsSince1970: 1 << 32 - 1)).adding(microseconds: 999_999)
    #expect(last.adding(microseconds: 2).seconds == .max)
  }

  @Test("a large message travels in full segments, every second one acknowledged")
  func segments() {
    var tcp = Self.conversation()
    #expect(tcp.take().map(\.flags) == [.syn, [.syn, .ack], .ack])
    tcp.send([UInt8](repeating: 7, count: 3 * TCPSegment.maximumSize + 1), from: .responder)
    tcp.settle()
    let segments = tcp.take()
    #expect(segments.map(\.data.count) == [1460, 1460, 0, 1460, 1, 0])
    #expect(segments.map(\.flags) == [.ack, .ack, .ack, .ack, [.psh, .ack], .ack])
    #expect(segments.last?.acknowledgement == segments[0].sequence &+ 4381)
    #expect(segments.allSatisfy { $0.frame.count == 54 + $0.data.count })
  }

  @Test("whoever sends to an end that has closed for good is answered by a reset; to a half-closed one, not")
  func closing() {
    var tcp = Self.conversation()
    tcp.finish(.initiator, forGood: true)
    tcp.send([1], from: .responder)
    tcp.send([2], from: .responder)
    #expect(tcp.take().suffix(3).map(\.flags) == [[.fin, .ack], [.psh, .ack], [.rst, .ack]])
    var polite = Self.conversation()
    polite.finish(.initiator)
    polite.send([1], from: .responder)
    polite.finish(.responder)
    polite.settle()
    #expect(polite.take().suffix(4).map(\.flags) == [[.fin, .ack], [.psh, .ack], [.fin, .ack], .ack])
  }

  private static func conversation() -> TCPConversation {
    TCPConversation(
      from: NetworkPlace(address: [192, 0, 2, 1], port: 49_152), to: NetworkPlace(address: [192, 0, 2, 2], port: 443))
  }
}

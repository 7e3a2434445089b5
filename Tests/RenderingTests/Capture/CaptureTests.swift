import Captures
import Explanation
import Scenarios
import Simulator
import Testing

@Suite struct CaptureTests {
  @Test("the same run gives the same bytes, and a file begins as libpcap's do")
  func determinism() throws {
    let simulation = try #require(Curriculum.result("L1-01")).simulation
    let first = try PacketCapture(simulation)
    #expect(try PacketCapture(simulation).bytes == first.bytes)
    #expect(Array(first.bytes.prefix(8)) == [0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4])
    #expect(first.connectionCount == 1)
  }

  @Test("a blocked load sends no packet, and has no secrets")
  func blocked() throws {
    let simulation = try #require(Curriculum.result("L0-06")).simulation
    let capture = try PacketCapture(simulation)
    #expect((capture.packetCount, capture.bytes.count) == (0, 24))
    #expect(KeyLog(simulation).text.isEmpty)
  }

  @Test("a session in a tunnel is read from its ClientHello, after the proxy's messages")
  func tunnel() throws {
    let simulation = try #require(Curriculum.result("L11-21")).simulation
    let sessions = try CaptureReader(PacketCapture(simulation).bytes).sessions
    let portions = try #require(sessions.first).flow.portions
    #expect(sessions.count == 1 && portions.first?.side == .client && portions.first?.bytes.first == 22)
    #expect(!portions.contains { $0.bytes.starts(with: "HTTP/1.1".utf8) })
    let hello = try #require(simulation.trace.steps.first { $0.message == .handshake(.clientHello) })
    #expect(portions.first?.bytes == hello.bytes)
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
}

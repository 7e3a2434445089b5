import Cryptography
import Explanation
import TLS
import Testing

@testable import LiveTLS

@Suite("The first bytes of a connection")
struct ClientHelloPeekTests {
  /// The records of a client that requests `host`.
  private func hello(for host: String) -> [UInt8] {
    var connection = Connection(
      ClientConfiguration(host: host, random: RandomStreams(seed: .number(1), party: "client")))
    return connection.start().flatMap { effect -> [UInt8] in
      if case .send(let message) = effect { message.bytes } else { [] }
    }
  }

  /// The result for these bytes if they arrive at once.
  private func peek(_ bytes: [UInt8]) -> ClientHelloPeek.Result {
    var first = ClientHelloPeek()
    return first.append(bytes)
  }

  @Test("the server name is known once the ClientHello is complete, and not before")
  func name() {
    let bytes = hello(for: "api.example")
    for count in 0..<bytes.count { #expect(peek(Array(bytes.prefix(count))) == .unfinished) }
    #expect(peek(bytes) == .hello(serverName: "api.example"))
    #expect(peek(bytes + [1, 2, 3]) == .hello(serverName: "api.example"))
  }

  @Test("a ClientHello in many records is reassembled")
  func fragments() {
    let bytes = hello(for: "api.example")
    let fragments = bytes.dropFirst(5).flatMap { byte -> [UInt8] in [22, 3, 1, 0, 1, byte] }
    #expect(peek(fragments) == .hello(serverName: "api.example"))
  }

  @Test("single bytes have the same result, and every byte is read once")
  func portions() {
    let bytes = hello(for: "api.example")
    var slow = ClientHelloPeek()
    let results = bytes.map { slow.append([$0]) }
    #expect(results.last == .hello(serverName: "api.example"))
    #expect(slow.bytes == bytes)
    // A hello of 64 KiB in records of one byte took minutes when it was read again with every chunk.
    var long = ClientHelloPeek()
    let endless: [UInt8] = [1, 0, 0xff, 0xff] + [UInt8](repeating: 3, count: 60_000)
    let clock = ContinuousClock()
    let time = clock.measure {
      for byte in endless where long.bytes.count < ClientHelloPeek.limit - 6 {
        #expect(long.append([22, 3, 1, 0, 1, byte]) == .unfinished)
      }
    }
    #expect(long.append([22, 3, 1, 0, 1, 3, 22]) == .hello(serverName: nil))
    #expect(time < .seconds(5))
  }

  @Test("an IP address is not a server name")
  func address() { #expect(peek(hello(for: "192.0.2.1")) == .hello(serverName: nil)) }

  @Test("letters are HTTP")
  func plain() { #expect(peek(Array("GET / HTTP/1.1\r\n".utf8)) == .plain) }

  @Test(
    "TLS that is not a ClientHello is left to the server",
    arguments: [
      [21, 3, 1, 0, 2, 2, 40], [22, 3, 1, 0xff, 0xff, 1], [0x80, 0x2e, 1, 3, 1], [22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff],
      [22, 3, 1, 0, 4, 1, 0, 0, 0], [22, 3, 1, 0, 1, 1, 23, 3, 1, 0, 0],
    ] as [[UInt8]])
  func strange(bytes: [UInt8]) { #expect(peek(bytes) == .hello(serverName: nil)) }

  @Test("a damaged ClientHello never traps")
  func damage() {
    let bytes = hello(for: "api.example")
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0xff
      _ = peek(damaged)
    }
  }
}

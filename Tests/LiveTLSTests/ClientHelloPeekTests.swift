import Cryptography
import Explanation
import TLS
import Testing

@testable import LiveTLS

@Suite("The first bytes of a connection")
struct ClientHelloPeekTests {
  /// The records of a client that asks for `host`.
  private func hello(for host: String) -> [UInt8] {
    var connection = Connection(
      ClientConfiguration(host: host, random: RandomStreams(seed: .number(1), party: "client")))
    return connection.start().flatMap { effect -> [UInt8] in
      if case .send(let message) = effect { message.bytes } else { [] }
    }
  }

  @Test("the name is known once the ClientHello is whole, and not before")
  func name() {
    let bytes = hello(for: "api.example")
    for count in 0..<bytes.count { #expect(ClientHelloPeek(Array(bytes.prefix(count))) == .unfinished) }
    #expect(ClientHelloPeek(bytes) == .hello(serverName: "api.example"))
    #expect(ClientHelloPeek(bytes + [1, 2, 3]) == .hello(serverName: "api.example"))
  }

  @Test("a ClientHello in many records is one")
  func fragments() {
    let bytes = hello(for: "api.example")
    let fragments = bytes.dropFirst(5).flatMap { byte -> [UInt8] in [22, 3, 1, 0, 1, byte] }
    #expect(ClientHelloPeek(fragments) == .hello(serverName: "api.example"))
  }

  @Test("an address is no name")
  func address() { #expect(ClientHelloPeek(hello(for: "192.0.2.1")) == .hello(serverName: nil)) }

  @Test("letters are HTTP")
  func plain() { #expect(ClientHelloPeek(Array("GET / HTTP/1.1\r\n".utf8)) == .plain) }

  @Test(
    "what is TLS and no hello is left to the server itself",
    arguments: [
      [21, 3, 1, 0, 2, 2, 40], [22, 3, 1, 0xff, 0xff, 1], [0x80, 0x2e, 1, 3, 1], [22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff],
      [22, 3, 1, 0, 4, 1, 0, 0, 0], [22, 3, 1, 0, 1, 1, 23, 3, 1, 0, 0],
    ] as [[UInt8]])
  func strange(bytes: [UInt8]) { #expect(ClientHelloPeek(bytes) == .hello(serverName: nil)) }

  @Test("whatever is damaged in a ClientHello, nothing traps")
  func damage() {
    let bytes = hello(for: "api.example")
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0xff
      _ = ClientHelloPeek(damaged)
    }
  }
}

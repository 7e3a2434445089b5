import Explanation
import TLS

// Finds the beginning of TLS on a connection.
extension TCPReassembly.Connection {
  /// The TLS part of a connection, and a description of the bytes before it.
  struct Found {
    var connection: TCPReassembly.Connection
    /// A description of the bytes before TLS; nil if there are none.
    var prelude: String?
  }

  /// The number of bytes from a side in which the start of TLS is searched.
  private static let searchLimit = 1 << 14

  /// The first bytes that a side sent.
  func beginning(of side: Side, count: Int = Self.searchLimit, from start: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    for portion in portions[start...] where portion.side == side && bytes.count < count { bytes += portion.bytes }
    return Array(bytes.prefix(count))
  }

  /// The TLS part of the connection; nil if neither side starts TLS.
  var tls: Found? {
    for connection in [self, turned] {
      if let found = connection.fromClientHello ?? connection.ofServerAlone { return found }
    }
    return nil
  }

  /// The TLS part of the connection, starting with the ClientHello.
  private var fromClientHello: Found? {
    let beginning = beginning(of: .client)
    if Self.isClientHello(beginning) { return withoutGreeting }
    if Prelude(client: beginning, server: self.beginning(of: .server, count: 16)).isTDS { return nil }
    var offset = 0
    for (index, portion) in portions.enumerated() where portion.side == .client {
      guard offset < beginning.count else { return nil }
      let end = min(offset + portion.bytes.count, beginning.count)
      let before = prelude(before: index, client: Array(beginning.prefix(offset)))
      if index > 0, before != nil, Self.isClientHello(Array(beginning[offset...])) {
        return Found(connection: cut(at: index, dropping: 0), prelude: before)
      }
      if let start = (offset..<end).first(where: { Self.isWholeClientHello(beginning[$0...]) }) {
        let name = prelude(before: index, client: Array(beginning.prefix(start)))
        let said = name ?? "\(start) bytes from the client, in an unknown protocol"
        return Found(connection: cut(at: index, dropping: start - offset), prelude: said)
      }
      offset += portion.bytes.count
    }
    return nil
  }

  /// The connection without the server's greeting before the ClientHello.
  ///
  /// The greeting must not be TLS, and a ServerHello must follow it.
  private var withoutGreeting: Found {
    let index = portions.firstIndex { $0.side == .client } ?? 0
    let greeting = portions[..<index].flatMap(\.bytes)
    guard let first = greeting.first, !(20...24).contains(first),
      Self.isServerHello(beginning(of: .server, from: index)[...])
    else { return Found(connection: self) }
    return Found(
      connection: cut(at: index, dropping: 0),
      prelude: "\(greeting.count) bytes from the server, in an unknown protocol")
  }

  private func prelude(before index: Int, client: [UInt8]) -> String? {
    let server = portions[..<index].filter { $0.side == .server }.flatMap(\.bytes)
    return Prelude(client: client, server: server).name
  }

  /// The server's TLS messages if the capture lacks the ClientHello.
  private var ofServerAlone: Found? {
    guard absent.contains(.client) || incomplete.contains(.client), beginning(of: .client).isEmpty else { return nil }
    let server = beginning(of: .server)
    guard let start = server.indices.first(where: { Self.isServerHello(server[$0...]) }) else { return nil }
    var found = self
    found.portions = Self.dropping(start, of: .server, portions[...])
    return Found(connection: found, prelude: start == 0 ? nil : "\(start) bytes from the server")
  }

  /// The connection, starting with a portion of the client.
  ///
  /// The first bytes of that portion and the server's bytes before TLS are removed.
  private func cut(at index: Int, dropping count: Int) -> Self {
    var inner = self
    inner.portions = Self.dropping(count, of: .client, portions[index...])
    let server = inner.beginning(of: .server)
    guard let first = server.first, !(20...24).contains(first),
      let start = server.indices.first(where: { Self.isServerHello(server[$0...]) })
    else { return inner }
    inner.portions = Self.dropping(start, of: .server, inner.portions[...])
    return inner
  }

  private static func dropping(
    _ count: Int, of side: Side, _ portions: ArraySlice<Flow.Chunk>
  ) -> [Flow.Chunk] {
    var left = count
    return portions.compactMap { portion in
      guard portion.side == side, left > 0 else { return portion }
      let bytes = Array(portion.bytes.dropFirst(left))
      left -= min(left, portion.bytes.count)
      return bytes.isEmpty ? nil : Flow.Chunk(side, bytes, at: portion.at, number: portion.number)
    }
  }

  /// Whether the bytes begin like a ClientHello in a TLS record, even if the record is incomplete.
  private static func isClientHello(_ bytes: [UInt8]) -> Bool {
    bytes.count > 5 && bytes[0] == 22 && bytes[1] == 3 && bytes[5] == 1
  }

  /// Whether the bytes are a ClientHello according to all of its length fields. Other data may occur at this point.
  private static func isWholeClientHello(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let hello = hello(bytes, type: 1) else { return false }
    guard let session = hello.dropFirst(34).first else { return true }
    return session <= 32
  }

  private static func isServerHello(_ bytes: ArraySlice<UInt8>) -> Bool { hello(bytes, type: 2) != nil }

  /// The available bytes of a hello message's body, starting with its version.
  private static func hello(_ bytes: ArraySlice<UInt8>, type: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.starts(with: [22, 3]) else { return nil }
    var cursor = ByteCursor(bytes)
    guard cursor.uint16() != nil, let minor = cursor.uint8(), minor <= 4, let length = cursor.uint16(),
      cursor.uint8() == type, cursor.uint8() == 0, let size = cursor.uint16(), let version = cursor.uint16()
    else { return nil }
    guard (38...16384).contains(length), size >= 34, (0x0300...0x0304).contains(version) else { return nil }
    return cursor.rest.isEmpty ? [] : bytes.dropFirst(9)
  }

  /// Whether a side sends TLS records although the capture lacks its hello message.
  var beganBefore: Bool {
    Side.allCases.contains { side in
      let bytes = beginning(of: side, count: 8)
      guard bytes.count >= 5 else { return false }
      return (20...23).contains(bytes[0]) && bytes[1] == 3 && bytes[2] <= 4 && bytes[3] <= 0x48
    }
  }
}

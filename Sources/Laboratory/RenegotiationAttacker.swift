import Explanation
import TLS

/// An attacker that presents a client's first handshake to the server as a renegotiation of its own connection.
///
/// See CVE-2009-3555 and RFC 5746 section 1. The attacker's data on that connection precedes all data of the client.
/// The attacker then forwards the client's handshake messages under its own keys, and the server's without protection.
/// It does so until each side changes to keys that the attacker does not have. If neither side supports RFC 5746,
/// neither detects the attack.
public struct RenegotiationAttacker: Sendable {
  /// The attacker's connection to the server.
  public private(set) var connection: Connection
  /// The sides that already use their own keys.
  private var changed: Set<Side> = []

  /// Creates an attacker that splices a client into this established connection.
  public init(_ connection: Connection) { self.connection = connection }

  /// Returns the bytes to forward for the complete records that this side has sent.
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

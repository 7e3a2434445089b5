import Explanation

/// A protocol that is spoken inside a connection, by its registered name: RFC 7301 section 6.
///
/// Any bytes can be offered, so a name is bytes that may be text.
public struct ApplicationProtocol: Sendable, Hashable, CustomStringConvertible {
  /// The name on the wire, 1 to 255 bytes.
  public let bytes: [UInt8]

  /// The protocol that travels as `bytes`.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// The protocol registered as `name`: `http/1.1`.
  public init(_ name: String) { bytes = Array(name.utf8) }

  /// HTTP/1.1, RFC 9112.
  public static let http11 = ApplicationProtocol("http/1.1")
  /// HTTP/2 over TLS, RFC 9113.
  public static let http2 = ApplicationProtocol("h2")

  /// The name where it is printable ASCII, else its bytes in hexadecimal.
  public var description: String {
    let isText = !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7e).contains($0) }
    return isText ? String(decoding: bytes, as: UTF8.self) : "0x\(Hex.string(bytes))"
  }
}

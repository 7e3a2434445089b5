/// A version of SSL or TLS as encoded in messages (RFC 5246 section 6.2.1, RFC 6101 and RFC 8446 section 4.2.1).
///
/// A message can contain any two bytes, so a version is a code point that may have a name.
public struct ProtocolVersion: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The two bytes, major version first, such as `0x0303` for TLS 1.2.
  public let rawValue: UInt16

  /// Creates the version with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// SSL 3.0, RFC 6101.
  public static let sslv3 = ProtocolVersion(rawValue: 0x0300)
  /// TLS 1.0, RFC 2246.
  public static let tls10 = ProtocolVersion(rawValue: 0x0301)
  /// TLS 1.1, RFC 4346.
  public static let tls11 = ProtocolVersion(rawValue: 0x0302)
  /// TLS 1.2, RFC 5246.
  public static let tls12 = ProtocolVersion(rawValue: 0x0303)
  /// TLS 1.3, RFC 8446.
  public static let tls13 = ProtocolVersion(rawValue: 0x0304)

  /// All versions that have a name, oldest first.
  public static let known: [ProtocolVersion] = [.sslv3, .tls10, .tls11, .tls12, .tls13]

  /// Creates the version that scenarios and property lists write as `text`: `SSLv3`, or `TLSv1.0` to `TLSv1.3`.
  public init?(_ text: String) {
    guard let version = Self.known.first(where: { $0.description == text }) else { return nil }
    self = version
  }

  /// The name in scenarios and property lists, such as `TLSv1.2`; without one, the code point, such as `0x0305`.
  public var description: String {
    switch self {
    case .sslv3: "SSLv3"
    case .tls10: "TLSv1.0"
    case .tls11: "TLSv1.1"
    case .tls12: "TLSv1.2"
    case .tls13: "TLSv1.3"
    default: rawValue.unregisteredName
    }
  }

  /// The major version, the first byte: 3 for SSL 3.0 to TLS 1.3.
  public var major: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }

  /// All versions that the state machines support, oldest first. SSL 3.0 is only for simulations; real connections use
  /// TLS 1.0 or later (RFC 7568).
  public static let implemented: [ProtocolVersion] = known

  /// Whether the state machines support the version.
  public var isImplemented: Bool { Self.implemented.contains(self) }

  /// Orders versions from oldest to newest.
  public static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool { left.rawValue < right.rawValue }
}

extension FixedWidthInteger where Self: UnsignedInteger {
  /// The code point in the form of registries: `0x` and all hexadecimal digits.
  var codePoint: String {
    let digits = String(self, radix: 16)
    let missing = Swift.max(0, Self.bitWidth / 4 - digits.utf8.count)
    let zeros = String(repeating: "0", count: missing)
    return "0x\(zeros)\(digits)"
  }
}

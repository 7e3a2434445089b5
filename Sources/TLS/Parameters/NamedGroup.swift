import Cryptography

/// A group for (EC)DHE (RFC 8422 section 5.1.1, RFC 7919 section 2 and the IANA registry "TLS Supported Groups").
public struct NamedGroup: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point, such as 23 for `secp256r1`.
  public let rawValue: UInt16

  /// Creates the group with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the group with this IANA name, such as `secp256r1` or `x25519`.
  public init?(name: String) {
    guard let row = Self.registry.first(where: { $0.name == name }) else { return nil }
    self = row.group
  }

  /// NIST P-256.
  public static let secp256r1 = NamedGroup(rawValue: 23)
  /// NIST P-384.
  public static let secp384r1 = NamedGroup(rawValue: 24)
  /// NIST P-521.
  public static let secp521r1 = NamedGroup(rawValue: 25)
  /// Curve25519, RFC 7748.
  public static let x25519 = NamedGroup(rawValue: 29)
  /// Curve448, RFC 7748.
  public static let x448 = NamedGroup(rawValue: 30)
  /// The combination of Curve25519 and ML-KEM, for TLS 1.3 only (RFC 10024).
  public static let x25519MLKEM768 = NamedGroup(rawValue: 0x11ec)

  /// A finite field of 2048 bits (RFC 7919).
  public static let ffdhe2048 = NamedGroup(rawValue: 256)
  /// A finite field of 3072 bits (RFC 7919).
  public static let ffdhe3072 = NamedGroup(rawValue: 257)
  /// A finite field of 4096 bits (RFC 7919).
  public static let ffdhe4096 = NamedGroup(rawValue: 258)
  /// A finite field of 6144 bits (RFC 7919).
  public static let ffdhe6144 = NamedGroup(rawValue: 259)
  /// A finite field of 8192 bits (RFC 7919).
  public static let ffdhe8192 = NamedGroup(rawValue: 260)

  /// One entry in the registry of groups.
  public struct Registration: Sendable, Hashable {
    /// The group that the entry describes.
    public let group: NamedGroup
    /// The IANA name, such as `secp256r1`.
    public let name: String
  }

  /// All groups that have a name.
  public static let registry: [Registration] = [
    Registration(group: .secp256r1, name: "secp256r1"), Registration(group: .secp384r1, name: "secp384r1"),
    Registration(group: .secp521r1, name: "secp521r1"), Registration(group: .x25519, name: "x25519"),
    Registration(group: .x448, name: "x448"), Registration(group: .ffdhe2048, name: "ffdhe2048"),
    Registration(group: .ffdhe3072, name: "ffdhe3072"), Registration(group: .ffdhe4096, name: "ffdhe4096"),
    Registration(group: .ffdhe6144, name: "ffdhe6144"), Registration(group: .ffdhe8192, name: "ffdhe8192"),
    Registration(group: .x25519MLKEM768, name: "X25519MLKEM768"),
  ]

  /// The IANA name; the code point if there is no name.
  public var description: String { Self.registry.first { $0.group == self }?.name ?? rawValue.unregisteredName }

  /// All curves that the state machines support, in the order that current clients use.
  public static let implemented: [NamedGroup] = [.x25519, .secp256r1, .secp384r1, .secp521r1]

  /// The groups that the state machines support in TLS 1.3, in the order that current clients use.
  public static let implemented13: [NamedGroup] = [.x25519MLKEM768] + implemented

  /// Whether the state machines support the group in TLS 1.2 and earlier versions.
  public var isImplemented: Bool { curve != nil || field != nil }

  /// Whether the state machines support the group in TLS 1.3.
  public var isImplemented13: Bool { isImplemented || self == .x25519MLKEM768 }

  /// Whether the code point is in the range for finite fields (RFC 7919 section 2).
  public var isFiniteField: Bool { (256...511).contains(rawValue) }
}

extension NamedGroup {
  /// The group for the curve of an ECDSA key.
  public init(_ curve: EllipticCurve) {
    switch curve {
    case .p256: self = .secp256r1
    case .p384: self = .secp384r1
    case .p521: self = .secp521r1
    }
  }

  /// The group in RFC 7919 that has these parameters; nil if there is none.
  public init?(_ group: DHGroup) {
    guard let name = DHGroup.named.first(where: { $0.group == group })?.name else { return nil }
    self.init(name: name)
  }

  /// The parameters of a finite field; nil for other groups.
  public var field: DHGroup? {
    let name = description
    return DHGroup.named.first { $0.name == name }?.group
  }

  /// The curve for a key agreement in this group; nil if it is not implemented.
  public var curve: KeyAgreementCurve? {
    switch self {
    case .secp256r1: .p256
    case .secp384r1: .p384
    case .secp521r1: .p521
    case .x25519: .x25519
    default: nil
    }
  }
}

/// The permitted uses of the key (RFC 5280 section 4.2.1.3).
public struct KeyUsage: CertificateExtension, OptionSet {
  /// id-ce-keyUsage.
  public static let oid = OID.keyUsage
  /// Bit n is bit n of the RFC's named bit list.
  public let rawValue: UInt16

  /// Creates a set of the uses with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures on data other than certificates and CRLs: ServerKeyExchange, CertificateVerify.
  public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
  /// Signatures for non-repudiation; the older name is nonRepudiation.
  public static let contentCommitment = KeyUsage(rawValue: 1 << 1)
  /// Encryption of keys: the RSA key exchange.
  public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
  /// Encryption of data.
  public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
  /// Key agreement: static Diffie-Hellman.
  public static let keyAgreement = KeyUsage(rawValue: 1 << 4)
  /// Signatures on certificates.
  public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
  /// Signatures on CRLs.
  public static let cRLSign = KeyUsage(rawValue: 1 << 6)
  /// With keyAgreement: only to encipher.
  public static let encipherOnly = KeyUsage(rawValue: 1 << 7)
  /// With keyAgreement: only to decipher.
  public static let decipherOnly = KeyUsage(rawValue: 1 << 8)

  /// Reads a KeyUsage.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    let (octets, _) = try whole.bitString("KeyUsage")
    try whole.finish("KeyUsage")
    var bits: UInt16 = 0
    for (index, octet) in whole.bytes[octets].prefix(2).enumerated() {
      for bit in 0..<8 where octet & (0x80 >> bit) != 0 { bits |= 1 << (index * 8 + bit) }
    }
    rawValue = bits
  }

  /// The encoding, without trailing zero bits (X.690 section 11.2.2).
  public var der: [UInt8] {
    let count = UInt16.bitWidth - rawValue.leadingZeroBitCount
    var octets = [UInt8](repeating: 0, count: (count + 7) / 8)
    for bit in 0..<count where rawValue & (1 << bit) != 0 { octets[bit / 8] |= 0x80 >> (bit % 8) }
    return DER.bitString(octets, unused: UInt8(octets.count * 8 - count))
  }

  /// The names of the uses in the RFC's order: `digitalSignature, keyEncipherment`.
  public var meaning: String { words.joined(separator: ", ") }

  /// The names of the uses in the RFC's order.
  public var words: [String] {
    KeyUsage.names.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
  }

  /// Creates a set of the uses with these names; unknown names are ignored.
  public init(words: [String]) {
    rawValue = KeyUsage.names.enumerated().reduce(0) { bits, name in
      words.contains(name.element) ? bits | 1 << name.offset : bits
    }
  }

  /// The RFC's names in its order; the index of a name is its bit.
  public static let names = [
    "digitalSignature", "contentCommitment", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
    "cRLSign", "encipherOnly", "decipherOnly",
  ]
}

/// The permitted purposes of the key (RFC 5280 section 4.2.1.12).
public struct ExtendedKeyUsage: CertificateExtension {
  /// id-ce-extKeyUsage.
  public static let oid = OID.extKeyUsage
  /// TLS servers.
  public static let serverAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
  /// TLS clients.
  public static let clientAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 2)
  /// OCSP responders of a CA (RFC 6960 section 4.2.2.2).
  public static let ocspSigning = OID(1, 3, 6, 1, 5, 5, 7, 3, 9)
  /// Any purpose.
  public static let any = OID(2, 5, 29, 37, 0)

  /// The purposes, in order.
  public let purposes: [OID]

  /// Creates the extension with these purposes.
  public init(_ purposes: [OID]) { self.purposes = purposes }

  /// Reads an ExtKeyUsageSyntax.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("ExtKeyUsageSyntax", DERTag.sequence))
    try whole.finish("ExtKeyUsageSyntax")
    var purposes: [OID] = []
    repeat { purposes.append(try parts.objectIdentifier("KeyPurposeId")) } while !parts.isAtEnd
    self.purposes = purposes
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: purposes.map { DER.objectIdentifier($0) }) }

  /// The purpose with this name; nil if there is none.
  public static func purpose(named name: String) -> OID? { named.first { $0.name == name } }

  /// The purposes that have a name.
  public static let named = [
    serverAuth, clientAuth, OID(1, 3, 6, 1, 5, 5, 7, 3, 3), OID(1, 3, 6, 1, 5, 5, 7, 3, 4),
    OID(1, 3, 6, 1, 5, 5, 7, 3, 8), ocspSigning, any,
  ]

  /// `serverAuth, clientAuth`.
  public var meaning: String { purposes.map(\.name).joined(separator: ", ") }
}

extension Certificate {
  /// Key usage; nil if absent or malformed.
  public var keyUsage: KeyUsage? { decoded() }
  /// Extended key usage; nil if absent or malformed.
  public var extendedKeyUsage: ExtendedKeyUsage? { decoded() }
}

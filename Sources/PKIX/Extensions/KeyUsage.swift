/// The permitted uses of the key (RFC 5280 section 4.2.1.3).
public struct KeyUsage: CertificateExtension, OptionSet {
  /// id-ce-keyUsage.
  public static let oid = OID.keyUsage
  /// The bits of the set. Bit n is bit n of the RFC's named bit list.
  public let rawValue: UInt16

  /// Creates a set of key uses from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Signatures on data other than certificates and CRLs, such as ServerKeyExchange or CertificateVerify.
  public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
  /// Signatures for non-repudiation. The older name of this bit is nonRepudiation.
  public static let contentCommitment = KeyUsage(rawValue: 1 << 1)
  /// Encryption of keys, as in the RSA key exchange.
  public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
  /// Encryption of data.
  public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
  /// Key agreement, as in static Diffie-Hellman.
  public static let keyAgreement = KeyUsage(rawValue: 1 << 4)
  /// Signatures on certificates.
  public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
  /// Signatures on CRLs.
  public static let cRLSign = KeyUsage(rawValue: 1 << 6)
  /// With keyAgreement, the key may only encipher data.
  public static let encipherOnly = KeyUsage(rawValue: 1 << 7)
  /// With keyAgreement, the key may only decipher data.
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

  /// The encoded BIT STRING, without trailing zero bits (X.690 section 11.2.2).
  public var der: [UInt8] {
    let count = UInt16.bitWidth - rawValue.leadingZeroBitCount
    var octets = [UInt8](repeating: 0, count: (count + 7) / 8)
    for bit in 0..<count where rawValue & (1 << bit) != 0 { octets[bit / 8] |= 0x80 >> (bit % 8) }
    return DER.bitString(octets, unused: UInt8(octets.count * 8 - count))
  }

  /// The names of the uses in the RFC's order, such as `digitalSignature, keyEncipherment`.
  public var meaning: String { words.joined(separator: ", ") }

  /// The names of the uses in the RFC's order.
  public var words: [String] {
    KeyUsage.names.enumerated().filter { rawValue & (1 << $0.offset) != 0 }.map(\.element)
  }

  /// Creates a set of uses from their names. Unknown names are ignored.
  public init(words: [String]) {
    rawValue = KeyUsage.names.enumerated().reduce(0) { bits, name in
      words.contains(name.element) ? bits | 1 << name.offset : bits
    }
  }

  /// The RFC's names in its order. The index of a name is the number of its bit.
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
  /// The signing of OCSP responses on behalf of a CA (RFC 6960 section 4.2.2.2).
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

  /// Returns the purpose with the given name; nil if there is none.
  public static func purpose(named name: String) -> OID? { named.first { $0.name == name } }

  /// All purposes that have a name.
  public static let named = [
    serverAuth, clientAuth, OID(1, 3, 6, 1, 5, 5, 7, 3, 3), OID(1, 3, 6, 1, 5, 5, 7, 3, 4),
    OID(1, 3, 6, 1, 5, 5, 7, 3, 8), ocspSigning, any,
  ]

  /// `serverAuth, clientAuth`.
  public var meaning: String { purposes.map(\.name).joined(separator: ", ") }
}

extension Certificate {
  /// The key usage; nil if the extension is absent or malformed.
  public var keyUsage: KeyUsage? { decoded() }
  /// The extended key usage; nil if the extension is absent or malformed.
  public var extendedKeyUsage: ExtendedKeyUsage? { decoded() }
}

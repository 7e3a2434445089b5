/// The purposes the key may serve, RFC 5280 section 4.2.1.12.
public struct ExtendedKeyUsage: CertificateExtension {
  /// id-ce-extKeyUsage.
  public static let oid = OID.extKeyUsage
  /// TLS servers.
  public static let serverAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
  /// TLS clients.
  public static let clientAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 2)
  /// Any purpose.
  public static let any = OID(2, 5, 29, 37, 0)

  /// The purposes, in order.
  public let purposes: [OID]

  /// A key for these purposes.
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

  /// The purpose of this name, nil when none is known by it.
  public static func purpose(named name: String) -> OID? { named.first { $0.name == name } }

  /// The purposes that are known by name.
  public static let named = [
    serverAuth, clientAuth, OID(1, 3, 6, 1, 5, 5, 7, 3, 3), OID(1, 3, 6, 1, 5, 5, 7, 3, 4),
    OID(1, 3, 6, 1, 5, 5, 7, 3, 8), OID(1, 3, 6, 1, 5, 5, 7, 3, 9), any,
  ]

  /// `serverAuth, clientAuth`.
  public var meaning: String { purposes.map(\.name).joined(separator: ", ") }
}

/// Whether the subject is a CA, and the maximum length of paths below it (RFC 5280 section 4.2.1.9).
public struct BasicConstraints: CertificateExtension {
  /// id-ce-basicConstraints.
  public static let oid = OID.basicConstraints
  /// Whether the key may verify signatures on certificates.
  public let isCA: Bool
  /// The number of non-self-issued intermediate certificates that may follow; nil for any number. Numbers that are too
  /// large to store become the largest integer.
  public let pathLength: Int?

  /// Creates constraints for a CA or an end entity.
  public init(isCA: Bool, pathLength: Int? = nil) {
    self.isCA = isCA
    self.pathLength = pathLength
  }

  /// Reads a BasicConstraints value. An encoded FALSE is accepted although it is the default, because many certificates
  /// contain it.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("BasicConstraints", DERTag.sequence))
    try whole.finish("BasicConstraints")
    isCA = parts.nextTag == DERTag.boolean ? try parts.boolean("cA") : false
    pathLength = parts.isAtEnd ? nil : try parts.count("pathLenConstraint")
    try parts.finish("BasicConstraints")
  }

  /// The encoding.
  public var der: [UInt8] {
    DER.sequence(isCA ? DER.boolean(true) : [], pathLength.map { DER.integer($0) } ?? [])
  }

  /// `CA, pathLen 0`.
  public var meaning: String {
    (isCA ? "CA" : "not a CA")
      + (pathLength.map { $0 == .max ? ", pathLen 2^55 or more" : ", pathLen \($0)" } ?? "")
  }
}

extension Certificate {
  /// The basic constraints; nil if the extension is absent or malformed.
  public var basicConstraints: BasicConstraints? { decoded() }
}

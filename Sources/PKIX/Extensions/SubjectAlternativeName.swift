/// The hosts and addresses the certificate is for, RFC 5280 section 4.2.1.6.
public struct SubjectAlternativeName: CertificateExtension {
  /// id-ce-subjectAltName.
  public static let oid = OID.subjectAltName
  /// The names, in order.
  public let names: [GeneralName]

  /// A certificate for these names.
  public init(_ names: [GeneralName]) { self.names = names }

  /// Reads a GeneralNames, which holds at least one name.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("GeneralNames", DERTag.sequence))
    try whole.finish("GeneralNames")
    names = try GeneralName.readAll(&parts)
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: names.map(\.der)) }

  /// `DNS:api.example, IP:192.0.2.1`.
  public var meaning: String { names.map(\.meaning).joined(separator: ", ") }

  /// The host names, in order.
  public var dnsNames: [String] {
    names.compactMap { if case .dnsName(let name) = $0 { name } else { nil } }
  }

  /// The addresses, in order, four or sixteen bytes each.
  public var ipAddresses: [[UInt8]] {
    names.compactMap { if case .ipAddress(let bytes) = $0 { bytes } else { nil } }
  }
}

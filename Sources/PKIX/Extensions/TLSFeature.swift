/// The TLS extensions that a server with this certificate must support if a client offers them (RFC 7633).
public struct TLSFeature: CertificateExtension {
  /// id-pe-tlsfeature.
  public static let oid = OID.tlsFeature
  /// The extension status_request (RFC 6066 section 8), with which the server staples an OCSP response.
  public static let statusRequest = 5

  /// The numbers of the TLS extensions.
  public let extensions: [Int]

  /// Creates the feature with the extensions that the server must support.
  public init(_ extensions: [Int]) { self.extensions = extensions }

  /// Reads a Features value, which is a SEQUENCE OF INTEGER.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("Features", DERTag.sequence))
    try whole.finish("Features")
    var extensions: [Int] = []
    while !parts.isAtEnd { extensions.append(try parts.smallInteger("feature")) }
    self.extensions = extensions
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: extensions.map { DER.integer($0) }) }

  /// The name `status_request`, or the numbers of other extensions.
  public var meaning: String {
    extensions.map { $0 == TLSFeature.statusRequest ? "status_request" : String($0) }.joined(separator: ", ")
  }
}

extension Certificate {
  /// Whether the server must staple an OCSP response ("must-staple").
  public var mustStaple: Bool {
    decoded(TLSFeature.self)?.extensions.contains(TLSFeature.statusRequest) == true
  }
}

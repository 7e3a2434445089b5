/// What a server that presents the certificate must do where a client offers it: TLS feature, RFC 7633.
public struct TLSFeature: CertificateExtension {
  /// id-pe-tlsfeature.
  public static let oid = OID.tlsFeature
  /// status_request (RFC 6066 section 8): the server staples an answer of the responder.
  public static let statusRequest = 5

  /// The TLS extensions, by their numbers.
  public let extensions: [Int]

  /// A server that must answer these extensions.
  public init(_ extensions: [Int]) { self.extensions = extensions }

  /// Reads Features, a SEQUENCE OF INTEGER.
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

  /// `status_request`, or numbers.
  public var meaning: String {
    extensions.map { $0 == TLSFeature.statusRequest ? "status_request" : String($0) }.joined(separator: ", ")
  }
}

extension Certificate {
  /// Whether its server must staple an answer of the responder: "must-staple".
  public var mustStaple: Bool {
    decoded(TLSFeature.self)?.extensions.contains(TLSFeature.statusRequest) == true
  }
}

import Cryptography

/// The certificate in question: CertID, RFC 6960 section 4.1.1.
public struct CertificateID: Sendable, Hashable {
  /// The function that hashes name and key.
  public let hashAlgorithm: AlgorithmIdentifier
  /// The hash of the issuer's name as encoded in the certificate.
  public let issuerNameHash: [UInt8]
  /// The hash of the issuer's key, of the contents of subjectPublicKey only.
  public let issuerKeyHash: [UInt8]
  /// The content octets of the certificate's serial number.
  public let serialNumber: [UInt8]

  /// The CertID of `certificate`, which the key of `issuer` signed.
  public init(_ certificate: Certificate, issuer: Certificate, hash: Hash = .sha1) {
    let oid = CertificateID.hashes.first { $0.hash == hash }?.oid ?? CertificateID.sha1
    hashAlgorithm = AlgorithmIdentifier(oid, parameters: [DERTag.null, 0])
    issuerNameHash = hash.digest(certificate.issuer.der)
    issuerKeyHash = hash.digest(issuer.publicKey.subjectPublicKey)
    serialNumber = certificate.serialNumber
  }

  static func read(_ cursor: inout DERCursor) throws(CertificateError) -> CertificateID {
    var parts = cursor.inside(try cursor.next("certID", DERTag.sequence))
    let identifier = try CertificateID(&parts)
    try parts.finish("certID")
    return identifier
  }

  private init(_ parts: inout DERCursor) throws(CertificateError) {
    hashAlgorithm = try AlgorithmIdentifier.read(&parts, "hashAlgorithm")
    issuerNameHash = parts.content(try parts.next("issuerNameHash", DERTag.octetString))
    issuerKeyHash = parts.content(try parts.next("issuerKeyHash", DERTag.octetString))
    serialNumber = try parts.integer("serialNumber")
  }

  /// The function; nil if it is not supported.
  public var hash: Hash? { CertificateID.hashes.first { $0.oid == hashAlgorithm.oid }?.hash }

  /// Whether this identifies `certificate` of `issuer`, with any hash function: responders may use another function
  /// than the request.
  public func identifies(_ certificate: Certificate, of issuer: Certificate) -> Bool {
    certificate.serialNumber == serialNumber && identifies(issuer, named: certificate.issuer)
      && issuer.subject.matches(certificate.issuer)
  }

  /// Whether serial number and issuer name are those of `certificate`, with any key of the issuer.
  public func resembles(_ certificate: Certificate) -> Bool {
    certificate.serialNumber == serialNumber && hash?.digest(certificate.issuer.der) == issuerNameHash
  }

  /// Whether this identifies a certificate of `issuer`.
  public func identifies(issuer: Certificate) -> Bool { identifies(issuer, named: issuer.subject) }

  private func identifies(_ issuer: Certificate, named name: DistinguishedName) -> Bool {
    guard let hash else { return false }
    return hash.digest(name.der) == issuerNameHash
      && hash.digest(issuer.publicKey.subjectPublicKey) == issuerKeyHash
  }

  var der: [UInt8] {
    DER.sequence(
      hashAlgorithm.der, DER.octetString(issuerNameHash), DER.octetString(issuerKeyHash),
      DER.element(DERTag.integer, serialNumber))
  }

  private static let sha1 = OID(1, 3, 14, 3, 2, 26)
  private static let hashes: [(oid: OID, hash: Hash)] = [
    (sha1, .sha1), (OID(2, 16, 840, 1, 101, 3, 4, 2, 4), .sha224), (OID(2, 16, 840, 1, 101, 3, 4, 2, 1), .sha256),
    (OID(2, 16, 840, 1, 101, 3, 4, 2, 2), .sha384), (OID(2, 16, 840, 1, 101, 3, 4, 2, 3), .sha512),
  ]
}

/// A request to a responder: OCSPRequest, RFC 6960 section 4.1.1.
public struct OCSPRequest: Sendable, Hashable {
  /// The encoding.
  public let der: [UInt8]
  /// The certificates in question, in order.
  public let certificates: [CertificateID]
  /// The extensions of the request.
  public let extensions: [Certificate.Extension]
  /// Whether it is signed.
  public let isSigned: Bool

  /// Creates an unsigned request. The nonce has an OCTET STRING of its own (RFC 8954 section 2.1).
  public init(_ certificates: [CertificateID], nonce: [UInt8]? = nil) {
    self.certificates = certificates
    isSigned = false
    extensions = nonce.map { [Certificate.Extension(.ocspNonce, value: DER.octetString($0))] } ?? []
    let requests = DER.sequence(of: certificates.map { DER.sequence($0.der) })
    let tail =
      extensions.isEmpty
      ? [] : DER.element(DERTag.context(2, constructed: true), DER.sequence(of: extensions.map(\.der)))
    der = DER.sequence(DER.sequence(requests, tail))
  }

  /// Reads a request; `der` must contain nothing else. Its signature is not verified.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("OCSPRequest", DERTag.sequence))
    try whole.finish("OCSPRequest")
    var tbs = parts.inside(try parts.next("tbsRequest", DERTag.sequence))
    try OCSPResponse.readVersion(&tbs)
    _ = try tbs.optional("requestorName", DERTag.context(1, constructed: true))
    var crl = tbs.inside(try tbs.next("requestList", DERTag.sequence))
    var certificates: [CertificateID] = []
    repeat {
      var request = crl.inside(try crl.next("Request", DERTag.sequence))
      certificates.append(try CertificateID.read(&request))
      _ = try OCSPResponse.readExtensions(&request, "singleRequestExtensions", 0)
      try request.finish("Request")
    } while !crl.isAtEnd
    extensions = try OCSPResponse.readExtensions(&tbs, "requestExtensions", 2)
    try tbs.finish("tbsRequest")
    isSigned = try parts.optional("optionalSignature", DERTag.context(0, constructed: true)) != nil
    try parts.finish("OCSPRequest")
    self.der = der
    self.certificates = certificates
  }

  /// The octets of the nonce's extnValue, which the response must repeat; nil if absent.
  public var nonce: [UInt8]? { extensions.first { $0.oid == .ocspNonce }?.value }
}

import Cryptography

/// An identifier of the certificate whose status is requested: CertID (RFC 6960 section 4.1.1).
public struct CertificateID: Sendable, Hashable {
  /// The hash function that is applied to the issuer's name and key.
  public let hashAlgorithm: AlgorithmIdentifier
  /// The hash of the issuer's name, as encoded in the certificate.
  public let issuerNameHash: [UInt8]
  /// The hash of the issuer's key, which covers only the contents of subjectPublicKey.
  public let issuerKeyHash: [UInt8]
  /// The content octets of the certificate's serial number.
  public let serialNumber: [UInt8]

  /// Creates the CertID of `certificate`, which was issued by `issuer`.
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

  /// The hash function; nil if it is not supported.
  public var hash: Hash? { CertificateID.hashes.first { $0.oid == hashAlgorithm.oid }?.hash }

  /// Returns whether this CertID identifies `certificate` of `issuer`. Any hash function is accepted, because
  /// responders may use a different function from that of the request.
  public func identifies(_ certificate: Certificate, of issuer: Certificate) -> Bool {
    certificate.serialNumber == serialNumber && identifies(issuer, named: certificate.issuer)
      && issuer.subject.matches(certificate.issuer)
  }

  /// Returns whether the serial number and the issuer name are those of `certificate`. The issuer's key is ignored.
  public func resembles(_ certificate: Certificate) -> Bool {
    certificate.serialNumber == serialNumber && hash?.digest(certificate.issuer.der) == issuerNameHash
  }

  /// Returns whether this CertID identifies a certificate of `issuer`.
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

/// A request to an OCSP responder: OCSPRequest (RFC 6960 section 4.1.1).
public struct OCSPRequest: Sendable, Hashable {
  /// The encoding.
  public let der: [UInt8]
  /// The identifiers of the requested certificates, in order.
  public let certificates: [CertificateID]
  /// The extensions of the request.
  public let extensions: [Certificate.Extension]
  /// Whether the request is signed.
  public let isSigned: Bool

  /// Creates an unsigned request. The nonce is encoded in its own OCTET STRING (RFC 8954 section 2.1).
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

  /// Reads a request. `der` must contain no other data. The signature of the request is not verified.
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

  /// The octets of the nonce's extnValue, which the response must repeat; nil if there is no nonce.
  public var nonce: [UInt8]? { extensions.first { $0.oid == .ocspNonce }?.value }
}

import Cryptography
import Explanation

/// An OCSP response as received (RFC 6960 section 4.2.1).
///
/// The response keeps every byte. Two responses are equal if their bytes are equal.
public final class OCSPResponse: Sendable {
  /// The maximum size of a response in bytes. Real responses have a few kilobytes.
  public static let maximumSize = 1 << 20

  /// The result of the request: OCSPResponseStatus.
  public enum Status: UInt8, Sendable, Hashable, CaseIterable {
    case successful = 0
    case malformedRequest = 1
    case internalError = 2
    case tryLater = 3
    case sigRequired = 5
    case unauthorized = 6
  }

  /// The whole encoding.
  public let der: [UInt8]
  /// The result of the request.
  public let status: Status
  /// The content of the response, if the status is successful.
  public let basic: BasicOCSPResponse?

  /// Reads one response. `der` must contain no other data.
  public init(der: [UInt8]) throws(CertificateError) {
    guard der.count <= OCSPResponse.maximumSize else {
      throw CertificateError(
        place: OCSPResponse.maximumSize, field: "OCSPResponse", message: "\(der.count) bytes",
        hint: "TrustLab reads responses of at most \(OCSPResponse.maximumSize) bytes.")
    }
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("OCSPResponse", DERTag.sequence))
    try whole.finish("OCSPResponse")
    let number = parts.content(try parts.next("responseStatus", DERTag.enumerated))
    guard number.count == 1, let status = number.first.flatMap(Status.init) else {
      throw parts.error("responseStatus", at: 2, "a status that is not defined", "RFC 6960 section 4.2.1")
    }
    let bytes = try parts.optional("responseBytes", DERTag.context(0, constructed: true))
    try parts.finish("OCSPResponse")
    guard (status == .successful) == (bytes != nil) else {
      throw parts.error(
        "responseBytes", at: parts.position,
        bytes == nil ? "missing" : "present, although the status is not successful",
        "RFC 6960 section 4.2.1: responseBytes is set if, and only if, the status is successful.")
    }
    self.der = der
    self.status = status
    basic = try bytes.map { element throws(CertificateError) in try OCSPResponse.readBasic(parts.inside(element)) }
  }

  private static func readBasic(_ start: DERCursor) throws(CertificateError) -> BasicOCSPResponse {
    var tagged = start
    var parts = tagged.inside(try tagged.next("ResponseBytes", DERTag.sequence))
    try tagged.finish("responseBytes")
    let place = parts.position
    guard try parts.objectIdentifier("responseType") == .ocspBasic else {
      throw parts.error(
        "responseType", at: place, "not id-pkix-ocsp-basic", "RFC 6960 section 4.2.1 defines no other type.")
    }
    let response = try parts.next("response", DERTag.octetString)
    try parts.finish("ResponseBytes")
    return try BasicOCSPResponse(parts.inside(response))
  }

  /// Reads an explicit version, which must be v1 (RFC 6960 section 4.2.1). X.690 section 11.5 requires encoders to omit
  /// it.
  static func readVersion(_ parts: inout DERCursor) throws(CertificateError) {
    guard let tagged = try parts.optional("version", DERTag.context(0, constructed: true)) else { return }
    var inner = parts.inside(tagged)
    guard try inner.smallInteger("version") == 0, inner.isAtEnd else {
      throw parts.error("version", at: tagged.range.lowerBound, "not v1", "RFC 6960 section 4.2.1")
    }
  }

  /// Reads extensions after a tag. Some responders encode an empty list, which the RFC does not allow.
  static func readExtensions(
    _ parts: inout DERCursor, _ field: String, _ number: UInt8
  ) throws(CertificateError) -> [Certificate.Extension] {
    guard let tagged = try parts.optional(field, DERTag.context(number, constructed: true)) else { return [] }
    var inner = parts.inside(tagged)
    guard !inner.bytes[tagged.content].elementsEqual([DERTag.sequence, 0]) else { return [] }
    let extensions = try Certificate.readExtensionList(&inner, field)
    try inner.finish(field)
    return extensions
  }
}

extension OCSPResponse: Hashable {
  /// Returns whether two responses have equal bytes.
  public static func == (left: OCSPResponse, right: OCSPResponse) -> Bool { left === right || left.der == right.der }
  /// Hashes the end of the encoding.
  public func hash(into hasher: inout Hasher) { hasher.combine(der.suffix(32)) }
}

/// The content of a successful response: BasicOCSPResponse (RFC 6960 section 4.2.1).
public struct BasicOCSPResponse: Sendable {
  /// The responder.
  public enum ResponderID: Sendable, Hashable {
    /// By name.
    case name(DistinguishedName)
    /// The SHA-1 hash of the contents of the responder's subjectPublicKey.
    case keyHash([UInt8])

    /// Returns whether `certificate` belongs to the responder.
    func names(_ certificate: Certificate) -> Bool {
      switch self {
      case .name(let name): name.matches(certificate.subject)
      case .keyHash(let hash): Hash.sha1.digest(certificate.publicKey.subjectPublicKey) == hash
      }
    }

    /// The responder's name, or the hash of its key in hexadecimal.
    public var description: String {
      switch self {
      case .name(let name): name.description
      case .keyHash(let hash): "key \(Hex.string(hash))"
      }
    }
  }

  /// The bytes that are signed: ResponseData.
  let signed: [UInt8]
  /// The responder.
  public let responderID: ResponderID
  /// The time at which the response was signed.
  public let producedAt: Instant
  /// The status of each certificate.
  public let responses: [SingleResponse]
  /// The extensions that apply to the whole response.
  public let extensions: [Certificate.Extension]
  /// The algorithm of the signature.
  public let signatureAlgorithm: AlgorithmIdentifier
  let signatureValue: Signature
  /// The included certificates, such as the responder's.
  public let certificates: [Certificate]

  init(_ start: DERCursor) throws(CertificateError) {
    var whole = start
    var parts = whole.inside(try whole.next("BasicOCSPResponse", DERTag.sequence))
    try whole.finish("BasicOCSPResponse")
    let data = try parts.next("tbsResponseData", DERTag.sequence)
    signed = parts.encoding(data)
    var tbs = parts.inside(data)
    try OCSPResponse.readVersion(&tbs)
    responderID = try BasicOCSPResponse.readResponder(&tbs)
    producedAt = try tbs.generalizedTime("producedAt")
    var crl = tbs.inside(try tbs.next("responses", DERTag.sequence))
    var responses: [SingleResponse] = []
    while !crl.isAtEnd { responses.append(try SingleResponse.read(&crl)) }
    self.responses = responses
    extensions = try OCSPResponse.readExtensions(&tbs, "responseExtensions", 1)
    try tbs.finish("tbsResponseData")
    signatureAlgorithm = try AlgorithmIdentifier.read(&parts, "signatureAlgorithm")
    let place = parts.position
    signatureValue = try parts.signatureValue()
    guard signatureValue.unusedBits == 0 else {
      throw parts.error("signature", at: place, "unused bits", "A signature consists of whole octets.")
    }
    certificates = try BasicOCSPResponse.readCertificates(&parts)
    try parts.finish("BasicOCSPResponse")
  }

  private static func readResponder(_ tbs: inout DERCursor) throws(CertificateError) -> ResponderID {
    let element = try tbs.next("responderID")
    var inner = tbs.inside(element)
    let responder: ResponderID
    switch element.tag {
    case DERTag.context(1, constructed: true): responder = .name(try DistinguishedName.read(&inner, "byName"))
    case DERTag.context(2, constructed: true):
      responder = .keyHash(inner.content(try inner.next("byKey", DERTag.octetString)))
    default:
      throw tbs.error(
        "responderID", at: element.range.lowerBound, "neither byName nor byKey", "RFC 6960 section 4.2.1")
    }
    try inner.finish("responderID")
    return responder
  }

  private static func readCertificates(_ parts: inout DERCursor) throws(CertificateError) -> [Certificate] {
    guard let tagged = try parts.optional("certs", DERTag.context(0, constructed: true)) else { return [] }
    var inner = parts.inside(tagged)
    var crl = inner.inside(try inner.next("certs", DERTag.sequence))
    try inner.finish("certs")
    var certificates: [Certificate] = []
    while !crl.isAtEnd {
      certificates.append(try Certificate(der: crl.encoding(try crl.next("Certificate", DERTag.sequence))))
    }
    return certificates
  }

  /// Returns whether the signature verifies with the key of `certificate`.
  public func isSigned(by certificate: Certificate) -> Bool {
    guard let scheme = signatureAlgorithm.signatureScheme else { return false }
    return (try? signatureValue.verify(certificate.publicKey, over: signed, scheme, signatureAlgorithm)) != nil
  }

  /// The octets of the nonce's extnValue; nil if there is no nonce.
  public var nonce: [UInt8]? { extensions.first { $0.oid == .ocspNonce }?.value }

  /// Returns a critical extension that is not supported, in the response or in the status of one certificate.
  public func unprocessedExtension(_ response: SingleResponse?) -> OID? {
    let own = extensions.first { $0.critical && $0.oid != .ocspNonce }
    // A client that does not support SCTs may ignore them.
    return (own ?? response?.extensions.first { $0.critical && $0.oid != .ocspSCTs })?.oid
  }
}

/// The status of one certificate: SingleResponse (RFC 6960 section 4.2.1).
public struct SingleResponse: Sendable, Hashable {
  /// CertStatus.
  public enum Status: Sendable, Hashable {
    /// The certificate is not known to be revoked.
    case good
    /// The certificate was revoked on a date, with a reason if the response has one.
    case revoked(Instant, RevocationReason?)
    /// The responder does not know the certificate.
    case unknown

    /// `good`, `revoked`, `unknown`.
    public var word: String {
      switch self {
      case .good: "good"
      case .revoked: "revoked"
      case .unknown: "unknown"
      }
    }
  }

  /// The certificate.
  public let certificate: CertificateID
  /// The status.
  public let status: Status
  /// The time at which the status was known to be correct.
  public let thisUpdate: Instant
  /// The latest time at which newer information will be available; nil if it is always available.
  public let nextUpdate: Instant?
  /// The extensions.
  public let extensions: [Certificate.Extension]

  /// Creates the status of a certificate.
  public init(
    _ certificate: CertificateID, _ status: Status, thisUpdate: Instant, nextUpdate: Instant?,
    extensions: [Certificate.Extension] = []
  ) {
    self.certificate = certificate
    self.status = status
    self.thisUpdate = thisUpdate
    self.nextUpdate = nextUpdate
    self.extensions = extensions
  }

  /// Reads one status. `der` must contain no other data.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    self = try SingleResponse.read(&whole)
    try whole.finish("SingleResponse")
  }

  static func read(_ crl: inout DERCursor) throws(CertificateError) -> SingleResponse {
    var parts = crl.inside(try crl.next("SingleResponse", DERTag.sequence))
    let certificate = try CertificateID.read(&parts)
    let status = try readStatus(&parts)
    let thisUpdate = try parts.generalizedTime("thisUpdate")
    var nextUpdate: Instant?
    if let tagged = try parts.optional("nextUpdate", DERTag.context(0, constructed: true)) {
      var inner = parts.inside(tagged)
      nextUpdate = try inner.generalizedTime("nextUpdate")
      try inner.finish("nextUpdate")
    }
    let extensions = try OCSPResponse.readExtensions(&parts, "singleExtensions", 1)
    try parts.finish("SingleResponse")
    return SingleResponse(
      certificate, status, thisUpdate: thisUpdate, nextUpdate: nextUpdate, extensions: extensions)
  }

  private static func readStatus(_ parts: inout DERCursor) throws(CertificateError) -> Status {
    let element = try parts.next("certStatus")
    switch element.tag {
    case DERTag.context(0) where element.content.isEmpty: return .good
    case DERTag.context(2) where element.content.isEmpty: return .unknown
    case DERTag.context(1, constructed: true):
      var inner = parts.inside(element)
      let date = try inner.generalizedTime("revocationTime")
      var reason: RevocationReason?
      if let tagged = try inner.optional("revocationReason", DERTag.context(0, constructed: true)) {
        reason = RevocationReason(der: inner.content(tagged))
        guard reason != nil else {
          throw inner.error(
            "revocationReason", at: tagged.range.lowerBound, "not a CRLReason", "RFC 5280 section 5.3.1")
        }
      }
      try inner.finish("certStatus")
      return .revoked(date, reason)
    default:
      throw parts.error(
        "certStatus", at: element.range.lowerBound, "neither good, revoked nor unknown", "RFC 6960 section 4.2.1")
    }
  }

  /// The included SignedCertificateTimestampList (RFC 6962 section 3.3); nil if absent.
  public var sctList: [UInt8]? {
    guard let value = extensions.first(where: { $0.oid == .ocspSCTs })?.value else { return nil }
    var whole = DERCursor(value)
    guard let element = try? whole.next("list", DERTag.octetString), whole.isAtEnd else { return nil }
    return whole.content(element)
  }
}

extension DERCursor {
  /// Reads a GeneralizedTime in the form of RFC 5280 section 4.1.2.5.2, as RFC 6960 section 4.2.2.1 requires.
  ///
  /// A fraction of a second, which some responders write (X.690 section 11.7.3), is dropped.
  mutating func generalizedTime(_ field: String) throws(CertificateError) -> Instant {
    if let tag = nextTag, tag != DERTag.generalizedTime {
      throw error(field, at: position, "\(DERTag.name(tag)) instead of GeneralizedTime", "RFC 6960 section 4.2.1")
    }
    var ahead = self
    let text = ahead.content(try ahead.next(field))
    guard text.count > 16, text[14] == UInt8(ascii: "."), text.last == UInt8(ascii: "Z"),
      text[15..<text.count - 1].allSatisfy({ (48...57).contains($0) }), text[text.count - 2] != 48,
      let instant = DERTime.instant(text[..<14] + [UInt8(ascii: "Z")], digits: 14)
    else { return try time(field) }
    self = ahead
    return instant
  }
}

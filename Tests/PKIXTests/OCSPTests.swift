import Cryptography
import Explanation
import Oracles
import Testing

@testable import PKIX

/// An OCSP response that a test may change before it is signed.
///
/// By default it is current, good, about the server's certificate, and signed by that certificate's issuer.
struct AnswerTemplate {
  static let now = Hierarchy.now

  let chain: [Certificate]
  let issuing: CertificateAuthority
  var status = SingleResponse.Status.good
  var thisUpdate = Hierarchy.date("2016-10-31")
  var nextUpdate: Instant? = Hierarchy.date("2016-11-07")
  var producedAt = Hierarchy.date("2016-10-31")
  var hash = Hash.sha1
  var about: Certificate?
  var singleExtensions: [Certificate.Extension] = []
  var nonce: [UInt8]?
  /// The template of the delegate's certificate; if nil, the issuer signs the response itself.
  var delegate: CertificateTemplate?
  /// The owner of the key that signs the delegate's certificate.
  var delegator = "Issuing"
  var isNamed = false
  var breaksSignature = false

  init() throws {
    chain = try Hierarchy().issue()
    issuing = CertificateAuthority(chain[1], key: try Hierarchy.key("Issuing"))
  }

  /// A valid delegate.
  static var responder: CertificateTemplate {
    var template = CertificateTemplate(
      subject: DistinguishedName(commonName: "Responder"), notBefore: Hierarchy.date("2016-10-01"),
      notAfter: Hierarchy.date("2016-12-01"))
    template.keyUsage = [.digitalSignature]
    template.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.ocspSigning])
    template.otherExtensions = [.init(.ocspNoCheck, value: [5, 0])]
    return template
  }

  func answer() throws -> OCSPResponse {
    var random = DeterministicRandom(seed: .number(1), label: "answers")
    var responder = OCSPResponder(issuing)
    if let delegate {
      let key = try Hierarchy.key("Responder")
      let delegator = CertificateAuthority(chain[1], key: try Hierarchy.key(delegator))
      let certificate = try delegator.issue(delegate, for: key.publicKey, random: &random)
      responder = OCSPResponder(CertificateAuthority(certificate, key: key), isDelegate: true)
    }
    responder.isNamed = isNamed
    let single = SingleResponse(
      CertificateID(about ?? chain[0], issuer: chain[1], hash: hash), status, thisUpdate: thisUpdate,
      nextUpdate: nextUpdate, extensions: singleExtensions)
    let answer = try responder.answer([single], producedAt: producedAt, nonce: nonce, random: &random)
    guard breaksSignature, let signature = answer.basic?.signatureValue.bytes, let end = signature.last else {
      return answer
    }
    // The signature's last byte is the last byte before the certificates, and the response has none.
    return try OCSPResponse(der: answer.der.dropLast() + [end ^ 1])
  }

  func acceptance(nonce: [UInt8]? = nil, limits: OCSPResponseValidation.Limits = .init()) throws
    -> OCSPResponseValidation
  {
    OCSPResponseValidation(try answer(), about: chain[0], of: chain[1], at: Self.now, limits: limits, nonce: nonce)
  }
}

/// Violates each requirement of RFC 6960 section 3.2 once, and checks the same response without the violation.
@Suite("OCSP")
struct OCSPTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let violated: [String]
    let change: @Sendable (inout AnswerTemplate) -> Void

    init(_ name: String, _ violated: [String], _ change: @escaping @Sendable (inout AnswerTemplate) -> Void) {
      (testDescription, self.violated, self.change) = (name, violated, change)
    }
  }

  static let rows = [
    Row("a current response of the issuer", []) { _ in },
    Row("a response that names its signer", []) { $0.isNamed = true },
    Row("a request hashed with SHA-256", []) { $0.hash = .sha256 },
    Row("a response of a delegate", []) { $0.delegate = AnswerTemplate.responder },
    Row("a response about another certificate", ["chain.ocsp-certificate"]) { $0.about = $0.chain[1] },
    Row("a response that was changed", ["chain.ocsp-signature"]) { $0.breaksSignature = true },
    Row("a delegate without OCSPSigning", ["chain.ocsp-responder"]) {
      $0.delegate = AnswerTemplate.responder
      $0.delegate?.extendedKeyUsage = nil
    },
    Row("a delegate for any purpose", ["chain.ocsp-responder"]) {
      $0.delegate = AnswerTemplate.responder
      $0.delegate?.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.any])
    },
    Row("a delegate that has expired", ["chain.ocsp-responder"]) {
      $0.delegate = AnswerTemplate.responder
      $0.delegate?.notAfter = Hierarchy.date("2016-10-15")
    },
    Row("a delegate whose key usage lacks digitalSignature", ["chain.ocsp-responder"]) {
      $0.delegate = AnswerTemplate.responder
      $0.delegate?.keyUsage = [.keyEncipherment]
    },
    Row("a delegate certified by another key under the issuer's name", ["chain.ocsp-responder"]) {
      $0.delegate = AnswerTemplate.responder
      $0.delegator = "impostor"
    },
    Row("a response with a future thisUpdate", ["chain.ocsp-current"]) { $0.thisUpdate = Hierarchy.date("2016-11-02") },
    Row("a response after its nextUpdate", ["chain.ocsp-current"]) { $0.nextUpdate = Hierarchy.date("2016-10-31") },
    Row("a response on the day of its nextUpdate", []) { $0.nextUpdate = AnswerTemplate.now },
    Row("a response of yesterday without nextUpdate", []) { $0.nextUpdate = nil },
    Row("a response of last month without nextUpdate", ["chain.ocsp-current"]) {
      $0.nextUpdate = nil
      $0.thisUpdate = Hierarchy.date("2016-10-01")
    },
    Row("an unknown critical extension", ["chain.ocsp-extension"]) {
      $0.singleExtensions = [.init(OID(1, 3, 6, 1, 4, 1, 32473, 1), critical: true, value: [5, 0])]
    },
    Row("the same extension, not critical", []) {
      $0.singleExtensions = [.init(OID(1, 3, 6, 1, 4, 1, 32473, 1), value: [5, 0])]
    },
  ]

  @Test("each requirement rejects only the response that violates it", arguments: rows)
  func demand(_ row: Row) throws {
    var template = try AnswerTemplate()
    row.change(&template)
    let acceptance = try template.acceptance()
    #expect(acceptance.findings.filter { $0.outcome == .violated }.map(\.rule.id) == row.violated)
    #expect(acceptance.status == (row.violated.isEmpty ? .good : nil))
  }

  @Test(
    "the status is the one that the responder reports",
    arguments: [
      SingleResponse.Status.good, .unknown, .revoked(Hierarchy.date("2016-09-01"), nil),
      .revoked(Hierarchy.date("2016-09-01"), .keyCompromise),
    ])
  func status(_ status: SingleResponse.Status) throws {
    var template = try AnswerTemplate()
    template.status = status
    #expect(try template.acceptance().status == status)
  }

  @Test("a nonce in the request must be in the response")
  func nonce() throws {
    let template = try AnswerTemplate()
    let request = OCSPRequest([CertificateID(template.chain[0], issuer: template.chain[1])], nonce: [1, 2, 3, 4])
    let sent = try #require(try OCSPRequest(der: request.der).nonce)
    var fresh = template
    fresh.nonce = sent
    #expect(try fresh.acceptance(nonce: sent).status == .good)
    let replayed = try template.acceptance(nonce: sent)
    #expect(replayed.status == nil)
    #expect(replayed.findings.filter { $0.outcome == .violated }.map(\.rule) == [.ocspNonce])
  }

  @Test("an old revoked status counts if the policy says so, an old good status never")
  func oldRevocation() throws {
    var limits = OCSPResponseValidation.Limits()
    limits.believesOldRevocations = true
    var template = try AnswerTemplate()
    template.nextUpdate = Hierarchy.date("2016-10-31")
    #expect(try template.acceptance(limits: limits).status == nil)
    template.status = .revoked(Hierarchy.date("2016-09-01"), nil)
    #expect(try template.acceptance(limits: limits).status == template.status)
    #expect(try template.acceptance().status == nil)
  }

  @Test(
    "an error status of the responder gives no status of the certificate",
    arguments: [
      OCSPResponse.Status.malformedRequest, .internalError, .tryLater, .sigRequired, .unauthorized,
    ])
  func errors(_ status: OCSPResponse.Status) throws {
    let template = try AnswerTemplate()
    let acceptance = OCSPResponseValidation(
      try OCSPResponder.failure(status), about: template.chain[0], of: template.chain[1], at: AnswerTemplate.now)
    #expect(acceptance.status == nil)
    #expect(acceptance.findings.map(\.rule) == [.ocspStatus])
  }

  @Test("an OCSP response of fifty megabytes is not read")
  func size() {
    #expect(throws: CertificateError.self) { try OCSPResponse(der: [UInt8](repeating: 0x30, count: 50_000_000)) }
  }
}

@Suite("OCSP compared with openssl", .needs(.openssl))
struct OCSPPeerTests {
  /// The directory that contains the chain.
  private func folder(_ chain: [Certificate]) throws -> OpenSSL {
    let openssl = try OpenSSL()
    for (name, certificate) in zip(["leaf", "issuing", "root"], chain) { try openssl.write(name, certificate.pem) }
    return openssl
  }

  @Test("openssl accepts these OCSP responses, signed by the issuer and by a delegate", arguments: [false, true])
  func answers(_ isDelegated: Bool) throws {
    var template = try AnswerTemplate()
    if isDelegated { template.delegate = AnswerTemplate.responder }
    template.status = .revoked(Hierarchy.date("2016-09-01"), .keyCompromise)
    let openssl = try folder(template.chain)
    try openssl.write("answer", try template.answer().der)
    let answer = try openssl.run(
      "ocsp", "-issuer", "issuing", "-cert", "leaf", "-respin", "answer", "-CAfile", "root", "-verify_other", "issuing",
      "-attime", String(AnswerTemplate.now.secondsSince1970), "-no_nonce")
    #expect(answer.output.contains("Response verify OK") || answer.output.contains("leaf: revoked"), "\(answer.output)")
    #expect(answer.output.contains("keyCompromise"))
  }

  @Test("openssl makes the same OCSP request")
  func request() throws {
    let chain = try Hierarchy().issue()
    let openssl = try folder(chain)
    try openssl.run("ocsp", "-issuer", "issuing", "-cert", "leaf", "-no_nonce", "-reqout", "request")
    #expect(try openssl.read("request") == OCSPRequest([CertificateID(chain[0], issuer: chain[1])]).der)
  }

  @Test("the OCSP responses of openssl's responder are accepted", arguments: ["V", "R"])
  func responder(_ state: String) throws {
    let chain = try Hierarchy().issue()
    let openssl = try folder(chain)
    try openssl.write("key", try Hierarchy.key("Issuing").pem)
    let serial = Hex.string(chain[0].serialNumber).uppercased()
    let revocation = state == "R" ? "160901000000Z,keyCompromise" : ""
    try openssl.write("index", "\(state)\t400101000000Z\t\(revocation)\t\(serial)\tunknown\t/CN=api.example\n")
    let made = try openssl.run(
      "ocsp", "-index", "index", "-rsigner", "issuing", "-rkey", "key", "-CA", "issuing", "-issuer", "issuing", "-cert",
      "leaf", "-ndays", "3", "-respout", "answer", "-no_nonce", "-noverify")
    let answer = try OCSPResponse(der: openssl.read("answer"))
    let produced = try #require(answer.basic?.producedAt, "\(made.output)")
    let acceptance = OCSPResponseValidation(answer, about: chain[0], of: chain[1], at: produced)
    #expect(
      acceptance.status == (state == "R" ? .revoked(Hierarchy.date("2016-09-01"), .keyCompromise) : .good),
      "\(acceptance.findings)")
  }
}

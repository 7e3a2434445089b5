import Cryptography
import Explanation

/// The reason why a certificate may not sign OCSP responses for an issuer, and the fix (RFC 6960 section 4.2.2.2).
struct ResponderDefect {
  /// The defect of the responder's certificate.
  let found: String
  /// The fix, as an imperative.
  let fix: String

  /// Finds the first defect of `signer`; nil if it may sign for `issuer`.
  init?(
    _ signer: Certificate, for issuer: Certificate, at time: Instant, isStrict: Bool, memory: SignatureCache?
  ) {
    let name = signer.displayName
    guard let defect = ResponderDefect.defect(signer, issuer, at: time, isStrict: isStrict, memory) else { return nil }
    (found, fix) = ("the responder \(name): \(defect.found)", defect.fix)
  }

  private static func defect(
    _ signer: Certificate, _ issuer: Certificate, at time: Instant, isStrict: Bool, _ memory: SignatureCache?
  ) -> (found: String, fix: String)? {
    guard signer.issuer.matches(issuer.subject) else {
      return (
        "a certificate of another issuer, \(signer.issuer)",
        "Have \(issuer.subject) issue the responder's certificate directly, or have \(issuer.subject) sign the response."
      )
    }
    if let purposes = purposeDefect(signer) { return (purposes, certifyAnew) }
    if isStrict, signer.basicConstraints?.isCA == true {
      return ("a CA certificate", "Use a responder certificate that is not a CA certificate.")
    }
    if let usage = signer.keyUsage, !usage.contains(.digitalSignature),
      isStrict || !usage.contains(.contentCommitment)
    {
      return (
        "keyUsage \(usage.meaning) without digitalSignature",
        "Have the issuer certify the responder with digitalSignature in keyUsage."
      )
    }
    let path = CertificatePath([signer, issuer], end: .anchor)
    let validation = PathValidation(path, at: time, memory: memory)
    return validation.findings.deciding.first.map { invalidity($0, of: signer) }
  }

  private static let certifyAnew = "Have the issuer certify the responder with OCSPSigning in extKeyUsage."

  /// Describes an extKeyUsage that lacks OCSPSigning; nil if it is included. The purpose anyExtendedKeyUsage does not
  /// replace it.
  private static func purposeDefect(_ signer: Certificate) -> String? {
    guard let purposes = signer.extendedKeyUsage else { return "no extKeyUsage, so no OCSPSigning" }
    guard !purposes.purposes.contains(ExtendedKeyUsage.ocspSigning) else { return nil }
    return "extKeyUsage \(purposes.meaning) without OCSPSigning"
  }

  /// Describes the violation in the responder's own certificate.
  private static func invalidity(_ rule: Rule, of signer: Certificate) -> (found: String, fix: String) {
    switch rule {
    case .expired:
      (
        "its certificate expired on \(signer.notAfter) (\(rule.id))",
        "Renew the responder's certificate, and sign the response again."
      )
    case .notYetValid:
      (
        "its certificate is not valid before \(signer.notBefore) (\(rule.id))",
        "Check the clock of the client, or use a responder's certificate that is valid now."
      )
    case .signatureInvalid:
      (
        "a key that is not the issuer's signed its certificate (\(rule.id))",
        "Have the issuer itself certify the responder: another key signed this certificate."
      )
    default: ("its certificate is refused: \(rule.id)", "Fix the responder's certificate. \(rule.fix)")
    }
  }
}

/// The reason why the named responder's key did not sign an OCSP response, and the fix.
struct SignatureProblem {
  let found: String
  let fix: String

  init(_ basic: BasicOCSPResponse, _ issuer: Certificate, memory: SignatureCache?) {
    let id = basic.responderID.description
    let certificates = ([issuer] + basic.certificates).prefix(SignatureProblem.maximumSigners)
    let signer = certificates.first { memory?.spend() != false && basic.isSigned(by: $0) }
    let named = certificates.first(where: basic.responderID.names)
    if basic.signatureAlgorithm.signatureScheme == nil {
      found = "the unknown signature algorithm \(basic.signatureAlgorithm)"
      fix = "Have the responder sign with an algorithm that the client supports."
    } else if let signer {
      found = "the key of \(signer.displayName) signed the response, but responderID names \(id)"
      fix = "Have the responder identify its own certificate, \(signer.displayName), in responderID."
    } else if let named {
      found = "the signature does not verify with the key of \(named.displayName)"
      fix =
        "Get the response again: it was changed, or another key signed it. If it still does not verify, have the "
        + "responder sign with the key of \(named.displayName)."
    } else {
      found = "no certificate of the responder \(id) in the response"
      fix = "Have the responder include its certificate in the response (certs), or have the issuer sign it."
    }
  }

  private static let maximumSigners = 16
}

/// The fields in which an OCSP response identifies a certificate other than the requested one.
struct CertificateIDDifference {
  private(set) var required: String
  private(set) var found: String
  private(set) var fix: String

  /// Compares `certificate` with the most similar of `ids`.
  init(_ ids: [CertificateID], _ certificate: Certificate, of issuer: Certificate) {
    let serial = "serialNumber \(Hex.string(certificate.serialNumber))"
    (required, found) = (serial, "no certificate")
    fix = "Have the responder include the status of this certificate: the response is empty."
    let all = ids.prefix(CertificateIDDifference.maximum).map { $0.differences(from: certificate, of: issuer) }
    guard let nearest = all.min(by: { $0.count < $1.count }) else { return }
    required = nearest.map { $0.required }.joined(separator: ", ")
    found = nearest.map { $0.found }.joined(separator: ", ") + (ids.count > 1 ? " (nearest of \(ids.count))" : "")
    fix =
      nearest.contains { $0.isOfIssuer }
      ? "Use the name and the key of \(issuer.subject), the issuer of this certificate, in the OCSP request."
      : "Request and staple the response about this certificate: \(serial). This response is about another certificate."
  }

  private static let maximum = 64
}

extension CertificateID {
  fileprivate typealias Difference = (required: String, found: String, isOfIssuer: Bool)

  /// Returns the fields that differ from those of `certificate`, in their order.
  fileprivate func differences(from certificate: Certificate, of issuer: Certificate) -> [Difference] {
    guard let hash else {
      return [("hashAlgorithm SHA-1 or SHA-2", "the unknown hashAlgorithm \(hashAlgorithm)", true)]
    }
    var all: [Difference] = []
    func compare(_ field: String, _ required: [UInt8], _ found: [UInt8], isOfIssuer: Bool) {
      guard required != found else { return }
      // The first bytes are enough to distinguish hashes.
      func shown(_ bytes: [UInt8]) -> String { isOfIssuer ? Hex.string(bytes.prefix(6)) + "…" : Hex.string(bytes) }
      all.append(("\(field) \(shown(required))", "\(field) \(shown(found))", isOfIssuer))
    }
    compare("issuerNameHash", hash.digest(certificate.issuer.der), issuerNameHash, isOfIssuer: true)
    compare("issuerKeyHash", hash.digest(issuer.publicKey.subjectPublicKey), issuerKeyHash, isOfIssuer: true)
    compare("serialNumber", certificate.serialNumber, serialNumber, isOfIssuer: false)
    return all
  }
}

extension OCSPResponse.Status {
  /// The fix for a responder that returned an error (RFC 6960 section 2.3).
  var fix: String {
    switch self {
    case .successful: Rule.ocspStatus.fix
    case .malformedRequest: "Correct the OCSP request: the responder could not read it."
    case .internalError, .tryLater: "Send the request again later, or ask the CA about its responder."
    case .sigRequired: "Sign the OCSP request: this responder requires a signature."
    case .unauthorized:
      "Send the request to the responder that the certificate names: this responder does not serve the certificate."
    }
  }
}

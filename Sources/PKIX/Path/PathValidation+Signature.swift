import Cryptography
import Explanation

/// The verification of a certificate's signature (RFC 5280 section 6.1.3 (a)(1)).
extension PathValidation {
  mutating func verifySignature(_ certificate: Certificate, _ index: Int) {
    guard let key = state.workingPublicKey else {
      note(.unsupportedSignatureAlgorithm, index, .notEvaluated)
      return note(.signatureInvalid, index, .notEvaluated)
    }
    let algorithm = certificate.signatureAlgorithm
    guard let scheme = certificate.signatureScheme else {
      return refuseAlgorithm(index, AlgorithmFault(algorithm.signatureDefect ?? .unknown, of: algorithm))
    }
    guard let result = signatureResult(certificate, index, scheme, key) else {
      note(.unsupportedSignatureAlgorithm, index, .notEvaluated)
      note(.signatureInvalid, index, .unknown)
      let limit = memory?.limit ?? 0
      return check(.signatureLimit, index, false, required: .atMost(.number(limit)), found: .word("more"))
    }
    if let error = result { return report(error, in: scheme, by: key, certificate, index) }
    check(.unsupportedSignatureAlgorithm, index, true)
    check(.signatureInvalid, index, true)
  }

  /// Returns the result of verifying the signature, now or earlier; nil if the limit of verifications has been reached.
  private func signatureResult(
    _ certificate: Certificate, _ index: Int, _ scheme: SignatureScheme, _ key: PublicKey
  ) -> SignatureError?? {
    func verify() -> SignatureError? {
      guard let error = certificate.signatureError(by: key, scheme) else { return nil }
      guard error.mayBeOtherForm, memory?.spend() ?? true, let form = certificate.signedForm(by: key) else {
        return error
      }
      return .otherForm(form.fullDescription)
    }
    guard let memory, index + 1 < path.certificates.count else { return .some(verify()) }
    // A key that inherits its parameters is different in each path.
    let issuer = path.certificates[index + 1]
    guard !issuer.publicKey.inheritsParameters else { return memory.spend() ? .some(verify()) : nil }
    return memory.result(of: certificate, by: issuer, verify)
  }

  private mutating func report(
    _ error: SignatureError, in scheme: SignatureScheme, by key: PublicKey, _ certificate: Certificate, _ index: Int
  ) {
    guard (decisions.outcome?(error) ?? error.outcome) == .invalid else {
      return refuse(error, by: key, certificate, index)
    }
    check(.unsupportedSignatureAlgorithm, index, true)
    let rule = error.fix.map { Rule.signatureInvalid.fixed(by: $0) } ?? invalidSignature(certificate, index)
    check(
      rule, index, false,
      required: .word(scheme.padding == .pss ? certificate.signatureAlgorithm.fullDescription : scheme.x509Name),
      found: .word(error.description))
  }

  private mutating func refuse(
    _ error: SignatureError, by key: PublicKey, _ certificate: Certificate, _ index: Int
  ) {
    guard error.outcome == .unsupported else {
      check(.unsupportedSignatureAlgorithm, index, false, found: .word(error.description))
      return note(.signatureInvalid, index, .notEvaluated)
    }
    guard !key.spellsOutCurve else {
      // The cause is the issuer's key, which `chain.named-curve` reports.
      note(.unsupportedSignatureAlgorithm, index, .notEvaluated)
      return note(.signatureInvalid, index, .notEvaluated)
    }
    refuseAlgorithm(index, AlgorithmFault(certificate.signatureAlgorithm, by: key))
  }

  private mutating func refuseAlgorithm(_ index: Int, _ fault: AlgorithmFault) {
    check(fault.rule, index, false, required: fault.required, found: fault.found)
    note(.signatureInvalid, index, .notEvaluated)
  }

  /// Returns the rule for a signature that does not verify.
  ///
  /// If the certificate identifies another key of its issuer, the certificate for that key is missing. This does not
  /// apply to a certificate that is its own issuer.
  private func invalidSignature(_ certificate: Certificate, _ index: Int) -> Rule {
    guard let (issuer, claimed) = keyIdentifiers(certificate, index), issuer != claimed,
      claimed != certificate.subjectKeyIdentifier?.keyIdentifier
    else {
      return .signatureInvalid
    }
    return .signatureInvalid.fixed(
      by:
        "Present the issuer's certificate with the key identifier \(Hex.string(claimed)): the certificate in use has "
        + "the same name, but another key. If there is none, issue the certificate again.")
  }
}

extension SignatureError {
  /// The fix if the issuer's key signed in another form; nil if it may be another key.
  fileprivate var fix: String? {
    switch self {
    case .otherForm(let form):
      "Issue the certificate again, with the CA's actual signature algorithm in the algorithm identifier: \(form)."
    case .hash(let expected, let found):
      "Issue the certificate again, so that its algorithm identifier names the hash that was signed: \(found.name), "
        + "not \(expected.name)."
    case .digest: "Use the certificate as the CA issued it: bytes were changed after the CA signed it."
    case .unusedBits: "Issue the certificate again, with a signatureValue of whole bytes."
    case .malformed:
      "Issue the certificate again, with a signatureValue that fits its algorithm. For ECDSA, it is a DER SEQUENCE of "
        + "r and s (RFC 3279 section 2.2.3); for Ed25519, it is 64 bytes."
    default: nil
    }
  }
}

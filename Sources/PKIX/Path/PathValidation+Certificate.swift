import Cryptography
import Explanation

/// Basic certificate processing, RFC 5280 section 6.1.3.
extension PathValidation {
  mutating func process(_ certificate: Certificate, _ index: Int, isAnchor: Bool) {
    checkForm(certificate, index)
    // (a)(1)
    if isAnchor { note(.signatureInvalid, index, .notApplicable) } else { verifySignature(certificate, index) }
    checkValidity(certificate, index)  // (a)(2)
    note(.revoked, index, .notEvaluated)  // (a)(3)
    // (a)(4)
    if isAnchor { note(.issuerNameMismatch, index, .notApplicable) } else { checkIssuer(certificate, index) }
    if isProxy(index) { return }  // its name is its issuer's, its policies are not certificatePolicies
    checkNames(certificate, index)  // (b), (c)
    processPolicies(certificate, index)  // (d), (e), (f)
  }

  /// What section 4 demands of the form, before the algorithm begins.
  mutating func checkForm(_ certificate: Certificate, _ index: Int) {
    check(
      .certificateVersion, index, certificate.extensions.isEmpty || certificate.version == 3, required: .word("v3"),
      found: .word("v\(certificate.version)"))
    check(
      .malformedExtension, index, certificate.malformations.isEmpty,
      found: .words(certificate.malformations.map(\.description)))
    if case .unsupported(let key) = certificate.publicKey, key.algorithmName.hasPrefix("EC") {
      check(.namedCurve, index, key.parameters?.first == 0x06, found: .word(key.algorithmName))
    }
    check(
      .signatureAlgorithmMismatch, index, certificate.signatureAlgorithm == certificate.signedSignatureAlgorithm,
      required: .word(certificate.signedSignatureAlgorithm.description),
      found: .word(certificate.signatureAlgorithm.description))
  }

  private mutating func checkValidity(_ certificate: Certificate, _ index: Int) {
    let now = time
    check(
      .expired, index, now <= certificate.notAfter, required: .atMost(.date(certificate.notAfter)), found: .date(now))
    check(
      .notYetValid, index, now >= certificate.notBefore, required: .atLeast(.date(certificate.notBefore)),
      found: .date(now))
  }

  private mutating func checkIssuer(_ certificate: Certificate, _ index: Int) {
    guard let name = state.workingIssuerName else { return note(.issuerNameMismatch, index, .notEvaluated) }
    let holds = certificate.issuer.matches(name)
    check(
      .issuerNameMismatch, index, holds, required: holds ? .none : .word(name.description),
      found: holds ? .none : .word(certificate.issuer.description))
    guard let (issuer, claimed) = keyIdentifiers(certificate, index) else { return }
    check(.keyIdentifier, index, issuer == claimed, required: .bytes(issuer), found: .bytes(claimed))
  }

  /// What the issuer's certificate calls its key, and what the certificate at `index` calls it.
  private func keyIdentifiers(_ certificate: Certificate, _ index: Int) -> (issuer: [UInt8], claimed: [UInt8])? {
    guard index + 1 < path.certificates.count,
      let issuer = path.certificates[index + 1].subjectKeyIdentifier?.keyIdentifier,
      let claimed = certificate.authorityKeyIdentifier?.keyIdentifier
    else { return nil }
    return (issuer, claimed)
  }

  /// A signature that does not verify: where the certificate names another key of its issuer, that one is missing.
  private func invalidSignature(_ certificate: Certificate, _ index: Int) -> Rule {
    guard let (issuer, claimed) = keyIdentifiers(certificate, index), issuer != claimed else {
      return .signatureInvalid
    }
    return .signatureInvalid.mended(
      by:
        "Present the issuer's certificate with key identifier \(Hex.string(claimed)), which is absent: the one of the "
        + "same name is for another key. Else issue the certificate again.")
  }

  private mutating func verifySignature(_ certificate: Certificate, _ index: Int) {
    guard let key = state.workingPublicKey else {
      note(.unsupportedSignatureAlgorithm, index, .notEvaluated)
      return note(.signatureInvalid, index, .notEvaluated)
    }
    guard let scheme = certificate.signatureScheme else {
      return refuseAlgorithm(index, found: certificate.signatureAlgorithm.description)
    }
    let message = Array(certificate.der[certificate.tbsCertificate])
    do throws(SignatureError) {
      try certificate.signatureValue.verify(key, over: message, scheme, certificate.signatureAlgorithm)
      check(.unsupportedSignatureAlgorithm, index, true)
      check(.signatureInvalid, index, true)
    } catch .keyMismatch, .unsupportedScheme, .unsupportedKey {
      refuseAlgorithm(index, found: "\(scheme.x509Name) by a key for \(key.algorithmName)")
    } catch {
      check(.unsupportedSignatureAlgorithm, index, true)
      check(
        invalidSignature(certificate, index), index, false, required: .word(scheme.x509Name),
        found: .word(error.description))
    }
  }

  private mutating func refuseAlgorithm(_ index: Int, found: String) {
    check(.unsupportedSignatureAlgorithm, index, false, found: .word(found))
    note(.signatureInvalid, index, .notEvaluated)
  }
}

import Cryptography
import Explanation
import PKIX

/// A path with the context that checks need. It is a class so that the many checks share one copy.
final class PathContext {
  let path: CertificatePath
  let requirements: TrustRequirements
  let evidence: TrustEvidence
  let diagnostics: TrustDiagnostics
  /// The required purpose of the leaf.
  let purpose: TrustRequirements.Purpose
  /// The names that findings use for the certificates, leaf first.
  let subjects: [Finding.Subject]
  /// The origin of the anchor; nil if the path does not end at one.
  let anchorKind: TrustStore.Kind?
  /// The cache of signatures that this evaluation has verified.
  let memory: SignatureCache

  init(
    _ path: CertificatePath, _ subjects: [Finding.Subject], _ evaluator: TrustEvaluator,
    purpose: TrustRequirements.Purpose,
    memory: SignatureCache = SignatureCache()
  ) {
    self.path = path
    self.memory = memory
    self.subjects = subjects
    (requirements, evidence, diagnostics) = (evaluator.requirements, evaluator.evidence, evaluator.diagnostics)
    self.purpose = purpose
    anchorKind = requirements.store.kind(ofAnchorOf: path)
  }

  func check(
    _ rule: Rule, _ subject: Finding.Subject, _ holds: Bool, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    diagnostics.enforcement.check(rule, on: subject, holds, required: required, found: found, confidence: confidence)
  }

  func note(_ rule: Rule, _ subject: Finding.Subject, _ outcome: Finding.Outcome) -> Finding {
    diagnostics.enforcement.note(rule, on: subject, outcome)
  }

  /// Runs `body` on the leaf, and returns its findings.
  func onLeaf(_ body: (Certificate, Finding.Subject) -> [Finding]) -> [Finding] {
    guard let leaf = path.certificates.first, let subject = subjects.first else { return [] }
    return body(leaf, subject)
  }
}

/// Checks that more than one profile uses.
extension PathContext {
  /// Checks the anchor's own dates. RFC 5280 does not check them, because its paths do not include the anchor.
  var anchorDates: [Finding] {
    guard path.certificates.count > 1, let anchor = path.anchor, let subject = subjects.last else { return [] }
    let date = requirements.date
    if anchor.hasReversedValidity {
      return [
        check(
          .reversedValidity(of: anchor, isOver: date > anchor.notAfter), subject, false,
          required: .atLeast(.date(anchor.notBefore)), found: .word("notAfter \(anchor.notAfter), before notBefore"))
      ]
    }
    return [
      check(.expired, subject, date <= anchor.notAfter, required: .atMost(.date(anchor.notAfter)), found: .date(date)),
      check(
        .notYetValid, subject, date >= anchor.notBefore, required: .atLeast(.date(anchor.notBefore)), found: .date(date)
      ),
    ]
  }

  /// Checks that extKeyUsage of the leaf, if present, includes the purpose.
  var statedPurpose: [Finding] {
    onLeaf { leaf, subject in
      guard let wanted = purpose.keyPurpose else { return [note(.extendedKeyUsage, subject, .notApplicable)] }
      let purposes = leaf.extendedKeyUsage?.purposes
      return [
        check(
          .extendedKeyUsage, subject, purposes.map { $0.contains(wanted) || $0.contains(ExtendedKeyUsage.any) } ?? true,
          required: .word(wanted.name), found: PathContext.words(purposes))
      ]
    }
  }

  /// Checks that extKeyUsage of each CA, if present, includes the purpose.
  ///
  /// The anchor is included if its constraints are applied. With `acceptsAny`, anyExtendedKeyUsage suffices.
  func nestedPurposes(acceptsAny: Bool = true) -> [Finding] {
    guard let wanted = purpose.keyPurpose else { return [] }
    let isExempt = path.isAnchored && !requirements.inputs.appliesAnchorConstraints
    return path.certificates.indices.dropFirst().dropLast(isExempt ? 1 : 0).map { index in
      let purposes = path.certificates[index].extendedKeyUsage?.purposes
      return check(
        .extendedKeyUsage, subjects[index],
        purposes.map { $0.contains(wanted) || acceptsAny && $0.contains(ExtendedKeyUsage.any) } ?? true,
        required: .word(wanted.name), found: PathContext.words(purposes))
    }
  }

  /// Checks that no signature that must be verified uses MD5 (MUST) or SHA-1 (RECOMMENDED; RFC 8446 section 4.4.2.4).
  var signaturesOfTLS: [Finding] {
    guard purpose.keyPurpose != nil else { return [] }
    return zip(path.certificates, subjects).map { certificate, subject in
      guard certificate != path.anchor, !isSelfSigned(certificate) else {
        return note(PathContext.weakSignature, subject, .notApplicable)
      }
      let algorithm = certificate.signatureAlgorithm.nameWithHash
      let finding = check(
        PathContext.weakSignature, subject, !certificate.hasSignatureWith([.md5, .sha1]),
        required: .anyOf(["SHA-256", "SHA-384", "SHA-512"]), found: .word(algorithm))
      // A recommendation of TLS 1.3 does not affect certificates that are older than TLS 1.3.
      let isEarlier = requirements.date < PathContext.publicationOfTLS13 && !certificate.hasSignatureWith([.md5])
      return isEarlier ? finding.advising : finding
    }
  }

  /// Returns whether the certificate is signed with its own key. Equal issuer and subject names do not prove this.
  func isSelfSigned(_ certificate: Certificate) -> Bool {
    guard certificate.isSelfIssued else { return false }
    return certificate == path.anchor || certificate.isSigned(by: certificate)
  }

  private static let publicationOfTLS13 = Instant.day(2018, 8, 1)

  private static let weakSignature = Rule.weakSignature.citing(.rfc(8446, "4.4.2.4"))

  /// Whether violations of the requirements on CAs refuse the path.
  var requiresConformance: Bool { requirements.isStrict }

  /// Checks that the certificates meet the requirements of RFC 5280 section 4.
  var conformance: [Finding] {
    var findings = CertificateConformance(
      path, subjects, isPedantic: requirements.conformance == .pedantic,
      requiresCriticalNameConstraints: requirements.profile == .rfc5280,
      enforcement: diagnostics.enforcement
    ).findings
    if requirements.profile == .webpki, let anchor = path.anchor, path.certificates.count > 1,
      !RequirementDate.requirements.binds(anchor), let subject = subjects.last
    {
      findings = findings.map { $0.subject == subject ? $0.advising : $0 }
    }
    return requiresConformance ? findings : findings.map(\.advising)
  }

  /// Checks that keyUsage of the leaf, if present, includes every required use (RFC 5280 section 4.2.1.3).
  var leafUsage: [Finding] {
    guard !requirements.limits.keyUsage.isEmpty else { return [] }
    return onLeaf { leaf, subject in
      let usage = leaf.keyUsage
      return [
        check(
          PathContext.leafUsage, subject, usage.map { $0.isSuperset(of: requirements.limits.keyUsage) } ?? true,
          required: .words(requirements.limits.keyUsage.words), found: usage.map { .words($0.words) } ?? .absent)
      ]
    }
  }

  /// Checks that every RSA key has the caller's minimum size.
  var minimumKeys: [Finding] {
    guard let minimum = requirements.limits.minimumRSABits else { return [] }
    return zip(path.certificates, subjects).compactMap { certificate, subject in
      guard certificate.publicKey.algorithmName.hasPrefix("RSA"), let bits = certificate.publicKey.bits else {
        return nil
      }
      return check(
        PathContext.keySize, subject, bits >= minimum, required: .atLeast(.bits(minimum)), found: .bits(bits))
    }
  }

  private static let keySize = Rule.keySize.citing(.rfc(9325, "4.5"))
  private static let leafUsage = Rule.keyUsage.citing(.rfc(5280, "4.2.1.3"))

  /// Checks that the path has no more intermediates than the caller allows.
  var depth: [Finding] {
    guard let limit = requirements.limits.maximumIntermediates, let subject = subjects.first else { return [] }
    let inner = path.certificates.dropFirst().dropLast(path.isAnchored ? 1 : 0)
    let count = inner.count { !$0.isSelfIssued }
    return [
      check(.chainDepth, subject, count <= limit, required: .atMost(.number(limit)), found: .number(count))
    ]
  }

  /// Returns whether extKeyUsage cannot be decoded. In that case, `chain.malformed` reports the reason.
  func hasUnreadPurposes(_ certificate: Certificate) -> Bool { certificate.hasUndecodable(ExtendedKeyUsage.oid) }

  /// Returns the names of the purposes; absent if the extension is absent.
  static func words(_ purposes: [OID]?) -> Detail { purposes.map { .words($0.map(\.name)) } ?? .absent }
}

extension TrustRequirements {
  /// Whether violations of the requirements on CAs refuse the path.
  var isStrict: Bool { conformance >= .required || profile == .webpki }

  /// Returns the inputs of path validation. Before iOS 13 and macOS 10.15, a common name could replace a dNSName.
  func validationInputs(for purpose: Purpose) -> PathValidation.Inputs {
    var inputs = inputs
    inputs.isStrict = isStrict
    inputs.refusesAnchorForm = isStrict || profile == .apple
    (inputs.skipsAppleExtensions, inputs.equatesNullParameters) = (profile == .apple, profile == .apple)
    inputs.purpose = purpose.keyPurpose
    if let os, !os.isAtLeast(iOS: (13, 0), macOS: (10, 15)) {
      // A common name that the client compares with hosts is also checked against name constraints.
      (inputs.usesCommonName, inputs.usesAnyCommonName) = (true, true)
    }
    return inputs
  }
}

extension PathContext {
  /// Checks how the user and the platform set the trust in single certificates.
  var trustSettings: [Finding] {
    var findings: [Finding] = []
    findings.reserveCapacity(2 * path.certificates.count)
    for (certificate, subject) in zip(path.certificates, subjects) {
      let isWaiting =
        requirements.store.installedNotTrusted.contains(certificate) && requirements.store.kind(of: certificate) == nil
      findings.append(distrust(of: certificate, subject))
      findings.append(
        isWaiting ? check(.notTrustedYet, subject, false) : note(.notTrustedYet, subject, .notApplicable))
      findings += decisions(about: certificate, subject)
    }
    return findings
  }

  /// Checks the system's blocklists. They are the current ones, regardless of the date of validation.
  private func distrust(of certificate: Certificate, _ subject: Finding.Subject) -> Finding {
    let lists = requirements.store.distrusts.filter { $0.certificate.hasKey(of: certificate) }
    let inForce = lists.filter { $0.isInForce(on: requirements.today ?? requirements.date, os: requirements.os) }
    guard let list = inForce.first(where: { $0.covers(path) }) else {
      let isDistrusted = requirements.store.distrusted.contains { $0.hasKey(of: certificate) }
      return check(.distrusted, subject, !isDistrusted)
    }
    return check(.distrusted, subject, false, required: list.required, found: list.found(on: path))
  }

  /// Checks the user's trust settings, if there are any (SecTrustSettings.h). Since OS X 10.5, the system does not
  /// prompt the user (SecTrust.h).
  private func decisions(about certificate: Certificate, _ subject: Finding.Subject) -> [Finding] {
    let store = requirements.store
    var findings: [Finding] = []
    if !store.denied.isEmpty { findings.append(check(.denied, subject, !store.denied.contains(certificate))) }
    if store.asked.contains(certificate) {
      let isAsked = requirements.os.map { $0.family == .macOS && $0 < OSVersion(.macOS, 10, 5) } ?? false
      findings.append(isAsked ? check(.asksUser, subject, false) : note(.asksUser, subject, .notApplicable))
    }
    return findings
  }

  /// Checks the date of validation, if the app set one (SecTrustSetVerifyDate).
  var verifyDate: [Finding] {
    guard let today = requirements.today, let subject = subjects.first else { return [] }
    return [
      check(.verifyDate, subject, requirements.date == today, required: .date(today), found: .date(requirements.date))
    ]
  }
}

extension Certificate {
  /// Returns whether the signature uses one of these hashes, or the older MD2 or MD4. For PSS, the parameters contain
  /// the hash.
  func hasSignatureWith(_ hashes: Set<Hash>) -> Bool {
    if let hash = signatureScheme?.hash { return hashes.contains(hash) }
    return ["md2WithRSAEncryption", "md4WithRSAEncryption"].contains(signatureAlgorithm.description)
  }

  /// Returns whether both certificates have the same key.
  ///
  /// A certificate with the key of a blocked certificate is not trusted either (SecPolicyCheckBlackListedKey).
  func hasKey(of other: Certificate) -> Bool {
    self === other || subjectPublicKeyInfo == other.subjectPublicKeyInfo
  }
}

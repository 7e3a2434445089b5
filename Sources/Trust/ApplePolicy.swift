import Cryptography
import Explanation
import PKIX

/// Checks the requirements of Apple's default server evaluation beyond RFC 5280.
///
/// They depend on the operating system, the anchor and the day of issue.
///
/// Sources: Security, SecPolicy.c and SecPolicyServer.c; HT210176 and HT211025. The rules of HT210176 apply since iOS
/// 13 and macOS 10.15; on earlier systems they are not-applicable.
struct ApplePolicy {
  let judged: PathContext

  init(_ judged: PathContext) { self.judged = judged }

  var path: CertificatePath { judged.path }
  var requirements: TrustRequirements { judged.requirements }
  var evidence: TrustEvidence { judged.evidence }
  var diagnostics: TrustDiagnostics { judged.diagnostics }
  var subjects: [Finding.Subject] { judged.subjects }
  var anchorKind: TrustStore.Kind? { judged.anchorKind }
  var isServer: Bool { judged.purpose == .server }

  /// Whether the rules of HT210176 are in force.
  var isStrict: Bool { requirements.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false }

  /// Whether the user trusts the server's certificate itself, which exempts it from some rules.
  var isLeafTrustedByUser: Bool { path.certificates.count == 1 && anchorKind == .user }

  func check(
    _ rule: Rule, _ subject: Finding.Subject, _ holds: Bool, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    judged.check(rule, subject, holds, required: required, found: found, confidence: confidence)
  }

  func note(_ rule: Rule, _ subject: Finding.Subject, _ outcome: Finding.Outcome) -> Finding {
    judged.note(rule, subject, outcome)
  }
}

extension ApplePolicy {
  /// Checks the purposes of the certificates. Apple's own rules apply only to servers.
  func purposes(_ leaf: Certificate, _ subject: Finding.Subject) -> [Finding] {
    guard isServer else { return judged.statedPurpose }
    return [general(leaf, subject), strict(leaf, subject)] + intermediates
  }

  /// Checks, on every release, that extKeyUsage is absent or allows servers.
  private func general(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let purposes = leaf.extendedKeyUsage?.purposes
    let holds = purposes.map { !ApplePolicy.general.isDisjoint(with: $0) } ?? true
    return check(.extendedKeyUsage, subject, holds, required: .word("serverAuth"), found: PathContext.words(purposes))
  }

  /// Checks that extKeyUsage contains serverAuth, depending on the anchor and the day of issue.
  private func strict(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    guard isStrict, isDemanded(leaf) else { return note(.extendedKeyUsage, subject, .notApplicable) }
    guard !judged.hasUnreadPurposes(leaf) else { return note(.extendedKeyUsage, subject, .notEvaluated) }
    let purposes = leaf.extendedKeyUsage?.purposes
    return check(
      .extendedKeyUsage, subject, purposes?.contains(ExtendedKeyUsage.serverAuth) ?? false,
      required: .word("serverAuth"), found: PathContext.words(purposes), confidence: confidence)
  }

  /// Returns whether serverAuth is required. Apple's page names all anchors, but the code excludes anchors of users and
  /// administrators.
  private func isDemanded(_ leaf: Certificate) -> Bool {
    let isRecent = leaf.notBefore > ApplePolicy.july2019
    switch anchorKind {
    case .system: return true
    case .app: return isRecent
    case .user: return requirements.os?.family == .documentation && isRecent
    case nil: return false
    }
  }

  private var confidence: Finding.Confidence {
    anchorKind == .user
      ? .conflicting("HT210176 names all roots; Security's code exempts the roots of users") : .certain
  }

  /// Checks that extKeyUsage of each CA allows servers, under anchors of the system and of apps.
  ///
  /// Apple's own tests refuse a CA for mail under an app's anchors.
  private var intermediates: [Finding] {
    guard isStrict, anchorKind == .system || anchorKind == .app, path.certificates.count > 2 else { return [] }
    return (1..<path.certificates.count - 1).map { index in
      let purposes = path.certificates[index].extendedKeyUsage?.purposes
      let allowed: Set<OID> = [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any]
      return check(
        .extendedKeyUsage, subjects[index], purposes.map { !allowed.isDisjoint(with: $0) } ?? true,
        required: .word("serverAuth"), found: PathContext.words(purposes))
    }
  }

  /// The purposes that allow servers: serverAuth, any purpose, and the server-gated cryptography of Microsoft and
  /// Netscape.
  private static let general: Set<OID> = [
    ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any, OID(1, 3, 6, 1, 4, 1, 311, 10, 3, 3),
    OID(2, 16, 840, 1, 113730, 4, 1),
  ]
}

extension ApplePolicy {
  /// The beginning of July 2019 in Apple's source, an hour earlier than in UTC. The rules apply to certificates issued
  /// later.
  static let july2019 = Instant.day(2019, 7, 1).adding(seconds: -3600)

  /// Checks every key of the chain, except that of a leaf that the user trusts.
  ///
  /// Servers need at least RSA 2048 or elliptic-curve 256. For other uses, keys only must not be weak: at least RSA
  /// 1024 or elliptic-curve 160.
  var keySizes: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      let key = certificate.publicKey
      let minimum = minimumBits(key)
      if refusesSHA1, !isStrict, certificate != path.anchor, let bits = key.bits, let minimum {
        // For system roots, this rule was introduced together with the SHA-1 rule; since iOS 13, it is separate.
        return check(
          ApplePolicy.keySizeOfSystem, subject, bits >= minimum, required: .atLeast(.bits(minimum)),
          found: .bits(bits),
          confidence: bits >= minimum
            ? .certain : .likely("the first release is named in a conference talk (WWDC17, session 701)"))
      }
      guard isStrict, !isLeafTrustedByUser else { return earlierKeySize(key, subject) }
      // If the curve has no name, the computed key size is not a second reason.
      guard !key.spellsOutCurve else { return note(.keySize, subject, .notEvaluated) }
      guard let minimum else {
        return check(
          .keyAlgorithm, subject, false, required: ApplePolicy.keys, found: .word(key.algorithmName))
      }
      let bits = key.bits ?? 0
      return check(.keySize, subject, bits >= minimum, required: .atLeast(.bits(minimum)), found: .bits(bits))
    }
  }

  private static let keys = Detail.anyOf(["RSA (rsaEncryption)", "EC P-256", "EC P-384", "EC P-521"])

  /// Returns the finding on keys for earlier systems. For RSA keys under 1024 bits, no source shows whether those
  /// systems accepted them.
  private func earlierKeySize(_ key: PublicKey, _ subject: Finding.Subject) -> Finding {
    guard !isLeafTrustedByUser, key.algorithmName == "RSA", let bits = key.bits, bits < 1024 else {
      return note(.keySize, subject, .notApplicable)
    }
    return diagnostics.enforcement.note(
      .keySize, on: subject, .unknown, required: .atLeast(.bits(1024)), found: .bits(bits),
      confidence: .unknown("how systems before iOS 13 and macOS 10.15 treated shorter keys (no source documents it)"))
  }

  /// Checks that every signer has a key that Security.framework can create.
  ///
  /// Such keys are RSA keys and keys on the curves P-192 to P-521, which Security identifies by size (SecECKey.c). It
  /// cannot verify signatures of other keys.
  var signers: [Finding] {
    zip(path.certificates.dropFirst(), subjects).compactMap { issuer, subject in
      switch issuer.publicKey {
      case .namedCurve(let key) where !key.curveName.hasPrefix("P-"): break
      case .rsa(let key) where key.usage != .any: break
      case .dsa: break
      case .unsupported where issuer.publicKey.inheritsParameters: break
      default: return nil
      }
      return check(
        ApplePolicy.unsupportedSigner, subject, false,
        required: .anyOf(["RSA (rsaEncryption)", "EC P-192", "P-224", "P-256", "P-384", "P-521"]),
        found: .word(issuer.publicKey.description))
    }
  }

  private static let unsupportedSigner = Rule.unsupportedSignatureAlgorithm.citing(.apple("SecECKey.c")).fixed(
    by: "Use a CA with an RSA key (rsaEncryption) or an elliptic-curve key on P-256, P-384 or P-521.")

  /// Checks that the key identifiers of a certificate and its issuer are equal if both are present.
  ///
  /// SecPolicyCheckIdLinkage applies to every policy. In RFC 5280, key identifiers only help to build paths (section
  /// 4.2.1.1).
  var keyIdentifiers: [Finding] {
    zip(zip(path.certificates, path.certificates.dropFirst()), subjects).compactMap { pair, subject in
      guard let issuer = pair.1.subjectKeyIdentifier?.keyIdentifier,
        let claimed = pair.0.authorityKeyIdentifier?.keyIdentifier
      else { return nil }
      return check(
        ApplePolicy.linkage, subject, issuer == claimed, required: .bytes(issuer), found: .bytes(claimed))
    }
  }

  private static let linkage = Rule(
    .chain, "key-identifier", Rule.keyIdentifier.statement, .apple("SecPolicyCheckIdLinkage"),
    fix: "Issue the certificate again, with its issuer's subjectKeyIdentifier as the keyIdentifier of "
      + "authorityKeyIdentifier; or present the issuer's certificate that has this identifier.")

  /// Checks that every certificate has a subject, except a leaf with an issuer and a critical subjectAltName.
  ///
  /// SecPolicyCheckCertNonEmptySubject applies to every policy.
  var subjectNames: [Finding] {
    let certificates = path.certificates
    return zip(certificates, subjects).enumerated().map { index, pair in
      let (certificate, subject) = pair
      let mayBeEmpty = index == 0 && certificates.count > 1
      let isNamed = mayBeEmpty && certificate.first(SubjectAlternativeName.oid)?.critical == true
      return check(
        ApplePolicy.nonEmptySubject(mayBeEmpty), subject, !certificate.subject.isEmpty || isNamed,
        required: .word(mayBeEmpty ? "a subject, or a critical subjectAltName" : "a subject"),
        found: certificate.subject.isEmpty ? .word("an empty subject") : .none)
    }
  }

  private static func nonEmptySubject(_ mayBeEmpty: Bool) -> Rule { mayBeEmpty ? emptyLeafSubject : emptySubject }
  private static let emptyLeafSubject = Rule.emptyName.citing(.apple("SecPolicyCheckCertNonEmptySubject"))
  private static let emptySubject = emptyLeafSubject.fixed(by: "Issue the certificate with a subject.")

  /// Checks every signature, except those of self-signed certificates and of an anchor that the user trusts.
  ///
  /// Certificates of servers need SHA-2; for other uses, SHA-1 is accepted. Under system roots, SHA-1 has been refused
  /// since iOS 11, and in WebKit since iOS 10.3 (HT207459; Security, SecPolicyCheckSystemTrustedWeakHash). Since iOS 5,
  /// MD5 and older hashes are refused (TS4133).
  var signatures: [Finding] {
    let weak: Set<Hash> = isServer ? [.md5, .sha1] : [.md5]
    let isEarly = !isStrict && refusesSHA1
    let rule = isEarly ? Rule.weakSignature.citing(.apple("HT207459")) : .weakSignature
    return zip(path.certificates, subjects).map { certificate, subject in
      let isUsersAnchor = anchorKind == .user && certificate == path.anchor
      let algorithm = certificate.signatureAlgorithm.nameWithHash
      let isAncient = refusesMD5 && certificate.hasSignatureWith([.md5])
      guard isStrict || isEarly || isAncient, !judged.isSelfSigned(certificate), !isUsersAnchor else {
        return note(.weakSignature, subject, .notApplicable)
      }
      return check(
        rule, subject, !certificate.hasSignatureWith(weak),
        required: isStrict || isEarly ? ApplePolicy.sha2 : ApplePolicy.sha, found: .word(algorithm))
    }
  }

  /// Whether servers under system roots need SHA-2: since iOS 11 and macOS 10.13.
  ///
  /// WebKit has required SHA-2 since iOS 10.3 and macOS 10.12.4 (HT207459). The third number is ignored, because
  /// `OSVersion` has none.
  private var refusesSHA1: Bool {
    let since = requirements.isWebKit ? (iOS: (10, 3), macOS: (10, 13)) : (iOS: (11, 0), macOS: (10, 13))
    return isServer && anchorKind == .system && requirements.os?.isAtLeast(iOS: since.iOS, macOS: since.macOS) ?? false
  }

  /// Whether MD5 is refused. On the Mac, no source shows a refusal before macOS 10.15.
  private var refusesMD5: Bool { requirements.os?.isAtLeast(iOS: (5, 0), macOS: (10, 15)) ?? false }

  /// Returns the minimum size for this kind of key; nil if the kind is not allowed.
  private func minimumBits(_ key: PublicKey) -> Int? {
    if key.algorithmName == "RSA" { return isServer ? 2048 : 1024 }
    return key.algorithmName.hasPrefix("EC P-") ? isServer ? 256 : 160 : nil
  }

  private static let keySizeOfSystem = Rule.keySize.citing(.apple("SecPolicyCheckSystemTrustedWeakKey"))

  static let weakAlgorithms: Set<String> = [
    "md2WithRSAEncryption", "md4WithRSAEncryption", "md5WithRSAEncryption",
  ]
  private static let sha = Detail.anyOf(["SHA-1", "SHA-256", "SHA-384", "SHA-512"])
  private static let sha2 = Detail.anyOf(["SHA-256", "SHA-384", "SHA-512"])
}

import Cryptography
import Explanation
import PKIX

/// What Apple's default evaluation of servers demands of a path beyond RFC 5280, by operating system, anchor and day
/// of issue: Security, SecPolicy.c and SecPolicyServer.c; HT210176 and HT211025.
///
/// The rules of HT210176 begin with iOS 13 and macOS 10.15; before, they are not-applicable.
struct ApplePolicy {
  let judged: JudgedPath

  init(_ judged: JudgedPath) { self.judged = judged }

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
  /// What the certificates say they are for; Apple's own rules are about servers only.
  func purposes(_ leaf: Certificate, _ subject: Finding.Subject) -> [Finding] {
    guard isServer else { return judged.statedPurpose }
    return [general(leaf, subject), strict(leaf, subject)] + intermediates
  }

  /// No extension, or one that allows servers: on every release.
  private func general(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let purposes = leaf.extendedKeyUsage?.purposes
    let holds = purposes.map { !ApplePolicy.general.isDisjoint(with: $0) } ?? true
    return check(.extendedKeyUsage, subject, holds, required: .word("serverAuth"), found: JudgedPath.words(purposes))
  }

  /// serverAuth itself, by anchor and day of issue.
  private func strict(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    guard isStrict, isDemanded(leaf) else { return note(.extendedKeyUsage, subject, .notApplicable) }
    guard !judged.hasUnreadPurposes(leaf) else { return note(.extendedKeyUsage, subject, .notEvaluated) }
    let purposes = leaf.extendedKeyUsage?.purposes
    return check(
      .extendedKeyUsage, subject, purposes?.contains(ExtendedKeyUsage.serverAuth) ?? false,
      required: .word("serverAuth"), found: JudgedPath.words(purposes), confidence: confidence)
  }

  /// Apple's page says all anchors; its code leaves those of users and administrators out.
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
    anchorKind == .user ? .conflicting("HT210176 says all roots; Security's code skips those of users") : .certain
  }

  /// Under the system's and an app's anchors, an authority that has the extension may issue for servers only if it says
  /// so: Apple's own tests refuse one for mail under the anchors of an app.
  private var intermediates: [Finding] {
    guard isStrict, anchorKind == .system || anchorKind == .app, path.certificates.count > 2 else { return [] }
    return (1..<path.certificates.count - 1).map { index in
      let purposes = path.certificates[index].extendedKeyUsage?.purposes
      let allowed: Set<OID> = [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any]
      return check(
        .extendedKeyUsage, subjects[index], purposes.map { !allowed.isDisjoint(with: $0) } ?? true,
        required: .word("serverAuth"), found: JudgedPath.words(purposes))
    }
  }

  /// serverAuth, any purpose, and the server-gated cryptography of Microsoft and Netscape.
  private static let general: Set<OID> = [
    ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any, OID(1, 3, 6, 1, 4, 1, 311, 10, 3, 3),
    OID(2, 16, 840, 1, 113730, 4, 1),
  ]
}

extension ApplePolicy {
  /// What the source calls the beginning of July 2019, an hour before it in UTC; rules hold for what is issued later.
  static let july2019 = Instant.day(2019, 7, 1).adding(seconds: -3600)

  /// Every key of the chain; a leaf that the user trusts is exempt.
  ///
  /// Servers need RSA 2048 or elliptic-curve 256; other uses only what is not weak: 1024 or 160.
  var keySizes: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      let key = certificate.publicKey
      let minimum = minimumBits(key)
      if refusesSHA1, !isStrict, certificate != path.anchor, let bits = key.bits, let minimum {
        // What has its own rule since iOS 13 began for roots of the system together with that on SHA-1.
        return check(
          ApplePolicy.keySizeOfSystem, subject, bits >= minimum, required: .atLeast(.bits(minimum)),
          found: .bits(bits),
          confidence: bits >= minimum
            ? .certain : .likely("which release began was said at a conference (WWDC17, session 701)"))
      }
      guard isStrict, !isLeafTrustedByUser else { return earlierKeySize(key, subject) }
      // What an evaluation without the curve's name makes of the size is no second reason.
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

  /// What no rule is known about: of RSA keys under 1024 bits neither that earlier systems took them nor that they did not.
  private func earlierKeySize(_ key: PublicKey, _ subject: Finding.Subject) -> Finding {
    guard !isLeafTrustedByUser, key.algorithmName == "RSA", let bits = key.bits, bits < 1024 else {
      return note(.keySize, subject, .notApplicable)
    }
    return diagnostics.enforcement.note(
      .keySize, on: subject, .unknown, required: .atLeast(.bits(1024)), found: .bits(bits),
      confidence: .unknown("what systems before iOS 13 and macOS 10.15 made of shorter keys: there is no source"))
  }

  /// Security.framework makes keys of RSA and of the curves P-192 to P-521, which it tells by their sizes (SecECKey.c): what
  /// another key signed it cannot verify.
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
    by: "Use a CA whose key is RSA (rsaEncryption) or on one of the curves P-256, P-384 and P-521.")

  /// The key identifiers of neighbours are equal where both are present: SecPolicyCheckIdLinkage, for every policy. In RFC
  /// 5280 they only help to build paths (section 4.2.1.1).
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

  /// Every certificate has a subject, but a leaf with an issuer and a critical subjectAltName:
  /// SecPolicyCheckCertNonEmptySubject, for every policy.
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

  /// Every signature of the chain but those of self-signed certificates and of an anchor that the user trusts.
  ///
  /// Servers need SHA-2; other uses may have SHA-1. Under roots of the system SHA-1 was refused before, since iOS 11
  /// (HT207459; Security, SecPolicyCheckSystemTrustedWeakHash); in WebKit alone since iOS 10.3. MD5 and what is older were refused since iOS 5 (TS4133).
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

  /// Whether servers under roots of the system need SHA-2: since iOS 11 and macOS 10.13; in WebKit since iOS 10.3 and
  /// macOS 10.12.4, whose third number no release here has (HT207459).
  private var refusesSHA1: Bool {
    let since = requirements.isWebKit ? (iOS: (10, 3), macOS: (10, 13)) : (iOS: (11, 0), macOS: (10, 13))
    return isServer && anchorKind == .system && requirements.os?.isAtLeast(iOS: since.iOS, macOS: since.macOS) ?? false
  }

  /// From when on a Mac did is not known to be earlier than the rules of macOS 10.15.
  private var refusesMD5: Bool { requirements.os?.isAtLeast(iOS: (5, 0), macOS: (10, 15)) ?? false }

  /// The smallest size allowed for a key of this kind; nil when the kind is not allowed at all.
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

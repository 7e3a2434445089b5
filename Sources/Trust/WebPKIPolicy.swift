import Cryptography
import Explanation
import PKIX

/// Checks the CA/Browser Forum's Baseline Requirements for certificates of TLS servers beyond RFC 5280.
struct WebPKIPolicy {
  let judged: PathContext

  init(_ judged: PathContext) { self.judged = judged }

  var certificates: Zip2Sequence<[Certificate], [Finding.Subject]> {
    zip(judged.path.certificates, judged.subjects)
  }

  /// Checks a rule. A violation is only advice if the certificate was issued before `date`.
  func check(
    _ rule: Rule, _ certificate: Certificate, _ subject: Finding.Subject, _ holds: Bool,
    since date: RequirementDate = .requirements, required: Detail = .none, found: Detail = .none
  ) -> Finding {
    let finding = judged.check(rule, subject, holds, required: required, found: found)
    return holds || date.binds(certificate) ? finding : finding.advising
  }

  /// Checks that every key is RSA of at least 2048 bits, or a point of P-256, P-384 or P-521 (section 6.1.5).
  ///
  /// The size of an RSA key must be a whole number of bytes. Its algorithm must be rsaEncryption with NULL (section
  /// 7.1.3.1.1).
  var keySizes: [Finding] {
    certificates.enumerated().map { index, pair in
      let (certificate, subject) = pair
      guard case .rsa(let key) = certificate.publicKey else {
        let isKnown = if case .ec = certificate.publicKey { true } else { false }
        // If the curve is spelled out or the key is damaged, that defect is the reason. The kind and the size are not
        // checked.
        guard !certificate.publicKey.spellsOutCurve, !certificate.publicKey.isDamagedEd25519 else {
          return judged.note(WebPKIPolicy.keySize, subject, .notEvaluated)
        }
        return judged.check(
          isKnown ? WebPKIPolicy.keySize : WebPKIPolicy.keyAlgorithm, subject, isKnown, required: WebPKIPolicy.keys,
          found: .word(certificate.publicKey.description))
      }
      guard key.usage == .any else {
        return check(
          WebPKIPolicy.keyKind, certificate, subject, false, since: .encodings, required: .word("rsaEncryption"),
          found: .word(certificate.publicKey.algorithmName))
      }
      let isRoot = certificate == judged.path.anchor && certificate.isSelfIssued
      let fewest = RequirementDate.fewestBits(of: certificate, isLeaf: index == 0, isRoot: isRoot)
      let isLong = key.bits >= fewest && key.bits.isMultiple(of: 8)
      let found = Detail.word(certificate.publicKey.description)
      guard isLong, !key.subjectPublicKeyInfo.holds(WebPKIPolicy.rsaAlgorithm) else {
        return judged.check(WebPKIPolicy.keySize, subject, isLong, required: WebPKIPolicy.keys, found: found)
      }
      return check(
        WebPKIPolicy.keyForm, certificate, subject, false, since: .encodings,
        required: .word("rsaEncryption with NULL as parameters"), found: found)
    }
  }

  private static let keys = Detail.anyOf([
    "RSA with 2048 bits or more, in a multiple of 8", "EC P-256", "P-384", "P-521",
  ])
  private static let keyAlgorithm = Rule.keyAlgorithm.citing(.baselineRequirements("6.1.5"))
  private static let keyKind = Rule.keyAlgorithm.citing(.baselineRequirements("7.1.3.1.1"))
  private static let keyForm = Rule.keySize.citing(.baselineRequirements("7.1.3.1.1"))
  /// The encoded AlgorithmIdentifier that every RSA key must have.
  private static let rsaAlgorithm: [UInt8] = [
    0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
  ]

  /// Checks that every signature uses SHA-2, except a root's own (section 7.1.3.2).
  var signatures: [Finding] {
    certificates.map { certificate, subject in
      let rule = WebPKIPolicy.weakSignature
      guard !judged.isSelfSigned(certificate) else { return judged.note(rule, subject, .notApplicable) }
      let hash = certificate.signatureScheme?.hash
      // Ed25519 allows no choice of hash, and the hash of an undecodable algorithm is unknown.
      guard hash != nil || certificate.hasSignatureWith([]) else { return judged.note(rule, subject, .notEvaluated) }
      let holds = hash.map { [.sha256, .sha384, .sha512].contains($0) } ?? false
      let finding = judged.check(
        rule, subject, holds, required: .anyOf(["SHA-256", "SHA-384", "SHA-512"]),
        found: .word(certificate.signatureAlgorithm.nameWithHash))
      let date = hash == .sha1 ? RequirementDate.sha2 : .requirements
      let isTold =
        !holds && !date.binds(certificate) && (hash != .sha1 || judged.requirements.date < WebPKIPolicy.endOfSHA1)
      return isTold ? finding.advising : finding
    }
  }

  /// The day from which certificates with SHA-1 are refused.
  ///
  /// Until this day, CAs had to let certificates with SHA-1 expire. Since then, browsers refuse such certificates under
  /// public roots, regardless of the day of issue (Mozilla's Security Blog, 2015-10-20; Firefox 51 and Chrome 56).
  private static let endOfSHA1 = Instant.day(2017, 1, 1)

  /// Checks that the algorithm identifier of a SHA-2 signature fits the signing key (section 7.1.3.2).
  ///
  /// PKCS #1 requires NULL, PSS requires a salt of the hash's length, and each curve requires a specific hash.
  var signatureForms: [Finding] {
    let path = judged.path.certificates
    return certificates.enumerated().compactMap { index, pair in
      let (certificate, subject) = pair
      guard !judged.isSelfSigned(certificate), path.indices.contains(index + 1) else { return nil }
      let algorithm = certificate.signatureAlgorithm
      guard certificate.signatureScheme?.keyKind != .eddsa else {
        return check(
          WebPKIPolicy.signatureForm.fixed(by: WebPKIPolicy.otherAlgorithm), certificate, subject, false,
          required: WebPKIPolicy.algorithms, found: .word(algorithm.description))
      }
      guard let hash = certificate.signatureScheme?.hash, [.sha256, .sha384, .sha512].contains(hash) else {
        return nil
      }
      let holds: Bool
      var required = Detail.none
      var fix = "Issue the certificate again, with \(hash.name) "
      if case .ec(let key) = path[index + 1].publicKey {
        let own: Hash =
          switch key.curve {
          case .p256: .sha256
          case .p384: .sha384
          case .p521: .sha512
          }
        holds = hash == own && algorithm.parameters.isEmpty
        required = .word("ecdsa-with-\(own.name.filter { $0 != "-" }), for the issuer's key on \(key.curve.rawValue)")
        fix = "Sign with ECDSA and \(own.name): each curve has its own hash."
      } else if let parameters = algorithm.pssParameters {
        holds = parameters.saltLength == hash.digestSize && parameters.maskHash == hash
        required = .word("MGF1 with \(hash.name) and a salt of \(hash.digestSize) bytes")
        fix += "in MGF1 too and a salt of \(hash.digestSize) bytes."
      } else if certificate.signatureScheme?.keyKind == .rsa {
        holds = !algorithm.parameters.isEmpty
        required = .word("\(algorithm) with NULL as parameters")
        fix = "Issue the certificate again, with NULL as the parameters of the algorithm identifier."
      } else {
        return nil  // section 6.1.5 does not allow the key
      }
      return check(
        WebPKIPolicy.signatureForm.fixed(by: fix), certificate, subject, holds, since: .encodings, required: required,
        found: .word(algorithm.fullDescription))
    }
  }

  private static let algorithms = Detail.anyOf(["RSA PKCS #1 v1.5 with SHA-2", "RSASSA-PSS", "ECDSA with SHA-2"])
  private static let otherAlgorithm = "Use a CA that signs with RSA or ECDSA: no other algorithm is allowed."

  private static let signatureForm = Rule.unsupportedSignatureAlgorithm.citing(.baselineRequirements("7.1.3.2"))

  /// Checks the purposes of each certificate.
  ///
  /// The leaf must have serverAuth and no excluded purpose (7.1.2.7.10). A CA below the root must have serverAuth or no
  /// extKeyUsage (7.1.2.10.6). A root must not have extKeyUsage (7.1.2.1.2).
  var purposes: [Finding] {
    guard let wanted = judged.purpose.keyPurpose else {
      return judged.onLeaf { [judged.note(.extendedKeyUsage, $1, .notApplicable)] }
    }
    return judged.onLeaf { leaf, subject in
      guard !judged.hasUnreadPurposes(leaf) else { return [judged.note(.extendedKeyUsage, subject, .notEvaluated)] }
      let purposes = leaf.extendedKeyUsage?.purposes
      // Depending on the day of issue, a certificate may have no purpose, or have the mail purpose in addition. No
      // other purposes are allowed.
      let date: RequirementDate? =
        purposes.map { purposes in
          let beside = WebPKIPolicy.excluded.intersection(purposes)
          return purposes.contains(wanted) && beside == [WebPKIPolicy.mail] ? .profiles : nil
        } ?? .requirements
      let holds = purposes.map { $0.contains(wanted) && WebPKIPolicy.excluded.isDisjoint(with: $0) } ?? false
      let finding = judged.check(
        WebPKIPolicy.leafPurpose, subject, holds, required: .word(wanted.name), found: PathContext.words(purposes))
      return [!holds && date?.binds(leaf) == false ? finding.advising : finding]
    } + authorityPurposes(wanted) + rootPurposes
  }

  private func authorityPurposes(_ wanted: OID) -> [Finding] {
    certificates.dropFirst().dropLast(judged.path.isAnchored ? 1 : 0).map { certificate, subject in
      let purposes = certificate.extendedKeyUsage?.purposes
      let holds = purposes.map { $0.contains(wanted) && !$0.contains(ExtendedKeyUsage.any) } ?? true
      let mayIssue = purposes.map { $0.contains(wanted) || $0.contains(ExtendedKeyUsage.any) } ?? true
      let finding = judged.check(
        WebPKIPolicy.authorityPurpose, subject, holds, required: .word(wanted.name), found: PathContext.words(purposes))
      return !holds && mayIssue && !RequirementDate.encodings.binds(certificate) ? finding.advising : finding
    }
  }

  private var rootPurposes: [Finding] {
    guard judged.path.certificates.count > 1, let root = judged.path.anchor, root.isSelfIssued,
      let subject = judged.subjects.last
    else { return [] }
    let purposes = root.extendedKeyUsage?.purposes
    return [
      check(
        WebPKIPolicy.rootPurpose, root, subject, purposes == nil, required: .absent, found: PathContext.words(purposes))
    ]
  }

  /// Checks that the leaf is not a CA and has names in subjectAltName, even if no host is requested.
  var leafForm: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server else { return [judged.note(.caAsLeaf, subject, .notApplicable)] }
      let isCA =
        leaf.basicConstraints?.isCA == true || leaf.keyUsage?.contains(.keyCertSign) == true
      let hasNames = leaf.first(SubjectAlternativeName.oid) != nil
      return [
        judged.check(.caAsLeaf, subject, !isCA),
        check(WebPKIPolicy.alternativeName, leaf, subject, hasNames, found: hasNames ? .none : .absent),
      ]
    }
  }

  /// Checks that authorityKeyIdentifier contains only keyIdentifier (section 7.1.2.11.1). In a root, it must identify
  /// the root's own key (7.1.2.1.3).
  var keyIdentifiers: [Finding] {
    certificates.map { certificate, subject in
      guard let identifier = certificate.authorityKeyIdentifier, RequirementDate.requirements.binds(certificate) else {
        return judged.note(.keyIdentifierForm, subject, .notApplicable)
      }
      let isAlone = identifier.authorityCertIssuer == nil && identifier.authorityCertSerialNumber == nil
      let isOwn = identifier.keyIdentifier == certificate.subjectKeyIdentifier?.keyIdentifier
      let isAnchor = certificate.isSelfIssued && certificate == judged.path.anchor
      let hasForm = identifier.keyIdentifier != nil && isAlone
      return judged.check(
        hasForm ? WebPKIPolicy.rootKeyIdentifier : .keyIdentifierForm, subject, hasForm && (isOwn || !isAnchor),
        found: .word(isAlone ? identifier.meaning : "authorityCertIssuer, authorityCertSerialNumber"))
    }
  }

  private static let rootKeyIdentifier = Rule.keyIdentifierForm.fixed(
    by: "Issue the root with its own subjectKeyIdentifier as the keyIdentifier of authorityKeyIdentifier.")

  /// Checks that each CA has keyUsage (sections 7.1.2.1.2 and 7.1.2.6). RFC 5280 section 6.1.4 (n) does not require it.
  var authorityUsages: [Finding] {
    certificates.dropFirst().filter { RequirementDate.requirements.binds($0.0) }.map { certificate, subject in
      judged.check(
        WebPKIPolicy.authorityUsage, subject, certificate.first(KeyUsage.oid) != nil, required: .word("keyUsage"),
        found: certificate.first(KeyUsage.oid) == nil ? .absent : .none)
    }
  }

  /// Checks that keyUsage of a server's certificate, if present, has only bits for the kind of its key.
  ///
  /// See section 7.1.2.7.11. The rule `chain.ca-as-leaf` covers the signing of certificates, and
  /// `chain.authority-fields` covers an empty keyUsage.
  var leafUsage: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server, let usage = leaf.keyUsage else { return [] }
      switch leaf.publicKey {
      case .ec:
        let others = usage.subtracting([.digitalSignature, .keyAgreement, .keyCertSign])
        return [
          check(
            WebPKIPolicy.curveUsage, leaf, subject, usage.contains(.digitalSignature) && others.isEmpty,
            since: .profiles, required: .word("digitalSignature, alone or with keyAgreement"),
            found: .words(usage.words))
        ]
      case .rsa:
        let others = usage.subtracting([.digitalSignature, .keyEncipherment, .dataEncipherment, .keyCertSign])
        return [
          check(
            WebPKIPolicy.rsaUsage, leaf, subject, others.isEmpty, since: .profiles,
            required: .word("digitalSignature or keyEncipherment, alone or with dataEncipherment"),
            found: .words(usage.words))
        ]
      default: return []
      }
    }
  }

  private static let curveUsage = Rule.keyUsage.moved(
    in: .chain,
    statement: "If an elliptic-curve key has keyUsage, it contains digitalSignature and no encipherment.",
    clause: .baselineRequirements("7.1.2.7.11"),
    fix: "Have the certificate issued with only digitalSignature in keyUsage.")
  private static let rsaUsage = Rule.keyUsage.moved(
    in: .chain, statement: "If a server's RSA key has keyUsage, it allows only signatures and encipherment.",
    clause: .baselineRequirements("7.1.2.7.11"),
    fix: "Have the certificate issued with digitalSignature, keyEncipherment or both in keyUsage, and nothing else.")

  /// Checks that serial numbers are positive and below 2^159, and that the version is 3 (sections 7.1.2.7 and 7.1.1).
  ///
  /// The anchor is not part of the path (RFC 5280 section 6.1), so its serial number may be 0.
  var forms: [Finding] {
    let isLonger = judged.path.certificates.count > 1
    return certificates.filter { certificate, _ in
      !isLonger || certificate != judged.path.anchor
    }.flatMap { certificate, subject in
      let serial = certificate.serialNumber
      let isPositive = serial != [0] && serial.first.map { $0 < 0x80 } ?? false
      return [
        check(
          WebPKIPolicy.serialNumber, certificate, subject, isPositive && serial.count <= 20,
          since: .positiveSerialNumbers, found: .bytes(serial)),
        check(
          WebPKIPolicy.version, certificate, subject, certificate.version == 3, required: .word("v3"),
          found: .word("v\(certificate.version)")),
      ]
    }
  }

  private static let serialNumber = Rule.serialNumber.citing(.baselineRequirements("7.1.2.7"))
  private static let version = Rule.certificateVersion.citing(.baselineRequirements("7.1.1"))
  private static let authorityUsage = Rule.missingExtension.citing(.baselineRequirements("7.1.2.6"))
    .fixed(by: "Issue the certificate again, with keyUsage.")
  private static let keySize = Rule.keySize.citing(.baselineRequirements("6.1.5"))
  private static let weakSignature = Rule.weakSignature.citing(.baselineRequirements("7.1.3.2"))
  private static let leafPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.7.10"))
  private static let authorityPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.10.6"))
  private static let mail = OID(1, 3, 6, 1, 5, 5, 7, 3, 4)
  /// The purposes that a server's certificate must not have: any, code signing, mail, time stamping and OCSP signing.
  private static let excluded: Set<OID> = [
    ExtendedKeyUsage.any, OID(1, 3, 6, 1, 5, 5, 7, 3, 3), mail, OID(1, 3, 6, 1, 5, 5, 7, 3, 8),
    ExtendedKeyUsage.ocspSigning,
  ]
  private static let rootPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.1.2"))
    .fixed(by: "Have the root issued without extKeyUsage.")
  private static let alternativeName = Rule.noAlternativeName.citing(.baselineRequirements("7.1.2.7.12"))
}

extension [UInt8] {
  /// Returns whether a SubjectPublicKeyInfo contains the algorithm, byte for byte, after its outer header.
  fileprivate func holds(_ algorithm: [UInt8]) -> Bool {
    guard count > 1 else { return false }
    let header = self[1] < 0x80 ? 2 : 2 + Int(self[1] & 0x7F)
    return dropFirst(header).starts(with: algorithm)
  }
}

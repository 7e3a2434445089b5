import Cryptography
import Explanation
import PKIX

/// What the Baseline Requirements of the CA/Browser Forum demand of the certificates of TLS servers beyond RFC 5280.
struct WebPKIPolicy {
  let judged: JudgedPath

  init(_ judged: JudgedPath) { self.judged = judged }

  private var certificates: Zip2Sequence<[Certificate], [Finding.Subject]> {
    zip(judged.path.certificates, judged.subjects)
  }

  /// Whether a root was made before there were Baseline Requirements: they bind what is issued since July 1, 2012 (version 1.0,
  /// 1.2.1). A date before X.509 version 3, of June 1996, is no date of issue.
  static func precedesRequirements(_ root: Certificate) -> Bool {
    day(1996, 6, 1) <= root.notBefore && root.notBefore < day(2012, 7, 1)
  }

  private func isOlderAnchor(_ certificate: Certificate) -> Bool {
    judged.path.certificates.count > 1 && certificate == judged.path.anchor
      && WebPKIPolicy.precedesRequirements(certificate)
  }

  /// RSA of at least 2048 bits in whole bytes, or a point of P-256, P-384 or P-521: section 6.1.5.
  var keySizes: [Finding] {
    certificates.map { certificate, subject in
      let key = certificate.publicKey
      let holds: Bool
      switch key {
      case .rsa(let key): holds = key.bits >= 2048 && key.bits.isMultiple(of: 8)
      case .ec: holds = true
      case .ed25519, .unsupported: holds = false
      }
      return judged.check(
        WebPKIPolicy.keySize, subject, holds,
        required: .anyOf(["RSA of 2048 bits or more, in whole bytes", "EC P-256", "P-384", "P-521"]),
        found: .word(key.description))
    }
  }

  /// SHA-2 on everything but a root's signature on itself: section 7.1.3.2.
  var signatures: [Finding] {
    certificates.map { certificate, subject in
      let rule = WebPKIPolicy.weakSignature
      guard !judged.isSelfSigned(certificate) else { return judged.note(rule, subject, .notApplicable) }
      let hash = certificate.signatureScheme?.hash
      return judged.check(
        rule, subject, hash.map { [.sha256, .sha384, .sha512].contains($0) } ?? false,
        required: .anyOf(["SHA-256", "SHA-384", "SHA-512"]), found: .word(certificate.signatureAlgorithm.description))
    }
  }

  /// With SHA-2 the algorithm is written as section 7.1.3.2 has it for the key that signed: PKCS #1 with NULL, PSS with a salt
  /// of the hash's length, and of each curve its own hash.
  var signatureForms: [Finding] {
    let path = judged.path.certificates
    return certificates.enumerated().compactMap { index, pair in
      let (certificate, subject) = pair
      guard !judged.isSelfSigned(certificate), path.indices.contains(index + 1),
        let hash = certificate.signatureScheme?.hash, [.sha256, .sha384, .sha512].contains(hash)
      else { return nil }
      let algorithm = certificate.signatureAlgorithm
      let holds: Bool
      var required = Detail.none
      if case .ec(let key) = path[index + 1].publicKey {
        let own: Hash =
          switch key.curve {
          case .p256: .sha256
          case .p384: .sha384
          case .p521: .sha512
          }
        (holds, required) = (hash == own && algorithm.parameters.isEmpty, .word(own.name))
      } else if let parameters = algorithm.pssParameters {
        holds = parameters.saltLength == hash.digestSize
        required = .word("a salt of \(hash.digestSize) bytes")
      } else {
        holds = !algorithm.parameters.isEmpty
        required = .word("NULL as parameters")
      }
      return judged.check(
        WebPKIPolicy.signatureForm, subject, holds, required: required, found: .word(algorithm.description))
    }
  }

  private static let signatureForm = Rule.unsupportedSignatureAlgorithm.citing(.baselineRequirements("7.1.3.2"))

  /// The leaf says serverAuth and none of what excludes it (section 7.1.2.7.10), an authority below the root says it or
  /// nothing (7.1.2.10.6), and a root says nothing (7.1.2.1.2).
  var purposes: [Finding] {
    guard let wanted = judged.purpose.keyPurpose else {
      return judged.onLeaf { [judged.note(.extendedKeyUsage, $1, .notApplicable)] }
    }
    return judged.onLeaf { leaf, subject in
      let purposes = leaf.extendedKeyUsage?.purposes
      let holds = purposes.map { $0.contains(wanted) && WebPKIPolicy.excluded.isDisjoint(with: $0) } ?? false
      return [
        judged.check(
          WebPKIPolicy.leafPurpose, subject, holds, required: .word(wanted.name),
          found: JudgedPath.words(purposes))
      ]
    } + authorityPurposes(wanted) + rootPurposes
  }

  private func authorityPurposes(_ wanted: OID) -> [Finding] {
    certificates.dropFirst().dropLast(judged.path.isAnchored ? 1 : 0).map { certificate, subject in
      let purposes = certificate.extendedKeyUsage?.purposes
      return judged.check(
        WebPKIPolicy.authorityPurpose, subject,
        purposes.map { $0.contains(wanted) && !$0.contains(ExtendedKeyUsage.any) } ?? true,
        required: .word(wanted.name), found: JudgedPath.words(purposes))
    }
  }

  private var rootPurposes: [Finding] {
    guard judged.path.certificates.count > 1, let root = judged.path.anchor, root.isSelfIssued,
      let subject = judged.subjects.last
    else { return [] }
    let purposes = root.extendedKeyUsage?.purposes
    return [
      judged.check(
        WebPKIPolicy.rootPurpose, subject, purposes == nil, required: .absent,
        found: JudgedPath.words(purposes))
    ]
  }

  /// The leaf is no authority, and has its names in subjectAltName whether or not a host is asked for.
  var leafForm: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server else { return [judged.note(.authorityAsLeaf, subject, .notApplicable)] }
      let isAuthority =
        leaf.basicConstraints?.isAuthority == true || leaf.keyUsage?.contains(.keyCertSign) == true
      let names = leaf.subjectAlternativeName
      return [
        judged.check(.authorityAsLeaf, subject, !isAuthority),
        judged.check(
          WebPKIPolicy.alternativeName, subject, names != nil,
          found: names == nil ? .absent : .none),
      ]
    }
  }

  /// keyIdentifier alone (section 7.1.2.11.1), and in a root its own (7.1.2.1.3).
  var keyIdentifiers: [Finding] {
    certificates.map { certificate, subject in
      guard let identifier = certificate.authorityKeyIdentifier, !isOlderAnchor(certificate) else {
        return judged.note(.keyIdentifierForm, subject, .notApplicable)
      }
      let isAlone = identifier.authorityCertIssuer == nil && identifier.authorityCertSerialNumber == nil
      let isOwn = identifier.keyIdentifier == certificate.subjectKeyIdentifier?.keyIdentifier
      let isAnchor = certificate.isSelfIssued && certificate == judged.path.anchor
      return judged.check(
        .keyIdentifierForm, subject, identifier.keyIdentifier != nil && isAlone && (isOwn || !isAnchor),
        found: .word(isAlone ? identifier.meaning : "authorityCertIssuer, authorityCertSerialNumber"))
    }
  }

  /// An authority says what its key may do: sections 7.1.2.1.2 and 7.1.2.6. RFC 5280 section 6.1.4 (n) lets it be silent.
  var authorityUsages: [Finding] {
    certificates.dropFirst().filter { !isOlderAnchor($0.0) }.map { certificate, subject in
      judged.check(
        WebPKIPolicy.authorityUsage, subject, certificate.keyUsage != nil, required: .word("keyUsage"),
        found: certificate.keyUsage == nil ? .absent : .none)
    }
  }

  /// A positive serial number below 2^159 and version 3: sections 7.1.2.7 and 7.1.1. The anchor is no certificate of the path
  /// (RFC 5280 section 6.1): it is trusted as it is, and its serial number may be 0.
  var forms: [Finding] {
    let isLonger = judged.path.certificates.count > 1
    return certificates.filter { certificate, _ in
      !isLonger || certificate != judged.path.anchor
    }.flatMap { certificate, subject in
      let serial = certificate.serialNumber
      let isPositive = serial != [0] && serial.first.map { $0 < 0x80 } ?? false
      return [
        judged.check(
          WebPKIPolicy.serialNumber, subject, isPositive && serial.count <= 20, found: .bytes(serial)),
        judged.check(
          WebPKIPolicy.version, subject, certificate.version == 3, required: .word("v3"),
          found: .word("v\(certificate.version)")),
      ]
    }
  }

  private static let serialNumber = Rule.serialNumber.citing(.baselineRequirements("7.1.2.7"))
  private static let version = Rule.certificateVersion.citing(.baselineRequirements("7.1.1"))
  private static let authorityUsage = Rule.missingExtension.citing(.baselineRequirements("7.1.2.6"))
  private static let keySize = Rule.keySize.citing(.baselineRequirements("6.1.5"))
  private static let weakSignature = Rule.weakSignature.citing(.baselineRequirements("7.1.3.2"))
  private static let leafPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.7.10"))
  private static let authorityPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.10.6"))
  /// What a server's certificate must not be for: anything, code, mail, time stamps, OCSP.
  private static let excluded: Set<OID> = [
    ExtendedKeyUsage.any, OID(1, 3, 6, 1, 5, 5, 7, 3, 3), OID(1, 3, 6, 1, 5, 5, 7, 3, 4),
    OID(1, 3, 6, 1, 5, 5, 7, 3, 8), OID(1, 3, 6, 1, 5, 5, 7, 3, 9),
  ]
  private static let rootPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.1.2"))
  private static let alternativeName = Rule.noAlternativeName.citing(.baselineRequirements("7.1.2.7.12"))
}

extension WebPKIPolicy {
  /// What the Baseline Requirements say about the names of a server: they are hosts and addresses, the common name
  /// copies one of them, subjectAltName is critical only where there is no subject, and extKeyUsage never is.
  var leafNames: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server else { return [judged.note(.commonNameForm, subject, .notApplicable)] }
      return [
        commonName(leaf, subject), kinds(leaf, subject),
        uncritical(SubjectAlternativeName.oid, leaf, subject, isAllowed: leaf.subject.isEmpty, "7.1.2.7.12"),
        uncritical(ExtendedKeyUsage.oid, leaf, subject, isAllowed: false, "7.1.2.7.6"),
      ]
    }
  }

  private func kinds(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let other = leaf.subjectAlternativeName?.names.first { name in
      switch name {
      case .dnsName, .ipAddress: false
      default: true
      }
    }
    return judged.check(
      Rule.nameForm.citing(.baselineRequirements("7.1.2.7.12")), subject, other == nil,
      required: .anyOf(["dNSName", "iPAddress"]), found: other.map { .word($0.meaning) } ?? .none)
  }

  private func commonName(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let names = leaf.subject.commonNames
    guard !names.isEmpty else { return judged.note(.commonNameForm, subject, .notApplicable) }
    let copies = leaf.subjectAlternativeName?.names.compactMap(WebPKIPolicy.text) ?? []
    let holds = names.count == 1 && names.allSatisfy { name in name.map { copies.contains($0) } ?? false }
    return judged.check(
      .commonNameForm, subject, holds, required: .anyOf(Array(copies.prefix(8))),
      found: .words(names.map { $0 ?? "no text" }))
  }

  /// A name as section 7.1.4.3 writes it: a host as it is, an address as RFC 3986 and RFC 5952 have it.
  private static func text(_ name: GeneralName) -> String? {
    switch name {
    case .dnsName(let text): text
    case .ipAddress(let bytes): AddressText.canonical(bytes)
    default: nil
    }
  }

  private func uncritical(
    _ oid: OID, _ leaf: Certificate, _ subject: Finding.Subject, isAllowed: Bool, _ section: String
  ) -> Finding {
    let isCritical = leaf.first(oid)?.critical == true
    return judged.check(
      Rule.criticality.citing(.baselineRequirements(section)), subject, isAllowed || !isCritical,
      found: isCritical ? .word("\(oid.name) is critical") : .none)
  }
}

/// How long a server's certificate may be valid when it was issued at or after a day.
private struct LifetimeLimit {
  let issuedFrom: Instant
  let days: Int64
}

extension WebPKIPolicy {
  /// How long the server's certificate is valid, by its day of issue: section 6.3.2. It only advises, since the profile
  /// is also for chains that were made to last.
  var lifetime: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server,
        let limit = WebPKIPolicy.limits.last(where: { leaf.notBefore >= $0.issuedFrom })
      else { return [judged.note(WebPKIPolicy.longest, subject, .notApplicable)] }
      // From notBefore through notAfter, inclusive (section 1.6.1); a day is 86,400 seconds, and what is more another day.
      let (difference, overflow) = leaf.notAfter.secondsSince1970.subtractingReportingOverflow(
        leaf.notBefore.secondsSince1970)
      let (seconds, more) = difference.addingReportingOverflow(1)
      let isKnown = !overflow && !more
      let finding = judged.check(
        WebPKIPolicy.longest, subject, isKnown && seconds <= limit.days * 86_400,
        required: .atMost(.seconds(limit.days * 86_400)), found: isKnown ? .seconds(seconds) : .word("centuries"))
      return [finding.advising]
    }
  }

  private static let longest = Rule.lifetime.citing(.baselineRequirements("6.3.2"))

  private static let limits = [
    LifetimeLimit(issuedFrom: day(2018, 3, 1), days: 825), LifetimeLimit(issuedFrom: day(2020, 9, 1), days: 398),
    LifetimeLimit(issuedFrom: day(2026, 3, 15), days: 200), LifetimeLimit(issuedFrom: day(2027, 3, 15), days: 100),
    LifetimeLimit(issuedFrom: day(2029, 3, 15), days: 47),
  ]

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}

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
      guard !certificate.isSelfIssued else { return judged.note(rule, subject, .notApplicable) }
      let hash = certificate.signatureScheme?.hash
      return judged.check(
        rule, subject, hash.map { [.sha256, .sha384, .sha512].contains($0) } ?? false,
        required: .anyOf(["SHA-256", "SHA-384", "SHA-512"]), found: .word(certificate.signatureAlgorithm.description))
    }
  }

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
      guard let identifier = certificate.authorityKeyIdentifier else {
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
    certificates.dropFirst().map { certificate, subject in
      judged.check(
        WebPKIPolicy.authorityUsage, subject, certificate.keyUsage != nil, required: .word("keyUsage"),
        found: certificate.keyUsage == nil ? .absent : .none)
    }
  }

  /// A positive serial number below 2^159 and version 3: sections 7.1.2.7 and 7.1.1.
  var forms: [Finding] {
    certificates.flatMap { certificate, subject in
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

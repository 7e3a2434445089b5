import Cryptography
import Explanation
import PKIX

/// What the Baseline Requirements of the CA/Browser Forum demand of the certificates of TLS servers beyond RFC 5280.
struct WebPKIPolicy {
  private let judged: JudgedPath

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
      case .unsupported: holds = false
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

  /// The leaf says serverAuth and never anyExtendedKeyUsage (section 7.1.2.7.10); a root says nothing (7.1.2.1.2).
  var purposes: [Finding] {
    guard let wanted = judged.purpose.keyPurpose else {
      return judged.onLeaf { [judged.note(.extendedKeyUsage, $1, .notApplicable)] }
    }
    return judged.onLeaf { leaf, subject in
      let purposes = leaf.extendedKeyUsage?.purposes
      let holds = purposes.map { $0.contains(wanted) && !$0.contains(ExtendedKeyUsage.any) } ?? false
      return [
        judged.check(
          WebPKIPolicy.leafPurpose, subject, holds, required: .word(wanted.name),
          found: JudgedPath.words(purposes))
      ]
    } + rootPurposes
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

  private static let keySize = Rule.keySize.citing(.baselineRequirements("6.1.5"))
  private static let weakSignature = Rule.weakSignature.citing(.baselineRequirements("7.1.3.2"))
  private static let leafPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.7.10"))
  private static let rootPurpose = Rule.extendedKeyUsage.citing(.baselineRequirements("7.1.2.1.2"))
  private static let alternativeName = Rule.noAlternativeName.citing(.baselineRequirements("7.1.2.7.12"))
}

import Cryptography
import Explanation
import PKIX

extension ApplePolicy {
  /// Every key of the chain; a leaf that the user trusts is exempt.
  var keySizes: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      guard isStrict, !isLeafTrustedByUser else { return note(.keySize, subject, .notApplicable) }
      let key = certificate.publicKey
      let minimum = ApplePolicy.minimumBits(key)
      let bits = key.bits ?? 0
      return check(
        .keySize, subject, minimum.map { bits >= $0 } ?? false,
        required: minimum.map { .atLeast(.bits($0)) } ?? .anyOf(["RSA", "EC"]),
        found: minimum == nil ? .word(key.algorithmName) : .bits(bits))
    }
  }

  /// Every signature of the chain but those of self-signed certificates and of an anchor that the user trusts.
  var signatures: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      let isUsersAnchor = anchorKind == .user && certificate == path.anchor
      guard isStrict, !certificate.isSelfIssued, !isUsersAnchor else {
        return note(.weakSignature, subject, .notApplicable)
      }
      let algorithm = certificate.signatureAlgorithm.description
      return check(
        .weakSignature, subject, !ApplePolicy.weakAlgorithms.contains(algorithm),
        required: .anyOf(["SHA-256", "SHA-384", "SHA-512"]), found: .word(algorithm))
    }
  }

  /// The smallest size allowed for a key of this kind; nil when the kind is not allowed at all.
  private static func minimumBits(_ key: PublicKey) -> Int? {
    if key.algorithmName == "RSA" { return 2048 }
    return key.algorithmName.hasPrefix("EC") ? 256 : nil
  }

  private static let weakAlgorithms: Set<String> = [
    "md2WithRSAEncryption", "md4WithRSAEncryption", "md5WithRSAEncryption", "sha1WithRSAEncryption",
    "ecdsa-with-SHA1",
  ]
}

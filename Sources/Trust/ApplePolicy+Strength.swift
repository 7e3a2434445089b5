import Cryptography
import Explanation
import PKIX

extension ApplePolicy {
  /// Every key of the chain; a leaf that the user trusts is exempt.
  ///
  /// Servers need RSA 2048 or elliptic-curve 256; other uses only what is not weak: 1024 or 160.
  var keySizes: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      guard isStrict, !isLeafTrustedByUser else { return note(.keySize, subject, .notApplicable) }
      let key = certificate.publicKey
      let minimum = minimumBits(key)
      let bits = key.bits ?? 0
      return check(
        .keySize, subject, minimum.map { bits >= $0 } ?? false,
        required: minimum.map { .atLeast(.bits($0)) } ?? .anyOf(["RSA", "EC"]),
        found: minimum == nil ? .word(key.algorithmName) : .bits(bits))
    }
  }

  /// Every signature of the chain but those of self-signed certificates and of an anchor that the user trusts.
  ///
  /// Servers need SHA-2; other uses may have SHA-1. MD5 and what is older were refused long before, since iOS 5
  /// (TS4133).
  var signatures: [Finding] {
    let weak = isServer ? ApplePolicy.weakForServers : ApplePolicy.weakAlgorithms
    return zip(path.certificates, subjects).map { certificate, subject in
      let isUsersAnchor = anchorKind == .user && certificate == path.anchor
      let algorithm = certificate.signatureAlgorithm.description
      let isAncient = refusesMD5 && ApplePolicy.weakAlgorithms.contains(algorithm)
      guard isStrict || isAncient, !certificate.isSelfIssued, !isUsersAnchor else {
        return note(.weakSignature, subject, .notApplicable)
      }
      return check(
        .weakSignature, subject, !weak.contains(algorithm), required: isStrict ? ApplePolicy.sha2 : ApplePolicy.sha,
        found: .word(algorithm))
    }
  }

  /// From when on a Mac did is not known to be earlier than the rules of macOS 10.15.
  private var refusesMD5: Bool { policy.os?.isAtLeast(iOS: (5, 0), macOS: (10, 15)) ?? false }

  /// The smallest size allowed for a key of this kind; nil when the kind is not allowed at all.
  private func minimumBits(_ key: PublicKey) -> Int? {
    if key.algorithmName == "RSA" { return isServer ? 2048 : 1024 }
    return key.algorithmName.hasPrefix("EC") ? isServer ? 256 : 160 : nil
  }

  private static let weakAlgorithms: Set<String> = [
    "md2WithRSAEncryption", "md4WithRSAEncryption", "md5WithRSAEncryption",
  ]
  private static let weakForServers = weakAlgorithms.union(["sha1WithRSAEncryption", "ecdsa-with-SHA1"])
  private static let sha = Detail.anyOf(["SHA-1", "SHA-256", "SHA-384", "SHA-512"])
  private static let sha2 = Detail.anyOf(["SHA-256", "SHA-384", "SHA-512"])
}

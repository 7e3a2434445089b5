import Cryptography
import Explanation
import PKIX

extension ApplePolicy {
  /// Every key of the chain; a leaf that the user trusts is exempt.
  ///
  /// Servers need RSA 2048 or elliptic-curve 256; other uses only what is not weak: 1024 or 160.
  var keySizes: [Finding] {
    zip(path.certificates, subjects).map { certificate, subject in
      let key = certificate.publicKey
      let minimum = minimumBits(key)
      if refusesSHA1, !isStrict, certificate != path.anchor, let bits = key.bits, let minimum, bits < minimum {
        return judged.policy.enforcement.note(
          .keySize, on: subject, .unknown, required: .atLeast(.bits(minimum)), found: .bits(bits),
          confidence: .unknown("no source tells whether this system takes it: HT207459 is about SHA-1 alone"))
      }
      guard isStrict, !isLeafTrustedByUser else { return note(.keySize, subject, .notApplicable) }
      let bits = key.bits ?? 0
      return check(
        .keySize, subject, minimum.map { bits >= $0 } ?? false,
        required: minimum.map { .atLeast(.bits($0)) } ?? .anyOf(["RSA", "EC"]),
        found: minimum == nil ? .word(key.algorithmName) : .bits(bits))
    }
  }

  /// Every signature of the chain but those of self-signed certificates and of an anchor that the user trusts.
  ///
  /// Servers need SHA-2; other uses may have SHA-1. Under roots of the system SHA-1 was refused before, since iOS 11
  /// (HT207459; Security, SecPolicyCheckSystemTrustedWeakHash); in Safari and WebKit alone, which nothing here plays,
  /// since iOS 10.3. MD5 and what is older were refused since iOS 5 (TS4133).
  var signatures: [Finding] {
    let weak = isServer ? ApplePolicy.weakForServers : ApplePolicy.weakAlgorithms
    let isEarly = !isStrict && refusesSHA1
    let rule = isEarly ? Rule.weakSignature.citing(.apple("HT207459")) : .weakSignature
    return zip(path.certificates, subjects).map { certificate, subject in
      let isUsersAnchor = anchorKind == .user && certificate == path.anchor
      let algorithm = certificate.signatureAlgorithm.description
      let isAncient = refusesMD5 && ApplePolicy.weakAlgorithms.contains(algorithm)
      guard isStrict || isEarly || isAncient, !certificate.isSelfIssued, !isUsersAnchor else {
        return note(.weakSignature, subject, .notApplicable)
      }
      return check(
        rule, subject, !weak.contains(algorithm),
        required: isStrict || isEarly ? ApplePolicy.sha2 : ApplePolicy.sha, found: .word(algorithm))
    }
  }

  /// Whether servers under roots of the system need SHA-2: since iOS 11 and macOS 10.13 (HT207459).
  private var refusesSHA1: Bool {
    isServer && anchorKind == .system && policy.os?.isAtLeast(iOS: (11, 0), macOS: (10, 13)) ?? false
  }

  /// From when on a Mac did is not known to be earlier than the rules of macOS 10.15.
  private var refusesMD5: Bool { policy.os?.isAtLeast(iOS: (5, 0), macOS: (10, 15)) ?? false }

  /// The smallest size allowed for a key of this kind; nil when the kind is not allowed at all.
  private func minimumBits(_ key: PublicKey) -> Int? {
    if key.algorithmName == "RSA" { return isServer ? 2048 : 1024 }
    return key.algorithmName.hasPrefix("EC") ? isServer ? 256 : 160 : nil
  }

  static let weakAlgorithms: Set<String> = [
    "md2WithRSAEncryption", "md4WithRSAEncryption", "md5WithRSAEncryption",
  ]
  private static let weakForServers = weakAlgorithms.union(["sha1WithRSAEncryption", "ecdsa-with-SHA1"])
  private static let sha = Detail.anyOf(["SHA-1", "SHA-256", "SHA-384", "SHA-512"])
  private static let sha2 = Detail.anyOf(["SHA-256", "SHA-384", "SHA-512"])
}

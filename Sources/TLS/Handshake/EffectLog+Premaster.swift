import Cryptography
import Explanation

/// What comes of an encrypted premaster secret for whoever has the server's key: the server, or someone with a recording.
struct DecryptedPremaster {
  /// The secret, or the substitute where there is none.
  let bytes: [UInt8]
  /// Whether padding, length and version were right.
  let isRight: Bool
  /// Whether the block began as encryption blocks do, 00 02: what a padding oracle tells.
  let beganRightly: Bool
}

extension EffectLog {
  /// RFC 5246 section 7.4.7.1: whatever is wrong, the substitute takes the secret's place, and neither messages nor state
  /// tell. Only the finding does, to whoever reads the trace.
  ///
  /// Throws where the key cannot decrypt at all.
  mutating func decrypt(
    _ encrypted: [UInt8], with key: RSAPrivateKey, version: ProtocolVersion, orElse substitute: [UInt8]
  ) throws(HandshakeFailure) -> DecryptedPremaster {
    guard let decryption = try? key.decryptPKCS1v15(encrypted, orElse: substitute) else {
      throw failure(.internalError, .internalError, found: .word("RSADP failed"))
    }
    let premaster = PremasterSecret.checked(decryption.bytes, version: version, orElse: substitute)
    let isRight = decryption.wasWellFormed && premaster.hasVersion
    try check(
      .premasterMalformed, on: .message("ClientKeyExchange"), isRight, .decryptError,
      required: .word("48 bytes that begin with \(version)"),
      found: .word(isRight ? "as required" : decryption.wasWellFormed ? "another version" : "wrong padding or length"))
    return DecryptedPremaster(bytes: premaster.bytes, isRight: isRight, beganRightly: decryption.beganRightly)
  }
}

/// The check of the version in a decrypted premaster secret: RFC 5246 section 7.4.7.1.
struct PremasterSecret {
  let bytes: [UInt8]
  let hasVersion: Bool

  /// The decrypted secret when it begins with `version`, else the substitute, selected without a branch.
  static func checked(
    _ decrypted: [UInt8], version: ProtocolVersion, orElse substitute: [UInt8]
  ) -> PremasterSecret {
    var difference: UInt8 = decrypted.count == substitute.count ? 0 : 1
    let expected = [UInt8(truncatingIfNeeded: version.rawValue >> 8), UInt8(truncatingIfNeeded: version.rawValue)]
    for (found, wanted) in zip(decrypted, expected) { difference |= found ^ wanted }
    let mask = UInt8(truncatingIfNeeded: (Int(difference) - 1) >> 8)  // all ones when nothing differs
    let bytes = zip(decrypted, substitute).map { ($0 & mask) | ($1 & ~mask) }
    return PremasterSecret(bytes: bytes, hasVersion: difference == 0)
  }
}

import Crypto

/// A curve on which two parties agree on a secret.
public enum KeyAgreementCurve: String, Sendable, Hashable, CaseIterable {
  /// NIST P-256 (secp256r1), with ECDH of SP 800-56A Rev. 3 section 5.7.1.2.
  case p256 = "P-256"
  /// NIST P-384 (secp384r1).
  case p384 = "P-384"
  /// NIST P-521 (secp521r1).
  case p521 = "P-521"
  /// X25519, RFC 7748.
  case x25519 = "X25519"

  /// The size of a public key in bytes. The key is an uncompressed point `04 x y`, or the coordinate u.
  public var publicKeySize: Int { self == .x25519 ? 32 : 1 + 2 * secretSize }

  /// The size in bytes of a private key and of a shared secret.
  public var secretSize: Int {
    switch self {
    case .p256, .x25519: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The size of the curve's field in bits.
  public var fieldBits: Int {
    switch self {
    case .p256: 256
    case .p384: 384
    case .p521: 521
    case .x25519: 255
    }
  }

  /// The private key that a weak generator creates from a small number.
  ///
  /// On the NIST curves, the key is the number plus one, because 0 is not a key. On X25519, the number is in the bytes
  /// that scalar decoding does not change (RFC 7748 section 5).
  public func privateKey(numbered number: UInt64) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: secretSize)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    if self == .x25519 { return [0] + bytes + zeros.dropFirst(9) }
    let next = (0..<8).map { UInt8(truncatingIfNeeded: (number &+ 1) >> (8 * UInt64($0))) }
    return zeros.dropLast(8) + next.reversed()
  }

  /// The mask for the first byte of a scalar. P-521 uses one bit of that byte; the other curves use all eight.
  fileprivate var firstByteMask: UInt8 { self == .p521 ? 1 : 0xff }
}

/// The reason why a key agreement fails.
public enum KeyAgreementError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not a private key of the curve.
  case invalidPrivateKey
  /// The peer's bytes are not a point on the curve, or have an unsupported encoding.
  case invalidPublicKey
  /// The peer's point results in the all-zero secret, which an observer can predict (RFC 7748 section 6.1).
  case zeroSecret

  /// A description of the reason.
  public var description: String {
    switch self {
    case .invalidPrivateKey: "not a private key of this curve"
    case .invalidPublicKey: "the peer's public key is not a point of this curve"
    case .zeroSecret: "the peer's public key makes the shared secret zero"
    }
  }
}

/// An ephemeral or static private key for elliptic-curve Diffie–Hellman.
public struct KeyAgreementPrivateKey: Sendable {
  private enum Storage: Sendable {
    case p256(P256.KeyAgreement.PrivateKey)
    case p384(P384.KeyAgreement.PrivateKey)
    case p521(P521.KeyAgreement.PrivateKey)
    case x25519(Curve25519.KeyAgreement.PrivateKey)
  }

  /// The curve of the key.
  public let curve: KeyAgreementCurve
  private let storage: Storage

  /// Creates a key with a scalar from `random`. A seeded generator results in the same key on every machine.
  ///
  /// On the NIST curves, numbers are drawn until one is below the order and not 0 (rejection sampling,
  /// FIPS 186-5 appendix A.4.2). X25519 accepts any 32 bytes.
  public init(_ curve: KeyAgreementCurve, random: inout DeterministicRandom) throws(KeyAgreementError) {
    // P-256 rejects about one draw in four billion; the other curves almost never reject one.
    for _ in 0..<64 {
      var drawn = random.bytes(curve.secretSize)
      drawn[0] &= curve.firstByteMask
      if let key = try? KeyAgreementPrivateKey(curve, rawRepresentation: drawn) {
        self = key
        return
      }
    }
    throw .invalidPrivateKey
  }

  /// Creates the key with this scalar of `secretSize` bytes, which is little-endian on X25519 and big-endian on other
  /// curves.
  public init(_ curve: KeyAgreementCurve, rawRepresentation: [UInt8]) throws(KeyAgreementError) {
    self.curve = curve
    do {
      storage =
        switch curve {
        case .p256: .p256(try .init(rawRepresentation: rawRepresentation))
        case .p384: .p384(try .init(rawRepresentation: rawRepresentation))
        case .p521: .p521(try .init(rawRepresentation: rawRepresentation))
        case .x25519: .x25519(try .init(rawRepresentation: rawRepresentation))
        }
    } catch {
      throw .invalidPrivateKey
    }
  }

  /// The secret scalar, which has `secretSize` bytes.
  public var rawRepresentation: [UInt8] {
    switch storage {
    case .p256(let key): Array(key.rawRepresentation)
    case .p384(let key): Array(key.rawRepresentation)
    case .p521(let key): Array(key.rawRepresentation)
    case .x25519(let key): Array(key.rawRepresentation)
    }
  }

  /// The public key as TLS sends it: `04 x y` on the NIST curves (RFC 8422 section 5.4.1), or 32 bytes on X25519.
  public var publicKey: [UInt8] {
    switch storage {
    case .p256(let key): Array(key.publicKey.x963Representation)
    case .p384(let key): Array(key.publicKey.x963Representation)
    case .p521(let key): Array(key.publicKey.x963Representation)
    case .x25519(let key): Array(key.publicKey.rawRepresentation)
    }
  }

  /// The shared secret, which has `secretSize` bytes.
  ///
  /// On the NIST curves, the secret is the x coordinate with its leading zeros (RFC 8422 section 5.10); on X25519, it
  /// is u. Throws unless `peer` has the form of `publicKey`. Compressed points (RFC 8422 section 5.1.2), points that
  /// are not on the curve, and points that result in a zero secret are refused.
  public func sharedSecret(with peer: [UInt8]) throws(KeyAgreementError) -> [UInt8] {
    guard peer.count == curve.publicKeySize, curve == .x25519 || peer.first == 4 else { throw .invalidPublicKey }
    if case .x25519(let key) = storage { return try KeyAgreementPrivateKey.secret(of: key, with: peer) }
    guard let secret = try? nistSecret(with: peer) else { throw .invalidPublicKey }
    return secret.withUnsafeBytes { Array($0) }
  }

  private func nistSecret(with peer: [UInt8]) throws -> SharedSecret? {
    switch storage {
    case .p256(let key): try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
    case .p384(let key): try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
    case .p521(let key): try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: peer))
    case .x25519: nil
    }
  }

  private static func secret(
    of key: Curve25519.KeyAgreement.PrivateKey, with peer: [UInt8]
  ) throws(KeyAgreementError) -> [UInt8] {
    guard let point = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: peer) else { throw .invalidPublicKey }
    guard let secret = try? key.sharedSecretFromKeyAgreement(with: point) else { throw .zeroSecret }
    let bytes = secret.withUnsafeBytes { Array($0) }
    guard bytes.reduce(0, |) != 0 else { throw .zeroSecret }
    return bytes
  }
}

import Cryptography

extension SignatureScheme {
  /// The default signature schemes of clients and servers.
  ///
  /// The order is: the schemes of RFC 5246, then PSS (RFC 8446 section 4.2.3), then SHA-1. MD5 and SHA-224 are
  /// excluded. PSS follows PKCS #1 v1.5 so that existing lessons keep their signatures.
  public static let defaults: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPKCS1SHA384, .ecdsaSHA512, .rsaPKCS1SHA512,
    .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPSSKeySHA256, .rsaPSSKeySHA384, .rsaPSSKeySHA512, .ecdsaSHA1,
    .rsaPKCS1SHA1,
  ]
}

/// The schemes of CertificateVerify in TLS 1.3 (RFC 8446 section 4.2.3).
extension SignatureScheme {
  /// The default schemes of CertificateVerify in TLS 1.3, in order of preference.
  public static let defaults13: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPSSSHA256, .ecdsaSHA384, .rsaPSSSHA384, .ecdsaSHA512, .rsaPSSSHA512, .ed25519, .rsaPSSKeySHA256,
    .rsaPSSKeySHA384, .rsaPSSKeySHA512,
  ]

  /// Whether CertificateVerify may use the scheme. PKCS #1 v1.5 and SHA-1 are only for certificates.
  public var signsHandshake13: Bool { Self.defaults13.contains(self) }

  /// The only curve of a key that may use the scheme in TLS 1.3; nil if the scheme is not ECDSA.
  public var curve13: EllipticCurve? {
    switch self {
    case .ecdsaSHA256: .p256
    case .ecdsaSHA384: .p384
    case .ecdsaSHA512: .p521
    default: nil
    }
  }

  /// Whether `key` may use this scheme in CertificateVerify of TLS 1.3. The hash determines the curve of an ECDSA key.
  public func suits13(_ key: PublicKey) -> Bool {
    guard signsHandshake13, suits(key) else { return false }
    guard case .ec(let key) = key else { return true }
    return key.curve == curve13
  }
}

extension SignatureScheme {
  /// The scheme that `key` determines before TLS 1.2.
  ///
  /// In these versions, no message names a scheme. The scheme is RSA with combined MD5 and SHA-1 (RFC 2246 section
  /// 7.4.3), or ECDSA with SHA-1 (RFC 8422 section 5.4). Nil for Ed25519, which requires TLS 1.2.
  init?(unnamedBy key: PublicKey) {
    switch key {
    case .rsa: self = .rsaPKCS1MD5SHA1
    case .ec: self = .ecdsaSHA1
    case .ed25519, .namedCurve, .dsa, .unsupported: return nil
    }
  }
}

extension DigitallySigned {
  /// The name of the algorithm of a signature by `key`.
  func name(by key: PublicKey) -> String {
    algorithm?.description ?? scheme(by: key)?.name ?? key.algorithmName
  }

  /// The scheme of a signature by `key`: the named scheme, or the only possible one before TLS 1.2. Nil if there is
  /// none.
  func scheme(by key: PublicKey) -> SignatureScheme? {
    guard let algorithm else { return SignatureScheme(unnamedBy: key) }
    return algorithm.scheme
  }

  /// The defect of a signature by `key` over `content`; nil if the signature is valid.
  func fault(over content: [UInt8], by key: PublicKey) -> String? {
    guard let scheme = scheme(by: key) else {
      return algorithm.map { "unknown algorithm \($0)" } ?? "no algorithm for \(key.algorithmName) before TLS 1.2"
    }
    do {
      guard scheme.suits(key) else {
        throw SignatureError.keyMismatch(key: key.algorithmName, scheme: scheme.name)
      }
      try key.verify(signature, over: content, scheme)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension PublicKey {
  /// The signature type of the key; nil for an unsupported key.
  public var keyKind: SignatureScheme.KeyKind? {
    switch self {
    case .rsa: .rsa
    case .ec: .ecdsa
    case .ed25519: .eddsa
    case .namedCurve, .dsa, .unsupported: nil
    }
  }

  /// Whether a server's key is suitable for the key exchange of a suite (RFC 5246 section 7.4.2, RFC 8422 section 5.3).
  ///
  /// An RSASSA-PSS key cannot decrypt (RFC 4055 section 1.2), and cannot sign before TLS 1.2. Ed25519 can replace ECDSA
  /// from TLS 1.2 on.
  public func suits(_ suite: CipherSuite, in version: ProtocolVersion) -> Bool {
    switch (suite.keyExchange, self) {
    case (.rsa, .rsa(let key)): key.usage == .any
    case (.dheRSA, .rsa(let key)), (.ecdheRSA, .rsa(let key)): key.usage == .any || version >= .tls12
    case (.ecdheECDSA, .ec): true
    case (.ecdheECDSA, .ed25519): version >= .tls12
    case (.dhAnonymous, _), (.null, _), (.tls13, _), (.signalling, _), (nil, _): true
    case (.rsa, _), (.dheRSA, _), (.ecdheRSA, _), (.ecdheECDSA, _): false
    case (.dheDSS, _), (.ecdhRSA, _), (.ecdhECDSA, _), (.rsaExport, _), (.dheRSAExport, _), (.dheDSSExport, _): false
    }
  }
}

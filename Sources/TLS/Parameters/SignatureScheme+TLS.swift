import Cryptography

extension SignatureScheme {
  /// What a client or server signs and verifies with unless it is told otherwise: all that these machines can, what
  /// RFC 5246 has first and PSS (RFC 8446 section 4.2.3) after it, SHA-1 last, MD5 and SHA-224 not at all.
  ///
  /// PSS comes after PKCS #1 v1.5 so that old lessons keep their signatures; who wants it first says so.
  public static let defaults: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPKCS1SHA384, .ecdsaSHA512, .rsaPKCS1SHA512,
    .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPSSKeySHA256, .rsaPSSKeySHA384, .rsaPSSKeySHA512, .ecdsaSHA1,
    .rsaPKCS1SHA1,
  ]
}

extension SignatureScheme {
  /// How `key` signs where nothing names it, which is before TLS 1.2: RSA with MD5 and SHA-1 together (RFC 2246 section
  /// 7.4.3), ECDSA with SHA-1 (RFC 8422 section 5.4). Nil for a key that cannot: Ed25519 came with TLS 1.2.
  init?(unnamedBy key: PublicKey) {
    switch key {
    case .rsa: self = .rsaPKCS1MD5SHA1
    case .ec: self = .ecdsaSHA1
    case .ed25519, .namedCurve, .dsa, .unsupported: return nil
    }
  }
}

extension DigitallySigned {
  /// How it was signed, in a word.
  func name(by key: PublicKey) -> String {
    algorithm?.description ?? scheme(by: key)?.name ?? key.algorithmName
  }

  /// How it was signed by `key`: as it says, or before TLS 1.2 in the only way there is. Nil where there is none.
  func scheme(by key: PublicKey) -> SignatureScheme? {
    guard let algorithm else { return SignatureScheme(unnamedBy: key) }
    return algorithm.scheme
  }

  /// What is wrong with the signature over `content` by `key`; nil when nothing is.
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
  /// The kind of signature the key makes; nil for one that can only be told about.
  public var keyKind: SignatureScheme.KeyKind? {
    switch self {
    case .rsa: .rsa
    case .ec: .ecdsa
    case .ed25519: .eddsa
    case .namedCurve, .dsa, .unsupported: nil
    }
  }

  /// Whether a server's key can do its part in the key exchange of a suite: RFC 5246 section 7.4.2, RFC 8422 section 5.3.
  ///
  /// One for RSASSA-PSS decrypts nothing (RFC 4055 section 1.2), and signs nothing before TLS 1.2; Ed25519 stands in for
  /// ECDSA from TLS 1.2 on.
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

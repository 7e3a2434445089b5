import Cryptography

/// The cipher suites of TLS 1.3 (RFC 8446 appendix B.4), which determine only the cipher and the hash.
extension CipherSuite {
  /// `TLS_AES_128_GCM_SHA256`
  public static let aes128GCMSHA256 = CipherSuite(rawValue: 0x1301)
  /// `TLS_AES_256_GCM_SHA384`
  public static let aes256GCMSHA384 = CipherSuite(rawValue: 0x1302)
  /// `TLS_CHACHA20_POLY1305_SHA256`
  public static let chacha20Poly1305SHA256 = CipherSuite(rawValue: 0x1303)

  /// All suites of TLS 1.3 that TrustLab can protect records with, strongest first.
  ///
  /// Machines for TLS 1.2 and earlier versions neither offer nor select them.
  public static let implemented13: [CipherSuite] = registry.filter { $0.keyExchange == .tls13 }.map(\.suite)
}

extension [CipherSuite] {
  /// Returns the suites that a server of these versions accepts if it names these.
  ///
  /// If it names no suite of TLS 1.3, the mandatory one comes first (RFC 8446 section 9.1).
  public func accepted(in versions: [ProtocolVersion]) -> [CipherSuite] {
    let isSilent = versions.contains(.tls13) && !contains { $0.keyExchange == .tls13 }
    return (isSilent ? [.aes128GCMSHA256] : []) + self
  }
}

extension CipherSuite.Registration {
  /// The hash of the transcript and of HKDF (RFC 8446 section 7.1); nil for a suite of an earlier version.
  public var hash13: Hash? { keyExchange == .tls13 ? prf.hashes.first : nil }
}

extension CipherSuite.BulkCipher {
  /// The number of full-size records that one key may protect (RFC 8446 section 5.5); nil without such a limit.
  ///
  /// For AES-GCM, the number is 2^24.5. ChaCha20-Poly1305 has only the limit of the sequence number.
  public var recordLimit13: UInt64? {
    switch self {
    case .aes128GCM, .aes256GCM: 23_726_566
    default: nil
    }
  }
}

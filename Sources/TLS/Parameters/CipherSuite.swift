import Cryptography

/// A cipher suite (RFC 5246 appendix A.5 and the IANA registry "TLS Cipher Suites").
///
/// A client may offer any two bytes, so a suite is a code point that `CipherSuite.registry` may or may not contain.
public struct CipherSuite: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point, such as `0x009c` for `TLS_RSA_WITH_AES_128_GCM_SHA256`.
  public let rawValue: UInt16

  /// Creates the suite with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the suite with this IANA name, such as `TLS_RSA_WITH_AES_128_GCM_SHA256`.
  public init?(name: String) {
    guard let row = Self.registry.first(where: { $0.name == name }) else { return nil }
    self = row.suite
  }

  /// The key exchange, and how it authenticates the server (RFC 5246 section 7.4.2).
  public enum KeyExchange: String, Sendable, Hashable, CaseIterable {
    /// The client encrypts the premaster secret with the key in the certificate. There is no forward secrecy.
    case rsa = "RSA"
    /// Ephemeral finite-field Diffie-Hellman, signed with RSA.
    case dheRSA = "DHE_RSA"
    /// Ephemeral elliptic-curve Diffie-Hellman, signed with RSA (RFC 8422).
    case ecdheRSA = "ECDHE_RSA"
    /// Ephemeral elliptic-curve Diffie-Hellman, signed with ECDSA (RFC 8422).
    case ecdheECDSA = "ECDHE_ECDSA"
    /// Ephemeral finite-field Diffie-Hellman, signed with DSA; not implemented.
    case dheDSS = "DHE_DSS"
    /// The server's Diffie-Hellman key is in its certificate, which is signed with an RSA key (RFC 4492 section 2.3).
    case ecdhRSA = "ECDH_RSA"
    /// The server's Diffie-Hellman key is in its certificate, which is signed with an ECDSA key (RFC 4492 section 2.1).
    case ecdhECDSA = "ECDH_ECDSA"
    /// RSA with a key of at most 512 bits, as the United States required for exports until 2000 (RFC 2246 section D.1).
    case rsaExport = "RSA_EXPORT"
    /// Diffie-Hellman with at most 512 bits for exports, signed with RSA.
    case dheRSAExport = "DHE_RSA_EXPORT"
    /// Diffie-Hellman with at most 512 bits for exports, signed with DSA.
    case dheDSSExport = "DHE_DSS_EXPORT"
    /// Ephemeral finite-field Diffie-Hellman without a signature.
    case dhAnonymous = "DH_anon"
    /// No key exchange.
    case null = "NULL"
    /// TLS 1.3, which negotiates groups and signature schemes separately.
    case tls13 = "TLS 1.3"
    /// An SCSV: a signal that is sent in the list of suites (RFC 5746 section 3.3, RFC 7507).
    case signalling = "signalling"
  }

  /// The cipher that encrypts the records.
  public enum BulkCipher: String, Sendable, Hashable, CaseIterable {
    case null = "NULL"
    case rc440 = "RC4_40"
    case rc2CBC40 = "RC2_CBC_40"
    case des40CBC = "DES40_CBC"
    case desCBC = "DES_CBC"
    case rc4128 = "RC4_128"
    case tripleDESCBC = "3DES_EDE_CBC"
    case aes128CBC = "AES_128_CBC"
    case aes256CBC = "AES_256_CBC"
    case aes128GCM = "AES_128_GCM"
    case aes256GCM = "AES_256_GCM"
    case chacha20Poly1305 = "CHACHA20_POLY1305"
  }

  /// The MAC that authenticates the records.
  public enum MAC: String, Sendable, Hashable, CaseIterable {
    /// No MAC.
    case null = "NULL"
    /// The authentication that an AEAD cipher includes.
    case aead = "AEAD"
    case md5 = "HMAC-MD5"
    case sha1 = "HMAC-SHA1"
    case sha256 = "HMAC-SHA256"
    case sha384 = "HMAC-SHA384"
  }

  /// The pseudorandom function (RFC 5246 section 5), named after its hash. Finished also uses it.
  public enum PRF: String, Sendable, Hashable, CaseIterable {
    /// The function that SSL 3.0 uses for every suite (RFC 6101 section 6.1). It ignores labels.
    case ssl3 = "SSL 3.0"
    /// The function that TLS 1.0 and 1.1 use for every suite (RFC 2246 section 5).
    case md5SHA1 = "MD5 and SHA1"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
  }

  /// The registered properties of the suite; nil if TrustLab's registry does not contain it.
  public var registration: Registration? { Self.rows[rawValue] }
  /// The IANA name; without one, the code point, such as `0x1305` or `GREASE (0x0a0a)`.
  public var description: String { registration?.name ?? rawValue.unregisteredName }
  /// The IANA name; the code point if there is no name.
  public var name: String { description }
  /// The key exchange; nil if TrustLab's registry does not contain the suite.
  public var keyExchange: KeyExchange? { registration?.keyExchange }
  /// The key type that the server's certificate must have; nil if the suite does not determine it.
  public var keyKind: SignatureScheme.KeyKind? {
    switch keyExchange {
    case .rsa, .dheRSA, .ecdheRSA, .rsaExport, .dheRSAExport: .rsa
    case .ecdheECDSA, .ecdhECDSA, .ecdhRSA: .ecdsa
    case .dheDSS, .dheDSSExport, .dhAnonymous, .null, .tls13, .signalling, nil: nil
    }
  }
  /// Whether the key exchange uses a group that the sides negotiate.
  var usesGroups: Bool {
    switch keyExchange {
    case .ecdheRSA, .ecdheECDSA, .tls13: true
    default: false
    }
  }
  /// Whether the key exchange uses a finite-field group.
  var usesFields: Bool { keyExchange?.ephemeralKind == .finiteField }
  /// Whether recorded connections remain secret if the server's key leaks later, as with (EC)DHE and TLS 1.3.
  public var hasForwardSecrecy: Bool {
    switch keyExchange {
    case .dheRSA, .dheDSS, .dheRSAExport, .dheDSSExport, .ecdheRSA, .ecdheECDSA, .dhAnonymous, .tls13: true
    case .rsa, .rsaExport, .ecdhRSA, .ecdhECDSA, .null, .signalling, nil: false
    }
  }
  /// Whether the state machines of TLS 1.2 and earlier versions support the suite.
  public var isImplemented: Bool { registration.map(\.isImplemented) ?? false }
  /// Whether the state machines of any version support the suite.
  public var isPlayed: Bool { isImplemented || Self.implemented13.contains(self) }
  /// Whether a server may select the suite in `version`; true for an unregistered suite.
  public func isUsable(in version: ProtocolVersion) -> Bool { registration?.isUsable(in: version) ?? true }
  /// Whether the code point is an SCSV, which is never selected.
  public var isSignalling: Bool { keyExchange == .signalling }
  /// Whether a server may select the code point: neither an SCSV nor a GREASE value (RFC 8701 section 3.1).
  public var isSelectable: Bool { !isSignalling && !rawValue.isGrease }

  /// TLS_EMPTY_RENEGOTIATION_INFO_SCSV: the client supports secure renegotiation (RFC 5746 section 3.3).
  public static let emptyRenegotiationInfo = CipherSuite(rawValue: 0x00ff)
  /// TLS_FALLBACK_SCSV: the client falls back to a lower version (RFC 7507).
  public static let fallback = CipherSuite(rawValue: 0x5600)

  /// All suites that the state machines support, strongest first.
  public static let implemented: [CipherSuite] = registry.filter(\.isImplemented).map(\.suite)
  /// The default suites of clients and servers: all suites that the state machines support, except historical ones.
  public static let defaults: [CipherSuite] = registry.filter { $0.isImplemented && !$0.isHistorical }.map(\.suite)

  private static let rows = Dictionary(uniqueKeysWithValues: registry.map { ($0.suite.rawValue, $0) })
}

extension CipherSuite {
  /// The registered properties of one suite.
  public struct Registration: Sendable, Hashable {
    /// The suite that has these properties.
    public let suite: CipherSuite
    /// The IANA name, such as `TLS_RSA_WITH_AES_128_GCM_SHA256`.
    public let name: String
    /// The key exchange of the suite.
    public let keyExchange: KeyExchange
    /// The cipher that encrypts the records.
    public let cipher: BulkCipher
    /// The MAC that authenticates the records.
    public let mac: MAC
    /// The pseudorandom function, which also computes Finished.
    public let prf: PRF

    fileprivate init(
      _ code: UInt16, _ name: String, _ keyExchange: KeyExchange, _ cipher: BulkCipher, _ mac: MAC,
      _ prf: PRF = .sha256
    ) {
      suite = CipherSuite(rawValue: code)
      self.name = name
      self.keyExchange = keyExchange
      self.cipher = cipher
      self.mac = mac
      self.prf = prf
    }

    /// Whether the state machines support the suite.
    public var isImplemented: Bool { keyExchange.isImplemented && cipher.isImplemented }

    /// Whether the suite is historical: RC4 (RFC 7465), 3DES, DHE, no encryption or no authentication. TrustLab offers
    /// such suites only on request.
    public var isHistorical: Bool {
      switch (keyExchange, cipher) {
      case (.dheRSA, _), (.dhAnonymous, _), (.null, _), (_, .null), (_, .rc4128), (_, .tripleDESCBC): true
      default: false
      }
    }

    /// The oldest version in which the suite may be selected.
    ///
    /// AEAD ciphers and MACs with SHA-2 need TLS 1.2 (RFC 5246 section A.5, RFC 5288 section 4, RFC 5289 section 4).
    /// Elliptic curves need TLS 1.0 (RFC 4492).
    public var minimumVersion: ProtocolVersion {
      if keyExchange == .tls13 { return .tls13 }
      switch mac {
      case .null, .md5, .sha1: return keyExchange.ephemeralKind == .ellipticCurve ? .tls10 : .sslv3
      case .aead, .sha256, .sha384: return .tls12
      }
    }

    /// Whether a server may select the suite in `version`. TLS 1.3 and earlier versions have no suites in common.
    public func isUsable(in version: ProtocolVersion) -> Bool {
      version >= minimumVersion && (version >= .tls13) == (keyExchange == .tls13)
    }
  }

  /// All registered suites. For each key exchange, the strongest comes first.
  public static let registry: [Registration] = [
    Registration(0x1302, "TLS_AES_256_GCM_SHA384", .tls13, .aes256GCM, .aead, .sha384),
    Registration(0x1301, "TLS_AES_128_GCM_SHA256", .tls13, .aes128GCM, .aead),
    Registration(0x1303, "TLS_CHACHA20_POLY1305_SHA256", .tls13, .chacha20Poly1305, .aead),
    Registration(0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", .ecdheECDSA, .aes256GCM, .aead, .sha384),
    Registration(0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", .ecdheECDSA, .aes128GCM, .aead),
    Registration(0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", .ecdheECDSA, .chacha20Poly1305, .aead),
    Registration(0xc024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384", .ecdheECDSA, .aes256CBC, .sha384, .sha384),
    Registration(0xc023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", .ecdheECDSA, .aes128CBC, .sha256),
    Registration(0xc00a, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", .ecdheECDSA, .aes256CBC, .sha1),
    Registration(0xc009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", .ecdheECDSA, .aes128CBC, .sha1),
    Registration(0xc008, "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA", .ecdheECDSA, .tripleDESCBC, .sha1),
    Registration(0xc007, "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", .ecdheECDSA, .rc4128, .sha1),
    Registration(0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", .ecdheRSA, .aes256GCM, .aead, .sha384),
    Registration(0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .ecdheRSA, .aes128GCM, .aead),
    Registration(0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .ecdheRSA, .chacha20Poly1305, .aead),
    Registration(0xc028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384", .ecdheRSA, .aes256CBC, .sha384, .sha384),
    Registration(0xc027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", .ecdheRSA, .aes128CBC, .sha256),
    Registration(0xc014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", .ecdheRSA, .aes256CBC, .sha1),
    Registration(0xc013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", .ecdheRSA, .aes128CBC, .sha1),
    Registration(0xc012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", .ecdheRSA, .tripleDESCBC, .sha1),
    Registration(0xc011, "TLS_ECDHE_RSA_WITH_RC4_128_SHA", .ecdheRSA, .rc4128, .sha1),
    Registration(0x009f, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", .dheRSA, .aes256GCM, .aead, .sha384),
    Registration(0x009e, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", .dheRSA, .aes128GCM, .aead),
    Registration(0xccaa, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .dheRSA, .chacha20Poly1305, .aead),
    Registration(0x006b, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", .dheRSA, .aes256CBC, .sha256),
    Registration(0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", .dheRSA, .aes128CBC, .sha256),
    Registration(0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA", .dheRSA, .aes256CBC, .sha1),
    Registration(0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", .dheRSA, .aes128CBC, .sha1),
    Registration(0x0016, "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", .dheRSA, .tripleDESCBC, .sha1),
    Registration(0x009d, "TLS_RSA_WITH_AES_256_GCM_SHA384", .rsa, .aes256GCM, .aead, .sha384),
    Registration(0x009c, "TLS_RSA_WITH_AES_128_GCM_SHA256", .rsa, .aes128GCM, .aead),
    Registration(0x003d, "TLS_RSA_WITH_AES_256_CBC_SHA256", .rsa, .aes256CBC, .sha256),
    Registration(0x003c, "TLS_RSA_WITH_AES_128_CBC_SHA256", .rsa, .aes128CBC, .sha256),
    Registration(0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA", .rsa, .aes256CBC, .sha1),
    Registration(0x002f, "TLS_RSA_WITH_AES_128_CBC_SHA", .rsa, .aes128CBC, .sha1),
    Registration(0x000a, "TLS_RSA_WITH_3DES_EDE_CBC_SHA", .rsa, .tripleDESCBC, .sha1),
    Registration(0x0005, "TLS_RSA_WITH_RC4_128_SHA", .rsa, .rc4128, .sha1),
    Registration(0x0004, "TLS_RSA_WITH_RC4_128_MD5", .rsa, .rc4128, .md5),
    Registration(0xc026, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA384", .ecdhECDSA, .aes256CBC, .sha384, .sha384),
    Registration(0xc025, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA256", .ecdhECDSA, .aes128CBC, .sha256),
    Registration(0xc005, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA", .ecdhECDSA, .aes256CBC, .sha1),
    Registration(0xc004, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA", .ecdhECDSA, .aes128CBC, .sha1),
    Registration(0xc003, "TLS_ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA", .ecdhECDSA, .tripleDESCBC, .sha1),
    Registration(0xc002, "TLS_ECDH_ECDSA_WITH_RC4_128_SHA", .ecdhECDSA, .rc4128, .sha1),
    Registration(0xc001, "TLS_ECDH_ECDSA_WITH_NULL_SHA", .ecdhECDSA, .null, .sha1),
    Registration(0xc02a, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384", .ecdhRSA, .aes256CBC, .sha384, .sha384),
    Registration(0xc029, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256", .ecdhRSA, .aes128CBC, .sha256),
    Registration(0xc00f, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA", .ecdhRSA, .aes256CBC, .sha1),
    Registration(0xc00e, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA", .ecdhRSA, .aes128CBC, .sha1),
    Registration(0xc00d, "TLS_ECDH_RSA_WITH_3DES_EDE_CBC_SHA", .ecdhRSA, .tripleDESCBC, .sha1),
    Registration(0xc00c, "TLS_ECDH_RSA_WITH_RC4_128_SHA", .ecdhRSA, .rc4128, .sha1),
    Registration(0xc00b, "TLS_ECDH_RSA_WITH_NULL_SHA", .ecdhRSA, .null, .sha1),
    Registration(0xc006, "TLS_ECDHE_ECDSA_WITH_NULL_SHA", .ecdheECDSA, .null, .sha1),
    Registration(0xc010, "TLS_ECDHE_RSA_WITH_NULL_SHA", .ecdheRSA, .null, .sha1),
    Registration(0x0038, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA", .dheDSS, .aes256CBC, .sha1),
    Registration(0x0032, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA", .dheDSS, .aes128CBC, .sha1),
    Registration(0x0013, "TLS_DHE_DSS_WITH_3DES_EDE_CBC_SHA", .dheDSS, .tripleDESCBC, .sha1),
    Registration(0x0015, "TLS_DHE_RSA_WITH_DES_CBC_SHA", .dheRSA, .desCBC, .sha1),
    Registration(0x0012, "TLS_DHE_DSS_WITH_DES_CBC_SHA", .dheDSS, .desCBC, .sha1),
    Registration(0x0009, "TLS_RSA_WITH_DES_CBC_SHA", .rsa, .desCBC, .sha1),
    Registration(0x0014, "TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA", .dheRSAExport, .des40CBC, .sha1),
    Registration(0x0011, "TLS_DHE_DSS_EXPORT_WITH_DES40_CBC_SHA", .dheDSSExport, .des40CBC, .sha1),
    Registration(0x0008, "TLS_RSA_EXPORT_WITH_DES40_CBC_SHA", .rsaExport, .des40CBC, .sha1),
    Registration(0x0006, "TLS_RSA_EXPORT_WITH_RC2_CBC_40_MD5", .rsaExport, .rc2CBC40, .md5),
    Registration(0x0003, "TLS_RSA_EXPORT_WITH_RC4_40_MD5", .rsaExport, .rc440, .md5),
    Registration(0x0001, "TLS_RSA_WITH_NULL_MD5", .rsa, .null, .md5),
    Registration(0x003b, "TLS_RSA_WITH_NULL_SHA256", .rsa, .null, .sha256),
    Registration(0x0002, "TLS_RSA_WITH_NULL_SHA", .rsa, .null, .sha1),
    Registration(0x0034, "TLS_DH_anon_WITH_AES_128_CBC_SHA", .dhAnonymous, .aes128CBC, .sha1),
    Registration(0x0000, "TLS_NULL_WITH_NULL_NULL", .null, .null, .null),
    Registration(0x00ff, "TLS_EMPTY_RENEGOTIATION_INFO_SCSV", .signalling, .null, .null),
    Registration(0x5600, "TLS_FALLBACK_SCSV", .signalling, .null, .null),
  ]
}

extension CipherSuite.KeyExchange {
  /// Whether the state machines support the key exchange.
  var isImplemented: Bool {
    switch self {
    case .rsa, .dheRSA, .ecdheRSA, .ecdheECDSA, .dhAnonymous: true
    case .dheDSS, .ecdhRSA, .ecdhECDSA, .rsaExport, .dheRSAExport, .dheDSSExport, .null, .tls13, .signalling: false
    }
  }

  /// The type of group in which two sides agree on a key.
  enum EphemeralKind: Sendable, Hashable {
    /// The points of an elliptic curve.
    case ellipticCurve
    /// The powers of a generator modulo a prime.
    case finiteField
  }

  /// The type of group if both sides generate ephemeral keys; otherwise nil.
  var ephemeralKind: EphemeralKind? {
    switch self {
    case .ecdheRSA, .ecdheECDSA: .ellipticCurve
    case .dheRSA, .dhAnonymous: .finiteField
    case .dheDSS, .ecdhRSA, .ecdhECDSA, .rsaExport, .dheRSAExport, .dheDSSExport, .rsa, .null, .tls13, .signalling: nil
    }
  }

  /// Whether the server presents a certificate (RFC 5246 section 7.4.2).
  var isAuthenticated: Bool { self != .dhAnonymous && self != .null }
}

extension CipherSuite.BulkCipher {
  /// Whether TrustLab can protect records with this cipher.
  var isImplemented: Bool {
    switch self {
    case .null, .rc4128, .tripleDESCBC, .aes128CBC, .aes256CBC, .aes128GCM, .aes256GCM, .chacha20Poly1305: true
    case .rc440, .rc2CBC40, .des40CBC, .desCBC: false
    }
  }
}

import Cryptography
import Explanation

/// The keys that protect one direction of a connection (RFC 5246 section 6.3).
public struct RecordKeys: Sendable, Hashable {
  /// The version, which determines how records are protected.
  public let version: ProtocolVersion
  /// The cipher.
  public let cipher: CipherSuite.BulkCipher
  /// The MAC.
  public let mac: CipherSuite.MAC
  /// `*_write_MAC_key`; empty for AEAD ciphers.
  public let macKey: [UInt8]
  /// `*_write_key`.
  public let key: [UInt8]
  /// `*_write_IV`; empty for most ciphers.
  ///
  /// It is the implicit part of an AEAD nonce (RFC 5288 section 3), or the first IV of a CBC cipher in TLS 1.0 (RFC
  /// 2246 section 6.3).
  public let iv: [UInt8]

  /// Whether a CBC record begins with its own IV, as it does from TLS 1.1 on (RFC 4346 section 6.2.3.2).
  public var hasExplicitIV: Bool { version >= .tls11 }

  /// Whether the MAC of CBC records covers the ciphertext (RFC 7366) instead of the plaintext.
  public var encryptThenMAC: Bool

  /// The traffic secret from which the keys follow, which only TLS 1.3 has.
  public var epoch: TrafficEpoch?

  /// Creates keys whose lengths a suite determines.
  public init(
    version: ProtocolVersion, cipher: CipherSuite.BulkCipher, mac: CipherSuite.MAC, macKey: [UInt8], key: [UInt8],
    iv: [UInt8],
    encryptThenMAC: Bool = false, epoch: TrafficEpoch? = nil
  ) {
    self.version = version
    self.cipher = cipher
    self.mac = mac
    self.macKey = macKey
    self.key = key
    self.iv = iv
    self.encryptThenMAC = encryptThenMAC
    self.epoch = epoch
  }
}

extension CipherSuite.BulkCipher {
  /// The `enc_key_length` of the cipher in bytes (RFC 5246 appendix C).
  public var keyLength: Int {
    switch self {
    case .null: 0
    case .rc440, .rc2CBC40, .des40CBC: 5
    case .desCBC: 8
    case .rc4128, .aes128CBC, .aes128GCM: 16
    case .tripleDESCBC: 24
    case .aes256CBC, .aes256GCM, .chacha20Poly1305: 32
    }
  }

  /// The number of IV bytes in the key block: `fixed_iv_length` in RFC 5246 section 6.3 (RFC 5288 section 3, RFC 7905
  /// section 2).
  ///
  /// In TLS 1.0, this is the block size of a CBC cipher (`IV_size`, RFC 2246 section 6.3), and later IVs are the last
  /// blocks of the previous records. From TLS 1.1 on, records contain their own IV (RFC 4346 section 6.2.3.2).
  public func fixedIVLength(in version: ProtocolVersion) -> Int {
    switch self {
    case .aes128GCM, .aes256GCM: 4
    case .chacha20Poly1305: 12
    case .tripleDESCBC, .aes128CBC, .aes256CBC: version <= .tls10 ? blockLength ?? 0 : 0
    case .null, .rc440, .rc2CBC40, .des40CBC, .desCBC, .rc4128: 0
    }
  }

  /// The `block_length` of a CBC cipher in bytes (RFC 5246 appendix C).
  ///
  /// Nil for other ciphers, and for ciphers of which TrustLab knows only the name.
  public var blockLength: Int? {
    switch self {
    case .aes128CBC, .aes256CBC: 16
    case .tripleDESCBC: 8
    case .null, .rc440, .rc2CBC40, .des40CBC, .desCBC, .rc4128, .aes128GCM, .aes256GCM, .chacha20Poly1305: nil
    }
  }
}

extension CipherSuite.MAC {
  /// The hash function of the HMAC; nil if the suite uses no HMAC.
  public var hash: Hash? {
    switch self {
    case .null, .aead: nil
    case .md5: .md5
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha384: .sha384
    }
  }

  /// The `mac_key_length` in bytes, which equals `mac_length` (RFC 5246 appendix C).
  public var keyLength: Int { hash?.digestSize ?? 0 }
}

/// The `key_block`, divided into keys in the order of RFC 5246 section 6.3.
public struct KeyBlock: Sendable, Hashable {
  /// The bytes of the whole block.
  public let bytes: [UInt8]
  /// The keys that protect the client's records.
  public let client: RecordKeys
  /// The keys that protect the server's records.
  public let server: RecordKeys
  /// One key in the block.
  public struct Part: Sendable, Hashable {
    /// The kind of key.
    public let kind: ValueKind
    /// The side whose records the key protects.
    public let side: Side
    /// The position of the key in the block.
    public let range: Range<Int>
    /// The bytes of the key.
    public let bytes: [UInt8]
  }

  /// Divides the key block of a suite into keys. A block that is too short results in short keys, which no cipher
  /// accepts.
  public init(_ negotiated: Negotiated, bytes: [UInt8], encryptThenMAC: Bool = false) {
    let suite = negotiated.suite
    self.bytes = bytes
    var rest = bytes[...]
    func next(_ size: Int) -> (client: [UInt8], server: [UInt8]) {
      let pair = (Array(rest.prefix(size)), Array(rest.dropFirst(size).prefix(size)))
      rest = rest.dropFirst(2 * size)
      return pair
    }
    let macKeys = next(suite.mac.keyLength)
    let keys = next(suite.cipher.keyLength)
    let ivs = next(suite.cipher.fixedIVLength(in: negotiated.version))
    client = RecordKeys(
      version: negotiated.version, cipher: suite.cipher, mac: suite.mac, macKey: macKeys.client, key: keys.client,
      iv: ivs.client, encryptThenMAC: encryptThenMAC)
    server = RecordKeys(
      version: negotiated.version, cipher: suite.cipher, mac: suite.mac, macKey: macKeys.server, key: keys.server,
      iv: ivs.server, encryptThenMAC: encryptThenMAC)
  }

  /// The keys in order, without those that the suite does not use.
  public var parts: [Part] {
    var start = 0
    return [
      (ValueKind.writeMACKey, Side.client, client.macKey), (.writeMACKey, .server, server.macKey),
      (.writeKey, .client, client.key), (.writeKey, .server, server.key), (.writeIV, .client, client.iv),
      (.writeIV, .server, server.iv),
    ].compactMap { kind, side, bytes in
      defer { start += bytes.count }
      return bytes.isEmpty ? nil : Part(kind: kind, side: side, range: start..<(start + bytes.count), bytes: bytes)
    }
  }

  /// The keys that protect the records of `side`.
  public func keys(of side: Side) -> RecordKeys { side == .client ? client : server }
}

extension Negotiated {
  /// The number of bytes of key material that the version and suite need (RFC 5246 section 6.3).
  public var keyBlockLength: Int {
    2 * (suite.mac.keyLength + suite.cipher.keyLength + suite.cipher.fixedIVLength(in: version))
  }
}

import Cryptography
import Explanation

/// What protects one direction of a connection: RFC 5246 section 6.3.
public struct RecordKeys: Sendable, Hashable {
  /// The version, whose way of protecting records it is.
  public let version: ProtocolVersion
  /// The cipher.
  public let cipher: CipherSuite.BulkCipher
  /// The authentication.
  public let mac: CipherSuite.MAC
  /// `*_write_MAC_key`, empty for AEAD ciphers.
  public let macKey: [UInt8]
  /// `*_write_key`.
  public let key: [UInt8]
  /// `*_write_IV`: the implicit part of an AEAD nonce (RFC 5288 section 3), or the block before the first of a CBC
  /// cipher in TLS 1.0 (RFC 2246 section 6.3); empty for all else.
  public let iv: [UInt8]

  /// Whether a record of a CBC cipher begins with its own IV: from TLS 1.1 on (RFC 4346 section 6.2.3.2).
  public var hasExplicitIV: Bool { version >= .tls11 }

  /// Whether CBC records authenticate the ciphertext (RFC 7366) instead of the plaintext.
  public var encryptThenMAC: Bool

  /// Keys of a suite's lengths.
  public init(
    version: ProtocolVersion, cipher: CipherSuite.BulkCipher, mac: CipherSuite.MAC, macKey: [UInt8], key: [UInt8],
    iv: [UInt8],
    encryptThenMAC: Bool = false
  ) {
    self.version = version
    self.cipher = cipher
    self.mac = mac
    self.macKey = macKey
    self.key = key
    self.iv = iv
    self.encryptThenMAC = encryptThenMAC
  }
}

extension CipherSuite.BulkCipher {
  /// `enc_key_length` in bytes: RFC 5246 appendix C.
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

  /// How many bytes of the key block are an IV: `fixed_iv_length` of RFC 5246 section 6.3 (RFC 5288 section 3, RFC 7905
  /// section 2), and in TLS 1.0 a block of a CBC cipher (`IV_size`, RFC 2246 section 6.3), whose later IVs are the last
  /// blocks of the records before. From TLS 1.1 on such records bring their own (RFC 4346 section 6.2.3.2).
  public func fixedIVLength(in version: ProtocolVersion) -> Int {
    switch self {
    case .aes128GCM, .aes256GCM: 4
    case .chacha20Poly1305: 12
    case .tripleDESCBC, .aes128CBC, .aes256CBC: version <= .tls10 ? blockLength ?? 0 : 0
    case .null, .rc440, .rc2CBC40, .des40CBC, .desCBC, .rc4128: 0
    }
  }

  /// `block_length` in bytes of a cipher in CBC mode: RFC 5246 appendix C; nil for all others, and for those that are known by name only.
  public var blockLength: Int? {
    switch self {
    case .aes128CBC, .aes256CBC: 16
    case .tripleDESCBC: 8
    case .null, .rc440, .rc2CBC40, .des40CBC, .desCBC, .rc4128, .aes128GCM, .aes256GCM, .chacha20Poly1305: nil
    }
  }
}

extension CipherSuite.MAC {
  /// The hash inside; nil without an HMAC.
  public var hash: Hash? {
    switch self {
    case .null, .aead: nil
    case .md5: .md5
    case .sha1: .sha1
    case .sha256: .sha256
    case .sha384: .sha384
    }
  }

  /// `mac_key_length` in bytes, which is also `mac_length`: RFC 5246 appendix C.
  public var keyLength: Int { hash?.digestSize ?? 0 }
}

/// `key_block`, cut in the order of RFC 5246 section 6.3.
public struct KeyBlock: Sendable, Hashable {
  /// All of it.
  public let bytes: [UInt8]
  /// What the client protects with.
  public let client: RecordKeys
  /// What the server protects with.
  public let server: RecordKeys
  /// One key of the block.
  public struct Part: Sendable, Hashable {
    /// What it is for.
    public let kind: ValueKind
    /// Whose records it protects.
    public let side: Side
    /// Where in the block it stands.
    public let range: Range<Int>
    /// The key itself.
    public let bytes: [UInt8]
  }

  /// The block of a suite; too short a block gives short keys, which no cipher takes.
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

  /// The parts, in order; those that the suite has no use for are left out.
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

  /// What `side` protects with.
  public func keys(of side: Side) -> RecordKeys { side == .client ? client : server }
}

extension Negotiated {
  /// How many bytes of key material version and suite need: RFC 5246 section 6.3.
  public var keyBlockLength: Int {
    2 * (suite.mac.keyLength + suite.cipher.keyLength + suite.cipher.fixedIVLength(in: version))
  }
}

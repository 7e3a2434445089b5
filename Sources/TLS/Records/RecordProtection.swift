import Cryptography

/// Protects and opens the records of one direction (RFC 5246 section 6.2.3).
///
/// Sequence numbers start at zero at ChangeCipherSpec and are never sent. The protection determines the content type,
/// because the outer type differs from the inner one from TLS 1.3 on (RFC 8446 section 5.2).
public struct RecordProtection: Sendable {
  /// The keys that protect this direction.
  public let keys: RecordKeys
  /// The sequence number of the next record.
  public private(set) var sequenceNumber: UInt64
  /// Whether all sequence numbers are used. They never wrap around (RFC 5246 section 6.1).
  public private(set) var isExhausted = false
  /// The ciphertext block before the next record, for a CBC cipher in TLS 1.0; empty otherwise.
  private(set) var previousBlock: [UInt8]
  /// The number of key stream bytes that are used.
  private(set) var streamOffset = 0
  private var stream: RC4?
  private let decisions: TLSDecisions
  private let ignoresBadMAC: Bool
  private var initializationVectors: DeterministicRandom

  /// Creates the protection with these keys. Explicit IVs of CBC ciphers are generated from `random`.
  ///
  /// Sequence numbers start at `sequenceNumber`, and a key stream at byte `streamOffset`. With `ignoresBadMAC`, content
  /// is decrypted even if its MAC is wrong.
  public init(
    keys: RecordKeys, random: DeterministicRandom, sequenceNumber: UInt64 = 0, streamOffset: Int = 0,
    decisions: TLSDecisions = .standard, ignoresBadMAC: Bool = false
  ) {
    self.keys = keys
    self.sequenceNumber = sequenceNumber
    self.streamOffset = streamOffset
    self.decisions = decisions
    self.ignoresBadMAC = ignoresBadMAC
    previousBlock = keys.cipher.blockLength != nil && !keys.hasExplicitIV ? keys.iv : []
    if keys.cipher == .rc4128 {
      stream = try? RC4(key: keys.key)
      stream?.skip(streamOffset)
    }
    initializationVectors = random
  }

  /// The result of opening a record.
  public struct Opened: Sendable, Hashable {
    /// The content type: the inner type if the version has one.
    public let type: ContentType
    /// The decrypted content, even if it is not authentic.
    public let plaintext: [UInt8]
    /// The alert for a record that is not authentic; nil if MAC (or tag) and padding are correct. The alert does not
    /// reveal which of them is wrong.
    public let alert: AlertDescription?

    /// The number of zeros after the inner type, which only TLS 1.3 has (RFC 8446 section 5.4).
    public var paddingLength = 0

    /// Whether the record is authentic.
    public var isAuthentic: Bool { alert == nil }
  }

  /// The limits that a record must meet before this protection opens it.
  var bounds: RecordBounds { .protected(keys.version) }

  /// Whether AES-GCM has protected as many records as one key may (RFC 8446 section 5.5).
  public var needsKeyUpdate: Bool {
    keys.version >= .tls13 && keys.cipher.recordLimit13.map { sequenceNumber >= $0 } ?? false
  }

  /// Protects this content. Throws an error if the keys are invalid for the cipher, and `CipherError.nonceExhausted`
  /// after the last sequence number.
  ///
  /// In TLS 1.3, `padding` zeros follow the content. Earlier versions ignore the number.
  public mutating func seal(
    _ plaintext: [UInt8], type: ContentType, padding: Int = 0
  ) throws(CipherError) -> Record {
    if isExhausted { throw .nonceExhausted }
    defer { advance() }
    if keys.version >= .tls13 {
      let inner = InnerPlaintext(content: plaintext, type: type, paddingLength: padding)
      return try AEADProtection13(keys).protect(inner, sequenceNumber)
    }
    switch keys.cipher {
    case .aes128GCM, .aes256GCM, .chacha20Poly1305:
      return try AEADProtection(keys).protect(plaintext, sequenceNumber, type) {
        authenticatedData(type, keys.version, $0)
      }
    case .aes128CBC, .aes256CBC, .tripleDESCBC:
      let iv = keys.hasExplicitIV ? initializationVectors.bytes(keys.cipher.blockLength ?? 0) : previousBlock
      let cipher = CBCProtection(keys, decisions)
      let fragment = try cipher.protect(plaintext, iv: iv) { authenticatedData(type, keys.version, $0) }
      chain(cipher, fragment[...])
      return Record(type: type, version: keys.version, fragment: fragment)
    case .null, .rc4128:
      let number = sequenceNumber
      let fragment = StreamProtection(keys).protect(plaintext, &stream) {
        Self.authenticatedData(number, type, keys.version, $0)
      }
      streamOffset += fragment.count
      return Record(type: type, version: keys.version, fragment: fragment)
    case .rc440, .rc2CBC40, .des40CBC, .desCBC: throw .keySize(keys.key.count)
    }
  }

  /// Opens a protected record. A wrong tag, MAC, padding or length, or the end of the sequence numbers, results in a
  /// record that is not authentic.
  ///
  /// In TLS 1.3, a record that is not authentic does not use a sequence number. A server that rejects early data skips
  /// such records (RFC 8446 section 4.2.10).
  public mutating func open(_ record: Record) -> Opened {
    guard !isExhausted else { return Opened(type: record.type, plaintext: [], alert: .badRecordMAC) }
    if keys.version >= .tls13 {
      let opened = AEADProtection13(keys).open(record, sequenceNumber, ignoresBadMAC: ignoresBadMAC)
      if opened.isAuthentic || ignoresBadMAC { advance() }
      return opened
    }
    defer { advance() }
    let content: OpenedContent
    switch keys.cipher {
    case .aes128GCM, .aes256GCM, .chacha20Poly1305:
      content = AEADProtection(keys).open(record.content, sequenceNumber) {
        authenticatedData(record.type, record.version, $0)
      }
    case .aes128CBC, .aes256CBC, .tripleDESCBC:
      let cipher = CBCProtection(keys, decisions, ignoresBadMAC: ignoresBadMAC)
      content = cipher.open(record.fragment, after: previousBlock) {
        authenticatedData(record.type, record.version, $0)
      }
      chain(cipher, record.content)
    case .null, .rc4128:
      let number = sequenceNumber
      content = StreamProtection(keys).open(record.fragment, &stream) {
        Self.authenticatedData(number, record.type, record.version, $0)
      }
      streamOffset += record.content.count
    case .rc440, .rc2CBC40, .des40CBC, .desCBC: content = .nothing
    }
    return Opened(type: record.type, plaintext: content.plaintext, alert: content.alert)
  }

  private mutating func advance() {
    if sequenceNumber == .max { isExhausted = true } else { sequenceNumber += 1 }
  }

  /// Keeps the last block of a record, which is the IV of the next record in TLS 1.0.
  private mutating func chain(_ cipher: CBCProtection, _ fragment: ArraySlice<UInt8>) {
    if !keys.hasExplicitIV { previousBlock = cipher.lastBlock(of: fragment) ?? previousBlock }
  }

  private func authenticatedData(_ type: ContentType, _ version: ProtocolVersion, _ count: Int) -> [UInt8] {
    Self.authenticatedData(sequenceNumber, type, version, count)
  }

  /// The authenticated data: seq_num + TLSCompressed.type + TLSCompressed.version + TLSCompressed.length (RFC 5246
  /// section 6.2.3.3). SSL 3.0 omits the version (RFC 6101 section 5.2.3.1).
  private static func authenticatedData(
    _ number: UInt64, _ type: ContentType, _ version: ProtocolVersion, _ count: Int
  ) -> [UInt8] {
    let header = Record.header(type, version, length: count)
    return number.bigEndianBytes + (version == .sslv3 ? header.prefix(1) + header.suffix(2) : header[...])
  }
}

extension RecordKeys {
  /// The MAC of `header` and `content`: HMAC, or the construction of SSL 3.0.
  func code(_ hash: Hash, _ header: [UInt8], _ content: [UInt8]) -> [UInt8] {
    version == .sslv3
      ? SSL3.code(hash, key: macKey, header, content)
      : HMAC.authenticationCode(hash, key: macKey, header + content)
  }
}

/// The content that a cipher opened, and the alert for it.
struct OpenedContent: Hashable {
  let plaintext: [UInt8]
  /// The alert for content that is not authentic; nil if it is authentic.
  let alert: AlertDescription?

  init(_ plaintext: [UInt8], isAuthentic: Bool) {
    self.init(plaintext, isAuthentic ? nil : .badRecordMAC)
  }

  init(_ plaintext: [UInt8], _ alert: AlertDescription?) {
    self.plaintext = plaintext
    self.alert = alert
  }

  /// The result for a malformed record.
  static let nothing = OpenedContent([], isAuthentic: false)
}

/// The limits of a record, which are checked before the record is opened.
struct RecordBounds {
  /// The version in the header; nil if nearly any version is accepted.
  let version: ProtocolVersion?
  /// The maximum number of bytes after the header.
  let maximumFragment: Int
  /// Whether the version is ignored, as in TLS 1.3 (RFC 8446 section 5.1).
  var ignoresVersion = false

  /// The limits of a TLSPlaintext record (RFC 5246 section 6.2.1).
  static let plaintext = RecordBounds(version: nil, maximumFragment: Record.maximumPlaintext)

  /// The limits of a TLSCiphertext record (RFC 5246 section 6.2.3, RFC 8446 section 5.2).
  static func protected(_ version: ProtocolVersion) -> RecordBounds {
    version >= .tls13
      ? RecordBounds(version: nil, maximumFragment: Record.maximumCiphertext13, ignoresVersion: true)
      : RecordBounds(version: version, maximumFragment: Record.maximumCiphertext)
  }
}

/// Protects records with an AEAD cipher (GenericAEADCipher, RFC 5246 section 6.2.3.3).
///
/// The ciphers construct their nonces differently:
///
/// ```
/// AES-GCM (RFC 5288 section 3):    nonce_explicit | ciphertext | tag    nonce = write_IV | nonce_explicit
/// ChaCha20 (RFC 7905 section 2):                    ciphertext | tag    nonce = write_IV XOR (0 | sequence number)
/// ```
struct AEADProtection {
  private let keys: RecordKeys

  /// A function that returns the authenticated data before the content, for the content's length.
  typealias Header = (Int) -> [UInt8]

  /// The size of the tag in both ciphers.
  private static let tagSize = AESGCM.tagSize

  init(_ keys: RecordKeys) { self.keys = keys }

  private var isChaCha: Bool { keys.cipher == .chacha20Poly1305 }

  /// Protects content. The explicit part of the nonce is the sequence number.
  func protect(
    _ plaintext: [UInt8], _ sequenceNumber: UInt64, _ type: ContentType, _ header: Header
  ) throws(CipherError) -> Record {
    let explicit = isChaCha ? [] : sequenceNumber.bigEndianBytes
    let length = explicit.count + plaintext.count + Self.tagSize
    let head = Record.header(type, keys.version, length: length) + explicit
    let bytes = try seal(plaintext, nonce(explicit, sequenceNumber), header(plaintext.count), behind: head)
    return Record(bytes: bytes, type, keys.version)
  }

  func open(_ fragment: ArraySlice<UInt8>, _ sequenceNumber: UInt64, _ header: Header) -> OpenedContent {
    let explicit = isChaCha ? [] : Array(fragment.prefix(8))
    let sealed = fragment.dropFirst(explicit.count)
    let count = sealed.count - Self.tagSize
    guard isChaCha || explicit.count == 8, count >= 0 else { return .nothing }
    let nonce = nonce(explicit, sequenceNumber)
    let opened =
      isChaCha
      ? try? ChaCha20Poly1305.open(sealed, key: keys.key, nonce: nonce, authenticating: header(count))
      : try? AESGCM.open(sealed, key: keys.key, nonce: nonce, authenticating: header(count))
    if let opened { return OpenedContent(opened, isAuthentic: true) }
    // Both ciphers are stream ciphers, so a second encryption decrypts the record. A receiver that ignores the tag does
    // this.
    let unchecked = try? seal(Array(sealed.prefix(count)), nonce, [], behind: [])
    return OpenedContent(Array((unchecked ?? []).prefix(count)), isAuthentic: false)
  }

  private func seal(
    _ bytes: [UInt8], _ nonce: [UInt8], _ header: [UInt8], behind head: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    isChaCha
      ? try ChaCha20Poly1305.seal(bytes, key: keys.key, nonce: nonce, authenticating: header, behind: head)
      : try AESGCM.seal(bytes, key: keys.key, nonce: nonce, authenticating: header, behind: head)
  }

  private func nonce(_ explicit: [UInt8], _ sequenceNumber: UInt64) -> [UInt8] {
    guard isChaCha else { return keys.iv + explicit }
    let padded = [UInt8](repeating: 0, count: 4) + sequenceNumber.bigEndianBytes
    return zip(keys.iv, padded).map { $0 ^ $1 }
  }
}

extension UInt64 {
  /// The eight bytes of the number, most significant first.
  var bigEndianBytes: [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

import Cryptography

/// Protects and opens the records of one direction: RFC 5246 section 6.2.3.
///
/// Sequence numbers count from zero at ChangeCipherSpec and never travel.
public struct RecordProtection: Sendable {
  /// The keys of the direction.
  public let keys: RecordKeys
  /// The number of the next record.
  public private(set) var sequenceNumber: UInt64
  /// Whether all numbers have been used: they never come round again (RFC 5246 section 6.1).
  public private(set) var isExhausted = false
  private var initializationVectors: DeterministicRandom

  /// Protection with these keys; explicit CBC initialization vectors are drawn from `random`. Numbers
  /// begin with `sequenceNumber`.
  public init(keys: RecordKeys, random: DeterministicRandom, sequenceNumber: UInt64 = 0) {
    self.keys = keys
    self.sequenceNumber = sequenceNumber
    initializationVectors = random
  }

  /// What came of opening a record.
  public struct Opened: Sendable, Hashable {
    /// The content, also when it is not authentic.
    public let plaintext: [UInt8]
    /// Whether authentication code, or tag, and padding are right. Nothing tells which of them is wrong.
    public let isAuthentic: Bool
  }

  /// The protected fragment of a record with this content. Throws for a cipher that is not implemented,
  /// and `CipherError.nonceExhausted` after the last number.
  public mutating func protect(
    _ plaintext: [UInt8], type: ContentType, version: ProtocolVersion
  ) throws(CipherError) -> [UInt8] {
    if isExhausted { throw .nonceExhausted }
    defer { advance() }
    switch keys.cipher {
    case .aes128GCM, .aes256GCM, .chacha20Poly1305:
      return try AEADProtection(keys).protect(plaintext, sequenceNumber) { authenticatedData(type, version, $0) }
    case .aes128CBC, .aes256CBC:
      let iv = initializationVectors.bytes(AESCBC.blockSize)
      return try CBCProtection(keys).protect(plaintext, iv: iv) { authenticatedData(type, version, $0) }
    case .null, .rc4128, .tripleDESCBC: throw .keySize(keys.key.count)
    }
  }

  /// The content of a protected record. A wrong tag, authentication code, padding or length is only "not authentic",
  /// and so is a record after the last number.
  public mutating func open(_ record: Record) -> Opened {
    if isExhausted { return .nothing }
    defer { advance() }
    switch keys.cipher {
    case .aes128GCM, .aes256GCM, .chacha20Poly1305:
      return AEADProtection(keys).open(record.fragment, sequenceNumber) {
        authenticatedData(record.type, record.version, $0)
      }
    case .aes128CBC, .aes256CBC:
      return CBCProtection(keys).open(record.fragment) { authenticatedData(record.type, record.version, $0) }
    case .null, .rc4128, .tripleDESCBC: return Opened(plaintext: [], isAuthentic: false)
    }
  }

  private mutating func advance() {
    if sequenceNumber == .max { isExhausted = true } else { sequenceNumber += 1 }
  }

  /// seq_num + TLSCompressed.type + TLSCompressed.version + TLSCompressed.length: RFC 5246 section 6.2.3.3.
  private func authenticatedData(_ type: ContentType, _ version: ProtocolVersion, _ count: Int) -> [UInt8] {
    sequenceNumber.bigEndianBytes + Record.header(type, version, length: count)
  }
}

extension UInt64 {
  /// Eight bytes, the most significant first.
  var bigEndianBytes: [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

/// GenericAEADCipher, RFC 5246 section 6.2.3.3, and how each cipher makes its nonce.
///
/// ```
/// AES-GCM (RFC 5288 section 3):    nonce_explicit | ciphertext | tag    nonce = write_IV | nonce_explicit
/// ChaCha20 (RFC 7905 section 2):                    ciphertext | tag    nonce = write_IV XOR (0 | sequence number)
/// ```
struct AEADProtection {
  private let keys: RecordKeys

  /// What is authenticated before the content, of which it holds the length.
  typealias Header = (Int) -> [UInt8]

  /// Both ciphers' tags are as long.
  private static let tagSize = AESGCM.tagSize

  init(_ keys: RecordKeys) { self.keys = keys }

  private var isChaCha: Bool { keys.cipher == .chacha20Poly1305 }

  /// The explicit part of the nonce is the sequence number.
  func protect(_ plaintext: [UInt8], _ sequenceNumber: UInt64, _ header: Header) throws(CipherError) -> [UInt8] {
    let explicit = isChaCha ? [] : sequenceNumber.bigEndianBytes
    return explicit + (try seal(plaintext, nonce(explicit, sequenceNumber), header(plaintext.count)))
  }

  func open(_ fragment: [UInt8], _ sequenceNumber: UInt64, _ header: Header) -> RecordProtection.Opened {
    let explicit = isChaCha ? [] : Array(fragment.prefix(8))
    let sealed = Array(fragment.dropFirst(explicit.count))
    let count = sealed.count - Self.tagSize
    guard isChaCha || explicit.count == 8, count >= 0 else {
      return RecordProtection.Opened(plaintext: [], isAuthentic: false)
    }
    let nonce = nonce(explicit, sequenceNumber)
    let opened =
      isChaCha
      ? try? ChaCha20Poly1305.open(sealed, key: keys.key, nonce: nonce, authenticating: header(count))
      : try? AESGCM.open(sealed, key: keys.key, nonce: nonce, authenticating: header(count))
    if let opened { return RecordProtection.Opened(plaintext: opened, isAuthentic: true) }
    // Both are stream ciphers, so that encrypting again decrypts: what one reads who ignores the tag.
    let unchecked = try? seal(Array(sealed.prefix(count)), nonce, [])
    return RecordProtection.Opened(plaintext: Array((unchecked ?? []).prefix(count)), isAuthentic: false)
  }

  private func seal(_ bytes: [UInt8], _ nonce: [UInt8], _ header: [UInt8]) throws(CipherError) -> [UInt8] {
    isChaCha
      ? try ChaCha20Poly1305.seal(bytes, key: keys.key, nonce: nonce, authenticating: header)
      : try AESGCM.seal(bytes, key: keys.key, nonce: nonce, authenticating: header)
  }

  private func nonce(_ explicit: [UInt8], _ sequenceNumber: UInt64) -> [UInt8] {
    guard isChaCha else { return keys.iv + explicit }
    let padded = [UInt8](repeating: 0, count: 4) + sequenceNumber.bigEndianBytes
    return zip(keys.iv, padded).map { $0 ^ $1 }
  }
}

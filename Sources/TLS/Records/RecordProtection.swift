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

import Cryptography

/// Protects records in TLS 1.3 (RFC 8446 section 5.2).
///
/// The nonce is `write_iv` XOR the sequence number (section 5.3). The additional data is the header of the record.
///
/// ```
/// application_data(23) | 0x0303 | length | AEAD-Encrypt(write_key, nonce, header, TLSInnerPlaintext)
/// ```
struct AEADProtection13 {
  private let keys: RecordKeys

  /// The `iv_length` of all suites: the nonce length of their AEAD ciphers.
  static let nonceLength = 12
  /// The size of the tag in all suites.
  private static let tagSize = AESGCM.tagSize

  init(_ keys: RecordKeys) { self.keys = keys }

  private var isChaCha: Bool { keys.cipher == .chacha20Poly1305 }

  /// Protects a record. Content and padding that are together longer than a record may be are an error.
  func protect(_ inner: InnerPlaintext, _ sequenceNumber: UInt64) throws(CipherError) -> Record {
    let plaintext = inner.bytes
    guard plaintext.count <= InnerPlaintext.maximumLength else { throw .inputSize(plaintext.count) }
    let type = ContentType.applicationData
    let header = Record.header(type, .tls12, length: plaintext.count + Self.tagSize)
    let bytes = try seal(plaintext, nonce(sequenceNumber), header, behind: header)
    return Record(bytes: bytes, type, .tls12)
  }

  /// Opens a record. With `ignoresBadMAC`, the content is decrypted even if the tag is wrong.
  ///
  /// The alert is `record_overflow`, `bad_record_mac`, or `unexpected_message` for a wrong outer or inner type.
  func open(_ record: Record, _ sequenceNumber: UInt64, ignoresBadMAC: Bool) -> RecordProtection.Opened {
    func refused(_ alert: AlertDescription) -> RecordProtection.Opened {
      RecordProtection.Opened(type: record.type, plaintext: [], alert: alert)
    }
    guard record.type == .applicationData else { return refused(.unexpectedMessage) }
    guard record.content.count <= Record.maximumCiphertext13 else { return refused(.recordOverflow) }
    var opened = decrypted(record, sequenceNumber)
    let isAuthentic = opened != nil
    if !isAuthentic, ignoresBadMAC { opened = unchecked(record, sequenceNumber) }
    guard let plaintext = opened.take() else { return refused(.badRecordMAC) }
    guard plaintext.count <= InnerPlaintext.maximumLength else { return refused(.recordOverflow) }
    guard let inner = InnerPlaintext(decoding: plaintext), Self.innerTypes.contains(inner.type) else {
      return refused(.unexpectedMessage)
    }
    return RecordProtection.Opened(
      type: inner.type, plaintext: inner.content, alert: isAuthentic ? nil : .badRecordMAC,
      paddingLength: inner.paddingLength)
  }

  /// The types of protected content. A protected ChangeCipherSpec is not allowed (section 5).
  private static let innerTypes: [ContentType] = [.alert, .handshake, .applicationData]

  private func decrypted(_ record: Record, _ sequenceNumber: UInt64) -> [UInt8]? {
    let (nonce, header) = (nonce(sequenceNumber), Array(record.bytes.prefix(Record.headerLength)))
    return isChaCha
      ? try? ChaCha20Poly1305.open(record.content, key: keys.key, nonce: nonce, authenticating: header)
      : try? AESGCM.open(record.content, key: keys.key, nonce: nonce, authenticating: header)
  }

  /// Decrypts without a check of the tag: in both ciphers, a second encryption is a decryption.
  private func unchecked(_ record: Record, _ sequenceNumber: UInt64) -> [UInt8]? {
    let count = record.content.count - Self.tagSize
    guard count >= 0 else { return nil }
    let again = try? seal(Array(record.content.prefix(count)), nonce(sequenceNumber), [], behind: [])
    return again.map { Array($0.prefix(count)) }
  }

  private func seal(
    _ bytes: [UInt8], _ nonce: [UInt8], _ header: [UInt8], behind head: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    isChaCha
      ? try ChaCha20Poly1305.seal(bytes, key: keys.key, nonce: nonce, authenticating: header, behind: head)
      : try AESGCM.seal(bytes, key: keys.key, nonce: nonce, authenticating: header, behind: head)
  }

  private func nonce(_ sequenceNumber: UInt64) -> [UInt8] {
    let padded = [UInt8](repeating: 0, count: Self.nonceLength - 8) + sequenceNumber.bigEndianBytes
    return zip(keys.iv, padded).map { $0 ^ $1 }
  }
}

import Cryptography

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

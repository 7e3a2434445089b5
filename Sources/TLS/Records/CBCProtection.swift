import Cryptography

/// GenericBlockCipher with the authentication code inside the encryption: RFC 5246 section 6.2.3.2.
///
/// ```
/// struct { opaque IV[16]; block-ciphered struct { content; MAC; uint8 padding[padding_length]; uint8 padding_length; } }
/// ```
struct CBCProtection {
  private let keys: RecordKeys
  private let hash: Hash

  init(_ keys: RecordKeys) {
    self.keys = keys
    hash = keys.mac.hash ?? .sha1
  }

  func protect(_ plaintext: [UInt8], _ header: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
    let content = plaintext + HMAC.authenticationCode(hash, key: keys.macKey, header + plaintext)
    let padding = AESCBC.blockSize - 1 - content.count % AESCBC.blockSize
    let blocks = content + [UInt8](repeating: UInt8(truncatingIfNeeded: padding), count: padding + 1)
    return iv + (try AESCBC.encrypt(blocks, key: keys.key, iv: iv))
  }

  /// Wrong padding is taken for none and the authentication code computed all the same, so that neither the answer nor
  /// the work tells padding from code (RFC 5246 section 6.2.3.2, implementation note).
  func open(_ fragment: [UInt8], _ header: (Int) -> [UInt8]) -> RecordProtection.Opened {
    let iv = Array(fragment.prefix(AESCBC.blockSize))
    let ciphertext = Array(fragment.dropFirst(AESCBC.blockSize))
    guard ciphertext.count > hash.digestSize,
      let blocks = try? AESCBC.decrypt(ciphertext, key: keys.key, iv: iv), let last = blocks.last
    else { return RecordProtection.Opened(plaintext: [], isAuthentic: false) }
    let room = blocks.count - hash.digestSize - 1
    let padding = Int(last)
    var difference: UInt8 = padding <= room ? 0 : 0xff
    for byte in blocks.suffix(padding + 1) { difference |= byte ^ last }
    let count = room - (difference == 0 ? padding : 0)
    let plaintext = Array(blocks.prefix(count))
    let code = blocks.dropFirst(count).prefix(hash.digestSize)
    let expected = HMAC.authenticationCode(hash, key: keys.macKey, header(count) + plaintext)
    for (left, right) in zip(code, expected) { difference |= left ^ right }
    return RecordProtection.Opened(plaintext: plaintext, isAuthentic: difference == 0)
  }
}

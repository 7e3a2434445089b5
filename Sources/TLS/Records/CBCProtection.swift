import Cryptography

/// GenericBlockCipher, with the authentication code inside the encryption (RFC 5246 section 6.2.3.2) or, where both
/// sides want it, after it (RFC 7366).
///
/// ```
/// MAC then encrypt:  IV | encrypted(content | MAC(content) | padding | padding_length)
/// encrypt then MAC:  IV | encrypted(content | padding | padding_length) | MAC(IV | encrypted)
/// ```
struct CBCProtection {
  private let keys: RecordKeys
  private let hash: Hash

  /// What is authenticated before the content, of which it holds the length.
  typealias Header = (Int) -> [UInt8]

  init(_ keys: RecordKeys) {
    self.keys = keys
    hash = keys.mac.hash ?? .sha1
  }

  func protect(_ plaintext: [UInt8], iv: [UInt8], _ header: Header) throws(CipherError) -> [UInt8] {
    if keys.encryptThenMAC {
      let encrypted = iv + (try AESCBC.encrypt(padded(plaintext), key: keys.key, iv: iv))
      return encrypted + code(encrypted, header)
    }
    let content = plaintext + code(plaintext, header)
    return iv + (try AESCBC.encrypt(padded(content), key: keys.key, iv: iv))
  }

  func open(_ fragment: [UInt8], _ header: Header) -> RecordProtection.Opened {
    guard keys.encryptThenMAC else { return decrypt(fragment, codeSize: hash.digestSize, header) }
    let encrypted = Array(fragment.dropLast(hash.digestSize))
    let difference = Self.difference(fragment.suffix(hash.digestSize), code(encrypted, header))
    let opened = decrypt(encrypted, codeSize: 0, header)
    return RecordProtection.Opened(
      plaintext: opened.plaintext, isAuthentic: difference == 0 && opened.isAuthentic)
  }

  /// Wrong padding is taken for none and the authentication code computed all the same, so that neither the answer nor
  /// the work tells padding from code (RFC 5246 section 6.2.3.2, implementation note).
  private func decrypt(_ fragment: [UInt8], codeSize: Int, _ header: Header) -> RecordProtection.Opened {
    let iv = Array(fragment.prefix(AESCBC.blockSize))
    let ciphertext = Array(fragment.dropFirst(AESCBC.blockSize))
    guard ciphertext.count > codeSize, let blocks = try? AESCBC.decrypt(ciphertext, key: keys.key, iv: iv),
      let last = blocks.last
    else { return RecordProtection.Opened(plaintext: [], isAuthentic: false) }
    let room = blocks.count - codeSize - 1
    let padding = Int(last)
    var difference: UInt8 = padding <= room ? 0 : 0xff
    for byte in blocks.suffix(padding + 1) { difference |= byte ^ last }
    let count = room - (difference == 0 ? padding : 0)
    let plaintext = Array(blocks.prefix(count))
    if codeSize > 0 {
      difference |= Self.difference(blocks.dropFirst(count).prefix(codeSize), code(plaintext, header))
    }
    return RecordProtection.Opened(plaintext: plaintext, isAuthentic: difference == 0)
  }

  private func padded(_ content: [UInt8]) -> [UInt8] {
    let padding = AESCBC.blockSize - 1 - content.count % AESCBC.blockSize
    return content + [UInt8](repeating: UInt8(truncatingIfNeeded: padding), count: padding + 1)
  }

  private func code(_ content: [UInt8], _ header: Header) -> [UInt8] {
    HMAC.authenticationCode(hash, key: keys.macKey, header(content.count) + content)
  }

  /// Zero when all bytes are equal; the work does not depend on where they differ.
  private static func difference(_ found: ArraySlice<UInt8>, _ expected: [UInt8]) -> UInt8 {
    zip(found, expected).reduce(found.count == expected.count ? 0 : 1) { $0 | ($1.0 ^ $1.1) }
  }
}

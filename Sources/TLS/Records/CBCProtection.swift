import Cryptography

/// Protects records with a CBC cipher (GenericBlockCipher).
///
/// The MAC is inside the encryption (RFC 5246 section 6.2.3.2) or, if both sides support it, after it (RFC 7366):
///
/// ```
/// MAC then encrypt:  IV | encrypted(content | MAC(content) | padding | padding_length)
/// encrypt then MAC:  IV | encrypted(content | padding | padding_length) | MAC(IV | encrypted)
/// ```
///
/// In TLS 1.0 and SSL 3.0, a record uses the last block of the previous record as its IV (RFC 2246
/// section 6.2.3.2). An attacker sees that block before the content is chosen (G. Bard 2004; T. Duong, J. Rizzo: BEAST,
/// 2011).
///
/// In SSL 3.0 the padding is shorter than a block and may have any content (RFC 6101 section 5.2.3.2). A receiver
/// therefore cannot check it (B. Möller, T. Duong, K. Kotowicz: POODLE, 2014).
struct CBCProtection {
  private let keys: RecordKeys
  private let hash: Hash
  private let blockSize: Int
  private let decisions: TLSDecisions
  private let ignoresBadMAC: Bool

  /// A function that returns the authenticated data before the content, for the content's length.
  typealias Header = (Int) -> [UInt8]

  /// Creates the protection for these keys. With `ignoresBadMAC`, content is decrypted even if its MAC is wrong.
  init(_ keys: RecordKeys, _ decisions: TLSDecisions, ignoresBadMAC: Bool = false) {
    self.keys = keys
    self.decisions = decisions
    self.ignoresBadMAC = ignoresBadMAC
    hash = keys.mac.hash ?? .sha1
    blockSize = keys.cipher.blockLength ?? AESCBC.blockSize
  }

  func protect(_ plaintext: [UInt8], iv: [UInt8], _ header: Header) throws(CipherError) -> [UInt8] {
    let explicit = keys.hasExplicitIV ? iv : []
    if keys.encryptThenMAC {
      let encrypted = explicit + (try encrypted(padded(plaintext), iv))
      return encrypted + code(encrypted, header)
    }
    return explicit + (try encrypted(padded(plaintext + code(plaintext, header)), iv))
  }

  /// Opens a fragment. `previous` is the last block of the previous record, for fragments without their own IV.
  func open(_ fragment: [UInt8], after previous: [UInt8] = [], _ header: Header) -> OpenedContent {
    keys.encryptThenMAC ? openCode(fragment, previous, header) : openPadding(fragment, previous, header)
  }

  /// The last ciphertext block in a fragment, before any MAC; nil if there is none.
  func lastBlock(of fragment: ArraySlice<UInt8>) -> [UInt8]? {
    let encrypted = keys.encryptThenMAC ? fragment.dropLast(hash.digestSize) : fragment
    return encrypted.count < blockSize ? nil : Array(encrypted.suffix(blockSize))
  }

  /// Opens a fragment whose MAC covers the ciphertext; checks the MAC before decryption (RFC 7366 section 3).
  ///
  /// If the MAC is wrong, the padding is not checked.
  private func openCode(_ fragment: [UInt8], _ previous: [UInt8], _ header: Header) -> OpenedContent {
    let encrypted = Array(fragment.dropLast(hash.digestSize))
    let difference = ConstantTime.difference(fragment.suffix(hash.digestSize), code(encrypted, header))
    guard difference == 0 || ignoresBadMAC else { return content([], 0, difference) }
    guard let blocks = decrypted(encrypted, previous, atLeast: 1) else { return .nothing }
    let padding = padding(of: blocks, room: blocks.count - 1)
    return content(Array(blocks.prefix(blocks.count - 1 - padding.count)), padding.difference, difference)
  }

  /// The opened content, with one alert for wrong padding and wrong MAC unless a simulated bug distinguishes them.
  private func content(_ plaintext: [UInt8], _ padding: UInt8, _ code: UInt8) -> OpenedContent {
    guard let answer = decisions.answer else {
      return OpenedContent(plaintext, isAuthentic: padding | code == 0)
    }
    return OpenedContent(plaintext, answer(padding == 0, code == 0))
  }

  /// Opens a fragment whose MAC is encrypted. Padding and MAC are checked in the same way, whichever of them is wrong.
  ///
  /// Wrong padding is treated as empty padding, and the MAC is still computed (RFC 5246 section 6.2.3.2, implementation
  /// note). The number of hashed blocks would still reveal the padding length (N. AlFardan, K. Paterson: Lucky
  /// Thirteen, 2013). Additional blocks are therefore hashed to equalize the number.
  ///
  /// This equalizes the blocks, whose effect was measured over networks. The rest does not become constant-time:
  /// copying and allocating the content, and the compiler's code, may still depend on the length. AEAD suites and
  /// `encrypt_then_mac` do not have this problem.
  private func openPadding(_ fragment: [UInt8], _ previous: [UInt8], _ header: Header) -> OpenedContent {
    let size = hash.digestSize
    guard let blocks = decrypted(fragment, previous, atLeast: size + 1) else { return .nothing }
    let room = blocks.count - size - 1
    let padding = padding(of: blocks, room: room)
    let count = room - padding.count
    let plaintext = Array(blocks.prefix(count))
    let expected = code(plaintext, header)
    let before = keys.version == .sslv3 ? SSL3.prefixCount(hash) : 0
    equalizeCompressionCalls(instead: count, of: room, before + header(count).count)
    let found = ConstantTime.bytes(blocks, at: count, among: max(0, room - 255)...room, count: size)
    return content(plaintext, padding.difference, ConstantTime.difference(found, expected))
  }

  /// The decrypted blocks after the IV; nil if the length, which is public, is impossible.
  private func decrypted(_ fragment: [UInt8], _ previous: [UInt8], atLeast count: Int) -> [UInt8]? {
    let ciphertext = keys.hasExplicitIV ? Array(fragment.dropFirst(blockSize)) : fragment
    let iv = keys.hasExplicitIV ? Array(fragment.prefix(blockSize)) : previous
    guard ciphertext.count >= count else { return nil }
    return keys.cipher == .tripleDESCBC
      ? try? TripleDESCBC.decrypt(ciphertext, key: keys.key, iv: iv)
      : try? AESCBC.decrypt(ciphertext, key: keys.key, iv: iv)
  }

  private func encrypted(_ blocks: [UInt8], _ iv: [UInt8]) throws(CipherError) -> [UInt8] {
    keys.cipher == .tripleDESCBC
      ? try TripleDESCBC.encrypt(blocks, key: keys.key, iv: iv) : try AESCBC.encrypt(blocks, key: keys.key, iv: iv)
  }

  /// The length of the padding before its length byte, and whether the padding differs from correct padding.
  ///
  /// The length is 0 for wrong padding; the difference is zero for correct padding. The number of compared bytes is
  /// always that of the longest padding.
  private func padding(of blocks: [UInt8], room: Int) -> (count: Int, difference: UInt8) {
    let last = blocks.last ?? 0
    let length = Int(last)
    if let paddingHolds = decisions.paddingHolds {
      let holds = length <= room && paddingHolds(Array(blocks.suffix(length + 1)))
      return holds ? (length, 0) : (0, 1)
    }
    if keys.version == .sslv3 {
      let fits = ConstantTime.isAtMost(length, min(room, blockSize - 1))
      return (length & Int(fits), ~fits)
    }
    var difference = ~ConstantTime.isAtMost(length, room)
    for (index, byte) in blocks.reversed().prefix(256).enumerated() {
      difference |= (byte ^ last) & ConstantTime.isAtMost(index, length)
    }
    let isRight = ConstantTime.areEqual(Int(difference), 0)
    return (length & Int(isRight), difference)
  }

  /// Hashes as many blocks as a content of `count` bytes has fewer than a content of `longest` bytes.
  private func equalizeCompressionCalls(instead count: Int, of longest: Int, _ headerCount: Int) {
    // The end of a hashed message is a single bit and the message's length, which takes an eighth of a block.
    func blocks(_ count: Int) -> Int { (headerCount + count + hash.blockSize / 8 + hash.blockSize) / hash.blockSize }
    let missing = blocks(longest) - blocks(count)
    _ = hash.digest([UInt8](repeating: 0, count: missing * hash.blockSize))
  }

  private func padded(_ content: [UInt8]) -> [UInt8] {
    let padding = blockSize - 1 - content.count % blockSize
    return content + [UInt8](repeating: UInt8(truncatingIfNeeded: padding), count: padding + 1)
  }

  private func code(_ content: [UInt8], _ header: Header) -> [UInt8] {
    keys.code(hash, header(content.count), content)
  }
}

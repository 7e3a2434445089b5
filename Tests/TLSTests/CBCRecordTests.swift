import Cryptography
import Testing

@testable import TLS

@Suite("CBC records whose defects have the same result")
struct CBCRecordTests {
  static let rows = CipherSuite.registry.filter { $0.cipher.blockLength != nil && $0.keyExchange == .rsa }

  private func keys(_ row: CipherSuite.Registration, encryptThenMAC: Bool = false) -> RecordKeys {
    KeySchedule12(Negotiated(version: .tls12, suite: row), masterSecret: [UInt8](repeating: 1, count: 48))
      .keyBlock(clientRandom: [], serverRandom: [], encryptThenMAC: encryptThenMAC).client
  }

  private func header(_ count: Int) -> [UInt8] { [1, 2, 3, UInt8(count >> 8), UInt8(count & 0xff)] }

  /// Seals a record whose padding has any valid length, or one wrong byte.
  private func sealed(
    _ content: [UInt8], padding: Int, wrong: Int? = nil, _ keys: RecordKeys
  ) throws -> [UInt8] {
    let hash = keys.mac.hash ?? .sha1
    let code = HMAC.authenticationCode(hash, key: keys.macKey, header(content.count) + content)
    var tail = [UInt8](repeating: UInt8(padding), count: padding + 1)
    if let wrong { tail[wrong] ^= 1 }
    let iv = [UInt8](repeating: 9, count: keys.cipher.blockLength ?? 0)
    return iv + (try encrypted(content + code + tail, iv, keys))
  }

  private func encrypted(_ blocks: [UInt8], _ iv: [UInt8], _ keys: RecordKeys) throws -> [UInt8] {
    iv.count == 8
      ? try TripleDESCBC.encrypt(blocks, key: keys.key, iv: iv) : try AESCBC.encrypt(blocks, key: keys.key, iv: iv)
  }

  @Test("padding of every valid length is accepted", arguments: rows)
  func everyPadding(_ row: CipherSuite.Registration) throws {
    let keys = keys(row)
    let block = try #require(row.cipher.blockLength)
    for size in [0, 1, 20, 300] {
      let content = [UInt8](repeating: 5, count: size)
      let used = size + row.mac.keyLength
      for padding in stride(from: block - 1 - used % block, through: 255, by: block) {
        let opened = CBCProtection(keys, .standard).open(try sealed(content, padding: padding, keys), header)
        #expect(opened.alert == nil && opened.plaintext == content, "\(size) and \(padding)")
      }
    }
  }

  @Test(
    "wrong padding, an excessive padding length and a wrong MAC have the same result",
    arguments: rows)
  func wrong(_ row: CipherSuite.Registration) throws {
    let keys = keys(row)
    let content = [UInt8](repeating: 5, count: 40)
    let block = try #require(row.cipher.blockLength)
    let padding = block - 1 - (40 + row.mac.keyLength) % block + 2 * block
    for wrong in 0...padding {
      let record = try sealed(content, padding: padding, wrong: wrong, keys)
      #expect(CBCProtection(keys, .standard).open(record, header).alert != nil, "byte \(wrong)")
    }
    let good = try sealed(content, padding: padding, keys)
    for index in good.indices {
      var changed = good
      changed[index] ^= 0x10
      #expect(CBCProtection(keys, .standard).open(changed, header).alert != nil, "byte \(index)")
    }
    for count in stride(from: 0, to: good.count, by: block) {
      #expect(CBCProtection(keys, .standard).open(Array(good.prefix(count)), header).alert != nil)
    }
    let tooLong = [UInt8](repeating: 0xff, count: 96)
    let iv = [UInt8](repeating: 9, count: block)
    let record = iv + (try encrypted(tooLong, iv, keys))
    #expect(CBCProtection(keys, .standard).open(record, header).alert != nil)
  }

  @Test("encrypt-then-MAC verifies the MAC over every byte of the ciphertext", arguments: rows)
  func encryptThenMAC(_ row: CipherSuite.Registration) throws {
    let keys = keys(row, encryptThenMAC: true)
    let content = [UInt8](repeating: 5, count: 40)
    let record = try CBCProtection(keys, .standard).protect(
      content, iv: [UInt8](repeating: 9, count: row.cipher.blockLength ?? 0), header)
    #expect(CBCProtection(keys, .standard).open(record, header) == OpenedContent(content, nil))
    for index in record.indices {
      var changed = record
      changed[index] ^= 1
      #expect(CBCProtection(keys, .standard).open(changed, header).alert != nil, "byte \(index)")
    }
  }
}

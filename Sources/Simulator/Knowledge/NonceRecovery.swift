import Cryptography
import Endpoint
import Explanation
import TLS

/// Recovers the implicit part of an AES-GCM nonce from the write key and one record.
///
/// In TLS 1.3, this is the IV, and the whole nonce of the first record.
///
/// The tag is GHASH combined with the encrypted first counter block (NIST SP 800-38D section 7.1), and the key decrypts
/// that block.
enum NonceRecovery {
  /// Returns the derivation of `value` of TLS 1.2 for an attacker that has the write key.
  ///
  /// The result is nil if `value` is not the implicit part of such a nonce (RFC 5288 section 3).
  static func derivation(of value: Value) -> Value.Derivation? {
    guard value.bytes.count == 4, value.id.kind == .writeIV, let side = value.id.side else { return nil }
    return .computed(
      .nonceRecovery,
      from: [value.id.sibling(.writeKey, of: side), value.id.sibling(.record, of: side, number: 1)])
  }

  /// Returns the first counter block of `record` of TLS 1.2, if it is the record with this number under `key`.
  static func counterBlock(of record: Record, number: UInt64, key: [UInt8]) -> [UInt8]? {
    let fragment = record.fragment
    guard fragment.count >= 24 else { return nil }
    let ciphertext = Array(fragment[8...].dropLast(16))
    // RFC 5246 section 6.2.3.3: the length in the additional data is the length of the plaintext.
    let header =
      bytes(number) + record.bytes.prefix(3)
      + [UInt8(truncatingIfNeeded: ciphertext.count >> 8), UInt8(truncatingIfNeeded: ciphertext.count)]
    guard let block = firstBlock(of: ciphertext, header: header, tag: fragment.suffix(16), key: key),
      Array(block[4..<12]) == Array(fragment.prefix(8))
    else { return nil }
    return block
  }

  /// Returns the nonce of `record` of TLS 1.3; nil if another key protects it (RFC 8446 section 5.2).
  static func nonce(of record: Record, key: [UInt8]) -> [UInt8]? {
    let fragment = record.fragment
    guard fragment.count >= 16 else { return nil }
    let header = Array(record.bytes.prefix(Record.headerLength))
    return firstBlock(of: Array(fragment.dropLast(16)), header: header, tag: fragment.suffix(16), key: key)
      .map { Array($0.prefix(12)) }
  }

  /// Returns the first counter block, from the tag and GHASH; nil if it does not end in the counter 1.
  private static func firstBlock(
    of ciphertext: [UInt8], header: [UInt8], tag: some Sequence<UInt8>, key: [UInt8]
  ) -> [UInt8]? {
    let zero = [UInt8](repeating: 0, count: 16)
    guard let hashKey = try? AESCBC.encrypt(zero, key: key, iv: zero) else { return nil }
    let lengths = bytes(UInt64(header.count * 8)) + bytes(UInt64(ciphertext.count * 8))
    let hash = GaloisHash(key: hashKey).digest(padded(header) + padded(ciphertext) + lengths)
    let block = try? AESCBC.decrypt(zip(hash, tag).map { $0 ^ $1 }, key: key, iv: zero)
    return block.flatMap { $0.suffix(4) == [0, 0, 0, 1] ? $0 : nil }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
  }
}

/// The function GHASH (NIST SP 800-38D section 6.4).
private struct GaloisHash {
  /// An element of the field with 2^128 elements, first bit first.
  private typealias Element = (high: UInt64, low: UInt64)

  private let key: Element

  init(key: [UInt8]) { self.key = Self.element(key[...]) }

  /// Returns the hash of complete blocks.
  func digest(_ blocks: [UInt8]) -> [UInt8] {
    var sum: Element = (0, 0)
    for start in stride(from: 0, to: blocks.count, by: 16) {
      let block = Self.element(blocks[start..<min(start + 16, blocks.count)])
      sum = Self.product((sum.high ^ block.high, sum.low ^ block.low), key)
    }
    return [sum.high, sum.low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
    }
  }

  private static func element(_ bytes: ArraySlice<UInt8>) -> Element {
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return (half(bytes.prefix(8)), half(bytes.dropFirst(8)))
  }

  /// Returns the product of two elements (NIST SP 800-38D section 6.3, algorithm 1).
  private static func product(_ left: Element, _ right: Element) -> Element {
    var (sum, power): (Element, Element) = ((0, 0), right)
    for bit in 0..<128 {
      let half = bit < 64 ? left.high : left.low
      if half >> UInt64(63 - bit % 64) & 1 == 1 { sum = (sum.high ^ power.high, sum.low ^ power.low) }
      let carry: UInt64 = power.low & 1 == 1 ? 0xe1 << 56 : 0
      power = (power.high >> 1 ^ carry, power.low >> 1 | power.high << 63)
    }
    return sum
  }
}

extension Application {
  /// Recovers the implicit part of a nonce.
  ///
  /// The number of the record is unknown. For the right number, the tag decrypts to a first counter block.
  func nonceRecovery() throws(Obstacle) -> Computation {
    guard let record = Record(try input(1)) else { throw .failed("the record cannot be read") }
    let key = try input(0)
    if value.kind != .writeIV {
      guard let nonce = NonceRecovery.nonce(of: record, key: key) else {
        throw .failed("the tag was not computed with this key")
      }
      return Computation(nonce, remark: "from the tag of record number 0")
    }
    for number in 0..<UInt64(run.trace.steps.count) {
      guard let block = NonceRecovery.counterBlock(of: record, number: number, key: key) else { continue }
      return Computation(Array(block.prefix(4)), remark: "from the tag of record number \(number)")
    }
    throw .failed("the tag was not computed with this key")
  }
}

import CGMP

/// Memory for the limbs of a secret number, which is never copied, and wiped at the end.
///
/// Its count is public; its contents are secret. Only functions of GMP whose time and memory access do not depend on
/// them (`mpn_sec_…`) receive them.
struct SecretLimbs: ~Copyable, @unchecked Sendable {
  /// The limbs, least significant first.
  let start: UnsafeMutablePointer<UInt>
  /// The number of limbs.
  let count: Int

  /// Creates `count` zeros.
  init(zeros count: Int) {
    start = .allocate(capacity: max(1, count))
    start.initialize(repeating: 0, count: max(1, count))
    self.count = count
  }

  /// Creates the number in `count` limbs, without the limbs beyond them.
  init(_ number: Natural, count: Int) {
    self.init(zeros: count)
    for (index, limb) in number.limbs.prefix(count).enumerated() { start[index] = limb }
  }

  /// Creates the number from big-endian bytes in `count` limbs, without the limbs beyond them.
  init(bigEndian bytes: [UInt8], count: Int) {
    self.init(zeros: count)
    for (index, byte) in bytes.reversed().prefix(count * 8).enumerated() {
      start[index / 8] |= UInt(byte) << UInt(index % 8 * 8)
    }
  }

  /// A copy of the number that can no longer be wiped.
  func disclosed() -> Natural { Natural(limbs: Array(UnsafeBufferPointer(start: start, count: count))) }

  deinit {
    wipe(start, max(1, count) * MemoryLayout<UInt>.stride)
    start.deallocate()
  }
}

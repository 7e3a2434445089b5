import CGMP

/// Memory for the limbs of a secret number, which is never copied and is wiped when it is released.
///
/// The number of limbs is public, and their contents are secret. Only the GMP functions whose time and memory access do
/// not depend on the contents (`mpn_sec_…`) receive them.
struct SecretLimbs: ~Copyable, @unchecked Sendable {
  /// The limbs, least significant first.
  let start: UnsafeMutablePointer<UInt>
  /// The number of limbs.
  let count: Int

  /// Creates `count` limbs that are zero.
  init(zeros count: Int) {
    start = .allocate(capacity: max(1, count))
    start.initialize(repeating: 0, count: max(1, count))
    self.count = count
  }

  /// Stores the lowest `count` limbs of a number.
  init(_ number: Natural, count: Int) {
    self.init(zeros: count)
    for (index, limb) in number.limbs.prefix(count).enumerated() { start[index] = limb }
  }

  /// Stores the lowest `count` limbs of a number in big-endian bytes.
  init(bigEndian bytes: [UInt8], count: Int) {
    self.init(zeros: count)
    for (index, byte) in bytes.reversed().prefix(count * 8).enumerated() {
      start[index / 8] |= UInt(byte) << UInt(index % 8 * 8)
    }
  }

  /// A copy of the number, which is not wiped.
  func disclosed() -> Natural { Natural(limbs: Array(UnsafeBufferPointer(start: start, count: count))) }

  deinit {
    wipe(start, max(1, count) * MemoryLayout<UInt>.stride)
    start.deallocate()
  }
}

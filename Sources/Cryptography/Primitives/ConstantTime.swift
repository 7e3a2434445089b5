/// Operations that depend on secret numbers, without branches in the source code.
///
/// Swift does not guarantee that the compiler adds no branches, and no test checks the machine code.
public enum ConstantTime {
  /// A mask with all bits set if the byte is 0, and zero otherwise.
  public static func isZero(_ byte: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (Int(byte) &- 1) >> 8) }

  /// A mask with all bits set if `left` <= `right`, and zero otherwise. Both numbers are from 0 to 2^31.
  public static func isAtMost(_ left: Int, _ right: Int) -> UInt8 { ~UInt8(truncatingIfNeeded: (right &- left) >> 63) }

  /// A mask with all bits set if `left` == `right`, and zero otherwise. Both numbers are from 0 to 2^31.
  public static func areEqual(_ left: Int, _ right: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: ((left ^ right) &- 1) >> 63)
  }

  /// Returns zero if all bytes are equal. The work does not depend on the position of a difference.
  @inlinable
  public static func difference(_ found: some Collection<UInt8>, _ expected: [UInt8]) -> UInt8 {
    zip(found, expected).reduce(found.count == expected.count ? 0 : 1) { $0 | ($1.0 ^ $1.1) }
  }

  /// The `count` bytes of `bytes` that start at `offset`, if only the offset is secret.
  ///
  /// The offset must be in `offsets`. All of these offsets are read in the same way.
  public static func bytes(_ bytes: [UInt8], at offset: Int, among offsets: ClosedRange<Int>, count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    for candidate in offsets {
      let mask = areEqual(candidate, offset)
      for index in 0..<count { result[index] |= bytes[candidate + index] & mask }
    }
    return result
  }
}

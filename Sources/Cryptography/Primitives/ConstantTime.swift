/// Decisions on secret numbers without branches in the source.
///
/// Swift does not guarantee that the compiler adds none, and no test checks the machine code.
public enum ConstantTime {
  /// All ones for 0, zero for any other byte.
  public static func isZero(_ byte: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (Int(byte) &- 1) >> 8) }

  /// All ones if `left` <= `right`, else zero; both are from 0 to 2^31.
  public static func isAtMost(_ left: Int, _ right: Int) -> UInt8 { ~UInt8(truncatingIfNeeded: (right &- left) >> 63) }

  /// All ones if `left` == `right`, else zero; both are from 0 to 2^31.
  public static func areEqual(_ left: Int, _ right: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: ((left ^ right) &- 1) >> 63)
  }

  /// Zero if all bytes are equal. The work does not depend on the position of a difference.
  @inlinable
  public static func difference(_ found: some Collection<UInt8>, _ expected: [UInt8]) -> UInt8 {
    zip(found, expected).reduce(found.count == expected.count ? 0 : 1) { $0 | ($1.0 ^ $1.1) }
  }

  /// The `count` bytes from `offset` of `bytes`, if only the offset is secret.
  ///
  /// The offset is one of `offsets`, all of which are read in the same way.
  public static func bytes(_ bytes: [UInt8], at offset: Int, among offsets: ClosedRange<Int>, count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    for candidate in offsets {
      let mask = areEqual(candidate, offset)
      for index in 0..<count { result[index] |= bytes[candidate + index] & mask }
    }
    return result
  }
}

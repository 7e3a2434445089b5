/// DES (FIPS 46-3): the sixteen rounds of one key, between the initial and the final permutation.
///
/// A machine of the EFF searched all 56-bit keys in 1998. TrustLab needs DES only for 3DES.
struct DES {
  /// The sixteen round keys of 48 bits (KS in FIPS 46-3).
  private let schedule: [UInt64]

  /// Creates the key schedule from 64 bits. Eight of them are parity bits, which are ignored.
  init(key: UInt64) {
    let chosen = Self.permuted(key, by: Self.permutedChoice1, of: 64)
    var (c, d) = (chosen >> 28, chosen & 0xfff_ffff)
    schedule = Self.shifts.map { count in
      c = (c << count | c >> (28 - count)) & 0xfff_ffff
      d = (d << count | d >> (28 - count)) & 0xfff_ffff
      return Self.permuted(c << 28 | d, by: Self.permutedChoice2, of: 56)
    }
  }

  /// Performs the sixteen rounds and exchanges the halves; `backwards` reverses them.
  func rounds(_ block: UInt64, backwards: Bool = false) -> UInt64 {
    var (left, right) = (UInt32(truncatingIfNeeded: block >> 32), UInt32(truncatingIfNeeded: block))
    for round in 0..<16 {
      (left, right) = (right, left ^ Self.f(right, schedule[backwards ? 15 - round : round]))
    }
    return UInt64(right) << 32 | UInt64(left)
  }

  /// The function f(R, K): the expansion E, then the selection functions and P in a single step.
  private static func f(_ right: UInt32, _ key: UInt64) -> UInt32 {
    // E expands each group of four bits to six, with the neighbours on both sides. The first group begins with the last
    // bit.
    let wide = UInt64(right & 1) << 33 | UInt64(right) << 1 | UInt64(right >> 31)
    var output: UInt32 = 0
    for box in 0..<8 {
      let shift = UInt64(28 - 4 * box)
      let index = (wide >> shift ^ key >> UInt64(42 - 6 * box)) & 0x3f
      output |= selections[box * 64 + Int(index)]
    }
    return output
  }

  /// Permutes the bits of `block` according to `table`. Bit 1 is the leftmost of `width` bits.
  static func permuted(_ block: UInt64, by table: [UInt8], of width: UInt8 = 64) -> UInt64 {
    table.reduce(0) { $0 << 1 | block >> UInt64(width - $1) & 1 }
  }
}

// The tables of FIPS 46-3, in their notation.
extension DES {
  /// The initial permutation IP.
  static let initialPermutation: [UInt8] = [
    58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22, 14, 6, 64, 56, 48, 40, 32, 24,
    16, 8, 57, 49, 41, 33, 25, 17, 9, 1, 59, 51, 43, 35, 27, 19, 11, 3, 61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39,
    31, 23, 15, 7,
  ]

  /// The final permutation IP⁻¹.
  static let finalPermutation: [UInt8] = [
    40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22, 62, 30, 37, 5, 45, 13, 53, 21,
    61, 29, 36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11, 51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9,
    49, 17, 57, 25,
  ]

  /// The permutation P.
  private static let permutation: [UInt8] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4,
    25,
  ]

  /// The permuted choice PC-1.
  private static let permutedChoice1: [UInt8] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36, 63, 55,
    47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
  ]

  /// The permuted choice PC-2.
  private static let permutedChoice2: [UInt8] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52, 31, 37, 47, 55, 30,
    40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
  ]

  /// The number of bits by which the key halves rotate before each round.
  private static let shifts: [UInt64] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1]

  /// The boxes S1 to S8, each with four rows of sixteen values.
  private static let boxes: [[UInt8]] = [
    [
      14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7, 0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8, 4, 1,
      14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0, 15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13,
    ],
    [
      15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10, 3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5, 0, 14,
      7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15, 13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9,
    ],
    [
      10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8, 13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1, 13, 6,
      4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7, 1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12,
    ],
    [
      7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15, 13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9, 10, 6,
      9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4, 3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14,
    ],
    [
      2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9, 14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6, 4, 2,
      1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14, 11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3,
    ],
    [
      12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11, 10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8, 9, 14,
      15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6, 4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13,
    ],
    [
      4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1, 13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6, 1, 4,
      11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2, 6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12,
    ],
    [
      13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7, 1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2, 7, 11,
      4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8, 2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11,
    ],
  ]

  /// The output of each box for each six-bit input, with the permutation P applied. The first and the last bit select
  /// the row, and the four bits between them select the column.
  private static let selections: [UInt32] = boxes.enumerated().flatMap { box, values in
    (0..<64).map { bits in
      let row = (bits >> 4 & 2) | (bits & 1)
      let value = UInt64(values[row * 16 + (bits >> 1 & 15)]) << UInt64(28 - 4 * box)
      return UInt32(truncatingIfNeeded: permuted(value, by: permutation, of: 32))
    }
  }
}

import CGMP

extension Natural: CustomStringConvertible {
  /// The number that `text` writes with digits of `radix` (2 to 36), in either case; nil when it is anything else.
  public init?(_ text: String, radix: Int = 10) {
    guard (2...36).contains(radix), !text.isEmpty else { return nil }
    var digits: [UInt8] = []
    for character in text.utf8 {
      guard let digit = Natural.digit(character), Int(digit) < radix else { return nil }
      if digit != 0 || !digits.isEmpty { digits.append(digit) }
    }
    let bitsPerDigit = Int.bitWidth - (radix - 1).leadingZeroBitCount
    self = digits.withUnsafeBufferPointer { digits in
      Natural(digits: digits, base: Int32(radix), bitsPerDigit: bitsPerDigit)
    }
  }

  /// The decimal digits.
  public var description: String { text(radix: 10) }

  /// The digits in `radix`, in lower case; decimal when `radix` is not one of 2 to 36.
  public func text(radix: Int) -> String {
    guard !isZero else { return "0" }
    let base = (2...36).contains(radix) ? radix : 10
    var copy = limbs + [0]
    let digits = [UInt8](unsafeUninitializedCapacity: bitWidth + 2) { buffer, count in
      copy.withUnsafeMutableBufferPointer { limbs in
        count = mpn_get_str(buffer.baseAddress, Int32(base), limbs.baseAddress, limbs.count - 1)
      }
    }
    let significant = digits.drop { $0 == 0 }
    return String(decoding: significant.map { $0 < 10 ? 48 + $0 : 87 + $0 }, as: UTF8.self)
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case 48...57: character - 48
    case 65...90: character - 55
    case 97...122: character - 87
    default: nil
    }
  }
}

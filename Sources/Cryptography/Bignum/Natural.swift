import CGMP

/// A natural number of any size.
///
/// The type is a value type that stores GMP's limbs. Its arithmetic runs at the speed of C, even in debug builds. Time
/// and memory access depend on the numbers, so calculations with secrets belong in `RSAPrivateKey`.
public struct Natural: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// The limbs, least significant first. The last limb is never zero, so that equal numbers have equal limbs.
  let limbs: [UInt]

  /// Creates a number from limbs, least significant first. The last limbs may be zero.
  init(limbs: consuming [UInt]) {
    while limbs.last == 0 { limbs.removeLast() }
    self.limbs = limbs
  }

  /// Creates a number from a machine word.
  public init(_ value: UInt) { self.init(limbs: [value]) }

  /// Creates a number from an integer literal.
  public init(integerLiteral value: UInt) { self.init(value) }

  /// Whether the number is 0.
  public var isZero: Bool { limbs.isEmpty }

  /// Whether the number is odd.
  public var isOdd: Bool { (limbs.first ?? 0) & 1 == 1 }

  /// Whether the bit at this position is 1. Position 0 is the least significant bit.
  func hasBit(_ place: Int) -> Bool {
    let limb = place / UInt.bitWidth
    return limbs.indices.contains(limb) && limbs[limb] >> UInt(place % UInt.bitWidth) & 1 == 1
  }

  /// The number of bits, without leading zeros; 0 for the number 0.
  public var bitWidth: Int {
    guard let last = limbs.last else { return 0 }
    return limbs.count * UInt.bitWidth - last.leadingZeroBitCount
  }

  /// The number of bytes, without leading zeros; 0 for the number 0.
  public var byteCount: Int { (bitWidth + 7) / 8 }

  /// The number as a machine word; nil if it is too large.
  public var word: UInt? { limbs.count <= 1 ? limbs.first ?? 0 : nil }
}

extension Natural: Comparable {
  /// Whether the left number is less than the right one.
  public static func < (left: Natural, right: Natural) -> Bool {
    if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
    guard !left.isZero else { return false }
    return left.limbs.withUnsafeBufferPointer { a in
      right.limbs.withUnsafeBufferPointer { b in mpn_cmp(a.baseAddress, b.baseAddress, a.count) < 0 }
    }
  }
}

extension Natural {
  /// Creates a number from big-endian bytes (OS2IP in RFC 8017 section 4.2). An empty sequence results in 0.
  public init(bigEndian bytes: some Sequence<UInt8>) {
    // Reads arrays and slices without a copy.
    self =
      bytes.withContiguousStorageIfAvailable(Natural.bigEndian)
      ?? Array(bytes).withUnsafeBufferPointer(Natural.bigEndian)
  }

  private static func bigEndian(_ bytes: UnsafeBufferPointer<UInt8>) -> Natural {
    Natural(digits: UnsafeBufferPointer(rebasing: bytes.drop { $0 == 0 }), base: 256, bitsPerDigit: 8)
  }

  /// Creates a number from digits in `base`, passed to GMP. The first digit must not be zero.
  init(digits: UnsafeBufferPointer<UInt8>, base: Int32, bitsPerDigit: Int) {
    guard !digits.isEmpty else {
      self.init(limbs: [])
      return
    }
    let capacity = (digits.count * bitsPerDigit + UInt.bitWidth - 1) / UInt.bitWidth + 1
    self.init(
      limbs: [UInt](unsafeUninitializedCapacity: capacity) { buffer, count in
        count = mpn_set_str(buffer.baseAddress, digits.baseAddress, digits.count, base)
      })
  }

  /// The big-endian bytes of the number, without leading zeros; empty for the number 0.
  public func bigEndianBytes() -> [UInt8] {
    guard !isZero else { return [] }
    return limbs.withUnsafeBufferPointer { limbs in
      [UInt8](unsafeUninitializedCapacity: limbs.count * 8 + 1) { buffer, count in
        // If the base is a power of two, GMP only reads the limbs.
        let source = UnsafeMutablePointer(mutating: limbs.baseAddress)
        count = mpn_get_str(buffer.baseAddress, 256, source, limbs.count)
      }
    }
  }

  /// The number in exactly `count` big-endian bytes (I2OSP in RFC 8017 section 4.1).
  ///
  /// Throws `ArithmeticError.tooLarge` ("integer too large") if `count` bytes are not enough.
  public func bigEndianBytes(count: Int) throws(ArithmeticError) -> [UInt8] {
    let bytes = bigEndianBytes()
    guard bytes.count <= count else { throw .tooLarge(byteCount: count) }
    return bytes.count == count ? bytes : [UInt8](repeating: 0, count: count - bytes.count) + bytes
  }
}

extension Natural: CustomStringConvertible {
  /// Parses digits of `radix` (2 to 36) in upper or lower case; nil if `text` contains anything else.
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

  /// The number in decimal digits.
  public var description: String { text(radix: 10) }

  /// The number in lower-case digits of `radix`; in decimal digits if `radix` is not from 2 to 36.
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

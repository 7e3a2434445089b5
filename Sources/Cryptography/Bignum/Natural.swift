import CGMP

/// A natural number of any size.
///
/// A value type with GMP's limbs. Its arithmetic runs at the speed of C, in debug builds too. Time and memory access
/// depend on the numbers; calculations with secrets belong to `RSAPrivateKey`.
public struct Natural: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// The limbs, least significant first. The last one is never zero, so that equal numbers have equal limbs.
  let limbs: [UInt]

  /// Creates a number from limbs, least significant first, with or without zeros at the end.
  init(limbs: consuming [UInt]) {
    while limbs.last == 0 { limbs.removeLast() }
    self.limbs = limbs
  }

  /// A number that fits into one machine word.
  public init(_ value: UInt) { self.init(limbs: [value]) }

  /// A number written in the source.
  public init(integerLiteral value: UInt) { self.init(value) }

  /// Whether this is 0.
  public var isZero: Bool { limbs.isEmpty }

  /// Whether this is not divisible by 2.
  public var isOdd: Bool { (limbs.first ?? 0) & 1 == 1 }

  /// Whether the bit at this position, counted from the least significant one, is 1.
  func hasBit(_ place: Int) -> Bool {
    let limb = place / UInt.bitWidth
    return limbs.indices.contains(limb) && limbs[limb] >> UInt(place % UInt.bitWidth) & 1 == 1
  }

  /// The number of bits; 0 has none.
  public var bitWidth: Int {
    guard let last = limbs.last else { return 0 }
    return limbs.count * UInt.bitWidth - last.leadingZeroBitCount
  }

  /// The number of bytes; 0 has none.
  public var byteCount: Int { (bitWidth + 7) / 8 }

  /// The number as a machine word; nil if it does not fit into one.
  public var word: UInt? { limbs.count <= 1 ? limbs.first ?? 0 : nil }
}

extension Natural: Comparable {
  /// Compares the values.
  public static func < (left: Natural, right: Natural) -> Bool {
    if left.limbs.count != right.limbs.count { return left.limbs.count < right.limbs.count }
    guard !left.isZero else { return false }
    return left.limbs.withUnsafeBufferPointer { a in
      right.limbs.withUnsafeBufferPointer { b in mpn_cmp(a.baseAddress, b.baseAddress, a.count) < 0 }
    }
  }
}

extension Natural {
  /// Creates a number from big-endian bytes (OS2IP of RFC 8017 section 4.2). No bytes are 0.
  public init(bigEndian bytes: some Sequence<UInt8>) {
    // Reads arrays and slices without a copy.
    self =
      bytes.withContiguousStorageIfAvailable(Natural.bigEndian)
      ?? Array(bytes).withUnsafeBufferPointer(Natural.bigEndian)
  }

  private static func bigEndian(_ bytes: UnsafeBufferPointer<UInt8>) -> Natural {
    Natural(digits: UnsafeBufferPointer(rebasing: bytes.drop { $0 == 0 }), base: 256, bitsPerDigit: 8)
  }

  /// Creates a number from digits in GMP's `base`, the first of which is not zero.
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

  /// The big-endian bytes of the number, without leading zeros; none for 0.
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

  /// The number in exactly `count` big-endian bytes (I2OSP of RFC 8017 section 4.1).
  ///
  /// Throws `ArithmeticError.tooLarge` ("integer too large") if it does not fit.
  public func bigEndianBytes(count: Int) throws(ArithmeticError) -> [UInt8] {
    let bytes = bigEndianBytes()
    guard bytes.count <= count else { throw .tooLarge(byteCount: count) }
    return bytes.count == count ? bytes : [UInt8](repeating: 0, count: count - bytes.count) + bytes
  }
}

extension Natural: CustomStringConvertible {
  /// Parses digits of `radix` (2 to 36), in either case; nil if `text` is anything else.
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

  /// The digits in `radix`, in lower case; decimal if `radix` is not one of 2 to 36.
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

import CGMP

/// A whole number that is not negative, of any size.
///
/// A value type on GMP's limbs: its arithmetic runs at the speed of C, in debug builds too. Time and memory access
/// depend on the numbers; calculations with secrets belong to `RSAPrivateKey`.
public struct Natural: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Least significant limb first; the last one is never zero, so that zero has none and equal numbers equal limbs.
  let limbs: [UInt]

  /// A number of these limbs, least significant first, with or without zeros at the end.
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

  /// How many binary digits the number has; 0 has none.
  public var bitWidth: Int {
    guard let last = limbs.last else { return 0 }
    return limbs.count * UInt.bitWidth - last.leadingZeroBitCount
  }

  /// How many bytes the number has; 0 has none.
  public var byteCount: Int { (bitWidth + 7) / 8 }

  /// The number as a machine word, nil when it does not fit into one.
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

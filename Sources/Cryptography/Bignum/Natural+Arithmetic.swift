import CGMP

extension Natural {
  /// The sum.
  public static func + (left: Natural, right: Natural) -> Natural {
    let (long, short) = left.limbs.count >= right.limbs.count ? (left.limbs, right.limbs) : (right.limbs, left.limbs)
    guard !short.isEmpty else { return Natural(limbs: long) }
    return Natural.filled(long.count + 1) { result in
      result[long.count] = mpn_add(result, long, long.count, short, short.count)
    }
  }

  /// The product.
  public static func * (left: Natural, right: Natural) -> Natural {
    let (long, short) = left.limbs.count >= right.limbs.count ? (left.limbs, right.limbs) : (right.limbs, left.limbs)
    guard !short.isEmpty else { return 0 }
    return Natural.filled(long.count + short.count) { result in
      mpn_mul(result, long, long.count, short, short.count)
    }
  }

  /// The difference; throws `ArithmeticError.negativeResult` when `other` is the larger one.
  public func subtracting(_ other: Natural) throws(ArithmeticError) -> Natural {
    guard self >= other else { throw .negativeResult }
    guard !other.isZero else { return self }
    return Natural.filled(limbs.count) { result in
      _ = mpn_sub(result, limbs, limbs.count, other.limbs, other.limbs.count)
    }
  }

  /// Quotient and remainder of the division; throws `ArithmeticError.divisionByZero`.
  public func quotientAndRemainder(
    dividingBy divisor: Natural
  ) throws(ArithmeticError) -> (quotient: Natural, remainder: Natural) {
    guard !divisor.isZero else { throw .divisionByZero }
    guard self >= divisor else { return (0, self) }
    var remainder = [UInt](repeating: 0, count: divisor.limbs.count)
    let quotient = Natural.filled(limbs.count - divisor.limbs.count + 1) { quotient in
      mpn_tdiv_qr(quotient, &remainder, limbs, limbs.count, divisor.limbs, divisor.limbs.count)
    }
    return (quotient, Natural(limbs: remainder))
  }

  /// The remainder of the division; throws `ArithmeticError.divisionByZero`.
  public func remainder(dividingBy divisor: Natural) throws(ArithmeticError) -> Natural {
    try quotientAndRemainder(dividingBy: divisor).remainder
  }

  /// The remainder of the division by a machine word; throws `ArithmeticError.divisionByZero`.
  public func remainder(dividingBy divisor: UInt) throws(ArithmeticError) -> UInt {
    guard divisor != 0 else { throw .divisionByZero }
    return isZero ? 0 : mpn_mod_1(limbs, limbs.count, divisor)
  }

  /// The number without its `count` least significant bits; the number itself when `count` is not positive.
  public func shiftedRight(by count: Int) -> Natural {
    guard count > 0 else { return self }
    guard count < bitWidth else { return 0 }
    let rest = Array(limbs.dropFirst(count / UInt.bitWidth))
    let bits = UInt32(count % UInt.bitWidth)
    guard bits > 0 else { return Natural(limbs: rest) }
    return Natural.filled(rest.count) { result in _ = mpn_rshift(result, rest, rest.count, bits) }
  }

  /// A number of `count` limbs (at least one) that `body` writes, all of them.
  static func filled(_ count: Int, _ body: (UnsafeMutablePointer<UInt>) -> Void) -> Natural {
    Natural(
      limbs: [UInt](unsafeUninitializedCapacity: count) { buffer, initialized in
        guard let start = buffer.baseAddress else { return }
        body(start)
        initialized = count
      })
  }
}

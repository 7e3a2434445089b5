import CGMP

extension Natural {
  /// The sum of two numbers.
  public static func + (left: Natural, right: Natural) -> Natural {
    let (long, short) = left.limbs.count >= right.limbs.count ? (left.limbs, right.limbs) : (right.limbs, left.limbs)
    guard !short.isEmpty else { return Natural(limbs: long) }
    return Natural.filled(long.count + 1) { result in
      result[long.count] = mpn_add(result, long, long.count, short, short.count)
    }
  }

  /// The product of two numbers.
  public static func * (left: Natural, right: Natural) -> Natural {
    let (long, short) = left.limbs.count >= right.limbs.count ? (left.limbs, right.limbs) : (right.limbs, left.limbs)
    guard !short.isEmpty else { return 0 }
    return Natural.filled(long.count + short.count) { result in
      mpn_mul(result, long, long.count, short, short.count)
    }
  }

  /// Subtracts `other` from this number; throws `ArithmeticError.negativeResult` if `other` is larger.
  public func subtracting(_ other: Natural) throws(ArithmeticError) -> Natural {
    guard self >= other else { throw .negativeResult }
    guard !other.isZero else { return self }
    return Natural.filled(limbs.count) { result in
      _ = mpn_sub(result, limbs, limbs.count, other.limbs, other.limbs.count)
    }
  }

  /// The quotient and remainder of a division; throws `ArithmeticError.divisionByZero` if the divisor is 0.
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

  /// The remainder of a division; throws `ArithmeticError.divisionByZero` if the divisor is 0.
  public func remainder(dividingBy divisor: Natural) throws(ArithmeticError) -> Natural {
    try quotientAndRemainder(dividingBy: divisor).remainder
  }

  /// The remainder of a division by a machine word; throws `ArithmeticError.divisionByZero` if the divisor is 0.
  public func remainder(dividingBy divisor: UInt) throws(ArithmeticError) -> UInt {
    guard divisor != 0 else { throw .divisionByZero }
    return isZero ? 0 : mpn_mod_1(limbs, limbs.count, divisor)
  }

  /// Removes the `count` least significant bits; returns the number unchanged if `count` is not positive.
  public func shiftedRight(by count: Int) -> Natural {
    guard count > 0 else { return self }
    guard count < bitWidth else { return 0 }
    let rest = Array(limbs.dropFirst(count / UInt.bitWidth))
    let bits = UInt32(count % UInt.bitWidth)
    guard bits > 0 else { return Natural(limbs: rest) }
    return Natural.filled(rest.count) { result in _ = mpn_rshift(result, rest, rest.count, bits) }
  }

  /// Creates a number of `count` limbs, at least one. `body` must write all of them.
  static func filled(_ count: Int, _ body: (UnsafeMutablePointer<UInt>) -> Void) -> Natural {
    Natural(
      limbs: [UInt](unsafeUninitializedCapacity: count) { buffer, initialized in
        guard let start = buffer.baseAddress else { return }
        body(start)
        initialized = count
      })
  }

  /// This number raised to `exponent`, modulo `modulus`; throws `ArithmeticError.divisionByZero` if `modulus` is 0.
  public func power(_ exponent: Natural, modulo modulus: Natural) throws(ArithmeticError) -> Natural {
    guard !modulus.isZero else { throw .divisionByZero }
    return withInteger { base in
      exponent.withInteger { exponent in
        modulus.withInteger { modulus in Natural.calculated { mpz_powm($0, base, exponent, modulus) } }
      }
    }
  }

  /// The multiplicative inverse of this number modulo `modulus`; nil if there is none.
  public func inverse(modulo modulus: Natural) -> Natural? {
    guard !modulus.isZero else { return nil }
    return withInteger { number in
      modulus.withInteger { modulus in
        var exists: Int32 = 0
        let inverse = Natural.calculated { exists = mpz_invert($0, number, modulus) }
        return exists == 0 ? nil : inverse
      }
    }
  }

  /// The greatest common divisor of the two numbers; if one of them is 0, the other number.
  public func greatestCommonDivisor(with other: Natural) -> Natural {
    withInteger { left in
      other.withInteger { right in Natural.calculated { mpz_gcd($0, left, right) } }
    }
  }

  /// Passes the number to GMP's `mpz` functions without copying it.
  func withInteger<Result>(_ body: (UnsafePointer<__mpz_struct>) -> Result) -> Result {
    limbs.withUnsafeBufferPointer { limbs in
      withUnsafePointer(to: mpz_view(limbs.baseAddress, limbs.count), body)
    }
  }

  /// Creates a number from the GMP integer that `body` writes, which must not be negative.
  static func calculated(_ body: (UnsafeMutablePointer<__mpz_struct>) -> Void) -> Natural {
    var integer = __mpz_struct()
    return withUnsafeMutablePointer(to: &integer) { integer in
      mpz_init(integer)
      defer { mpz_clear(integer) }
      body(integer)
      return Natural(limbs: Array(UnsafeBufferPointer(start: mpz_limbs_read(integer), count: mpz_size(integer))))
    }
  }
}

/// The reason why a calculation with natural numbers has no result.
public enum ArithmeticError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The divisor or modulus is zero.
  case divisionByZero
  /// The result of a subtraction is below zero.
  case negativeResult
  /// The number needs more bytes than are available.
  case tooLarge(byteCount: Int)

  /// A description of the reason.
  public var description: String {
    switch self {
    case .divisionByZero: "division by zero"
    case .negativeResult: "the result is below zero"
    case .tooLarge(let byteCount): "the number does not fit into \(byteCount) bytes"
    }
  }
}

import CGMP

extension Natural {
  /// This number raised to `exponent`, modulo `modulus`; throws `ArithmeticError.divisionByZero` for modulus 0.
  public func power(_ exponent: Natural, modulo modulus: Natural) throws(ArithmeticError) -> Natural {
    guard !modulus.isZero else { throw .divisionByZero }
    return withInteger { base in
      exponent.withInteger { exponent in
        modulus.withInteger { modulus in Natural.calculated { mpz_powm($0, base, exponent, modulus) } }
      }
    }
  }

  /// The number whose product with this one is 1 modulo `modulus`; nil when there is none.
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

  /// The greatest number that divides both; with 0 it is the other one.
  public func greatestCommonDivisor(with other: Natural) -> Natural {
    withInteger { left in
      other.withInteger { right in Natural.calculated { mpz_gcd($0, left, right) } }
    }
  }

  /// Lends the number to GMP's `mpz` functions, without copying it.
  func withInteger<Result>(_ body: (UnsafePointer<__mpz_struct>) -> Result) -> Result {
    limbs.withUnsafeBufferPointer { limbs in
      withUnsafePointer(to: mpz_view(limbs.baseAddress, limbs.count), body)
    }
  }

  /// The number that `body` leaves in one of GMP's integers, which must not be negative.
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

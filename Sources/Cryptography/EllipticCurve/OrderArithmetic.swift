import CGMP

/// Arithmetic modulo the order of a curve, on secrets.
///
/// Like the calculations with RSA keys it uses only GMP's functions whose time and memory access do not depend on the
/// numbers, in memory that is wiped afterwards.
struct OrderArithmetic {
  private let order: [UInt]
  /// n − 2: raised to it, a number is its own inverse (P. de Fermat, 1640).
  private let exponent: [UInt]

  /// Throws only when the curve's own constants were wrong.
  init(_ curve: EllipticCurve) throws(ArithmeticError) {
    order = curve.order.limbs
    exponent = try curve.order.subtracting(2).limbs
  }

  /// How many limbs a number below the order has.
  var count: Int { order.count }

  /// left · right mod n, of numbers below n.
  func product(_ left: borrowing SecretLimbs, _ right: borrowing SecretLimbs) -> SecretLimbs {
    let scratch = SecretLimbs(
      zeros: 2 * count + max(mpn_sec_mul_itch(count, count), mpn_sec_div_r_itch(2 * count, count)))
    let rest = scratch.start + 2 * count
    mpn_sec_mul(scratch.start, left.start, count, right.start, count, rest)
    mpn_sec_div_r(scratch.start, 2 * count, order, count, rest)
    let result = SecretLimbs(zeros: count)
    result.start.update(from: scratch.start, count: count)
    return result
  }

  /// left + right mod n, of numbers below n: left − (n − right), and one n more where that is negative.
  func sum(_ left: borrowing SecretLimbs, _ right: borrowing SecretLimbs) -> SecretLimbs {
    let complement = SecretLimbs(zeros: count)
    _ = mpn_sub_n(complement.start, order, right.start, count)
    let result = SecretLimbs(zeros: count)
    let borrow = mpn_sub_n(result.start, left.start, complement.start, count)
    mpn_cnd_add_n(borrow, result.start, result.start, order, count)
    return result
  }

  /// number⁻¹ mod n, of a number below n that is not zero.
  func inverse(_ number: borrowing SecretLimbs) -> SecretLimbs {
    let bits = UInt(count * UInt.bitWidth)
    let scratch = SecretLimbs(zeros: mpn_sec_powm_itch(count, bits, count))
    let result = SecretLimbs(zeros: count)
    mpn_sec_powm(result.start, number.start, count, exponent, bits, order, count, scratch.start)
    return result
  }
}

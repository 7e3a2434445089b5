import CGMP
import Crypto
import SwiftASN1

/// A curve for ECDSA keys (FIPS 186-5, SP 800-186).
public enum EllipticCurve: String, Sendable, Hashable, CaseIterable {
  /// secp256r1.
  case p256 = "P-256"
  /// secp384r1.
  case p384 = "P-384"
  /// secp521r1.
  case p521 = "P-521"

  /// The size of the field in bits, which the curve's name contains.
  public var bits: Int {
    switch self {
    case .p256: 256
    case .p384: 384
    case .p521: 521
    }
  }

  /// The size of a coordinate or scalar in bytes.
  public var byteCount: Int { (bits + 7) / 8 }

  /// The prime order n of the base point, which has as many bits as the field.
  public var order: Natural {
    switch self {
    case .p256: EllipticCurve.orders[0]
    case .p384: EllipticCurve.orders[1]
    case .p521: EllipticCurve.orders[2]
    }
  }

  /// The orders in decimal digits, as in SP 800-186 section 3.2.1.
  private static let orders = [
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
      + "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
  ].map { Natural($0, radix: 16) ?? 0 }

  var oid: ASN1ObjectIdentifier {
    switch self {
    case .p256: .NamedCurves.secp256r1
    case .p384: .NamedCurves.secp384r1
    case .p521: .NamedCurves.secp521r1
    }
  }

  /// The base point multiplied by a scalar, as `04 x y`.
  ///
  /// Nil unless the scalar has `byteCount` bytes and is from 1 to n − 1.
  func point(_ scalar: [UInt8]) -> [UInt8]? {
    switch self {
    case .p256: (try? P256.Signing.PrivateKey(rawRepresentation: scalar)).map { Array($0.publicKey.x963Representation) }
    case .p384: (try? P384.Signing.PrivateKey(rawRepresentation: scalar)).map { Array($0.publicKey.x963Representation) }
    case .p521: (try? P521.Signing.PrivateKey(rawRepresentation: scalar)).map { Array($0.publicKey.x963Representation) }
    }
  }

  /// Applies bits2int of RFC 6979 section 2.3.2 to `byteCount` bytes. The result has the same length, because the bytes
  /// of P-521 have seven bits too many.
  func scalar(_ bytes: [UInt8]) -> [UInt8] {
    let shift = byteCount * 8 - bits
    return bytes.indices.map { index in
      let above = index > 0 ? bytes[index - 1] : 0
      return bytes[index] >> UInt8(shift) | UInt8(truncatingIfNeeded: Int(above) << (8 - shift))
    }
  }

  /// Applies bits2int of RFC 6979 section 2.3.2: the leftmost bits, at most as many as the order has.
  func number(_ bytes: [UInt8]) -> Natural {
    Natural(bigEndian: bytes).shiftedRight(by: bytes.count * 8 - bits)
  }
}

/// Arithmetic on secrets modulo the order of a curve.
///
/// Like the calculations with RSA keys, it uses functions of GMP whose time and memory access do not depend on the
/// numbers. Their memory is wiped afterwards.
struct OrderArithmetic {
  private let order: [UInt]
  /// The exponent n − 2, which computes the inverse (P. de Fermat, 1640).
  private let exponent: [UInt]

  /// Creates the arithmetic of a curve. Throws only if the curve's constants are wrong.
  init(_ curve: EllipticCurve) throws(ArithmeticError) {
    order = curve.order.limbs
    exponent = try curve.order.subtracting(2).limbs
  }

  /// The number of limbs in a number below the order.
  var count: Int { order.count }

  /// The product left · right mod n, for numbers below n.
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

  /// The sum left + right mod n, for numbers below n. It is left − (n − right), plus n if that is negative.
  func sum(_ left: borrowing SecretLimbs, _ right: borrowing SecretLimbs) -> SecretLimbs {
    let complement = SecretLimbs(zeros: count)
    _ = mpn_sub_n(complement.start, order, right.start, count)
    let result = SecretLimbs(zeros: count)
    let borrow = mpn_sub_n(result.start, left.start, complement.start, count)
    mpn_cnd_add_n(borrow, result.start, result.start, order, count)
    return result
  }

  /// The inverse number⁻¹ mod n, for a nonzero number below n.
  func inverse(_ number: borrowing SecretLimbs) -> SecretLimbs {
    let bits = UInt(count * UInt.bitWidth)
    let scratch = SecretLimbs(zeros: mpn_sec_powm_itch(count, bits, count))
    let result = SecretLimbs(zeros: count)
    mpn_sec_powm(result.start, number.start, count, exponent, bits, order, count, scratch.start)
    return result
  }
}

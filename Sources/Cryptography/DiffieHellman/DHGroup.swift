/// A group for finite-field Diffie–Hellman: the powers of a generator modulo a prime.
public struct DHGroup: Sendable, Hashable {
  /// The prime modulus p.
  public let prime: Natural
  /// The generator g.
  public let generator: Natural
  /// The size of a private key in bits.
  ///
  /// It is the size of the modulus, or a smaller size that is known to be sufficient.
  let exponentBits: Int

  /// Creates a group with these parameters without checking them; see `weakness`.
  public init(prime: Natural, generator: Natural) {
    let known = Self.named.first { $0.group.prime == prime && $0.group.generator == generator }
    self.init(prime, generator, exponentBits: known?.group.exponentBits ?? max(1, prime.bitWidth - 1))
  }

  private init(_ prime: Natural, _ generator: Natural, exponentBits: Int) {
    self.prime = prime
    self.generator = generator
    self.exponentBits = exponentBits
  }

  /// The size of the modulus in bits.
  public var bits: Int { prime.bitWidth }
}

extension DHGroup {
  /// The group of 2048 bits in RFC 7919 appendix A, whose generator is 2.
  public static let ffdhe2048 = named[0].group
  /// The group of 3072 bits in RFC 7919 appendix A.
  public static let ffdhe3072 = named[1].group
  /// The group of 4096 bits in RFC 7919 appendix A.
  public static let ffdhe4096 = named[2].group
  /// The group of 6144 bits in RFC 7919 appendix A.
  public static let ffdhe6144 = named[3].group
  /// The group of 8192 bits in RFC 7919 appendix A.
  public static let ffdhe8192 = named[4].group

  /// The groups of RFC 7919, each with its name in TLS.
  public static let named: [(name: String, group: DHGroup)] = [
    ("ffdhe2048", ffdhe(2048, 560_316, exponentBits: 225)), ("ffdhe3072", ffdhe(3072, 2_625_351, exponentBits: 275)),
    ("ffdhe4096", ffdhe(4096, 5_736_041, exponentBits: 325)),
    ("ffdhe6144", ffdhe(6144, 15_705_020, exponentBits: 375)),
    ("ffdhe8192", ffdhe(8192, 10_965_728, exponentBits: 400)),
  ]

  /// Creates a group of RFC 7919 appendix A: p = 2^b - 2^(b-64) + (floor(2^(b-130) * e) + X) * 2^64 - 1.
  ///
  /// The primes are derived from Euler's number e, so that they cannot contain a trapdoor.
  private static func ffdhe(_ bits: Int, _ x: UInt, exponentBits: Int) -> DHGroup {
    let digits = euler.shiftedRight(by: eulerBits - (bits - 130)) + Natural(x)
    let ends = power(of: 2, bits) + digits * power(of: 2, 64)
    let prime = (try? ends.subtracting(power(of: 2, bits - 64) + 1)) ?? 0
    return DHGroup(prime, 2, exponentBits: exponentBits)
  }

  /// The number of fractional bits in `euler`. The last 66 bits absorb the rounding errors of the divisions.
  private static let eulerBits = 8192 - 130 + 66

  /// Euler's number e = 1/0! + 1/1! + 1/2! + …, with `eulerBits` fractional bits.
  private static let euler: Natural = {
    var (sum, term, number) = (power(of: 2, eulerBits), power(of: 2, eulerBits), UInt(1))
    while !term.isZero {
      sum = sum + term
      number += 1
      term = (try? term.quotientAndRemainder(dividingBy: Natural(number)).quotient) ?? 0
    }
    return sum
  }()

  /// Returns 2^`exponent`, for an exponent that is a multiple of 8.
  private static func power(of two: UInt8, _ exponent: Int) -> Natural {
    Natural(bigEndian: [1] + [UInt8](repeating: 0, count: exponent / 8))
  }
}

extension DHGroup {
  /// A defect that makes a group unsuitable for key agreement.
  public enum Weakness: Sendable, Hashable, CustomStringConvertible {
    /// The modulus is not prime, so that its factors reveal the private keys.
    case composite
    /// The generator has at most two different powers.
    case generator

    /// A short description of the defect.
    public var description: String {
      switch self {
      case .composite: "a modulus that is not prime"
      case .generator: "a generator of at most two values"
      }
    }
  }

  /// A visible defect of the parameters; nil if there is none.
  ///
  /// A group has no visible defect if its modulus is prime and its generator has more than two powers. The order of the
  /// generator is not checked, because (p-1)/2 need not be prime in a server's own group.
  public var weakness: Weakness? {
    if Self.named.contains(where: { $0.group == self }) { return nil }
    guard prime.isOdd, prime.isProbablyPrime, let last = try? prime.subtracting(1) else { return .composite }
    return generator > 1 && generator < last ? nil : .generator
  }
}

/// The work needed to break a modulus, as a power of two (NIST SP 800-57 part 1, table 2).
///
/// Breaking a modulus means factoring it, or computing a discrete logarithm modulo a prime of this size.
public struct SecurityStrength: Sendable, Hashable, CustomStringConvertible {
  /// The size of the modulus.
  public let modulusBits: Int

  /// Creates the strength of a modulus with this many bits.
  public init(ofModulus bits: Int) { modulusBits = bits }

  /// The rows of the table. The first is 512 bits by the formula of FIPS 140-2 IG 7.5, on which the table is based.
  private static let table = [(512, 57), (768, 70), (1024, 80), (2048, 112), (3072, 128), (7680, 192), (15360, 256)]

  /// The minimum strength that NIST still allows (SP 800-131A revision 2, section 1.2).
  private static let allowed = 112

  /// The size of RSA-155, which was factored in 1999. In 2015, breaking a modulus of this size cost 75 dollars
  /// ("Factoring as a Service").
  private static let everyonesSize = 512

  /// The default budget, 2^40 candidates, which every attacker is assumed to have.
  private static let everyonesBudget = 40

  /// The strength as a power of two, interpolated linearly between two rows of the table.
  public var bits: Int {
    guard let above = Self.table.firstIndex(where: { modulusBits <= $0.0 }) else { return 256 }
    let (size, strength) = Self.table[above]
    guard above > 0 else { return strength }
    let (smaller, less) = Self.table[above - 1]
    return less + (strength - less) * (modulusBits - smaller) / (size - smaller)
  }

  /// Whether NIST no longer allows a key of this strength.
  public var isLegacy: Bool { bits < Self.allowed }

  /// Whether every attacker with the default budget can break a key of this strength.
  public var isInEveryonesReach: Bool { modulusBits <= Self.everyonesSize }

  /// Returns whether an attacker with 2^`budget` operations can break a key of this strength.
  public func isInReach(ofBudget budget: Int) -> Bool {
    bits <= budget || isInEveryonesReach && budget >= Self.everyonesBudget
  }

  /// The strength in words: `about 2^80 operations (SP 800-57 part 1, table 2)`.
  public var description: String {
    isInEveryonesReach
      ? "feasible: RSA-155 was factored in 1999, and in 2015 such a key cost 75 dollars"
      : "about 2^\(bits) operations (SP 800-57 part 1, table 2)"
  }
}

/// The numbers of an RSA private key, by the names of RSAPrivateKey in RFC 8017 appendix A.1.2.
///
/// These are the secrets themselves, in memory that nobody wipes: for lessons, and for writing keys down.
public struct RSAPrivateComponents: Sendable, Hashable {
  /// n, the modulus.
  public let modulus: Natural
  /// e, the public exponent.
  public let publicExponent: Natural
  /// d, the private exponent: e·d = 1 modulo lcm(p−1, q−1).
  public let privateExponent: Natural
  /// p, the first prime.
  public let prime1: Natural
  /// q, the second prime.
  public let prime2: Natural
  /// dP = d mod (p−1).
  public let exponent1: Natural
  /// dQ = d mod (q−1).
  public let exponent2: Natural
  /// qInv = q⁻¹ mod p.
  public let coefficient: Natural

  /// The key of two primes, with d = e⁻¹ mod lcm(p−1, q−1); throws when there is none.
  public init(prime1: Natural, prime2: Natural, publicExponent: Natural) throws(RSAError) {
    let order = try RSAPrivateComponents.order(prime1, prime2)
    guard let privateExponent = publicExponent.inverse(modulo: order) else {
      throw .inconsistentKey("e has a divisor in common with lcm(p-1, q-1)")
    }
    try self.init(
      prime1: prime1, prime2: prime2, publicExponent: publicExponent, privateExponent: privateExponent)
  }

  /// The key of two primes and both exponents; what follows from them is computed.
  init(prime1: Natural, prime2: Natural, publicExponent: Natural, privateExponent: Natural) throws(RSAError) {
    guard let coefficient = prime2.inverse(modulo: prime1) else {
      throw .inconsistentKey("p and q have a divisor in common")
    }
    do {
      exponent1 = try privateExponent.remainder(dividingBy: prime1.subtracting(1))
      exponent2 = try privateExponent.remainder(dividingBy: prime2.subtracting(1))
    } catch {
      throw .inconsistentKey("p and q must be at least 2")
    }
    modulus = prime1 * prime2
    self.publicExponent = publicExponent
    self.privateExponent = privateExponent
    self.prime1 = prime1
    self.prime2 = prime2
    self.coefficient = coefficient
  }

  /// lcm(p−1, q−1), Carmichael's function of the modulus.
  static func order(_ prime1: Natural, _ prime2: Natural) throws(RSAError) -> Natural {
    do {
      let (left, right) = (try prime1.subtracting(1), try prime2.subtracting(1))
      return try (left * right).quotientAndRemainder(dividingBy: left.greatestCommonDivisor(with: right)).quotient
    } catch {
      throw .inconsistentKey("p and q must be at least 2")
    }
  }

  /// Throws unless both factors are odd primes, neither of them twice, and e·d = 1 modulo lcm(p−1, q−1).
  func validate() throws(RSAError) {
    guard prime1.isOdd, prime1.isProbablyPrime else { throw .inconsistentKey("p is not an odd prime") }
    guard prime2.isOdd, prime2.isProbablyPrime else { throw .inconsistentKey("q is not an odd prime") }
    guard prime1 != prime2 else { throw .inconsistentKey("p and q are equal") }
    let order = try RSAPrivateComponents.order(prime1, prime2)
    guard privateExponent < modulus,
      (try? (publicExponent * privateExponent).remainder(dividingBy: order)) == 1
    else { throw .inconsistentKey("e * d is not 1 modulo lcm(p-1, q-1)") }
  }
}

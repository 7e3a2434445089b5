import CGMP
import Synchronization

/// An RSA private key (RFC 8017 section 3.2): two primes, and the numbers derived from them.
///
/// The memory of the secrets is wiped when the key is released. When a key is generated or decoded, its numbers are
/// also in ordinary memory. Keys come from a seeded generator, so that the same seed results in the same key on every
/// machine. Each key in memory has its own blinding factors.
public final class RSAPrivateKey: Sendable {
  /// The public key that belongs to this key.
  public let publicKey: RSAPublicKey
  private let secrets: RSASecrets
  private let blinding: Mutex<RSABlinding>

  /// Creates the key with these numbers.
  ///
  /// Throws `RSAError` unless the factors are different odd primes, e·d = 1 modulo lcm(p−1, q−1) and the modulus has
  /// 512 to 8192 bits.
  public convenience init(_ components: RSAPrivateComponents) throws(RSAError) {
    try components.validate()
    try self.init(validated: components)
  }

  package init(validated components: RSAPrivateComponents) throws(RSAError) {
    publicKey = try RSAPublicKey(modulus: components.modulus, exponent: components.publicExponent)
    secrets = try RSASecrets(components)
    let label = Hash.sha256.digest(components.privateExponent.bigEndianBytes())
    // The blinding pair must not come from the seed: an attacker that knows the pair could remove the blinding in every
    // process. Results do not depend on the pair.
    var system = DeterministicRandom(seed: nil, label: "RSA blinding")
    var random = DeterministicRandom(seedMaterial: Array("RSA blinding".utf8) + [0] + label + system.bytes(32))
    blinding = Mutex(try RSABlinding(publicKey, random: &random))
  }

  /// The secret numbers, for display or export. This copy is not wiped.
  public func disclosedComponents() throws(RSAError) -> RSAPrivateComponents {
    try secrets.disclosed(publicExponent: publicKey.exponent)
  }

  /// RSADP (RFC 8017 section 5.1.2): c^d mod n. Throws if c is not below n.
  public func rsadp(_ ciphertext: Natural) throws(RSAError) -> Natural {
    Natural(bigEndian: try privateOperation(ciphertext))
  }

  /// RSASP1 (RFC 8017 section 5.2.1): m^d mod n. Throws if m is not below n.
  public func rsasp1(_ message: Natural) throws(RSAError) -> Natural { try rsadp(message) }

  /// The representative raised to d modulo n, in as many bytes as the modulus has.
  ///
  /// The calculation is blinded, and its result is first checked with the public key. Otherwise, a fault in one half of
  /// the calculation would reveal the factors (D. Boneh, R. DeMillo, R. Lipton, 1997).
  func privateOperation(_ representative: Natural) throws(RSAError) -> [UInt8] {
    guard representative < publicKey.modulus else { throw .representativeOutOfRange }
    let modulus = publicKey.modulus.limbs
    let count = modulus.count
    let memory = SecretLimbs(zeros: 5 * count + 1 + scratchCount(count))
    let (factor, inverse) = (memory.start, memory.start + count)
    let product = inverse + count  // twice as long as the modulus; the reduced value is in the first half
    let result = product + 2 * count
    let scratch = result + count + 1
    blinding.withLock { $0.next(factor: factor, inverse: inverse) }

    result.update(repeating: 0, count: count)
    representative.limbs.withUnsafeBufferPointer { limbs in
      if let start = limbs.baseAddress { result.update(from: start, count: limbs.count) }
    }
    multiply(result, factor, into: product, scratch)
    secrets.exponentiate(product, count: count, into: result)
    guard leadsBack(result, to: product) else { throw .faultDetected }
    multiply(result, inverse, into: product, scratch)
    return bytes(product)
  }

  /// Multiplies two numbers modulo the modulus; writes the result to the first half of `product`.
  private func multiply(
    _ left: UnsafePointer<UInt>, _ right: UnsafePointer<UInt>, into product: UnsafeMutablePointer<UInt>,
    _ scratch: UnsafeMutablePointer<UInt>
  ) {
    let modulus = publicKey.modulus.limbs
    mpn_sec_mul(product, left, modulus.count, right, modulus.count, scratch)
    mpn_sec_div_r(product, 2 * modulus.count, modulus, modulus.count, scratch)
  }

  private func scratchCount(_ count: Int) -> Int {
    max(mpn_sec_mul_itch(count, count), mpn_sec_div_r_itch(2 * count, count))
  }

  /// Whether result^e mod n equals the blinded representative.
  private func leadsBack(_ result: UnsafePointer<UInt>, to representative: UnsafePointer<UInt>) -> Bool {
    let count = publicKey.modulus.limbs.count
    return publicKey.exponent.withInteger { exponent in
      publicKey.modulus.withInteger { modulus in
        withUnsafePointer(to: mpz_view(result, count)) { result in
          let check = Natural.calculated { mpz_powm($0, result, exponent, modulus) }
          return check == Natural(limbs: Array(UnsafeBufferPointer(start: representative, count: count)))
        }
      }
    }
  }

  /// Performs I2OSP with the length of the modulus. The work does not depend on the number.
  private func bytes(_ limbs: UnsafePointer<UInt>) -> [UInt8] {
    let count = publicKey.byteCount
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      for index in 0..<count {
        buffer[count - 1 - index] = UInt8(truncatingIfNeeded: limbs[index / 8] >> UInt(index % 8 * 8))
      }
      initialized = count
    }
  }
}

/// The numbers of an RSA private key, named as in RSAPrivateKey in RFC 8017 appendix A.1.2.
///
/// The numbers are secret, and their memory is not wiped. Lessons display them, and key files contain them.
public struct RSAPrivateComponents: Sendable, Hashable {
  /// The modulus n.
  public let modulus: Natural
  /// The public exponent e.
  public let publicExponent: Natural
  /// The private exponent d, for which e·d = 1 modulo lcm(p−1, q−1).
  public let privateExponent: Natural
  /// The first prime p.
  public let prime1: Natural
  /// The second prime q.
  public let prime2: Natural
  /// dP = d mod (p−1).
  public let exponent1: Natural
  /// dQ = d mod (q−1).
  public let exponent2: Natural
  /// qInv = q⁻¹ mod p.
  public let coefficient: Natural

  /// Creates a key from two primes with d = e⁻¹ mod lcm(p−1, q−1); throws if there is no such d.
  public init(prime1: Natural, prime2: Natural, publicExponent: Natural) throws(RSAError) {
    let order = try RSAPrivateComponents.order(prime1, prime2)
    guard let privateExponent = publicExponent.inverse(modulo: order) else {
      throw .inconsistentKey("e and lcm(p-1, q-1) have a common divisor")
    }
    try self.init(
      prime1: prime1, prime2: prime2, publicExponent: publicExponent, privateExponent: privateExponent)
  }

  /// Creates a key from two primes and both exponents, and computes the other numbers.
  init(prime1: Natural, prime2: Natural, publicExponent: Natural, privateExponent: Natural) throws(RSAError) {
    guard let coefficient = prime2.inverse(modulo: prime1) else {
      throw .inconsistentKey("p and q have a common divisor")
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

  /// Carmichael's function of the modulus, lcm(p−1, q−1).
  static func order(_ prime1: Natural, _ prime2: Natural) throws(RSAError) -> Natural {
    do {
      let (left, right) = (try prime1.subtracting(1), try prime2.subtracting(1))
      return try (left * right).quotientAndRemainder(dividingBy: left.greatestCommonDivisor(with: right)).quotient
    } catch {
      throw .inconsistentKey("p and q must be at least 2")
    }
  }

  /// Throws unless the factors are different odd primes, and e·d = 1 modulo lcm(p−1, q−1).
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

extension RSAPrivateKey {
  /// Generates a key of exactly `bits` bits according to FIPS 186-5 appendix A.1.1.
  ///
  /// The primes have equal size, have their two most significant bits set, and are sufficiently far apart. Each prime
  /// minus one shares no divisor with the exponent, and d is above 2^(bits/2). Each prime is the first suitable one
  /// after a random start.
  ///
  /// Throws if `bits` is not from 512 to 8192, or if `exponent` is even, below 3 or above 256 bits.
  public static func generate(
    bits: Int, exponent: Natural = 65537, random: inout DeterministicRandom
  ) throws(RSAError) -> RSAPrivateKey {
    guard RSAPublicKey.sizes.contains(bits) else { throw .modulusSize(bits: bits) }
    guard exponent.isOdd, exponent >= 3, exponent.bitWidth <= 256 else { throw .exponent }
    while true {
      let prime1 = Natural.randomPrime(bits: (bits + 1) / 2, predecessorCoprimeTo: exponent, random: &random)
      let prime2 = Natural.randomPrime(bits: bits / 2, predecessorCoprimeTo: exponent, random: &random)
      guard isFar(prime1, from: prime2, bits: bits) else { continue }
      let components = try RSAPrivateComponents(
        prime1: max(prime1, prime2), prime2: min(prime1, prime2), publicExponent: exponent)
      guard components.privateExponent.bitWidth > bits / 2 else { continue }
      return try RSAPrivateKey(validated: components)
    }
  }

  /// Whether the primes are far enough apart: |p − q| > 2^(bits/2 − 100).
  private static func isFar(_ prime1: Natural, from prime2: Natural, bits: Int) -> Bool {
    guard let difference = try? max(prime1, prime2).subtracting(min(prime1, prime2)) else { return false }
    return difference.bitWidth > bits / 2 - 100
  }
}

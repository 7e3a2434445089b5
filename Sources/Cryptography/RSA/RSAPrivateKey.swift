import CGMP
import Synchronization

/// RSA private key, RFC 8017 section 3.2: two primes and what follows from them.
///
/// The secrets live in memory that is wiped when the key goes away. Keys are made from a seeded generator, so that
/// the same seed makes the same key everywhere; the numbers pass through ordinary memory while they are made or read.
public final class RSAPrivateKey: Sendable {
  /// The public half.
  public let publicKey: RSAPublicKey
  private let secrets: RSASecrets
  private let blinding: Mutex<RSABlinding>

  /// The key of these numbers.
  ///
  /// Throws `RSAError` unless the factors are different odd primes, e·d = 1 modulo lcm(p−1, q−1) and the modulus has
  /// 512 to 8192 bits.
  public convenience init(_ components: RSAPrivateComponents) throws(RSAError) {
    try components.validate()
    try self.init(validated: components)
  }

  init(validated components: RSAPrivateComponents) throws(RSAError) {
    publicKey = try RSAPublicKey(modulus: components.modulus, exponent: components.publicExponent)
    secrets = try RSASecrets(components)
    let label = Hash.sha256.digest(components.privateExponent.bigEndianBytes())
    var random = DeterministicRandom(seedMaterial: Array("RSA blinding".utf8) + [0] + label)
    blinding = Mutex(try RSABlinding(publicKey, random: &random))
  }

  /// The secret numbers, to be shown or written down: from here on nothing wipes them.
  public func disclosedComponents() throws(RSAError) -> RSAPrivateComponents {
    try secrets.disclosed(publicExponent: publicKey.exponent)
  }

  /// RSADP, RFC 8017 section 5.1.2: c^d mod n; throws when c is not below n.
  public func rsadp(_ ciphertext: Natural) throws(RSAError) -> Natural {
    Natural(bigEndian: try privateOperation(ciphertext))
  }

  /// RSASP1, RFC 8017 section 5.2.1: m^d mod n; throws when m is not below n.
  public func rsasp1(_ message: Natural) throws(RSAError) -> Natural { try rsadp(message) }

  /// The representative raised to d modulo n, as bytes of the modulus's size.
  ///
  /// Blinded, and checked with the public key before anything leaves: a fault in one half of the calculation would
  /// otherwise give away the factors (D. Boneh, R. DeMillo, R. Lipton, 1997).
  func privateOperation(_ representative: Natural) throws(RSAError) -> [UInt8] {
    guard representative < publicKey.modulus else { throw .representativeOutOfRange }
    let modulus = publicKey.modulus.limbs
    let count = modulus.count
    let memory = SecretLimbs(zeros: 5 * count + 1 + scratchCount(count))
    let (factor, inverse) = (memory.start, memory.start + count)
    let product = inverse + count  // twice as long as the modulus, reduced to its first half
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

  /// The product modulo the modulus, in the first half of `product`.
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

  /// Whether result^e mod n is the (blinded) representative.
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

  /// I2OSP of the modulus's length, which takes the same way for every number.
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

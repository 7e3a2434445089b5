import Cryptography
import Explanation
import PKIX

extension WeakGenerator {
  /// A generator of keys of so many bits is searched whole only when it can make no more than 2^this many: keys are slow.
  static let wholeKeySearch = 6
}

extension Method {
  /// The private key behind a certificate whose generator had few random bits.
  ///
  /// A small space is searched whole. Of a larger one only the right candidate is made again, to be compared with the
  /// certificate; its number follows from the owner's name, see `KeyStore`.
  static let keySearch = Method(isCalled: { $0.hasPrefix("search of the 2^") }) { (application) throws(Obstacle) in
    guard
      let bits = application.function.split(separator: "^").dropFirst().first
        .flatMap({ Int($0.prefix { $0.isNumber }) })
    else { throw .notPlayed(application.function) }
    let wanted = try publicKey(try application.input(0))
    let owner = String(application.value.dropLast(".key".count))
    let right = KeyStore.number(of: owner, entropy: bits)
    let isWhole = bits <= WeakGenerator.wholeKeySearch
    for number in isWhole ? 0...right : right...right {
      guard let key = try? KeyStore().rsaKey(number: number, bits: wanted.bits, entropy: bits) else { continue }
      guard key.publicKey == wanted, let bytes = try? PrivateKey.rsa(key).pkcs8 else { continue }
      let remark =
        isWhole ? "found as number \(number) of 2^\(bits)" : "number \(number) of 2^\(bits), made again and compared"
      return Computation(bytes, trials: isWhole ? Int(number) + 1 : 1, remark: remark)
    }
    throw .failed("none of the keys is the one in the certificate")
  }

  /// Two moduli with a prime in common: gcd(n1, n2) = p, n1 / p = q, and from both follows the private key.
  static let sharedPrime = Method(isCalled: { $0.hasPrefix("gcd of ") }) { (application) throws(Obstacle) in
    let owner = String(application.value.dropLast(".key".count))
    guard application.inputs.count == 2, application.inputs.contains(where: { $0.name == "\(owner).certificate" })
    else {
      throw .notPlayed(application.function)
    }
    let own = try publicKey(try application.input(application.inputs[0].name == "\(owner).certificate" ? 0 : 1))
    let other = try publicKey(try application.input(application.inputs[0].name == "\(owner).certificate" ? 1 : 0))
    let prime = own.modulus.greatestCommonDivisor(with: other.modulus)
    guard prime > 1, prime < own.modulus, let rest = try? own.modulus.quotientAndRemainder(dividingBy: prime).quotient
    else { throw .failed("the two moduli have no prime in common") }
    guard
      let parts = try? RSAPrivateComponents(
        prime1: max(prime, rest), prime2: min(prime, rest), publicExponent: own.exponent),
      let key = try? RSAPrivateKey(parts), let bytes = try? PrivateKey.rsa(key).pkcs8
    else { throw .failed("the divisor is no prime of the key") }
    return Computation(bytes, remark: "the common prime has \(prime.bitWidth) bits")
  }

  /// The RSA key in a certificate.
  static func publicKey(_ certificate: [UInt8]) throws(Obstacle) -> RSAPublicKey {
    guard case .rsa(let key)? = try? Certificate(der: certificate).publicKey else {
      throw .failed("the certificate holds no RSA key")
    }
    return key
  }
}

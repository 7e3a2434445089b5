import Testing

@testable import Cryptography

@Suite("Primes")
struct PrimesTests {
  @Test("primality of small numbers equals that of trial division")
  func small() {
    for number in 0..<2000 as Range<UInt> {
      let isPrime = number > 1 && (2..<number).prefix { $0 * $0 <= number }.allSatisfy { number % $0 != 0 }
      #expect(Natural(number).isProbablyPrime == isPrime)
    }
  }

  @Test("random primes have the requested size, two top bits and predecessor", arguments: [256, 257, 320, 512])
  func randomPrimes(bits: Int) throws {
    var random = DeterministicRandom(seed: .number(7), label: "primes")
    for exponent in [3, 17, 65537, 15] as [Natural] {
      let prime = Natural.randomPrime(bits: bits, predecessorCoprimeTo: exponent, random: &random)
      #expect(prime.bitWidth == bits && prime.isProbablyPrime)
      #expect(prime.shiftedRight(by: bits - 2) == 3)
      #expect(try prime.subtracting(1).greatestCommonDivisor(with: exponent) == 1)
    }
  }
}

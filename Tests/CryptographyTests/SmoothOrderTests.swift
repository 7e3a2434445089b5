import Cryptography
import Laboratory
import Testing

@Suite("Numbers whose predecessors have only small factors")
struct SmoothOrderTests {
  @Test("the p - 1 method factors a modulus with a smooth prime, and no other modulus", arguments: [512, 1024, 2048])
  func factoring(_ bits: Int) throws {
    let weak = try KeyStore().rsaKeyWithSmoothPrime(owner: "tests", bits: bits).publicKey
    #expect(weak.bits == bits)
    let (factor, powers) = try #require(weak.modulus.smoothFactor())
    let (other, remainder) = try weak.modulus.quotientAndRemainder(dividingBy: factor)
    #expect(remainder.isZero && factor.isProbablyPrime && other.isProbablyPrime && powers > 0)
    let good = try KeyStore().rsaKey(owner: "tests", bits: bits).publicKey
    #expect(good.modulus.smoothFactor() == nil)
  }

  @Test("the key of an owner is the same every time")
  func determinism() throws {
    let keys = try (0..<2).map { _ in try KeyStore().rsaKeyWithSmoothPrime(owner: "tests", bits: 512).publicKey }
    #expect(keys[0] == keys[1])
  }

  @Test("a discrete logarithm is found in a group of smooth order, and in no other group")
  func logarithms() throws {
    let groups = Dictionary(uniqueKeysWithValues: DHGroup.historical.map { ($0.name, $0.group) })
    let (smooth, export) = (try #require(groups["smooth-512"]), try #require(groups["export-512"]))
    var random = DeterministicRandom(seed: .number(0), label: "logarithms")
    for _ in 0..<3 {
      let key = try DHPrivateKey(smooth, random: &random)
      let found = try #require(smooth.smoothLogarithm(of: key.publicKey))
      #expect(try found.exponent.bigEndianBytes(count: 64) == key.rawRepresentation)
    }
    #expect(smooth.hasSmoothOrder && smooth.weakness == nil)
    #expect(!export.hasSmoothOrder)
    #expect(export.smoothLogarithm(of: try DHPrivateKey(export, random: &random).publicKey) == nil)
  }

  @Test(
    "small logarithms, worked out by hand: 3^x modulo 17, whose order is 2^4",
    arguments: zip([3, 9, 10, 13, 5, 15, 11, 16], 1...8))
  func byHand(_ power: UInt8, _ exponent: Int) {
    let found = DHGroup(prime: 17, generator: 3).smoothLogarithm(of: [power])
    #expect(found?.exponent == Natural(UInt(exponent)))
  }
}

import Testing

@testable import Cryptography

@Suite("RSA keys")
struct RSAKeyTests {
  @Test("generated keys have their size and the properties of FIPS 186-5", arguments: [512, 513, 767, 1024, 2048])
  func generation(bits: Int) throws {
    for exponent in [3, 65537] as [Natural] {
      var random = DeterministicRandom(seed: .number(UInt64(bits)), label: "keys")
      let key = try RSAPrivateKey.generate(bits: bits, exponent: exponent, random: &random)
      let parts = try key.disclosedComponents()
      try parts.validate()
      #expect(key.publicKey.bits == bits && parts.modulus == key.publicKey.modulus)
      #expect(parts.publicExponent == exponent)
      #expect(parts.prime1.bitWidth == (bits + 1) / 2 && parts.prime2.bitWidth == bits / 2)
      #expect(try parts.prime1.subtracting(parts.prime2).bitWidth > bits / 2 - 100)
      #expect(parts.privateExponent.bitWidth > bits / 2)
      #expect(try (parts.coefficient * parts.prime2).remainder(dividingBy: parts.prime1) == 1)
    }
  }

  @Test("the same stream makes the same key")
  func deterministic() throws {
    func modulus(_ seed: UInt64) throws -> Natural {
      var random = DeterministicRandom(seed: .number(seed), label: "keys")
      return try RSAPrivateKey.generate(bits: 512, random: &random).publicKey.modulus
    }
    #expect(try modulus(1) == modulus(1))
    #expect(try modulus(1) != modulus(2))
    // Computed separately in Python, from the description alone. A change here changes every key of every scenario.
    let expected =
      "b4b7b50d552aec5c37b4ac6200397afa99dc3de7664554e52970cdff3aebfa66"
      + "7fb92704dff8f0fa0edbc5b65d1f1aa84197741802922103aca80ba7e10e2455"
    let found = try modulus(1).text(radix: 16)
    #expect(found == expected)
  }

  @Test("sizes and exponents out of range are refused")
  func refusals() throws {
    var random = DeterministicRandom(seed: .number(1), label: "keys")
    for bits in [Int.min, -1, 0, 1, 8, 511, 8193, Int.max] {
      #expect(throws: RSAError.modulusSize(bits: bits)) { try RSAPrivateKey.generate(bits: bits, random: &random) }
    }
    for exponent in [0, 1, 2, 4, 65536] as [Natural] {
      #expect(throws: RSAError.exponent) {
        try RSAPrivateKey.generate(bits: 512, exponent: exponent, random: &random)
      }
      let modulus = try Keys.rsa(512).publicKey.modulus
      #expect(throws: RSAError.exponent) { try RSAPublicKey(modulus: modulus, exponent: exponent) }
    }
    let modulus = try Keys.rsa(512).publicKey.modulus
    #expect(throws: RSAError.exponent) { try RSAPublicKey(modulus: modulus, exponent: modulus) }
    #expect(throws: RSAError.evenModulus) { try RSAPublicKey(modulus: modulus + 1, exponent: 3) }
    #expect(throws: RSAError.modulusSize(bits: 4)) { try RSAPublicKey(modulus: 15, exponent: 3) }
  }

  @Test("the private operation equals its power, for any representative", arguments: [512, 513, 1024, 1090])
  func privateOperation(bits: Int) throws {
    let key = try Keys.rsa(bits)
    let parts = try key.disclosedComponents()
    var random = DeterministicRandom(seed: .number(2), label: "representatives")
    let last = try parts.modulus.subtracting(1)
    let drawn = (0..<20).map { _ in Natural(bigEndian: random.bytes(bits / 8 - 1)) }
    for representative in [0, 1, 2, last, parts.prime1, parts.prime2 * 3] + drawn {
      let result = try key.rsadp(representative)
      #expect(result == (try representative.power(parts.privateExponent, modulo: parts.modulus)))
      #expect(try key.publicKey.rsaep(result) == representative)
    }
    for outside in [parts.modulus, parts.modulus + 1, parts.modulus * parts.modulus] {
      #expect(throws: RSAError.representativeOutOfRange) { try key.rsadp(outside) }
      #expect(throws: RSAError.representativeOutOfRange) { try key.publicKey.rsaep(outside) }
    }
  }

  @Test("factors of different sizes, in either order, work as well")
  func unbalanced() throws {
    var random = DeterministicRandom(seed: .number(3), label: "unbalanced")
    let long = Natural.randomPrime(bits: 400, predecessorCoprimeTo: 65537, random: &random)
    let short = Natural.randomPrime(bits: 130, predecessorCoprimeTo: 65537, random: &random)
    for (p, q) in [(long, short), (short, long)] {
      let parts = try RSAPrivateComponents(prime1: p, prime2: q, publicExponent: 65537)
      let key = try RSAPrivateKey(parts)
      #expect(try key.disclosedComponents() == parts)
      #expect(try key.publicKey.rsaep(key.rsadp(12345)) == 12345)
    }
  }

  @Test("inconsistent numbers are not a key")
  func inconsistent() throws {
    let parts = try Keys.rsa(512).disclosedComponents()
    #expect(throws: Never.self) { try RSAPrivateKey(parts) }
    let square = parts.prime1 * parts.prime1
    let composite = try RSAPrivateComponents(prime1: square, prime2: parts.prime2, publicExponent: 65537)
    #expect(throws: RSAError.inconsistentKey("p is not an odd prime")) { try RSAPrivateKey(composite) }
    let other = try RSAPrivateComponents(
      prime1: parts.prime1, prime2: parts.prime2, publicExponent: 65537,
      privateExponent: parts.privateExponent.subtracting(2))
    #expect(throws: RSAError.inconsistentKey("e * d is not 1 modulo lcm(p-1, q-1)")) { try RSAPrivateKey(other) }
    #expect(throws: RSAError.inconsistentKey("p and q have a common divisor")) {
      try RSAPrivateComponents(prime1: parts.prime1, prime2: parts.prime1, publicExponent: 65537)
    }
    #expect(throws: (any Error).self) { try RSAPrivateComponents(prime1: 0, prime2: 0, publicExponent: 3) }
    #expect(throws: (any Error).self) { try RSAPrivateComponents(prime1: 1, prime2: 2, publicExponent: 3) }
    let tiny = try RSAPrivateComponents(prime1: 61, prime2: 53, publicExponent: 17)
    #expect(tiny.privateExponent == 413)
    #expect(throws: RSAError.modulusSize(bits: 12)) { try RSAPrivateKey(tiny) }
  }

  @Test("a faulty private operation returns nothing")
  func fault() throws {
    let parts = try Keys.rsa(512).disclosedComponents()
    let wrong = try RSAPrivateComponents(
      prime1: parts.prime1, prime2: parts.prime2, publicExponent: 65537, privateExponent: parts.privateExponent + 2)
    #expect(throws: RSAError.faultDetected) { try RSAPrivateKey(validated: wrong).rsadp(77) }
    #expect(throws: Never.self) { try RSAPrivateKey(validated: parts).rsadp(77) }
  }

  @Test("one key can be used by many threads at once")
  func threads() async throws {
    let key = try Keys.rsa(512)
    let expected = try key.rsadp(77)
    let results = await withTaskGroup(of: Natural?.self, returning: [Natural?].self) { group in
      for _ in 0..<64 { group.addTask { try? key.rsadp(77) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == 64 && results.allSatisfy { $0 == expected })
  }
}

import Explanation
import Foundation
import Oracles
import Testing

@testable import Cryptography

@Suite("Finite-field Diffie-Hellman")
struct DiffieHellmanTests {
  /// SHA-256 of the primes as RFC 7919 appendix A prints them (and OpenSSL has them).
  static let digests = [
    ("ffdhe2048", "9cd3b7f336872f46c09428d1bbc19877a4d440512cda8d1c1cf0cd6e33698966"),
    ("ffdhe3072", "0eaf67db3a839156d5013494a5318a772b5697d270d721f37f092efc69ea5a17"),
    ("ffdhe4096", "4648414224ac881b3d0dc59b466f96d06a558278776807797ecf1f66ff397b3e"),
    ("ffdhe6144", "227ac9066b3ddd9e193670cda2388fa884f65ba0cf98b742d1fe77a6687c79c7"),
    ("ffdhe8192", "770b14efaf6f049929c523113b3fa99a8d11dab1b18af3609590122075d19833"),
  ]

  @Test("the primes made from Euler's number are those of RFC 7919", arguments: digests)
  func primes(name: String, digest: String) throws {
    let group = try #require(DHGroup.named.first { $0.name == name }?.group)
    #expect(Hex.string(Hash.sha256.digest(group.prime.bigEndianBytes())) == digest)
    #expect("ffdhe\(group.bits)" == name && group.generator == 2 && group.weakness == nil)
  }

  @Test("two keys agree, in a group of RFC 7919 and in a server's own", arguments: [true, false])
  func agreement(isNamed: Bool) throws {
    let group = isNamed ? DHGroup.ffdhe2048 : try Self.export512()
    var random = DeterministicRandom(seed: .number(5), label: "DH")
    let (one, other) = (try DHPrivateKey(group, random: &random), try DHPrivateKey(group, random: &random))
    let secret = try one.sharedSecret(with: other.publicKey)
    #expect(secret == (try other.sharedSecret(with: one.publicKey)) && secret.count == group.prime.byteCount)
    #expect(one.rawRepresentation.count == (isNamed ? 29 : 64))
    let again = try DHPrivateKey(group, rawRepresentation: one.rawRepresentation)
    #expect(again.publicKey == one.publicKey)
  }

  @Test("Python computes the same powers", .needs(.python))
  func python() throws {
    let group = DHGroup.ffdhe2048
    var random = DeterministicRandom(seed: .number(6), label: "DH")
    let (one, other) = (try DHPrivateKey(group, random: &random), try DHPrivateKey(group, random: &random))
    let (x, y) = (Hex.string(one.rawRepresentation), Hex.string(other.publicKey))
    let output = Command.output([
      "python3", "-c",
      "p=int('\(group.prime.text(radix: 16))',16);x=int('\(x)',16);print('%0512x'%pow(2,x,p));"
        + "print('%0512x'%pow(int('\(y)',16),x,p))",
    ])
    let lines = try #require(output).split(separator: "\n").map(String.init)
    #expect(lines == [Hex.string(one.publicKey), Hex.string(try one.sharedSecret(with: other.publicKey))])
  }

  @Test("public keys that lead to a trivial secret are refused, and their neighbours are accepted")
  func range() throws {
    let group = DHGroup.ffdhe2048
    var random = DeterministicRandom(seed: .number(7), label: "DH")
    let key = try DHPrivateKey(group, random: &random)
    let last = try group.prime.subtracting(1)
    for bad in [0, 1, last, group.prime, group.prime + 1, group.prime * 2] as [Natural] {
      #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: bad.bigEndianBytes()) }
    }
    for good in [2, try last.subtracting(1)] as [Natural] {
      #expect(try key.sharedSecret(with: good.bigEndianBytes()).count == 256)
    }
    #expect(throws: KeyAgreementError.invalidPublicKey) { try key.sharedSecret(with: []) }
  }

  @Test("weak groups are reported, and invalid parameters make no key")
  func weakGroups() throws {
    let good = try Self.export512()
    #expect(good.weakness == nil && good.bits == 512)
    #expect(DHGroup(prime: good.prime + 2, generator: 2).weakness == .composite)
    #expect(DHGroup(prime: good.prime + 1, generator: 2).weakness == .composite)
    for generator in [0, 1, try good.prime.subtracting(1)] as [Natural] {
      #expect(DHGroup(prime: good.prime, generator: generator).weakness == .generator)
    }
    var random = DeterministicRandom(seed: .number(8), label: "DH")
    for prime in [0, 1, 2, 4] as [Natural] {
      #expect(throws: KeyAgreementError.invalidPrivateKey) {
        try DHPrivateKey(DHGroup(prime: prime, generator: 2), random: &random)
      }
    }
    #expect(throws: KeyAgreementError.invalidPrivateKey) { try DHPrivateKey(good, rawRepresentation: [0, 0]) }
  }

  @Test("the historical groups are safe primes of the named size")
  func historical() throws {
    #expect(DHGroup.historical.map(\.group.bits) == [512, 512, 1024])
    // The toy group is smooth instead: see SmoothOrderTests.
    for (name, group) in DHGroup.historical where name != "smooth-512" {
      let half = try group.prime.subtracting(1).quotientAndRemainder(dividingBy: 2).quotient
      #expect(group.weakness == nil && half.isProbablyPrime, "\(name)")
    }
    #expect(DHGroup.historical.first?.group == (try Self.export512()))
  }

  /// The modulus of 512 bits that Apache shipped for export suites: D. Adrian and others, "Imperfect Forward Secrecy"
  /// (2015), section 3.2.
  static func export512() throws -> DHGroup {
    let prime = try bytes(
      """
      9fdb8b8a004544f0045f1737d0ba2e0b274cdf1a9f588218fb435316a16e3741
      71fd19d8d8f37c39bf863fd60e3e300680a3030c6e4c3757d08f70e6aa871033
      """)
    return DHGroup(prime: Natural(bigEndian: prime), generator: 2)
  }
}

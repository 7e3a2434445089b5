import Explanation
import Oracles
import Testing

@testable import Cryptography

@Suite("Hash functions")
struct HashTests {
  /// FIPS 180-4's examples and RFC 1321's test suite: the empty message and `abc`.
  static let published: [(Hash, String, String)] = [
    (.md5, "d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72"),
    (.sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      .sha224, "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
      "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
    ),
    (
      .sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    (
      .sha384,
      "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      .sha512,
      """
      cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce
      47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
      """,
      """
      ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
      """
    ),
  ]

  @Test("published digests of the empty message and of abc", arguments: published)
  func publishedDigests(hash: Hash, empty: String, abc: String) throws {
    #expect(hash.digest([]) == (try bytes(empty)))
    #expect(hash.digest(Array("abc".utf8)) == (try bytes(abc)))
    #expect(hash.digest(Array("abc".utf8)).count == hash.digestSize)
    #expect(hash.digest(AnySequence("abc".utf8)) == (try bytes(abc)))
  }

  @Test("SHA-224 agrees with OpenSSL around block boundaries", .needs(.openssl))
  func blockEnds() throws {
    for count in [54, 55, 56, 57, 63, 64, 65, 119, 120, 128] {
      let message = (0..<count).map { UInt8($0) }
      let expected = try OpenSSL.run(["dgst", "-sha224", "-binary", "m"], files: ["m": message])
      #expect(Hash.sha224.digest(message) == expected.output)
    }
  }
}

import Testing

@testable import Cryptography

@Suite("HMAC")
struct HMACTests {
  @Test("the vectors of RFC 4231")
  func rfc4231Vectors() throws {
    for vector in try cases(of: rfc4231) {
      let (key, data) = (try #require(vector["Key"]), try #require(vector["Data"]))
      for hash in [Hash.sha224, .sha256, .sha384, .sha512] {
        #expect(HMAC.authenticationCode(hash, key: key, data) == vector[hash.rawValue])
      }
    }
  }

  @Test("the first vectors of RFC 2202, for MD5 and SHA-1")
  func rfc2202() throws {
    let data = Array("what do ya want for nothing?".utf8)
    let key = Array("Jefe".utf8)
    #expect(HMAC.authenticationCode(.md5, key: key, data) == (try bytes("750c783e6ab0b503eaa86e310a5db738")))
    #expect(HMAC.authenticationCode(.sha1, key: key, data) == (try bytes("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")))
  }

  @Test("a prepared key serves many messages, in parts or whole", arguments: Hash.allCases)
  func prepared(hash: Hash) {
    let key = HMAC.Key(hash, Array("key".utf8))
    for message in [[], [1], [UInt8](repeating: 7, count: 300)] as [[UInt8]] {
      let expected = HMAC.authenticationCode(hash, key: Array("key".utf8), message)
      #expect(key.authenticationCode(message) == expected)
      #expect(key.authenticationCode([Array(message.prefix(100)), Array(message.dropFirst(100))]) == expected)
    }
  }

  @Test("Wycheproof's HMAC-SHA256", .enabled(if: Suites.hasWycheproof, "needs the test suites"))
  func wycheproof() throws {
    let suite = try Wycheproof("hmac_sha256")
    let tally = try suite.tally { group, test in
      let code = HMAC.authenticationCode(.sha256, key: try bytes(test.key ?? ""), try bytes(test.msg ?? ""))
      return Array(code.prefix((group.tagSize ?? 0) / 8)) == (try bytes(test.tag ?? ""))
    }
    #expect(tally.accepted + tally.rejected == suite.numberOfTests)
    #expect(tally.falseAccepts == [] && tally.falseRejects == [])
  }
}

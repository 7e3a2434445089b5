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

  @Test("a prepared key authenticates many messages, in parts or at once", arguments: Hash.allCases)
  func prepared(hash: Hash) {
    let key = HMAC.Key(hash, Array("key".utf8))
    for message in [[], [1], [UInt8](repeating: 7, count: 300)] as [[UInt8]] {
      let expected = HMAC.authenticationCode(hash, key: Array("key".utf8), message)
      #expect(key.authenticationCode(message) == expected)
      #expect(key.authenticationCode([Array(message.prefix(100)), Array(message.dropFirst(100))]) == expected)
    }
  }
}

@Suite("HKDF")
struct HKDFTests {
  @Test("test case 1 of RFC 5869 appendix A")
  func rfc5869() throws {
    let secret = [UInt8](repeating: 0x0b, count: 22)
    let key = HKDF.extract(.sha256, salt: (0...12).map { UInt8($0) }, secret)
    #expect(key == (try bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")))
    let info = (0xf0...0xf9).map { UInt8($0) }
    let output = HKDF.expand(.sha256, key: key, info: info, count: 42)
    let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    #expect(output == (try bytes(expected)))
    #expect(HKDF.expand(.sha256, key: key, info: [], count: 255 * 32)?.count == 255 * 32)
    #expect(HKDF.expand(.sha256, key: key, info: [], count: 255 * 32 + 1) == nil)
    #expect(HKDF.expand(.sha256, key: key, info: [], count: -1) == nil)
  }
}

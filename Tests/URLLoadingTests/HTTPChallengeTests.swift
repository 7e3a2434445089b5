import Cryptography
import Explanation
import Testing

@testable import URLLoading

@Suite("WWW-Authenticate and Authorization")
struct HTTPChallengeTests {
  private func read(_ values: String...) -> HTTPChallengeList { HTTPChallengeList(values) }

  @Test("several challenges in one field, the example of RFC 9110 section 11.6.1")
  func example() {
    let list = read(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
    #expect(list.faults.isEmpty)
    #expect(
      list.challenges == [
        HTTPChallenge("Basic", [.init("realm", "simple")]),
        HTTPChallenge(
          "Newauth", [.init("realm", "apps"), .init("type", "1", isQuoted: false), .init("title", #"Login to "apps""#)]),
      ])
    #expect(list.challenges.map(\.scheme) == [.basic, nil])
    #expect(list.challenges.last?.description == #"Newauth realm="apps", type=1, title="Login to \"apps\"""#)
  }

  @Test("one challenge in each of several fields, with tokens and bare schemes")
  func severalFields() {
    let list = read("Negotiate", "NTLM TlRMTVNTUAABAAAA==", #" ,digest REALM="a" , Nonce = "n,1=2",, basic realm=b"#)
    #expect(list.faults.isEmpty)
    #expect(list.challenges.map(\.scheme) == [.negotiate, .ntlm, .digest, .basic])
    #expect(list.challenges.map(\.token) == [nil, "TlRMTVNTUAABAAAA==", nil, nil])
    #expect(list.challenges[2].realm == "a" && list.challenges[2]["nonce"] == "n,1=2")
    #expect(list.challenges[3].parameters == [.init("realm", "b", isQuoted: false)])
  }

  // `realm=` before a comma is a token68 with its padding, and no parameter may follow one.
  @Test(
    "malformed text is a fault with its position; the challenges before it are kept",
    arguments: [
      (#"Basic realm="open"#, 1, nil, .parameter),
      (#"Basic realm="a", Digest realm=, nonce="n""#, 2, 38, .parameter),
      (#"="a""#, 0, 1, .scheme), (#"Basic realm="a" x"#, 1, 17, .comma),
      (#"Basic realm="a", realm="b""#, 1, 18, .newParameter),
      ("NTLM abc, realm=b", 1, 16, .parameter),
      (#"Basic realm="\"#, 1, nil, .parameter),
    ] as [(String, Int, Int?, HTTPChallengeList.Fault.Part)])
  func malformed(field: String, count: Int, byte: Int?, expected: HTTPChallengeList.Fault.Part) {
    let list = read(field)
    #expect(list.challenges.count == count)
    #expect(list.faults == [.init(byte: byte, expected: expected)])
  }

  @Test("arbitrary bytes in a field result in challenges or a fault")
  func hostile() {
    var random = DeterministicRandom(seed: .number(9), label: "challenges")
    let alphabet = Array(#"Basic Digest realm="a",=\ NTLM x== "#.utf8) + [0, 9, 128, 255]
    for _ in 0..<2000 {
      let field = random.bytes(24).map { alphabet[Int($0) % alphabet.count] }
      let list = read(String(decoding: field, as: UTF8.self))
      #expect(list.faults.count <= 1)
    }
  }

  @Test("Basic, the example of RFC 7617 section 2; user names with colons are refused")
  func basic() {
    let aladdin = UserPassword(user: "Aladdin", password: "open sesame")
    #expect(BasicAuthentication.authorization(aladdin) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(BasicAuthentication.credential(in: "QWxhZGRpbjpvcGVuIHNlc2FtZQ==") == aladdin)
    // Section 2.1, the pound sign in UTF-8.
    #expect(
      BasicAuthentication.authorization(UserPassword(user: "test", password: "123\u{a3}")) == "Basic dGVzdDoxMjPCow==")
    #expect(BasicAuthentication.authorization(UserPassword(user: "a:b", password: "c")) == nil)
    #expect(BasicAuthentication.authorization(UserPassword(user: "a", password: "b\r\nHost: c")) == nil)
    #expect(BasicAuthentication.authorization(UserPassword(user: "a", password: "b:c")) != nil)
    #expect(BasicAuthentication.credential(in: "QWxhZGRpbg==") == nil)
    #expect(BasicAuthentication.credential(in: "@@@") == nil)
  }

  private static let mufasa = UserPassword(user: "Mufasa", password: "Circle of Life")

  @Test(
    "Digest, the examples of RFC 7616 section 3.9.1",
    arguments: [
      ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
      ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
  func digest(algorithm: String, response: String) throws {
    let proof = DigestAuthentication.Proof(
      try #require(.init(algorithm)), realm: "http-auth@example.org",
      nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
      cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", count: 1)
    #expect(proof.countText == "00000001")
    #expect(proof.response(Self.mufasa, method: "GET", uri: "/dir/index.html") == response)
  }

  @Test("Digest in the form of RFC 2069, and with a session key")
  func digestForms() throws {
    // The example of RFC 2617 section 3.5 without qop; this value and the session's were made with Python's hashlib.
    let credential = UserPassword(user: "Mufasa", password: "Circle Of Life")
    var proof = DigestAuthentication.Proof(
      try #require(DigestAuthentication.Algorithm(nil)), realm: "testrealm@host.com",
      nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093")
    #expect(
      proof.response(credential, method: "GET", uri: "/dir/index.html") == "670fd8c2df070c60b045671b8b24ff02")
    // The same example with qop, as in RFC 2617.
    (proof.cnonce, proof.count) = ("0a4f113b", 1)
    #expect(
      proof.response(credential, method: "GET", uri: "/dir/index.html") == "6629fae49393a05397450978507c4ef1")
    proof.algorithm = try #require(DigestAuthentication.Algorithm("md5-SESS"))
    #expect(proof.algorithm.name == "MD5-sess")
    #expect(
      proof.response(credential, method: "GET", uri: "/dir/index.html") == "8e3825c57e897f5a0dec6c2d4e5059d0")
    #expect(DigestAuthentication.Algorithm("SHA-512-256") == nil)
  }
}

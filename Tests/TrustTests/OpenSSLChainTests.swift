import Explanation
import PKIX
import Oracles
import Testing

@testable import Trust

@Suite("Chains that openssl made")
struct OpenSSLChainTests {
  /// A root, an intermediate and a server's certificate made by `openssl`, the leaf first.
  private func made() throws -> [Certificate] {
    let openssl = try OpenSSL()
    try openssl.write(
      "root.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n")
    try openssl.write(
      "issuing.ext",
      "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\n"
        + "authorityKeyIdentifier=keyid\n")
    try openssl.write(
      "leaf.ext",
      "subjectAltName=DNS:*.api.example,IP:2001:db8::1\nextendedKeyUsage=serverAuth\n"
        + "authorityKeyIdentifier=keyid\n")
    for (name, days) in [("root", "3000"), ("issuing", "1000"), ("leaf", "300")] {
      try openssl.run(
        "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(name).key", "-subj", "/O=Example/CN=\(name)",
        "-out",
        "\(name).csr")
      let issuer = name == "leaf" ? "issuing" : "root"
      let signer =
        name == "root"
        ? ["-signkey", "root.key"] : ["-CA", "\(issuer).pem", "-CAkey", "\(issuer).key", "-CAcreateserial"]
      let answer = try openssl.run(
        ["x509", "-req", "-in", "\(name).csr", "-days", days, "-extfile", "\(name).ext", "-out", "\(name).pem"] + signer
      )
      #expect(answer.status == 0, "\(answer.output)")
    }
    return try ["leaf", "issuing", "root"].flatMap {
      try Certificate.certificates(inPEMOrDER: openssl.read("\($0).pem"))
    }
  }

  @Test("the chains are accepted for their host while they are valid, and otherwise refused")
  func evaluated() throws {
    let chain = try made()
    let date = chain[0].notBefore.adding(days: 1)
    let store = TrustStore(system: [chain[2]])
    func because(_ chain: [Certificate], _ host: String, at date: Instant) -> Set<String> {
      World.evaluate(chain, host, store, at: date).because
    }
    #expect(because(chain, "www.api.example", at: date) == [])
    #expect(because([chain[0], chain[1]], "[2001:db8::1]", at: date) == [])
    #expect(because(chain, "api.example", at: date) == ["name.wildcard-depth"])
    #expect(because([chain[0]], "www.api.example", at: date) == ["chain.no-issuer"])
    #expect(because(chain, "www.api.example", at: date.adding(days: 300)) == ["chain.expired"])
    #expect(because(chain, "www.api.example", at: date.adding(days: -2)) == ["chain.not-yet-valid"])
  }
}

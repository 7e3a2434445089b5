import Explanation
import Testing

@testable import Scenarios
@testable import Simulator

@Suite("Responses that refuse the client, and knowledge in a stolen-key handshake")
struct HandedResponseTests {
  private func outcome(_ id: String, _ name: String) throws -> Outcome {
    let scenario = try #require(Lab.cases.first { $0.id == id && $0.caseName == name })
    return try Lab.player.play(scenario).simulation.outcome
  }

  @Test("the app gets a 403 as a response, and an untrusted certificate as an error")
  func forbidden() throws {
    let listed = try outcome("L13-06", "a certificate of the same authority that is not on the list")
    #expect(listed.verdict.because.map(\.id) == ["client-auth.not-registered"] && listed.errors.isEmpty)
    let registered = try outcome("L13-01", "another device of the same authority that is not on the list")
    #expect(registered.verdict.because.map(\.id) == ["client-auth.not-registered"] && registered.errors.isEmpty)
    let refused = try outcome("L13-01", "before it has registered")
    #expect(refused.verdict.because.map(\.id) == ["client-auth.certificate-required"])
    #expect(refused.errors.first?.description == "NSURLErrorDomain -1206")
  }

  @Test("without a delegate, 401 and 407 are errors, and 403 is a response")
  func synchronous() throws {
    func errors(_ server: String, _ client: String, _ url: String) throws -> [String] {
      try Lab.play(
        """
        server: { authentication: { schemes: [Basic], realm: mobile, users: { alice: secret }\(server) } }
        client: { os: iOS 8, loader: NSURLConnection, api: synchronous\(client) }
        request: \(url)
        expect: { verdict: refused }
        """
      ).simulation.outcome.errors.map(\.description)
    }
    #expect(try errors("", "", "https://api.example/") == ["NSURLErrorDomain -1012"])
    #expect(try errors(", lockAfter: 1", "", "https://alice:wrong@api.example/") == [])
    let proxied = ", proxy: { authentication: { schemes: [Basic], realm: office, users: { alice: lunch } } }"
    #expect(try errors("", proxied, "http://api.example/") == ["NSURLErrorDomain -1012"])
    #expect(try errors("", proxied, "https://api.example/") == ["kCFErrorDomainCFNetwork 310"])
  }

  @Test("a thief knows the data it read, but no signatures of other handshakes")
  func thief() throws {
    let scenario = try #require(Lab.cases.first { $0.id == "L13-07" && $0.caseName == Scenario.mainCase })
    let run = try Lab.player.play(scenario).simulation
    let thief = run.knowledge(of: .thief)
    #expect(["alice.p12", "alice.passphrase", "alice.key"].allSatisfy(thief.knows))
    #expect(!thief.knows("login.master_secret") && thief.knows("thief.master_secret"))
    let signature: ValueName = "thief.certificate_verify_signature"
    #expect(!run.knowledge(of: .client).knows(signature), "the client has the key, but did not see the handshake")
    #expect(!run.knowledge(of: Party("register.example")).knows("login.certificate_verify_signature"))
    #expect(run.knowledge(of: .client).knows("login.certificate_verify_signature"))
    #expect(run.knowledge(of: Party("api.example")).knows(signature), "the server received the signature")
  }

  @Test("the scenario sets the body of a 401")
  func body() throws {
    let run = try Lab.play(
      """
      server: { authentication: { realm: mobile, users: { alice: secret }, body: "who are you?" } }
      expect: { verdict: refused, layer: http-auth }
      """
    ).simulation
    let response = run.trace.steps.map { String(decoding: $0.plaintext, as: UTF8.self) }.first {
      $0.hasPrefix("HTTP/1.1 401")
    }
    #expect(response?.hasSuffix("Content-Length: 12\r\n\r\nwho are you?") == true)
  }
}

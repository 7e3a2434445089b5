import Endpoint
import Explanation
import Oracles
import Testing
import URLLoading

@testable import Scenarios
@testable import Simulator

@Suite("Words of APIs in the place of scenario words")
struct SlipHintTests {
  private func complaints(_ text: String) throws -> [String] {
    try Lab.diagnostics(text + "\nexpect: { verdict: accepted }\n").filter { $0.severity == .error }.map(\.hint)
  }

  @Test(
    "a constant of Apple's or of a library's is accepted as the word it contains",
    arguments: [
      ("{ delegate: { rules: [{ if: { results: [kSecTrustResultProceed] }, answer: cancel }] } }", "Proceed"),
      (
        "{ delegate: { methods: [\"connection:willSendRequestForAuthenticationChallenge:\"], rules: [{ answer: cancel }] } }",
        "willSendRequest"
      ),
      (
        "{ delegate: { rules: [{ answer: NSURLSessionAuthChallengePerformDefaultHandling }] } }",
        "performDefaultHandling"
      ),
      ("{ serverTrust: { library: AFNetworking 3.1, pinning: AFSSLPinningModePublicKey, pins: [api] } }", "public-key"),
      ("{ serverTrust: { library: AFNetworking 3.1, SSLPinningMode: none } }", "pinning"),
    ])
  func constants(client: String, word: String) throws {
    #expect(try complaints("client: \(client)").first?.contains("'\(word)'") == true)
  }

  @Test("a typo in a constant or in its number is an error with a suggestion")
  func slips() throws {
    func hints(_ expectation: String) throws -> [String] {
      try Lab.diagnostics("expect: { \(expectation) }\n").filter { $0.severity == .error }.map(\.hint)
    }
    #expect(try hints("trustResult: Procede").show(["'kSecTrustResultProceed'"]))
    #expect(try hints("trustResult: kSecTrustResultProceed") == [])
    let error = try hints("errors: [kCFStreamErrorDomainSSL -98O2]").first ?? ""
    #expect(error.contains("-9802"), "\(error)")
  }

  @Test("a release may have the v of a tag; an unknown one is an error")
  func releases() throws {
    let library = "client: { serverTrust: { library: AFNetworking "
    #expect(try complaints(library + "v3.1, pinning: none } }").isEmpty)
    #expect(try complaints(library + "v3.9, pinning: none } }").first?.contains("'3.2.1'") == true)
    let unknown = try complaints(library + "3.9, pinning: none, validatesCertificateChain: true } }")
    #expect(unknown.count == 1, "\(unknown)")
    #expect(try complaints(library + "3.1, pinning: none, validatesCertificateChain: true } }").count == 1)
  }

  @Test("a misspelt CA is the only error, without the unused CA that it meant")
  func consequence() throws {
    let text = """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Members: {} }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api, Issuing], clientAuthentication: optional, clientAuthorities: [Member] }
      """
    #expect(try complaints(text).show(["'Members'"]))
    #expect(try complaints("server: { presents: api }").show(["[api]"]))
    #expect(try complaints("server: { presents: [] }").show(["presents: [api, Issuing]"]))
    #expect(try complaints(text.replacing("[Member]", with: "[Members]")).isEmpty)
    #expect(try complaints(text.replacing("[Member]", with: "[Root A]")).count == 1, "then Members is unused")
    #expect(
      try complaints("client: { identity: { p12: x.p12, passphrase: test } }").first?.contains("file: x.p12") == true)
  }

  @Test("an error code without its domain, or joined to it, gets a hint")
  func codes() throws {
    for text in ["-1012", "1012", "NSURLErrorDomain-1012", "NSURLErrorUserCancelledAuthentication"] {
      let wrong =
        "expect: { verdict: refused, errors: [\(text)] }\ncases: [{ name: b, expect: { verdict: accepted } }]\n"
      let hints = try Lab.diagnostics(wrong).filter { $0.severity == .error }.map(\.hint)
      #expect(hints.show(["NSURLErrorDomain -1012"]), "\(text)")
    }
  }

  @Test("methods that the loader never calls, and a release's third number, get a remark")
  func remarks() throws {
    func warnings(_ client: String) throws -> [String] {
      try Lab.read("client: \(client)\nexpect: { verdict: accepted }\n").warnings.map(\.message)
    }
    let session =
      "{ loader: NSURLConnection, delegate: { methods: [session], rules: [{ answer: performDefaultHandling }] } }"
    #expect(try warnings(session).contains { $0.contains("session") })
    #expect(try warnings(session.replacing("[session]", with: "[didReceive]")).isEmpty)
    #expect(try warnings("{ os: iOS 12.5.9 }").contains { $0.contains("iOS 12.5") })
    #expect(try warnings("{ os: iOS 12.5 }").isEmpty)
  }

  @Test("a library that throws at its configuration ends the app before any connection")
  func exception() throws {
    let text = """
      client: { serverTrust: { library: AFNetworking 3.2, pinning: public-key, pins: [api]BASE } }
      expect: { verdict: refused, because: [pin.invalid-configuration] }
      """
    let thrown = try Lab.play(text.replacing("BASE", with: ""))
    let steps = thrown.simulation.trace.steps
    #expect(steps.count == 1)
    guard case .decided(.library(let step), by: .itself)? = steps.first?.event else {
      Issue.record("\(steps)")
      return
    }
    #expect(step.library.description == "AFNetworking 3.2.1")
    #expect(step.event == .afNetworking(.threwInvalidSecurityPolicy))
    #expect(thrown.simulation.outcome.errors.isEmpty && thrown.simulation.outcome.verdict.layer == .pin)
    let secure = try Lab.play(text.replacing("BASE", with: ", baseURL: \"https://api.example/\""))
    #expect(secure.simulation.outcome.verdict.word == .accepted)
  }

  @Test("a delegate with default handling was called, and that is a step")
  func defaultHandling() throws {
    func answers(_ delegate: String) throws -> (asked: Int, answers: [ChallengeExchange.Answer]) {
      let text = "client: { delegate: \(delegate) }\nexpect: { verdict: accepted }\n"
      let events = try Lab.play(text).simulation.trace.steps.compactMap { step -> ChallengeEvent? in
        if case .decided(.challenge(let event), by: _) = step.event { event } else { nil }
      }
      return (
        events.count { if case .asked = $0 { true } else { false } },
        events.compactMap { if case .answered(let exchange) = $0 { exchange.answer } else { nil } }
      )
    }
    let own = try answers("{ rules: [{ answer: performDefaultHandling }] }")
    #expect(own.asked == 1 && own.answers == [.defaultHandling])
    let none = try answers("default")
    #expect(none.asked == none.answers.count && none.answers.allSatisfy { $0 == .defaultHandling })
  }

  @Test("no certificate is -1206, and one that the server refuses -1205 with the alert's code")
  func certificates() throws {
    func errors(_ identity: String, _ authority: String) throws -> [String] {
      try Lab.play(
        """
        authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Members: {}, Others: {} }
        certificates:
          api: { issuer: Issuing, names: [api.example] }
          alice: { issuer: Members, extendedKeyUsage: [clientAuth] }
          bob: { issuer: Others, extendedKeyUsage: [clientAuth] }
        server: { presents: [api, Issuing], clientAuthentication: required, clientAuthorities: [\(authority)] }
        client: { identity: \(identity) }
        attackers: { certificates: [alice, bob] }
        expect: { verdict: refused }
        """
      ).simulation.outcome.errors.map(\.description)
    }
    #expect(try errors("none", "Members") == ["NSURLErrorDomain -1206"])
    let refused = try errors("bob", "Members")
    #expect(refused == ["NSURLErrorDomain -1205", "kCFStreamErrorDomainSSL -9831"])
    #expect(try errors("alice", "Members") == [])
  }
}

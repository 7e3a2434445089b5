import Explanation
import Scenarios
import Simulator
import Testing

@testable import Rendering

@Suite("The words of steps")
struct StepWordsTests {
  /// Plays a case of a scenario: the first, if none is named.
  private static func run(_ text: String, _ name: String? = nil) throws -> Simulation {
    let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "test.yaml")
    let scenario = try #require(name.map { name in file.cases.first { $0.caseName == name } } ?? file.cases.first)
    return try Curriculum.player.play(scenario).simulation
  }

  private static let authorities = """
    authorities:
      Root A:  { trust: system }
      Issuing: { issuer: Root A, pathLength: 0 }
    certificates: { api: { issuer: Issuing, names: [api.example] } }
    server: { presents: [api, Issuing] }
    expect: { verdict: accepted }
    """

  private static func play(_ changes: String) throws -> Simulation {
    try run("\(authorities)\ncases: [{ name: changed, with: { \(changes) } }]", "changed")
  }

  private static let responder =
    "authorities.Issuing.responder: \"http://ocsp.ca.example/\", client.revocation: soft-fail"
  private static let list = "http://ca.example/all.crl"
  private static let lists =
    "client: { os: doc, revocation: hard-fail }, authorities.Issuing.crl: { at: \"\(list)\", age: 5 days, delta: \"http://ca.example/new.crl\" }"

  private static func narration(_ title: String, _ changes: String) throws -> String? {
    try play(changes).trace.steps.last { $0.title.contains(title) }?.narration
  }

  // The clock of the baseline is 2016-11-01; responses are a day old and valid for a week.
  @Test(
    "the step of an OCSP response or CRL shows its content and its validity",
    arguments: [
      (
        "CertificateStatus", "server.staple: current",
        "It says of api: good, as of 2016-10-31T00:00:00Z and until 2016-11-07T00:00:00Z."
      ),
      (
        "CertificateStatus", "server.staple: current, certificates.api.revoked: 2016-10-20",
        "It says of api: revoked since 2016-10-20T00:00:00Z, as of 2016-10-31T00:00:00Z and until 2016-11-07T00:00:00Z."
      ),
      (
        "CertificateStatus", "server.staple: { says: unknown, lifetime: 0 days }",
        "It says of api: unknown, as of 2016-10-31T00:00:00Z, without an end."
      ),
      ("CertificateStatus", "server.staple: try-later", "It says tryLater: an error, which nobody signs"),
      ("CertificateStatus", "server.certificateStatus: 3000", "It cannot be read."),
      (
        "HTTP response", "\(responder), certificates.api: { revoked: 2016-10-20, released: 2016-12-01 }",
        "It says of api: revoked since 2016-10-20T00:00:00Z, certificateHold, as of"
      ),
      (
        "HTTP response", "\(responder), network: [{ outdate: 4 days }]",
        "as of 2016-10-27T00:00:00Z and until 2016-11-03T00:00:00Z. Its days are not over: nothing in it shows"
      ),
      (
        "HTTP response", "\(responder), network: [{ outdate: 10 days }]", "Its days are over: whoever compares them"
      ),
      // CRLs are numbered by the second: 2016-11-01 began 1477958400 seconds after 1970.
      (
        "HTTP response", "\(lists), certificates.api.revoked: 2016-10-29",
        "List number 1477872000, which adds to number 1477526400, as of 2016-10-31T00:00:00Z and until 2016-11-02T00:00:00Z: api "
          + "since 2016-10-29T00:00:00Z."
      ),
      (
        "HTTP response", "\(responder), certificates.api: { revoked: 2016-10-20, reason: keyCompromise }",
        "It says of api: revoked since 2016-10-20T00:00:00Z, keyCompromise, as of"
      ),
      (
        "HTTP response", "\(lists), certificates.api: { revoked: 2016-10-20, released: 2016-10-30 }",
        "api since 2016-10-30T00:00:00Z, removeFromCRL."
      ),
    ])
  func said(_ title: String, _ changes: String, _ words: String) throws {
    let narration = try #require(try Self.narration(title, changes))
    #expect(narration.contains(words), "\(narration)")
  }

  @Test(
    "a run names its system's revocation sources, by release, and marks uncertain ones",
    arguments: [
      ("iOS 9", "server.staple: good", "What the server stapled is not looked at", "Lists are fetched where"),
      ("iOS 9", "server.staple: good", "came with iOS 10.3 and macOS 10.12.4, and is not there", "is looked at first"),
      ("iOS 10", "server.staple: good", "is tried for every certificate of the chain (likely:", "not looked at"),
      ("iOS 11", "server.staple: good", "(Valid) is looked at first (unknown: what is on it", "came with"),
      ("macOS 10.12", "server.staple: good", "tried for every certificate of the chain. ", "likely"),
      ("iOS 14", responder, "A responder is asked over the network, because the app asks.", "-67635"),
      ("iOS 14", "authorities.Issuing.responder: \"http://a.example/\"", "because no app asks", "because the app asks"),
      ("iOS 14", "client.revocation: hard-fail, server.staple: good", "-67635", "the system goes on"),
      ("macOS 10.13", responder, "Lists are fetched where an app asks and no responder is named.", "unknown code"),
      ("macOS 10.15", responder, "Lists are fetched no more since macOS 10.15", "Lists are fetched where"),
      ("iOS 14", responder, "Lists are fetched by no published code of iOS.", "Lists are fetched where"),
    ])
  func sources(_ os: String, _ changes: String, _ said: String, _ pendingValues: String) throws {
    let words = try #require(try Self.narration("looks for what is known", "client.os: \(os), \(changes)"))
    #expect(words.contains(said) && !words.contains(pendingValues), "\(words)")
  }

  @Test("a run without revocation, or with a standard client, does not mention these sources")
  func pendingValues() throws {
    #expect(try Self.narration("looks for what is known", "client.os: iOS 14") == nil)
    #expect(try Self.narration("looks for what is known", Self.lists) == nil)
  }

  @Test("the words for a message to a proxy depend on its content")
  func words() throws {
    func narrations(_ scheme: String) throws -> [String] {
      let text = """
        client:
          proxy: { authentication: { schemes: [\(scheme)], realm: office, users: { alice: lunch } } }
          delegate:
            rules:
              - { when: { isProxy: true }, answer: { useCredential: { user: alice, password: lunch } } }
              - answer: performDefaultHandling
        expect: { verdict: accepted }
        """
      return try Self.run(text).trace.steps.filter(\.isAboutTunnel).map(\.narration)
    }
    let basic = try narrations("Basic")
    #expect(basic.count == 4 && !basic[0].contains("password") && basic[2].contains("password too"))
    #expect(basic[1].contains("Proxy-Authenticate: Basic realm=\"office\""))
    let digest = try narrations("Digest")
    #expect(digest.count == 4 && digest[2].contains("a hash in the place of the password"))
    let ntlm = try narrations("NTLM")
    #expect(ntlm.count == 6 && ntlm[2].contains("no password") && ntlm[4].contains("The password is not in it"))
    #expect((digest + ntlm).allSatisfy { !$0.contains("password too") })
  }

  @Test(
    "no sentence contradicts the success of an attacker, or claims unknown facts",
    arguments: [
      "network: [eavesdrop]", "network: [{ alter: ApplicationData, from: server, flip: 200 }]",
      "client: { os: iOS 8, random: { premaster_secret: constant } }\n"
        + "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }",
      "client: { os: iOS 8, serverTrust: accept-all }",
    ])
  func claims(_ text: String) throws {
    for step in try Self.run(text).trace.steps {
      for claim in ["only the two ends", "nobody changed", "Nobody has changed", "cannot come by"] {
        #expect(!step.narration.contains(claim), "\(step.title)")
      }
    }
  }

  @Test("a sentence about a generator holds for the primes of its case")
  func generator() throws {
    for name in [Scenario.mainCase, "with primes from a good generator"] {
      let steps = try #require(Curriculum.result("L8-04", name)).simulation.trace.steps
      #expect(steps.allSatisfy { !$0.narration.contains("so the modulus comes from such a generator") })
      #expect(steps.contains { $0.narration.contains("Where it is the residue") })
    }
  }
}

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
        "Status of api: good, as of 2016-10-31T00:00:00Z and until 2016-11-07T00:00:00Z."
      ),
      (
        "CertificateStatus", "server.staple: current, certificates.api.revoked: 2016-10-20",
        "Status of api: revoked since 2016-10-20T00:00:00Z, as of 2016-10-31T00:00:00Z and until 2016-11-07T00:00:00Z."
      ),
      (
        "CertificateStatus", "server.staple: { says: unknown, lifetime: 0 days }",
        "Status of api: unknown, as of 2016-10-31T00:00:00Z, without an end date."
      ),
      ("CertificateStatus", "server.staple: try-later", "The response is the error tryLater. Errors are not signed"),
      ("CertificateStatus", "server.certificateStatus: 3000", "The response cannot be read."),
      (
        "HTTP response", "\(responder), certificates.api: { revoked: 2016-10-20, released: 2016-12-01 }",
        "Status of api: revoked since 2016-10-20T00:00:00Z, certificateHold, as of"
      ),
      (
        "HTTP response", "\(responder), network: [{ outdate: 4 days }]",
        "as of 2016-10-27T00:00:00Z and until 2016-11-03T00:00:00Z. The status has not expired: nothing in it shows"
      ),
      (
        "HTTP response", "\(responder), network: [{ outdate: 10 days }]",
        "The status has expired: a client that compares its dates"
      ),
      // CRLs are numbered by the second: 2016-11-01 began 1477958400 seconds after 1970.
      (
        "HTTP response", "\(lists), certificates.api.revoked: 2016-10-29",
        "CRL number 1477872000, a delta to number 1477526400, as of 2016-10-31T00:00:00Z and until 2016-11-02T00:00:00Z: api "
          + "since 2016-10-29T00:00:00Z."
      ),
      (
        "HTTP response", "\(responder), certificates.api: { revoked: 2016-10-20, reason: keyCompromise }",
        "Status of api: revoked since 2016-10-20T00:00:00Z, keyCompromise, as of"
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
      ("iOS 9", "server.staple: good", "The stapled response is ignored", "CRLs are fetched if"),
      (
        "iOS 9", "server.staple: good", "This system is older than Apple's own database (Valid)",
        "is checked first"
      ),
      ("iOS 10", "server.staple: good", "is checked for every certificate in the chain (likely:", "is ignored"),
      ("iOS 11", "server.staple: good", "(Valid) is checked first (unknown: its content", "came with"),
      ("macOS 10.12", "server.staple: good", "checked for every certificate in the chain. ", "likely"),
      ("iOS 14", responder, "A responder is queried over the network, because the app requests it.", "-67635"),
      (
        "iOS 14", "authorities.Issuing.responder: \"http://a.example/\"", "because no app requests it",
        "because the app requests it"
      ),
      ("iOS 14", "client.revocation: hard-fail, server.staple: good", "-67635", "the system continues"),
      (
        "macOS 10.13", responder, "CRLs are fetched if an app requests it and no certificate names a responder.",
        "unknown code"
      ),
      ("macOS 10.15", responder, "Since macOS 10.15, CRLs are not fetched", "CRLs are fetched if"),
      ("iOS 14", responder, "No published source code of iOS fetches CRLs.", "CRLs are fetched if"),
    ])
  func sources(_ os: String, _ changes: String, _ said: String, _ absent: String) throws {
    let words = try #require(try Self.narration("looks up the revocation status", "client.os: \(os), \(changes)"))
    #expect(words.contains(said) && !words.contains(absent), "\(words)")
  }

  @Test("a run without revocation, or with a standard client, does not mention these sources")
  func silent() throws {
    #expect(try Self.narration("looks up the revocation status", "client.os: iOS 14") == nil)
    #expect(try Self.narration("looks up the revocation status", Self.lists) == nil)
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
    #expect(basic.count == 4 && !basic[0].contains("password") && basic[2].contains("name and password"))
    #expect(basic[1].contains("Proxy-Authenticate: Basic realm=\"office\""))
    let digest = try narrations("Digest")
    #expect(digest.count == 4 && digest[2].contains("instead of the password, a hash"))
    let ntlm = try narrations("NTLM")
    #expect(
      ntlm.count == 6 && ntlm[2].contains("neither name nor password")
        && ntlm[4].contains("does not contain the password"))
    #expect((digest + ntlm).allSatisfy { !$0.contains("name and password") })
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
      for claim in ["only the two end", "nobody", "No attacker", "has not changed", "cannot obtain"] {
        #expect(!step.narration.contains(claim), "\(step.title)")
      }
    }
  }

  @Test("a sentence about a generator holds for the primes of its case")
  func generator() throws {
    for name in [Scenario.mainCase, "with primes from a good generator"] {
      let steps = try #require(Curriculum.result("L8-04", name)).simulation.trace.steps
      #expect(steps.allSatisfy { !$0.narration.contains("so the modulus comes from such a generator") })
      #expect(steps.contains { $0.narration.contains("If it equals the residue") })
    }
  }
}

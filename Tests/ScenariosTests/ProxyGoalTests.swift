import Endpoint
import Explanation
import Testing

@testable import Scenarios
@testable import Simulator

@Suite("Attackers behind a proxy, and in its place")
struct ProxyGoalTests {
  private static let proxy = "proxy: { host: proxy.example, port: 8080 }"

  private func outcome(_ client: String, _ rest: String = "") throws -> (Simulation, Outcome) {
    let result = try Lab.play(
      "client: { os: iOS 8, \(Self.proxy), \(client) }\n\(rest)\nexpect: { verdict: accepted }\n")
    return (result.simulation, result.simulation.outcome)
  }

  @Test("behind a proxy, too, only an app that accepts every certificate is vulnerable")
  func impersonation() throws {
    let (run, lost) = try outcome("delegate: accept-all")
    #expect(lost.goals[.impersonation] == .possible)
    #expect(lost.goals[.eavesdropping] == .prevented && lost.goals[.tampering] == .prevented)
    let attempt = try #require(lost.attempts.last { $0.goal == .impersonation })
    #expect(attempt.means == .ownRoot && attempt.result == .succeeded)
    // The impostor in the place of the proxy responds to CONNECT, and TLS begins after that.
    var tried = Simulation(try #require(attempt.world))
    tried.run()
    #expect(
      tried.trace.steps.compactMap(\.message?.description).prefix(3) == [
        "CONNECT request", "CONNECT response", "ClientHello",
      ])
    #expect(tried.trace.steps.first { $0.message == .connectResponse }?.from == .interceptor)
    #expect(run.trace.steps.first { $0.message == .connectResponse }?.from == .proxy)

    let careful = try outcome("delegate: default").1
    #expect(careful.goals[.impersonation] == .prevented)
    let rules = careful.attempts.filter { $0.goal == .impersonation }.map(\.result)
    #expect(rules.first == .stopped([.noAnchor]) || rules.first == .stopped([.noIssuer]), "\(rules)")
    #expect(
      !careful.attempts.rules.contains { $0.id == "record.unexpected-type" || $0.id.hasPrefix("application.malformed") }
    )
  }

  @Test("a password for the proxy stops no impostor, which lets every client through")
  func asking() throws {
    let asks = "proxy: { authentication: { schemes: [Basic], realm: office, users: { alice: lunch } } }"
    let text = """
      client:
        os: iOS 8
        \(asks)
        delegate:
          rules:
            - { when: { isProxy: true }, answer: { useCredential: { user: alice, password: lunch } } }
            - { when: { method: ServerTrust }, answer: useCredential }
      expect: { verdict: accepted, goals: { impersonation: possible } }
      """
    #expect(try Lab.play(text).judgement.mismatches.isEmpty)
  }

  @Test("an interceptor behind a proxy reads decrypted content, step by step from bytes")
  func interception() throws {
    let rest = """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 } }
      certificates: { api: { issuer: Issuing, names: [api.example] }, evil: { names: [api.example] } }
      server: { presents: [api, Issuing] }
      network: [{ intercept: { presents: [evil] } }]
      """
    let (run, lost) = try outcome("delegate: accept-all", rest)
    #expect(Goal.allCases.allSatisfy { lost.goals[$0] == .possible })
    let proof = try #require(Execution(of: "application_data.client.1", as: .interceptor, in: run))
    #expect(proof.holds && proof.playback?.isEqual == true)
    let refused = try outcome("delegate: default", rest).1
    #expect(Goal.allCases.allSatisfy { refused.goals[$0] == .detected })
  }

  @Test("a leak of the server's key opens tunnelled traffic without forward secrecy")
  func leak() throws {
    let rest = """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      network: [{ leak: api.key, after: 30 days }]
      """
    #expect(try outcome("delegate: default", rest).1.goals[.eavesdropping] == .later)
    let secret = rest.replacing("TLS_RSA_", with: "TLS_ECDHE_RSA_")
    #expect(try outcome("delegate: default", secret).1.goals[.eavesdropping] == .prevented)
  }

  @Test("an interceptor of an http load sees the messages that the proxy forwards")
  func plain() throws {
    let rest = "request: http://api.example/\nnetwork: [{ intercept: { replace: { hello: evil } } }]"
    let (_, lost) = try outcome("delegate: default", rest)
    #expect(lost.content == Array("evil".utf8))
    #expect(lost.goals[.tampering] == .possible && lost.goals[.eavesdropping] == .possible)
  }

  @Test("a replayed tunnel recording reaches the server, which refuses it by its random number")
  func replay() throws {
    let text = """
      client: { os: iOS 8, \(Self.proxy) }
      server: { content: { POST /pay: paid } }
      connections:
        - { name: first, request: { url: "https://api.example/pay", method: POST, body: "x=1" } }
        - { name: again, replays: first }
      expect: { verdict: refused, executed: ["POST /pay: x=1"] }
      """
    let result = try Lab.play(text)
    #expect(result.judgement.mismatches.isEmpty)
    let titles = result.simulation.trace.steps.filter { $0.connection == "again" }.compactMap(\.message?.description)
    #expect(titles.prefix(2) == ["ClientHello", "ServerHello"], "\(titles)")
  }

  @Test("a proxy sees all traffic of its tunnel, and decrypts none of it")
  func carrier() throws {
    let knowledge = try outcome("delegate: default").0.knowledge(of: .proxy)
    #expect(
      knowledge.knows("client_random") && knowledge.knows("api.certificate") && knowledge.knows("record.client.1"))
    #expect(!knowledge.knows("master_secret") && !knowledge.knows("application_data.client.1"))
  }

  @Test("a locked account at the proxy is the only reason, and opens no tunnel")
  func locked() throws {
    let text = """
      client:
        proxy: { authentication: { schemes: [NTLM], realm: OFFICE, users: { alice: lunch }, lockAfter: 1 } }
        delegate:
          rules:
            - { when: { isProxy: true, failures: 0 }, answer: { useCredential: { user: 'OFFICE\\alice', password: dinner } } }
            - answer: performDefaultHandling
      expect:
        verdict: refused
        layer: http-auth
        because: [http-auth.account-locked]
        errors: [kCFErrorDomainCFNetwork 310]
        asked: [NTLM]
        executed: []
      """
    let result = try Lab.play(text)
    #expect(result.judgement.mismatches.isEmpty, "\(result.judgement.mismatches)")
  }

}

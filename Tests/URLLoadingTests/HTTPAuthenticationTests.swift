import Cryptography
import Explanation
import Testing

@testable import URLLoading

@Suite("HTTP authentication between a client and a server")
struct HTTPAuthenticationTests {
  private static let alice = UserPassword(user: "alice", password: "secret")
  private static let wrong = UserPassword(user: "alice", password: "Secret")
  private static let now = Instant(secondsSince1970: 1_480_000_000)

  private func client(_ abilities: HTTPAuthorization.Abilities = .init()) -> HTTPAuthorization {
    HTTPAuthorization(
      abilities: abilities, date: Self.now, random: DeterministicRandom(seed: .number(1), label: "cnonce"))
  }

  private func server(
    _ schemes: HTTPAuthenticationScheme..., change: (inout HTTPAuthenticator.Policy) -> Void = { _ in }
  ) -> HTTPAuthenticator {
    var policy = HTTPAuthenticator.Policy(
      schemes: schemes, realm: "mobile", users: ["alice": "secret", "bob": "word"])
    change(&policy)
    return HTTPAuthenticator(policy, random: DeterministicRandom(seed: .number(1), label: "nonce"))
  }

  /// The course of a load.
  private struct Load {
    var asked: [HTTPAuthorization.Question] = []
    var fields: [String] = []
    var answer = HTTPAuthenticator.Judgement.Answer.unauthorized([])
    var findings: [Finding] = []
    var isDelivered = false
  }

  /// Plays a load whose challenges get these credentials, in order.
  private func load(
    _ client: inout HTTPAuthorization, _ server: inout HTTPAuthenticator, _ credentials: UserPassword...
  ) -> Load {
    var (load, rest, field) = (Load(), credentials[...], client.authorization(method: "GET", uri: "/"))
    for _ in 0..<20 {
      let judgement = server.judge(method: "GET", uri: "/", authorization: field)
      load.fields += [field].compactMap(\.self)
      load.answer = judgement.answer
      load.findings += judgement.findings
      guard case .unauthorized(let values) = judgement.answer else { return load }
      let outcome = client.receive(values)
      load.findings += outcome.findings
      switch outcome.step {
      case .delivers:
        load.isDelivered = true
        return load
      case .asks(let question):
        load.asked.append(question)
        guard let next = rest.popFirst() else { return load }
        client.use(next)
      case .resends: break
      }
      field = client.authorization(method: "GET", uri: "/")
    }
    return load
  }

  @Test(
    "every supported scheme succeeds after one challenge",
    arguments: [HTTPAuthenticationScheme.basic, .digest, .ntlm])
  func schemes(scheme: HTTPAuthenticationScheme) {
    var (client, server) = (client(), server(scheme))
    let right = load(&client, &server, Self.alice)
    #expect(right.answer == .allowed(user: "alice"))
    #expect(right.asked.map(\.scheme) == [scheme] && right.asked.map(\.previousFailureCount) == [0])
    #expect(right.asked.first?.realm == (scheme == .ntlm ? nil : "mobile"))
    #expect(right.fields.count == (scheme == .ntlm ? 2 : 1))
    #expect(!right.findings.refuses && server.attempts == 1)
  }

  @Test(
    "a wrong password is challenged again with a count, and the right one succeeds",
    arguments: [HTTPAuthenticationScheme.basic, .digest, .ntlm])
  func failures(scheme: HTTPAuthenticationScheme) {
    var (client, server) = (client(), server(scheme))
    let load = load(&client, &server, Self.wrong, UserPassword(user: "carol", password: ""), Self.alice)
    #expect(load.answer == .allowed(user: "alice"))
    #expect(load.asked.map(\.previousFailureCount) == [0, 1, 2])
    #expect(load.asked.map(\.failed) == [nil, Self.wrong, UserPassword(user: "carol", password: "")])
    #expect(server.attempts == 3 && server.failures.isEmpty)
  }

  @Test("the strongest scheme is used in any order, and the next one after a rejection")
  func strongest() {
    var client = client()
    var server = server(.basic, .negotiate, .digest, .ntlm)
    guard case .unauthorized(let values) = server.judge(method: "GET", uri: "/", authorization: nil).answer else {
      Issue.record("a request without credentials is not accepted")
      return
    }
    #expect(values.count == 4 && values.first == #"Basic realm="mobile""#)
    func scheme(_ outcome: HTTPAuthorization.Outcome) -> HTTPAuthenticationScheme? {
      if case .asks(let question) = outcome.step { question.scheme } else { nil }
    }
    #expect(scheme(client.receive(values)) == .ntlm)
    #expect(scheme(client.reject()) == .digest)
    #expect(scheme(client.reject()) == .basic)
    let last = client.reject()
    #expect(last.step == .delivers && last.findings.isEmpty)
  }

  @Test("without a usable scheme the load ends with the 401; SHA-256 needs its switch")
  func unusable() {
    let offered = [
      "Negotiate", #"Digest realm="a", nonce="n", algorithm=SHA-256"#, "Bearer",
      #"Digest realm="a", nonce="n", qop="auth-int""#,
    ]
    var old = client()
    let outcome = old.receive(offered)
    #expect(outcome.step == .delivers && outcome.findings.deciding == [.noHTTPScheme])
    var new = client(.init(supportsSHA256: true))
    guard case .asks(let question) = new.receive(offered).step else {
      Issue.record("Digest with SHA-256 can be used")
      return
    }
    #expect(question.scheme == .digest)
    // Without a challenge, no credential is requested, and no scheme is at fault.
    var none = client()
    #expect(none.receive([]).step == .delivers && none.receive([]).findings.isEmpty)
    let malformed = none.receive([#"Basic realm="open"#])
    #expect(malformed.findings.map(\.rule) == [.malformedChallenge, .noHTTPScheme])
  }

  @Test("a number of wrong passwords locks an account, even for the right one")
  func lock() {
    var (client, server) = (client(), server(.digest) { $0.lockAfter = 3 })
    let locked = load(&client, &server, Self.wrong, Self.wrong, Self.wrong, Self.alice)
    #expect(locked.answer == .forbidden(user: "alice") && locked.asked.count == 3)
    #expect(locked.findings.deciding == [.accountLocked] && server.locked == ["alice"] && server.attempts == 3)
    var again = self.client()
    #expect(load(&again, &server, Self.alice).answer == .forbidden(user: "alice"))
    var other = self.client()
    #expect(load(&other, &server, UserPassword(user: "bob", password: "word")).answer == .allowed(user: "bob"))
    // With one fewer, the account remains open.
    var (patient, open) = (self.client(), self.server(.digest) { $0.lockAfter = 3 })
    #expect(load(&patient, &open, Self.wrong, Self.wrong, Self.alice).answer == .allowed(user: "alice"))
    #expect(open.locked.isEmpty)
  }

  @Test("a stale nonce is replaced without a challenge to the app and without a failure")
  func stale() {
    var (client, server) = (client(), server(.digest) { $0.staleness = .once })
    let load = load(&client, &server, Self.alice)
    #expect(load.answer == .allowed(user: "alice"))
    #expect(load.asked.count == 1 && client.failures == 0 && load.fields.count == 2)
    #expect(load.findings.map(\.rule).contains(.staleNonce))
    #expect(load.fields.allSatisfy { $0.contains("nc=00000001") })
  }

  @Test("a server that calls every nonce stale is eventually refused")
  func endlesslyStale() {
    var client = client()
    _ = client.receive([#"Digest realm="a", nonce="0", qop="auth""#])
    client.use(Self.alice)
    let steps = (1...6).map { number -> Bool in
      _ = client.authorization(method: "GET", uri: "/")
      return client.receive([#"Digest realm="a", nonce="\#(number)", qop="auth", stale=true"#]).step == .resends
    }
    #expect(steps == [true, true, true, true, false, false])
    #expect(client.failures == 1)
  }

  @Test("requests with one nonce are counted, and a replayed request is refused")
  func counted() {
    var (client, server) = (client(), server(.digest))
    let first = load(&client, &server, Self.alice)
    let second = load(&client, &server)
    #expect(second.answer == .allowed(user: "alice") && second.asked.isEmpty)
    #expect(second.fields.first?.contains("nc=00000002") == true)
    let replayed = server.judge(method: "GET", uri: "/", authorization: first.fields.last)
    #expect(replayed.findings.map(\.rule) == [.replayedNonce] && !replayed.findings.refuses)
    guard case .unauthorized(let values) = replayed.answer else {
      Issue.record("a replayed request is not accepted")
      return
    }
    #expect(values.first?.hasSuffix("stale=true") == true)
  }

  @Test("a Digest response is valid for one method, target and realm")
  func bound() throws {
    var server = server(.digest)
    guard case .unauthorized(let values) = server.judge(method: "GET", uri: "/", authorization: nil).answer else {
      return
    }
    var client = client()
    _ = client.receive(values)
    client.use(Self.alice)
    let authorization = client.authorization(method: "GET", uri: "/")
    let field = try #require(authorization)
    func rules(_ judgement: HTTPAuthenticator.Judgement) -> [Rule] { judgement.findings.map(\.rule) }
    #expect(rules(server.judge(method: "POST", uri: "/", authorization: field)) == [.unauthorized])
    #expect(rules(server.judge(method: "GET", uri: "/other", authorization: field)) == [.malformedCredentials])
    let elsewhere = field.replacing(#"realm="mobile""#, with: #"realm="Mobile""#)
    #expect(rules(server.judge(method: "GET", uri: "/", authorization: elsewhere)) == [.realmMismatch])
    #expect(server.judge(method: "GET", uri: "/", authorization: field).answer == .allowed(user: "alice"))
  }

  @Test("NTLM authenticates only its own connection")
  func connection() {
    var (client, server) = (client(), server(.ntlm))
    #expect(
      load(&client, &server, UserPassword(user: #"CORP\ALICE"#, password: "secret")).answer == .allowed(user: "alice"))
    #expect(server.judge(method: "GET", uri: "/", authorization: nil).answer == .allowed(user: "alice"))
    server.beginConnection()
    #expect(server.judge(method: "GET", uri: "/", authorization: nil).answer != .allowed(user: "alice"))
  }

  @Test(
    "invalid credentials get a response and cause no harm",
    arguments: [
      "", "Basic", "Basic @@@", "Digest", #"Digest username="alice""#, "NTLM", "NTLM AAAA", "Negotiate AAAA",
      "Bearer x",
      #"Basic YTpi, Basic YTpi"#,
      #"Digest username="alice", realm="mobile", nonce="x", uri="/", response="", nc=ffffffff"#,
    ])
  func malformed(field: String) {
    var server = server(.basic, .digest, .ntlm) { $0.lockAfter = 1 }
    let judgement = server.judge(method: "GET", uri: "/", authorization: field)
    #expect(judgement.findings.map(\.rule) == [.malformedCredentials] && !judgement.findings.refuses)
    #expect(server.locked.isEmpty && server.attempts == 0)
  }

  @Test("a finding reports Basic over plain HTTP, and neither Basic in TLS nor Digest")
  func cleartext() {
    var client = client()
    _ = client.receive([#"Basic realm="a""#])
    client.use(Self.alice)
    let plain = client.findings(isSecure: false)
    #expect(plain.map(\.rule) == [.cleartextPassword] && plain.map(\.outcome) == [.violated] && !plain.refuses)
    #expect(client.findings(isSecure: true).map(\.outcome) == [.satisfied])
    client.use(UserPassword(user: "a:b", password: "c"))
    #expect(client.findings(isSecure: true).map(\.rule) == [.malformedCredentials, .cleartextPassword])
    #expect(client.authorization(method: "GET", uri: "/") == nil)
    var digest = self.client()
    _ = digest.receive([#"Digest realm="a", nonce="n""#])
    digest.use(Self.alice)
    #expect(digest.findings(isSecure: false).isEmpty)
  }
}

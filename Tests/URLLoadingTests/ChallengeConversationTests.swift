import Explanation
import PKIX
import Testing
import Trust

@testable import URLLoading

/// Checks which delegate method is called, by the tables of Apple's documentation.
///
/// They are in "Handling an authentication challenge", NSURLConnectionDelegate, and the URL Loading System Programming
/// Guide.
@Suite("Delegate methods for challenges, and the meaning of their results") struct ChallengeConversationTests {
  private static let url = "https://api.example/"
  private static let all: [AuthenticationMethod] = AuthenticationMethod.allCases

  private func conversation(
    _ loader: Loader, _ methods: Set<DelegateMethod>, os: OSVersion = OSVersion(.iOS, 12),
    interface: LoadingInterface = .delegate, storage: Bool? = nil, can: [AuthenticationMethod] = [],
    rules: [ChallengeRule] = [ChallengeRule(answers: [.cancel])]
  ) -> ChallengeConversation {
    ChallengeConversation(
      .init(
        loader: loader, interface: interface, os: os,
        delegate: ChallengeDelegate(
          rules, methods: methods, shouldUseCredentialStorage: storage, canAuthenticate: can)))
  }

  private func space(_ method: AuthenticationMethod, realm: String? = nil) throws -> ProtectionSpace {
    ProtectionSpace(of: try LoadURL(Self.url), method, realm: realm)
  }

  private func asked(_ conversation: ChallengeConversation, _ method: AuthenticationMethod) throws -> DelegateMethod? {
    conversation.exchange(on: try space(method)).route.asked
  }

  @Test("NSURLSession calls the session's method for TLS, NTLM and Negotiate, the task's otherwise")
  func sessionAndTask() throws {
    let both = conversation(.urlSession, [.session, .task])
    for method in Self.all {
      let expected: DelegateMethod =
        [.serverTrust, .clientCertificate, .ntlm, .negotiate].contains(method) ? .session : .task
      #expect(try asked(both, method) == expected, "\(method)")
    }
  }

  @Test("a task's method replaces a missing session's method, and never the reverse")
  func fallback() throws {
    for method in Self.all { #expect(try asked(conversation(.urlSession, [.task]), method) == .task) }
    let session = conversation(.urlSession, [.session])
    #expect(try asked(session, .ntlm) == .session)
    let basic = session.exchange(on: try space(.httpBasic))
    #expect(basic.route.asked == nil && basic.answer == .defaultHandling)
    #expect(basic.findings.map(\.rule) == [.notAsked])
    #expect(basic.findings.first?.required == .anyOf([DelegateMethod.task.selector]))
    let foreign = conversation(.urlSession, [.willSendRequest]).exchange(on: try space(.serverTrust))
    // For a server, either method would be called.
    #expect(foreign.findings.first?.required == .anyOf([DelegateMethod.session, .task].map(\.selector)))
  }

  @Test("from iOS 5 on, NSURLConnection calls only the newer method")
  func willSendRequest() throws {
    let methods: Set<DelegateMethod> = [.willSendRequest, .canAuthenticate, .didReceive]
    for method in Self.all {
      #expect(try asked(conversation(.nsurlConnection, methods), method) == .willSendRequest)
    }
    let four = conversation(.nsurlConnection, methods, os: OSVersion(.iOS, 4), can: [.serverTrust])
    let exchange = four.exchange(on: try space(.serverTrust))
    #expect(exchange.route.called == [.canAuthenticate, .didReceive])
  }

  @Test("without canAuthenticateAgainstProtectionSpace, the system evaluates TLS and the app gets passwords")
  func olderPair() throws {
    let without = conversation(.nsurlConnection, [.didReceive])
    for method in Self.all {
      #expect(try asked(without, method) == (method.isOfTLS ? nil : .didReceive), "\(method)")
    }
    let with = conversation(.nsurlConnection, [.canAuthenticate, .didReceive], can: [.serverTrust])
    #expect(try asked(with, .serverTrust) == .didReceive)
    let refused = with.exchange(on: try space(.httpBasic))
    #expect(refused.route.called == [.canAuthenticate] && refused.route.canAuthenticate == false)
    #expect(refused.answer == .defaultHandling)
  }

  @Test("a synchronous load, and a web view without navigation delegate, get no challenge")
  func nobody() throws {
    let synchronous = conversation(.nsurlConnection, [.willSendRequest], interface: .synchronous)
    let exchange = synchronous.exchange(on: try space(.serverTrust))
    #expect(exchange.answer == .defaultHandling && exchange.findings.map(\.rule) == [.noDelegate])
    let view = conversation(.wkWebView, [.session]).exchange(on: try space(.serverTrust))
    #expect(view.answer == .defaultHandling && view.route.wanted == [.navigation])
    #expect(try asked(conversation(.wkWebView, [.navigation]), .serverTrust) == .navigation)
  }

  @Test("only the first call of the handler counts; a second crashes a web view")
  func secondAnswer() throws {
    let rules = [ChallengeRule(answers: [.useCredential(.trust), .continueWithoutCredential])]
    let twice = conversation(.nsurlConnection, [.willSendRequest], rules: rules).exchange(on: try space(.serverTrust))
    #expect(twice.answer == .credential(Credential(.trust)))
    let finding = try #require(twice.findings.first { $0.rule == .secondAnswer })
    #expect(finding.outcome == .violated && finding.weight == .advises)
    let view = conversation(.wkWebView, [.navigation], rules: rules).exchange(on: try space(.serverTrust))
    #expect(view.answer == .exception && view.findings.deciding == [.completionHandler])
    let once = conversation(
      .wkWebView, [.navigation], rules: [ChallengeRule(answers: [.useCredential(.trust)])]
    ).exchange(on: try space(.serverTrust))
    #expect(once.answer == .credential(Credential(.trust)) && !once.findings.refuses)
  }

  @Test("without a call of the handler the load waits, and a web view crashes")
  func noAnswer() throws {
    let silent = conversation(.urlSession, [.task], rules: [])
    let exchange = silent.exchange(on: try space(.httpBasic))
    #expect(exchange.answer == .unanswered && exchange.findings.deciding == [.unanswered])
    let view = conversation(.wkWebView, [.navigation], rules: []).exchange(on: try space(.serverTrust))
    #expect(view.answer == .exception && view.findings.deciding == [.completionHandler])
  }

  @Test("the URL's credential precedes the storage's, and an older delegate is then not called")
  func proposed() throws {
    var storage = CredentialStorage()
    let basic = try space(.httpBasic, realm: "mobile")
    storage.set(.password("stored", "s"), for: basic)
    func conversation(_ methods: Set<DelegateMethod>, url: Credential? = nil) -> ChallengeConversation {
      ChallengeConversation(
        .init(
          loader: .nsurlConnection, os: OSVersion(.iOS, 12),
          delegate: ChallengeDelegate([ChallengeRule(answers: [.useCredential(.proposed)])], methods: methods),
          storage: storage, urlCredential: url))
    }
    let stored = conversation([.willSendRequest]).exchange(on: basic)
    #expect(stored.answer == .credential(.password("stored", "s")))
    let own = conversation([.willSendRequest], url: .password("alice", "u")).exchange(on: basic)
    #expect(own.challenge.proposedCredential == .password("alice", "u"))
    let pair = conversation([.didReceive]).exchange(on: basic)
    #expect(pair.route.asked == nil && pair.answer == .defaultHandling)
    var failed = conversation([.didReceive])
    failed.recordFailure()
    #expect(failed.exchange(on: basic).route.asked == .didReceive)
    let otherRealm = conversation([.willSendRequest]).exchange(on: try space(.httpBasic, realm: "Mobile"))
    #expect(otherRealm.challenge.proposedCredential == nil && otherRealm.answer == .unanswered)
  }

  @Test("before iOS 7 the newer method prevents calls of connectionShouldUseCredentialStorage:")
  func storageQuestion() throws {
    func uses(_ os: Int, _ methods: Set<DelegateMethod>) -> Bool {
      conversation(.nsurlConnection, methods, os: OSVersion(.iOS, os), storage: false).usesStorage
    }
    #expect(uses(6, [.willSendRequest]) && !uses(6, [.didReceive]) && !uses(7, [.willSendRequest]))
    // A method that is not implemented counts as true.
    #expect(conversation(.nsurlConnection, [.didReceive]).usesStorage)
  }

  @Test("a credential of another type does not answer the challenge")
  func wrongKind() throws {
    let rules = [ChallengeRule(answers: [.useCredential(.made(.password("alice", "secret")))])]
    let exchange = conversation(.urlSession, [.task], rules: rules).exchange(on: try space(.serverTrust))
    #expect(exchange.answer == .noCredential)
    #expect(exchange.findings.contains { $0.rule == .wrongCredential && $0.confidence != .certain })
  }

  @Test("an identity with permanent persistence is a finding, before and after a relaunch")
  func persistence() throws {
    let space = try space(.clientCertificate)
    func violated(_ persistence: Credential.Persistence, relaunched: Bool) -> [Rule] {
      var storage = CredentialStorage()
      storage.set(Credential(.identity("alice", certificates: []), persistence: persistence), for: space)
      let conversation = ChallengeConversation(
        .init(
          os: OSVersion(.iOS, 12),
          delegate: ChallengeDelegate([ChallengeRule(answers: [.useCredential(.stored(nil)), .cancel])]),
          storage: relaunched ? storage.afterRelaunch : storage))
      return conversation.exchange(on: space).findings.filter { $0.outcome == .violated }.map(\.rule)
    }
    for relaunched in [false, true] {
      #expect(violated(.permanent, relaunched: relaunched).contains(.notPersisted))
      #expect(!violated(.session, relaunched: relaunched).contains(.notPersisted))
    }
    #expect(!Rule.notPersisted.decides)
  }

  @Test("the leaf among an identity's additional certificates is a finding; an intermediate is not")
  func leaf() throws {
    func violated(_ certificates: [String]) throws -> [Rule] {
      let made = Credential(.identity("alice", certificates: certificates))
      let exchange = conversation(
        .urlSession, [.session], rules: [ChallengeRule(answers: [.useCredential(.made(made))])]
      )
      .exchange(on: try space(.clientCertificate))
      return exchange.findings.filter { $0.outcome == .violated }.map(\.rule)
    }
    #expect(try violated(["alice", "Members"]).contains(.duplicateLeaf))
    #expect(try !violated(["Members"]).contains(.duplicateLeaf))
  }
}

@Suite("Protection spaces and their stored credentials") struct ProtectionSpaceTests {
  private let space = ProtectionSpace(host: "api.example", port: 443, realm: "mobileApp", method: .clientCertificate)

  @Test("protection spaces are equal only if every part is, and realms are case-sensitive")
  func equality() {
    #expect(space == ProtectionSpace(host: "api.example", port: 443, realm: "mobileApp", method: .clientCertificate))
    func differs(_ change: (inout ProtectionSpace) -> Void) -> [String] {
      var other = space
      change(&other)
      return space == other ? [] : space.differences(to: other)
    }
    #expect(differs { $0.realm = "Mobileapp" } == ["realm"])
    #expect(differs { $0.realm = nil } == ["realm"])
    #expect(differs { $0.host = "other.example" } == ["host"])
    #expect(differs { $0.port = 8443 } == ["port"])
    #expect(differs { $0.protocol = "http" } == ["protocol"])
    #expect(differs { $0.method = .serverTrust } == ["authenticationMethod"])
    #expect(differs { $0.proxyType = .https } == ["isProxy"])
    #expect(differs { $0.distinguishedNames = [[1]] }.isEmpty)
  }

  @Test("the constants of Default and Basic have the same value")
  func defaultIsBasic() {
    let basic = ProtectionSpace(host: "api.example", port: 443, realm: "mobile", method: .httpBasic)
    #expect(basic == ProtectionSpace(host: "api.example", port: 443, realm: "mobile", method: .default))
    #expect(basic != ProtectionSpace(host: "api.example", port: 443, realm: "mobile", method: .httpDigest))
  }

  @Test("a credential of one realm is not found under another")
  func lookup() {
    var storage = CredentialStorage()
    let identity = Credential(.identity("alice", certificates: []), persistence: .permanent)
    var stored = space
    stored.realm = "Mobileapp"
    storage.set(identity, for: stored, asDefault: true)
    #expect(storage.defaultCredential(for: stored) == identity)
    #expect(storage.defaultCredential(for: space) == nil)
  }

  @Test("a relaunch removes an identity, whatever its persistence; a permanent password is kept")
  func relaunch() {
    var storage = CredentialStorage()
    storage.set(Credential(.identity("alice", certificates: []), persistence: .permanent), for: space)
    #expect(storage.afterRelaunch.entries.isEmpty)
    let basic = ProtectionSpace(host: "api.example", port: 443, realm: "mobile", method: .httpBasic)
    storage.set(.password("alice", "secret", .permanent), for: basic)
    storage.set(.password("bob", "secret", .session), for: basic)
    storage.set(.password("carol", "secret", .none), for: basic)
    // The credential for one request is not kept, and the first one is the default.
    #expect(storage.entries.last?.credentials.count == 2)
    #expect(storage.defaultCredential(for: basic) == .password("alice", "secret", .permanent))
    #expect(storage.afterRelaunch.defaultCredential(for: basic) == .password("alice", "secret", .permanent))
    #expect(storage.afterRelaunch.entries.first?.credentials.count == 1)
  }
}

import Explanation
import Trust

/// What an app and its system say to each other about challenges while one URL is loaded: who is asked, what is answered,
/// and what the answer means.
///
/// ```
/// challenge ──▶ credential of the URL or the storage ──▶ the delegate's method, if there is one ──▶ the first answer
/// ```
///
/// What the loader does is closed source: it follows Apple's documentation and headers, and where these are silent what
/// was observed, which findings say.
public struct ChallengeConversation: Sendable {
  /// Who takes part, and with what.
  public struct Configuration: Sendable {
    /// What the URL is loaded with.
    public var loader: Loader
    /// How the load was started.
    public var interface: LoadingInterface
    /// The system.
    public var os: OSVersion
    /// The app's delegate; nil for none.
    public var delegate: ChallengeDelegate?
    /// What the credential storage holds at first; nil where the session has none.
    public var storage: CredentialStorage?
    /// What it held before the first load of the run; by that two loads of one app are known.
    public var initialStorage: CredentialStorage?
    /// Whether the app was launched again since what the storage holds was put there.
    public var isRelaunched = false
    /// User and password of the URL.
    public var urlCredential: Credential?
    /// The user's own name and password, as the app has them.
    public var account: Credential?
    /// The identity that the app has.
    public var identity: Credential?
    /// Whether the app believes its device to be registered.
    public var isRegistered: Bool
    /// The rules in force.
    public var enforcement: Enforcement

    /// A conversation of an app on `os`.
    public init(
      loader: Loader = .urlSession, interface: LoadingInterface = .delegate, os: OSVersion,
      delegate: ChallengeDelegate? = nil, storage: CredentialStorage? = .init(), urlCredential: Credential? = nil,
      isRegistered: Bool = false, enforcement: Enforcement = .standard
    ) {
      self.loader = loader
      self.interface = interface
      self.os = os
      self.delegate = delegate
      self.storage = storage
      initialStorage = storage
      self.urlCredential = urlCredential
      self.isRegistered = isRegistered
      self.enforcement = enforcement
    }
  }

  /// Who takes part.
  public let configuration: Configuration
  /// What the credential storage holds.
  public private(set) var storage: CredentialStorage?
  /// The challenges so far, in order.
  public private(set) var exchanges: [ChallengeExchange] = []
  /// How many attempts of the load have failed.
  public private(set) var failures = 0
  /// The credentials that were sent, to the server and, under true, to a proxy before it.
  private var used: [Bool: Credential] = [:]

  /// A conversation that has not begun.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    storage = configuration.storage
  }

  /// What comes of a challenge about `space`; `trust` is that of a server's chain, `response` the status code that asked.
  public func exchange(
    on space: ProtectionSpace, trust: TrustInspection.Presented? = nil, response: Int? = nil
  ) -> ChallengeExchange {
    let challenge = AuthenticationChallenge(
      space, failures: failures, proposed: proposedCredential(for: space), response: response)
    let route = route(of: challenge)
    guard let delegate = configuration.delegate, route.asked != nil else {
      return ChallengeExchange(
        challenge, route, answer: .defaultHandling, findings: findings(onNobodyAskedAbout: challenge, route))
    }
    var exchange = ChallengeExchange(challenge, route, answer: .unanswered, findings: [])
    if var rule = delegate.rule(for: challenge, isRegistered: configuration.isRegistered) {
      if let trust { exchange.report = rule.library?.report(on: trust) }
      // What a library leaves alone is for the rows below it.
      if let library = exchange.report?.library, library.answer == nil {
        rule = delegate.rule(for: challenge, isRegistered: configuration.isRegistered, below: true) ?? .defaultHandling
      }
      exchange.rule = rule
      if rule.inspection?.settings.areAnchorsDER == false {
        exchange.calls = [.init(call: .raise, credential: nil)]
        exchange.answer = .exception
        exchange.findings = ChallengeConduct(exchange, delegate, configuration).findings
        return exchange
      }
      if exchange.report == nil {
        exchange.report = rule.inspection?.report(
          on: trust, method: space.method, os: configuration.os, configuration.enforcement)
      }
      let own = exchange.report?.isGood == false ? rule.otherwise : rule.answers
      exchange.calls = (exchange.report?.library?.answer.map { [$0] } ?? own).compactMap { call($0, challenge) }
    }
    exchange.answer = answer(to: challenge, by: exchange.calls)
    exchange.findings = ChallengeConduct(exchange, delegate, configuration).findings
    return exchange
  }

  /// The exchange has taken place.
  public mutating func record(_ exchange: ChallengeExchange) { exchanges.append(exchange) }

  /// A credential is sent, to a proxy or to the server.
  public mutating func recordUse(of credential: Credential, toProxy isProxy: Bool = false) {
    used[isProxy] = credential
  }

  /// What was sent to the server and is kept for other loads; nil where nothing is.
  public var kept: Credential? {
    guard usesStorage, let credential = used[false], credential.effectivePersistence != .none else { return nil }
    return credential
  }

  /// What the credential was for has failed.
  public mutating func recordFailure() { failures += 1 }

  /// The load has come to its end, or the proxy lets it through: what was used is kept, unless the app keeps nothing.
  public mutating func recordSuccess(withProxy isProxy: Bool = false) {
    let last = exchanges.last { !$0.challenge.method.isOfTLS && $0.challenge.space.isProxy == isProxy }
    guard let used = used[isProxy], usesStorage, let last else { return }
    storage?.set(used, for: last.challenge.space)
  }

  /// `connectionShouldUseCredentialStorage:` is asked before anything else, but not on systems before iOS 7 where the app has
  /// the newer method.
  public var usesStorage: Bool {
    guard let delegate = configuration.delegate, let answer = delegate.shouldUseCredentialStorage,
      configuration.loader == .nsurlConnection
    else { return storage != nil }
    let isCalled =
      configuration.os.isAtLeast(iOS: (7, 0), macOS: (10, 9)) || !delegate.methods.contains(.willSendRequest)
    return storage != nil && (answer || !isCalled)
  }

  /// URL, then storage; only user and password are ever proposed. Those of a URL are no proxy's affair.
  private func proposedCredential(for space: ProtectionSpace) -> Credential? {
    guard !space.method.isOfTLS else { return nil }
    if failures > 0, let used = used[space.isProxy] { return used }
    return (space.isProxy ? nil : configuration.urlCredential)
      ?? (usesStorage ? storage?.defaultCredential(for: space) : nil)
  }

  /// A call with its credential; nil where the credential that it would hand in is not there.
  private func call(_ call: DelegateCall, _ challenge: AuthenticationChallenge) -> ChallengeExchange.Call? {
    guard case .useCredential(let source) = call else { return .init(call: call, credential: nil) }
    let credential: Credential? =
      switch source {
      case .trust: Credential(.trust)
      case .own: own(challenge.method)
      case .identity: configuration.identity
      case .account: configuration.account
      case .proposed: challenge.proposedCredential
      case .stored(let space): storage?.defaultCredential(for: space?.space ?? challenge.space)
      case .made(let made): made
      }
    return credential.map { .init(call: call, credential: $0) }
  }

  private func own(_ method: AuthenticationMethod) -> Credential? {
    switch method {
    case .serverTrust: Credential(.trust)
    case .clientCertificate: configuration.identity
    default: configuration.account
    }
  }

  /// The first answer counts.
  private func answer(
    to challenge: AuthenticationChallenge, by calls: [ChallengeExchange.Call]
  ) -> ChallengeExchange.Answer {
    if calls.contains(where: { $0.call == .raise }) { return .exception }
    let answers = calls.filter { $0.call.disposition != nil }
    guard let first = answers.first else { return configuration.loader == .wkWebView ? .exception : .unanswered }
    if configuration.loader == .wkWebView, answers.count > 1 { return .exception }
    switch first.call.disposition {
    case .useCredential:
      guard let credential = first.credential, credential.suits(challenge.method) else { return .noCredential }
      return .credential(credential)
    case .continueWithoutCredential:
      // WebKit made a credential for the trust out of none: NetworkSessionCocoa.mm, about 2020.
      let isTaken = configuration.loader == .wkWebView && challenge.method == .serverTrust
      return isTaken ? .credential(Credential(.trust)) : .noCredential
    case .cancel: return .cancelled
    case .performDefaultHandling: return .defaultHandling
    case .rejectProtectionSpace: return .rejected
    case nil: return .unanswered
    }
  }

  private func findings(onNobodyAskedAbout challenge: AuthenticationChallenge, _ route: ChallengeRoute) -> [Finding] {
    let subject = Finding.Subject.message(challenge.method.constant)
    if configuration.interface.hasNoDelegate,
      challenge.method != .serverTrust || configuration.interface == .synchronous
    {
      return [
        configuration.enforcement.check(
          .noDelegate, on: subject, false, found: .word("\(configuration.interface.rawValue) NSURLConnection"))
      ]
    }
    guard let delegate = configuration.delegate, route.isMissed else { return [] }
    return [
      configuration.enforcement.check(
        .notAsked, on: subject, false, required: .anyOf(route.wanted.map(\.selector)),
        found: .words(delegate.methods.map(\.selector).sorted()))
    ]
  }
}

/// Which of an app's methods a challenge takes: the way of each API.
public struct ChallengeRoute: Sendable, Hashable {
  /// The methods that are called, in order; empty where nobody is asked.
  public var called: [DelegateMethod] = []
  /// What `canAuthenticateAgainstProtectionSpace:` said, also where it is not implemented; nil where it is no matter.
  public var canAuthenticate: Bool?
  /// The method that is asked for an answer; nil where nobody is.
  public var asked: DelegateMethod?
  /// The methods of which one would be asked, had the app implemented it.
  public var wanted: [DelegateMethod] = []
  /// Whether the app has methods for challenges, and none of them is for this one.
  public var isMissed = false
}

extension ChallengeConversation {
  /// Who is asked.
  func route(of challenge: AuthenticationChallenge) -> ChallengeRoute {
    guard let delegate = configuration.delegate, !configuration.interface.hasNoDelegate else { return ChallengeRoute() }
    let methods = delegate.methods
    switch configuration.loader {
    case .nsurlConnection: return connectionRoute(challenge, delegate)
    case .urlSession:
      // The task's method stands in for the session's, and not the other way round.
      return firstRoute(challenge.method.isSessionLevel ? [.session, .task] : [.task], among: methods)
    case .wkWebView:
      // A proxy's question is answered in a dialog of CFNetwork's own, and WebKit goes on without one.
      return challenge.space.isProxy ? ChallengeRoute() : firstRoute([.navigation], among: methods)
    case .uiWebView, .avFoundation, .networkFramework:
      // What these ask is not NSURLSession's; an app's own look at the trust of a server is all that is played.
      return challenge.method == .serverTrust ? ChallengeRoute(called: [], asked: .session) : ChallengeRoute()
    }
  }

  /// The first of `wanted` that the app has is asked.
  private func firstRoute(_ wanted: [DelegateMethod], among methods: Set<DelegateMethod>) -> ChallengeRoute {
    guard let asked = wanted.first(where: methods.contains) else {
      return ChallengeRoute(wanted: wanted, isMissed: !methods.isEmpty)
    }
    return ChallengeRoute(called: [asked], asked: asked, wanted: wanted)
  }

  private func connectionRoute(_ challenge: AuthenticationChallenge, _ delegate: ChallengeDelegate) -> ChallengeRoute {
    let methods = delegate.methods
    if methods.contains(.willSendRequest), configuration.os.isAtLeast(iOS: (5, 0), macOS: (10, 7)) {
      return ChallengeRoute(called: [.willSendRequest], asked: .willSendRequest, wanted: [.willSendRequest])
    }
    var route = ChallengeRoute(wanted: [.canAuthenticate, .didReceive])
    if methods.contains(.canAuthenticate) {
      route.called = [.canAuthenticate]
      route.canAuthenticate = delegate.canAuthenticate.contains(where: challenge.method.isEqual)
    } else {
      // Not implemented: no for what TLS asks, yes for all else.
      route.canAuthenticate = !challenge.method.isOfTLS
    }
    let isProposed = challenge.proposedCredential != nil && challenge.previousFailureCount == 0
    guard route.canAuthenticate == true, !isProposed else {
      route.isMissed = methods.contains(.didReceive) && !methods.contains(.canAuthenticate) && challenge.method.isOfTLS
      return route
    }
    guard methods.contains(.didReceive) else { return route }
    route.called.append(.didReceive)
    route.asked = .didReceive
    return route
  }
}

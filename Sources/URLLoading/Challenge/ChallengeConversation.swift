import Explanation
import Trust

/// The conversation of an app and its system about the challenges of one load.
///
/// ```
/// challenge ──▶ credential of the URL or the storage ──▶ the delegate's method, if there is one ──▶ the first answer
/// ```
///
/// The loader's source is not public. The simulation follows Apple's documentation and headers, or else observations,
/// which findings mark.
public struct ChallengeConversation: Sendable {
  /// The app, its settings and its credentials.
  public struct Configuration: Sendable {
    /// The loader of the URL.
    public var loader: Loader
    /// The interface that started the load.
    public var interface: LoadingInterface
    /// The system.
    public var os: OSVersion
    /// The app's delegate; nil if there is none.
    public var delegate: ChallengeDelegate?
    /// The credential storage at the start; nil if the session has none.
    public var storage: CredentialStorage?
    /// The storage before the first load of the run. It identifies the loads of one app.
    public var initialStorage: CredentialStorage?
    /// Whether the app was launched again after a credential was stored.
    public var isRelaunched = false
    /// The user and the password in the URL.
    public var urlCredential: Credential?
    /// The name and the password of the app's user.
    public var account: Credential?
    /// The app's identity.
    public var identity: Credential?
    /// Whether the app assumes that its device is registered.
    public var isRegistered: Bool
    /// The rules in force.
    public var enforcement: Enforcement

    /// Creates the configuration of an app on `os`.
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

  /// The app, its settings and its credentials.
  public let configuration: Configuration
  /// The current credential storage.
  public private(set) var storage: CredentialStorage?
  /// The challenges that were handled, in order.
  public private(set) var exchanges: [ChallengeExchange] = []
  /// The number of failed attempts of the load.
  public private(set) var failures = 0
  /// The credentials that were sent. The key is whether the recipient was a proxy in front of the server.
  private var used: [Bool: Credential] = [:]

  /// Creates a conversation without challenges.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    storage = configuration.storage
  }

  /// Handles a challenge about `space`. `trust` is the trust of a server's chain, and `response` is the status code of
  /// the response.
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
      // If the library does not respond, the rows below it handle the challenge.
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

  /// Records an exchange.
  public mutating func record(_ exchange: ChallengeExchange) { exchanges.append(exchange) }

  /// Records a credential that was sent to a proxy or to the server.
  public mutating func recordUse(of credential: Credential, toProxy isProxy: Bool = false) {
    used[isProxy] = credential
  }

  /// The credential that was sent to the server and is kept for other loads; nil if there is none.
  public var kept: Credential? {
    guard usesStorage, let credential = used[false], credential.effectivePersistence != .none else { return nil }
    return credential
  }

  /// Records that the request with the credential failed.
  public mutating func recordFailure() { failures += 1 }

  /// Records that the load ended, or that a proxy forwards it. Credentials are then kept, unless the app keeps none.
  public mutating func recordSuccess(withProxy isProxy: Bool = false) {
    let last = exchanges.last { !$0.challenge.method.isOfTLS && $0.challenge.space.isProxy == isProxy }
    guard let used = used[isProxy], usesStorage, let last else { return }
    storage?.set(used, for: last.challenge.space)
  }

  /// Whether the load uses the credential storage.
  ///
  /// The system calls `connectionShouldUseCredentialStorage:` first. Before iOS 7, it does not call this method if the
  /// app implements the newer one.
  public var usesStorage: Bool {
    guard let delegate = configuration.delegate, let answer = delegate.shouldUseCredentialStorage,
      configuration.loader == .nsurlConnection
    else { return storage != nil }
    let isCalled =
      configuration.os.isAtLeast(iOS: (7, 0), macOS: (10, 9)) || !delegate.methods.contains(.willSendRequest)
    return storage != nil && (answer || !isCalled)
  }

  /// Returns the credential of the URL, or else of the storage.
  ///
  /// Only a user and a password are proposed. The credential of a URL is never sent to a proxy.
  private func proposedCredential(for space: ProtectionSpace) -> Credential? {
    guard !space.method.isOfTLS else { return nil }
    if failures > 0, let used = used[space.isProxy] { return used }
    return (space.isProxy ? nil : configuration.urlCredential)
      ?? (usesStorage ? storage?.defaultCredential(for: space) : nil)
  }

  /// Creates a call with its credential; nil if the app does not have the credential.
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

  /// Determines the answer. The first call is effective.
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
      // WebKit created a credential for the trust from nil: NetworkSessionCocoa.mm, about 2020.
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

/// The delegate methods that a challenge reaches. Each API calls them in its own order.
public struct ChallengeRoute: Sendable, Hashable {
  /// The methods that the system calls, in order; empty if there are none.
  public var called: [DelegateMethod] = []
  /// The result of `canAuthenticateAgainstProtectionSpace:`, even if it is not implemented; nil if it does not matter.
  public var canAuthenticate: Bool?
  /// The method that must respond; nil if there is none.
  public var asked: DelegateMethod?
  /// The methods that the system would try to call. It calls the first one that the app implements.
  public var wanted: [DelegateMethod] = []
  /// Whether the app implements methods for challenges, but none for this challenge.
  public var isMissed = false
}

extension ChallengeConversation {
  /// Determines the delegate methods that the challenge reaches.
  func route(of challenge: AuthenticationChallenge) -> ChallengeRoute {
    guard let delegate = configuration.delegate, !configuration.interface.hasNoDelegate else { return ChallengeRoute() }
    let methods = delegate.methods
    switch configuration.loader {
    case .nsurlConnection: return connectionRoute(challenge, delegate)
    case .urlSession:
      // The task's method replaces a missing method of the session, but not vice versa.
      return firstRoute(challenge.method.isSessionLevel ? [.session, .task] : [.task], among: methods)
    case .wkWebView:
      // For a proxy's challenge, CFNetwork shows its own dialog, and WebKit continues without a dialog.
      return challenge.space.isProxy ? ChallengeRoute() : firstRoute([.navigation], among: methods)
    case .uiWebView, .avFoundation, .networkFramework:
      // These APIs do not receive NSURLSession's challenges. TrustLab simulates only the app's own evaluation of a
      // server's trust.
      return challenge.method == .serverTrust ? ChallengeRoute(called: [], asked: .session) : ChallengeRoute()
    }
  }

  /// Calls the first of `wanted` that the app implements.
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
      // Without an implementation, the default is NO for TLS challenges and YES for all others.
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

import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// The decision of the simulated client. It is always computed from findings.
public struct Verdict: Sendable, Hashable {
  /// The kinds of decision, as named in the scenario language.
  public enum Word: String, Sendable, Hashable, CaseIterable {
    case accepted
    case refused
    case hangs
    case notApplicable = "not-applicable"
  }

  /// The kind of decision.
  public let word: Word
  /// The layer that decided first; nil for an accepted connection.
  public let layer: Layer?
  /// The violated rules that decide.
  public let because: [Rule]

  /// Creates the verdict of a connection from its findings and from whether content reached the app.
  ///
  /// If no finding refuses the connection and no content arrives, the client waits in the layer `waiting`.
  public init(_ findings: [Finding], hasContent: Bool, waiting: Layer = .application) {
    because = findings.deciding
    layer = because.map(\.layer).min() ?? (hasContent ? nil : waiting)
    // An unanswered challenge does not refuse the load: the load waits.
    let waits = layer == .challenge && !Set(because).isDisjoint(with: [.unanswered, .failuresIgnored])
    word = because.isEmpty ? (hasContent ? .accepted : .hangs) : waits ? .hangs : .refused
  }

  /// Whether the connection is refused only by a limit of the simulation, and not by a standard or a system.
  public var isLimit: Bool {
    let limits = [Rule.versionNotImplemented, .suiteNotImplemented]
    return !because.isEmpty && because.allSatisfy(limits.contains)
  }

  private init(_ word: Word) {
    self.word = word
    layer = nil
    because = []
  }

  /// The verdict of a connection without a basis for a decision.
  public static let notApplicable = Verdict(.notApplicable)
}

/// The outcome of a run, or of one of its connections.
public struct Outcome: Sendable {
  /// The name of the connection; nil for the run as a whole.
  public private(set) var name: String?
  /// The number of redirects before this connection.
  public private(set) var hop = 0
  /// The number of failed attempts before this attempt.
  public private(set) var attempt = 0
  /// The URL of the load.
  public private(set) var url = ""
  /// The client's verdict, or the server's if an attacker replays a recording in place of the client.
  public let verdict: Verdict
  /// The verdict about a request: whether the server processed it, and if not, the reason.
  public let server: Verdict
  /// Whether a request reached the server, even if it was not processed.
  ///
  /// The value is nil for a recording, and for a real server that has sent no complete response.
  public private(set) var hasReachedServer: Bool? = false
  /// The requests that the server processed.
  public private(set) var executed: [String] = []
  /// The key path that determined the App Transport Security decision, or `default`; nil if nothing is loaded.
  public private(set) var decidedBy: String?
  /// The keys that App Review asks about, among those that the loads need.
  public private(set) var appReview: [String] = []
  /// The names of the certificates on the best path, leaf first.
  public private(set) var path: [String] = []
  /// The source of each issuer on the path, the leaf's issuer first.
  public private(set) var issuerSources: [IssuerSource] = []
  /// The errors that the app can receive.
  public private(set) var errors: [AppError] = []
  /// Whether the app can receive no error although the load failed.
  public private(set) var mayEndSilently = false
  /// The number of requests whose credentials the server checked; nil if it requires no authentication.
  public private(set) var attemptsToAuthenticate: Int?
  /// The accounts that the server has locked.
  public private(set) var lockedAccounts: [String] = []
  /// The challenges to the app, and its responses, in order.
  public private(set) var challenges: [ChallengeExchange] = []
  /// The state of each goal of an attacker.
  public var goals: [Goal: Goal.State] { risks.value.states }
  /// The leak that makes a goal possible, for each goal that an attacker reaches later.
  public var openings: [Goal: Leak] { risks.value.openings }
  /// The reason for the state of each goal.
  public var reasons: [Goal: GoalReason] { risks.value.reasons }
  /// The attempts of attackers to reach the goals, in order.
  public var attempts: [Attempt] { risks.value.attempts }
  /// The kinds of attack that were not tried, although their preconditions hold.
  public var notTried: [UntriedAttack] { risks.value.notTried }
  /// The keys that the attackers would have to break, but cannot.
  public var outOfReach: [UnbrokenKey] { risks.value.outOfReach }
  /// The value that proves a goal, for each goal that third parties reach by their knowledge.
  public var evidence: [Goal: Evidence] { risks.value.evidence }
  /// The risks, which are computed on demand because most callers only need verdicts.
  private let risks: OnDemand<Risks>
  /// All findings of the connection or run.
  public let findings: [Finding]
  /// The name of the SecTrustResultType constant; nil if no certificate was evaluated.
  public private(set) var trustResult: String?
  /// The negotiated cipher suite.
  public private(set) var cipherSuite: String?
  /// The protocol that was negotiated inside TLS (RFC 7301); nil for none.
  public private(set) var applicationProtocol: String?
  /// The body that the app received.
  public private(set) var content: [UInt8]?
  /// The head of a real server's response; nil if there is none, and for a server of a scenario.
  public private(set) var response: ReceivedResponse?
  /// The messages that a hanging client waits for; empty for other verdicts.
  public private(set) var awaited: [String] = []

  /// Returns the outcome of each connection in order. A calculation has a single outcome.
  public static func connections(of simulation: Simulation) -> [Outcome] {
    if let calculation = simulation.calculation { return [Outcome(calculation, in: simulation)] }
    let all = simulation.accounts.map { Outcome($0, in: simulation) }
    let standing = Set(settled(all).map(\.name))
    return all.map { outcome in
      guard !standing.contains(outcome.name) else { return outcome }
      // An app receives no error for an attempt that another attempt replaces.
      var silent = outcome
      silent.errors = []
      return silent
    }
  }

  /// Creates the outcome of a run as a whole.
  init(_ simulation: Simulation) { self.init(of: Outcome.connections(of: simulation)) }

  /// Combines the outcomes of several connections.
  ///
  /// The verdict is that of the first connection that was not accepted, or else of the last. Each goal has its worst
  /// state. The findings are those of all connections.
  public init(of all: [Outcome], name: String? = nil) {
    let all = Outcome.settled(all)
    let telling = all.first { $0.verdict.word != .accepted } ?? all.last
    let risks = all.map(\.risks)
    self.init(
      telling?.verdict ?? Verdict([], hasContent: false), server: telling?.server ?? Verdict([], hasContent: false),
      all.flatMap(\.findings)
    ) { Risks.worst(of: risks.map(\.value)) }
    self.name = name
    if let telling { take(telling) }
    hasReachedServer = all.contains { $0.hasReachedServer == true }
    executed = all.flatMap(\.executed)
    appReview = all.flatMap(\.appReview).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    challenges = all.flatMap(\.challenges)
    attemptsToAuthenticate = all.compactMap(\.attemptsToAuthenticate).last
    lockedAccounts = all.last?.lockedAccounts ?? []
  }

  /// Copies the properties that a combined outcome takes from one of its parts.
  private mutating func take(_ part: Outcome) {
    (url, decidedBy, path, issuerSources) = (part.url, part.decidedBy, part.path, part.issuerSources)
    (errors, mayEndSilently, trustResult) = (part.errors, part.mayEndSilently, part.trustResult)
    (cipherSuite, applicationProtocol) = (part.cipherSuite, part.applicationProtocol)
    (content, response, awaited) = (part.content, part.response, part.awaited)
  }

  /// Returns the outcomes without attempts that were replaced by another one.
  ///
  /// Of several attempts, the last one is kept. If none succeeded, the first one with a reason is kept.
  static func settled(_ connections: [Outcome]) -> [Outcome] {
    connections.reduce(into: []) { settled, next in
      guard next.attempt > 0, let earlier = settled.last else { return settled.append(next) }
      let isSettled = next.verdict.word != .accepted && !earlier.verdict.because.isEmpty
      if !isSettled { settled[settled.count - 1] = next }
    }
  }

  /// Returns the outcome of each load, which combines its own connection and those it was redirected to.
  public static func loads(_ connections: [Outcome]) -> [Outcome] {
    var loads: [[Outcome]] = []
    for connection in settled(connections) {
      if connection.hop > 0, !loads.isEmpty {
        loads[loads.count - 1].append(connection)
      } else {
        loads.append([connection])
      }
    }
    return loads.map { $0.count == 1 ? $0[0] : Outcome(of: $0, name: $0[0].name) }
  }

  private init(_ verdict: Verdict, server: Verdict, _ findings: [Finding], risks: @escaping @Sendable () -> Risks) {
    self.verdict = verdict
    self.server = server
    self.findings = findings
    self.risks = OnDemand(risks)
  }

  /// Creates the outcome of a recorded session, in which TrustLab evaluated no trust.
  public init(_ session: ReplayedSession) {
    self.init(session.verdict, server: session.verdict, session.findings) { GoalAssessment(session).risks() }
    url = session.serverName.map { "https://\($0)/" } ?? ""
    hasReachedServer = nil
    cipherSuite = session.parameters?.cipherSuite.name
    applicationProtocol = session.parameters?.applicationProtocol?.description
    let data = session.applicationData(of: .server)
    content = data.isEmpty ? nil : data
  }

  /// Creates the outcome of a calculation up to the current step. Nothing is loaded, but checks may fail.
  private init(_ calculation: Calculation, in simulation: Simulation) {
    let findings = simulation.trace.steps.flatMap(\.findings)
    let verdict = Verdict(findings, hasContent: simulation.trace.steps.count == calculation.moves.count)
    self.init(verdict, server: verdict, findings) {
      Risks(states: CalculationGoals(calculation: calculation, simulation: simulation, verdict: verdict).goals())
    }
  }

  private init(_ account: ConnectionRecord, in simulation: Simulation) {
    let findings = account.findings
    let verdict = account.verdict(on: findings)
    let path = account.client.evaluation?.path.map { simulation.world.names($0) } ?? []
    self.init(verdict, server: account.serverVerdict, findings) {
      GoalAssessment(account, path: path, in: simulation).risks()
    }
    self.path = path
    name = account.plan.name
    hop = account.plan.hop
    attempt = account.plan.attempt
    url = account.plan.url.description
    executed = account.executed
    hasReachedServer = account.hasReachedServer
    let decision = account.plan.client.decision
    let hasLoaded = account.plan.replayed == nil && account.isLoadable
    decidedBy = hasLoaded ? decision.decidedBy : nil
    appReview = hasLoaded ? decision.appReview : []
    issuerSources = account.client.evaluation?.issuerSources ?? []
    errors = account.errors(under: verdict)
    challenges = account.client.conversation.exchanges
    attemptsToAuthenticate = account.server.authenticator?.attempts
    lockedAccounts = account.server.authenticator?.locked ?? []
    mayEndSilently =
      account.client.hasRaised
      || challenges.contains { $0.answer == .unanswered || $0.answer == .exception || $0.cancelsConnection }
    trustResult = account.client.challenge?.result.description
    cipherSuite = account.client.parameters?.cipherSuite.name
    applicationProtocol = account.client.parameters?.applicationProtocol?.description
    content = account.client.content
    response = account.isLive ? account.client.response.flatMap(ReceivedResponse.init) : nil
    awaited = verdict.word == .hangs ? account.client.awaited : []
  }
}

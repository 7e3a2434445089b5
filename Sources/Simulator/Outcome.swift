import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// What the subject, the simulated client, decided. Computed from findings; there is no other way to one.
public struct Verdict: Sendable, Hashable {
  /// The words of the scenario language.
  public enum Word: String, Sendable, Hashable, CaseIterable {
    case accepted
    case refused
    case hangs
    case notApplicable = "not-applicable"
  }

  /// What was decided.
  public let word: Word
  /// The layer that decided first, unless it was accepted.
  public let layer: Layer?
  /// Every violated rule that decides.
  public let because: [Rule]

  /// The verdict of a connection on which these were found, and which did or did not bring the app its content; where
  /// nothing refuses and nothing comes, the client waits in the layer `waiting`.
  public init(_ findings: [Finding], hasContent: Bool, waiting: Layer = .application) {
    because = findings.deciding
    layer = because.map(\.layer).min() ?? (hasContent ? nil : waiting)
    // A challenge that nobody answers refuses nothing: the load waits.
    let waits = layer == .challenge && !Set(because).isDisjoint(with: [.unanswered, .failuresIgnored])
    word = because.isEmpty ? (hasContent ? .accepted : .hangs) : waits ? .hangs : .refused
  }

  /// Whether it was refused for what is not played here yet, and for nothing that a standard or a system demands.
  public var isLimit: Bool {
    let limits = [Rule.versionNotImplemented, .suiteNotImplemented]
    return !because.isEmpty && because.allSatisfy(limits.contains)
  }

  private init(_ word: Word) {
    self.word = word
    layer = nil
    because = []
  }

  /// There is nothing to judge by.
  public static let notApplicable = Verdict(.notApplicable)
}

/// What has come of a run, or of one connection of it.
public struct Outcome: Sendable {
  /// The connection's name; nil for the run as a whole.
  public let name: String?
  /// How many redirects have led here.
  public let hop: Int
  /// How many attempts to make the connection have failed before.
  public let attempt: Int
  /// What is loaded.
  public let url: String
  /// What the client decided; where an attacker plays a recording in its place, what the server did.
  public let verdict: Verdict
  /// Whether the server carried a request out, and if not, why.
  public let server: Verdict
  /// Whether a request reached the server, carried out or not; nil where nobody knows: of a recording, which does not say,
  /// and of a real server that has given no whole answer.
  public let hasReachedServer: Bool?
  /// The requests that the server carried out.
  public let executed: [String]
  /// The key path by which App Transport Security decided, or `default`; nil where nothing is loaded.
  public let decidedBy: String?
  /// The keys that App Review asks about, of those the loads rest on.
  public let appReview: [String]
  /// The names of the certificates on the best path, leaf first.
  public let path: [String]
  /// Where each issuer on it was found, the leaf's issuer first.
  public let issuerSources: [IssuerSource]
  /// Errors that the app may see.
  public private(set) var errors: [AppError]
  /// Whether the app may as well see none although the load came to nothing.
  public let mayEndSilently: Bool
  /// How many requests with credentials the server has judged; nil where it asks for none.
  public let attemptsToAuthenticate: Int?
  /// The accounts that the server has locked.
  public let lockedAccounts: [String]
  /// What the app was asked, and what it answered, in order.
  public let challenges: [ChallengeExchange]
  /// What an attacker could do.
  public var goals: [Goal: Goal.State] { risks.value.states }
  /// For each goal that an attacker reaches later: the leak that opens it.
  public var openings: [Goal: Trace.Leak] { risks.value.openings }
  /// Why each goal is in its state.
  public var reasons: [Goal: GoalReason] { risks.value.reasons }
  /// Every attack that was tried, in order.
  public var attempts: [Attempt] { risks.value.attempts }
  /// The kinds of attack that were not tried, though what they take is there.
  public var notTried: [UntriedAttack] { risks.value.notTried }
  /// The keys that would have to be broken, and are beyond the attackers.
  public var outOfReach: [UnbrokenKey] { risks.value.outOfReach }
  /// For each goal that third parties reach by what they know: the value that shows it.
  public var evidence: [Goal: Evidence] { risks.value.evidence }
  /// Worked out when somebody asks: most who judge ask for verdicts only.
  private let risks: OnDemand<Risks>
  /// Everything that was found.
  public let findings: [Finding]
  /// The constant of SecTrustResultType; nil when no certificate was evaluated.
  public let trustResult: String?
  /// The cipher suite that was agreed on.
  public let cipherSuite: String?
  /// The protocol inside TLS that was agreed on (RFC 7301); nil for none.
  public let applicationProtocol: String?
  /// The body the app received.
  public let content: [UInt8]?
  /// What the client waits for where it hangs; empty else.
  public let awaited: [String]

  /// The outcome of each connection, in order; a calculation has one.
  public static func connections(of simulation: Simulation) -> [Outcome] {
    if let calculation = simulation.calculation { return [Outcome(calculation, in: simulation)] }
    let all = simulation.accounts.map { Outcome($0, in: simulation) }
    let standing = Set(settled(all).map(\.name))
    return all.map { outcome in
      guard !standing.contains(outcome.name) else { return outcome }
      // Of an attempt that another stands for an app hears nothing.
      var silent = outcome
      silent.errors = []
      return silent
    }
  }

  /// The outcome of a run as a whole.
  init(_ simulation: Simulation) { self.init(of: Outcome.connections(of: simulation)) }

  /// The outcome of several connections as a whole: that of the first that was not accepted, else of the last; the worst
  /// of the goals, and everything that was found.
  public init(of all: [Outcome], name: String? = nil) {
    let all = Outcome.settled(all)
    let telling = all.first { $0.verdict.word != .accepted } ?? all.last
    self.name = name
    hop = 0
    attempt = 0
    url = telling?.url ?? ""
    verdict = telling?.verdict ?? Verdict([], hasContent: false)
    server = telling?.server ?? Verdict([], hasContent: false)
    hasReachedServer = all.contains { $0.hasReachedServer == true }
    executed = all.flatMap(\.executed)
    decidedBy = telling?.decidedBy
    appReview = all.flatMap(\.appReview).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    path = telling?.path ?? []
    issuerSources = telling?.issuerSources ?? []
    errors = telling?.errors ?? []
    mayEndSilently = telling?.mayEndSilently ?? false
    challenges = all.flatMap(\.challenges)
    attemptsToAuthenticate = all.compactMap(\.attemptsToAuthenticate).last
    lockedAccounts = all.last?.lockedAccounts ?? []
    trustResult = telling?.trustResult
    cipherSuite = telling?.cipherSuite
    applicationProtocol = telling?.applicationProtocol
    content = telling?.content
    awaited = telling?.awaited ?? []
    findings = all.flatMap(\.findings)
    let risks = all.map(\.risks)
    self.risks = OnDemand { Risks.worst(of: risks.map(\.value)) }
  }

  /// The outcomes without attempts that others stand for: the last of several, or the first that says what was wrong where
  /// none succeeded.
  static func settled(_ connections: [Outcome]) -> [Outcome] {
    connections.reduce(into: []) { settled, next in
      guard next.attempt > 0, let earlier = settled.last else { return settled.append(next) }
      let isSettled = next.verdict.word != .accepted && !earlier.verdict.because.isEmpty
      if !isSettled { settled[settled.count - 1] = next }
    }
  }

  /// The outcome of each load: of the connection that was made for it, and of those that it was redirected to.
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

  /// What has come of a recorded session. Whether the certificate is to be trusted was not asked.
  public init(_ session: ReplayedSession) {
    name = nil
    hop = 0
    attempt = 0
    url = session.serverName.map { "https://\($0)/" } ?? ""
    verdict = session.verdict
    server = session.verdict
    hasReachedServer = nil
    executed = []
    decidedBy = nil
    appReview = []
    path = []
    issuerSources = []
    errors = []
    mayEndSilently = false
    challenges = []
    attemptsToAuthenticate = nil
    lockedAccounts = []
    findings = session.findings
    trustResult = nil
    cipherSuite = session.parameters?.cipherSuite.name
    applicationProtocol = session.parameters?.applicationProtocol?.description
    let data = session.applicationData(of: .server)
    content = data.isEmpty ? nil : data
    awaited = []
    risks = OnDemand { GoalAssessment(session).risks() }
  }

  /// What has come of a calculation so far: nothing was loaded, but checks may have failed.
  private init(_ calculation: Calculation, in simulation: Simulation) {
    name = nil
    hop = 0
    attempt = 0
    url = ""
    findings = simulation.trace.steps.flatMap(\.findings)
    verdict = Verdict(findings, hasContent: simulation.trace.steps.count == calculation.moves.count)
    server = verdict
    hasReachedServer = false
    executed = []
    decidedBy = nil
    appReview = []
    path = []
    issuerSources = []
    errors = []
    mayEndSilently = false
    challenges = []
    attemptsToAuthenticate = nil
    lockedAccounts = []
    trustResult = nil
    cipherSuite = nil
    applicationProtocol = nil
    content = nil
    awaited = []
    let verdict = verdict
    risks = OnDemand {
      Risks(states: CalculationGoals(calculation: calculation, simulation: simulation, verdict: verdict).goals())
    }
  }

  private init(_ account: ConnectionAccount, in simulation: Simulation) {
    name = account.plan.name
    hop = account.plan.hop
    attempt = account.plan.attempt
    url = account.plan.url.description
    findings = account.findings
    verdict = account.verdict(on: findings)
    server = account.serverVerdict
    executed = account.executed
    hasReachedServer = account.hasReachedServer
    let decision = account.plan.client.decision
    let hasLoaded = account.plan.replayed == nil && account.isLoadable
    decidedBy = hasLoaded ? decision.decidedBy : nil
    appReview = hasLoaded ? decision.appReview : []
    path = account.client.evaluation?.path.map { simulation.world.names($0) } ?? []
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
    awaited = verdict.word == .hangs ? account.client.awaited : []
    let path = path
    risks = OnDemand { GoalAssessment(account, path: path, in: simulation).risks() }
  }
}

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
  public private(set) var name: String?
  /// How many redirects have led here.
  public private(set) var hop = 0
  /// How many attempts to make the connection have failed before.
  public private(set) var attempt = 0
  /// What is loaded.
  public private(set) var url = ""
  /// What the client decided; where an attacker plays a recording in its place, what the server did.
  public let verdict: Verdict
  /// Whether the server carried a request out, and if not, why.
  public let server: Verdict
  /// Whether a request reached the server, carried out or not; nil where nobody knows: of a recording, which does not say,
  /// and of a real server that has given no whole answer.
  public private(set) var hasReachedServer: Bool? = false
  /// The requests that the server carried out.
  public private(set) var executed: [String] = []
  /// The key path by which App Transport Security decided, or `default`; nil where nothing is loaded.
  public private(set) var decidedBy: String?
  /// The keys that App Review asks about, of those the loads rest on.
  public private(set) var appReview: [String] = []
  /// The names of the certificates on the best path, leaf first.
  public private(set) var path: [String] = []
  /// Where each issuer on it was found, the leaf's issuer first.
  public private(set) var issuerSources: [IssuerSource] = []
  /// Errors that the app may see.
  public private(set) var errors: [AppError] = []
  /// Whether the app may as well see none although the load came to nothing.
  public private(set) var mayEndSilently = false
  /// How many requests with credentials the server has judged; nil where it asks for none.
  public private(set) var attemptsToAuthenticate: Int?
  /// The accounts that the server has locked.
  public private(set) var lockedAccounts: [String] = []
  /// What the app was asked, and what it answered, in order.
  public private(set) var challenges: [ChallengeExchange] = []
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
  public private(set) var trustResult: String?
  /// The cipher suite that was agreed on.
  public private(set) var cipherSuite: String?
  /// The protocol inside TLS that was agreed on (RFC 7301); nil for none.
  public private(set) var applicationProtocol: String?
  /// The body the app received.
  public private(set) var content: [UInt8]?
  /// What the client waits for where it hangs; empty else.
  public private(set) var awaited: [String] = []

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

  /// Takes over the members that the outcome of a whole has of one of its parts.
  private mutating func take(_ part: Outcome) {
    (url, decidedBy, path, issuerSources) = (part.url, part.decidedBy, part.path, part.issuerSources)
    (errors, mayEndSilently, trustResult) = (part.errors, part.mayEndSilently, part.trustResult)
    (cipherSuite, applicationProtocol) = (part.cipherSuite, part.applicationProtocol)
    (content, awaited) = (part.content, part.awaited)
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

  private init(_ verdict: Verdict, server: Verdict, _ findings: [Finding], risks: @escaping @Sendable () -> Risks) {
    self.verdict = verdict
    self.server = server
    self.findings = findings
    self.risks = OnDemand(risks)
  }

  /// The outcome of a recorded session. Whether the certificate is to be trusted was not asked.
  public init(_ session: ReplayedSession) {
    self.init(session.verdict, server: session.verdict, session.findings) { GoalAssessment(session).risks() }
    url = session.serverName.map { "https://\($0)/" } ?? ""
    hasReachedServer = nil
    cipherSuite = session.parameters?.cipherSuite.name
    applicationProtocol = session.parameters?.applicationProtocol?.description
    let data = session.applicationData(of: .server)
    content = data.isEmpty ? nil : data
  }

  /// The outcome of a calculation so far: nothing was loaded, but checks may have failed.
  private init(_ calculation: Calculation, in simulation: Simulation) {
    let findings = simulation.trace.steps.flatMap(\.findings)
    let verdict = Verdict(findings, hasContent: simulation.trace.steps.count == calculation.moves.count)
    self.init(verdict, server: verdict, findings) {
      Risks(states: CalculationGoals(calculation: calculation, simulation: simulation, verdict: verdict).goals())
    }
  }

  private init(_ account: ConnectionAccount, in simulation: Simulation) {
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
    awaited = verdict.word == .hangs ? account.client.awaited : []
  }
}

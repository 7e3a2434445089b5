import Endpoint
import Explanation
import PKIX
import URLLoading

/// What has come of a run, or of one connection of it.
public struct Outcome: Sendable {
  /// The connection's name; nil for the run as a whole.
  public let name: String?
  /// What is loaded.
  public let url: String
  /// What the client decided.
  public let verdict: Verdict
  /// The names of the certificates on the best path, leaf first.
  public let path: [String]
  /// Errors that the app may see.
  public let errors: [AppError]
  /// What an attacker could do.
  public let goals: [Goal: Goal.State]
  /// For each goal that an attacker reaches later: the leak that opens it.
  public let openings: [Goal: Trace.Leak]
  /// Everything that was found.
  public let findings: [Finding]
  /// The constant of SecTrustResultType; nil when no certificate was evaluated.
  public let trustResult: String?
  /// The cipher suite that was agreed on.
  public let cipherSuite: String?
  /// The body the app received.
  public let content: [UInt8]?

  /// The outcome of each connection, in order.
  public static func connections(of simulation: Simulation) -> [Outcome] {
    simulation.accounts.map { Outcome($0, in: simulation) }
  }

  /// The outcome of the whole: that of the first connection that was not accepted, else of the last; the worst of the
  /// goals, and everything that was found.
  init(_ simulation: Simulation) {
    let all = Outcome.connections(of: simulation)
    let telling = all.first { $0.verdict.word != .accepted } ?? all.last
    name = nil
    url = telling?.url ?? ""
    verdict = telling?.verdict ?? Verdict([], hasContent: false)
    path = telling?.path ?? []
    errors = telling?.errors ?? []
    trustResult = telling?.trustResult
    cipherSuite = telling?.cipherSuite
    content = telling?.content
    findings = all.flatMap(\.findings)
    openings = all.reduce(into: [:]) { openings, outcome in openings.merge(outcome.openings) { first, _ in first } }
    goals = Dictionary(
      uniqueKeysWithValues: Goal.allCases.map { goal in
        (goal, Goal.State.allCases.last { state in all.contains { $0.goals[goal] == state } } ?? .notApplicable)
      })
  }

  /// What has come of a recorded session. Whether the certificate is to be trusted was not asked.
  public init(_ session: ReplayedSession) {
    name = nil
    url = session.serverName.map { "https://\($0)/" } ?? ""
    verdict = session.verdict
    path = []
    errors = []
    findings = session.findings
    trustResult = nil
    cipherSuite = session.parameters?.cipherSuite.name
    let data = session.applicationData(of: .server)
    content = data.isEmpty ? nil : data
    let assessment = GoalAssessment(
      trace: session.trace, prefix: "", isSecure: true, findings: session.findings,
      pathKeys: [session.recording.secrets.serverKeyName])
    goals = assessment.goals()
    openings = assessment.openings()
  }

  private init(_ account: ConnectionAccount, in simulation: Simulation) {
    name = account.plan.name
    url = account.plan.url.description
    verdict = account.verdict
    path = account.client.evaluation?.path.map { simulation.world.names($0) } ?? []
    errors = account.errors
    findings = account.findings
    trustResult = account.client.evaluation?.result.description
    cipherSuite = account.client.parameters?.cipherSuite.name
    content = account.client.content
    let assessment = GoalAssessment(
      trace: simulation.trace, prefix: account.plan.prefix, isSecure: account.plan.url.isSecure,
      findings: account.findings, pathKeys: Set(path.map { "\($0).key" } + [account.plan.server.tls.privateKeyName]))
    goals = assessment.goals()
    openings = assessment.openings()
  }
}

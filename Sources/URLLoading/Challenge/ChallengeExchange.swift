import Explanation
import Trust

/// One challenge, who was asked, and what was answered.
public struct ChallengeExchange: Sendable {
  /// A call of the delegate's, with the credential that it hands in.
  public struct Call: Sendable, Hashable {
    /// What is called.
    public let call: DelegateCall
    /// The credential; nil for none.
    public let credential: Credential?
  }

  /// What the load goes on with.
  public enum Answer: Sendable, Hashable {
    /// A credential.
    case credential(Credential)
    /// None: `continueWithoutCredential…`, or one that cannot answer this challenge.
    case noCredential
    /// The system does what it does without a delegate.
    case defaultHandling
    /// This space is not for the app.
    case rejected
    /// The load is given up.
    case cancelled
    /// Nothing: the load waits.
    case unanswered
    /// The completion handler was not called exactly once, and the app ends.
    case exception

    /// Every name that an answer can have.
    public static let names =
      ChallengeDisposition.allCases.map(\.name) + [Answer.unanswered.name, Answer.exception.name]

    /// The disposition, in Apple's words.
    public var name: String {
      switch self {
      case .credential: ChallengeDisposition.useCredential.name
      case .noCredential: ChallengeDisposition.continueWithoutCredential.name
      case .defaultHandling: ChallengeDisposition.performDefaultHandling.name
      case .rejected: ChallengeDisposition.rejectProtectionSpace.name
      case .cancelled: ChallengeDisposition.cancel.name
      case .unanswered: "nothing"
      case .exception: "an exception"
      }
    }
  }

  /// The question.
  public let challenge: AuthenticationChallenge
  /// Which methods it took.
  public let route: ChallengeRoute
  /// The row of the delegate's table that held; nil where none did.
  public internal(set) var rule: ChallengeRule?
  /// What the delegate learnt from the trust; nil where it looked at none.
  public internal(set) var report: TrustInspection.Report?
  /// What the delegate called, in order; what had no credential to hand in is not among it.
  public internal(set) var calls: [Call] = []
  /// What counts.
  public internal(set) var answer: Answer
  /// What was found on the app's conduct.
  public internal(set) var findings: [Finding]

  init(_ challenge: AuthenticationChallenge, _ route: ChallengeRoute, answer: Answer, findings: [Finding]) {
    self.challenge = challenge
    self.route = route
    self.answer = answer
    self.findings = findings
  }

  /// Whether anyone of the app's was asked.
  public var isAsked: Bool { route.asked != nil }

  /// Whether the delegate has ended the connection besides, so that it hears of no error.
  public var cancelsConnection: Bool { calls.contains { $0.call == .cancelConnection } }
}

/// What is to be said about how a delegate answered.
struct ChallengeConduct {
  private let exchange: ChallengeExchange
  private let delegate: ChallengeDelegate
  private let configuration: ChallengeConversation.Configuration
  private var subject: Finding.Subject { .message(exchange.challenge.method.constant) }

  init(
    _ exchange: ChallengeExchange, _ delegate: ChallengeDelegate, _ configuration: ChallengeConversation.Configuration
  ) {
    self.exchange = exchange
    self.delegate = delegate
    self.configuration = configuration
  }

  var findings: [Finding] {
    (exchange.report?.findings ?? []) + answer + others + identity + delegate.remarks.map { violated($0) }
  }

  /// What the answer itself comes to, where it ends the load.
  private var answer: [Finding] {
    switch exchange.answer {
    case .unanswered: [violated(.unanswered, .word(awaited))]
    case .exception where exchange.rule?.inspection?.settings.areAnchorsDER == false:
      [violated(.anchorNotDER, .word("PEM, of which SecCertificateCreateWithData makes NULL"))]
    case .exception where exchange.calls.contains { $0.call == .raise }: []
    case .exception:
      [violated(.completionHandler, .word("\(exchange.calls.filter { $0.call.disposition != nil }.count) calls"))]
    case .cancelled where exchange.report?.isGood == false: []
    case .cancelled where exchange.rule?.condition.isNotIn != nil: [mismatch]
    case .cancelled where exchange.challenge.previousFailureCount > 0 && !exchange.challenge.method.isOfTLS: []
    case .cancelled: [violated(.cancelled)]
    case .credential, .noCredential, .defaultHandling, .rejected: []
    }
  }

  private var awaited: String { exchange.challenge.space.place }

  /// The space is none of the delegate's own: in what it differs from each.
  private var mismatch: Finding {
    let patterns = exchange.rule?.condition.isNotIn ?? []
    let asked = exchange.challenge.space
    // Several patterns may differ in the same parts.
    let differences = patterns.map { $0.differences(to: asked).joined(separator: " and ") }
      .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return configuration.enforcement.check(
      .spaceMismatch, on: subject, false, required: .anyOf(patterns.map(\.words)),
      found: .word("\(asked.description); it differs in " + differences.joined(separator: "; ")))
  }

  /// What an app takes an identity's credential for, and it is not.
  private var identity: [Finding] {
    guard exchange.challenge.method == .clientCertificate else { return [] }
    var used: Credential?
    if case .credential(let credential) = exchange.answer { used = credential }
    var found: [Finding] = []
    let misjudged = (configuration.storage?.misjudged ?? []) + [used].compactMap(\.self).filter(\.isMisjudged)
    if let first = misjudged.first { found.append(violated(.notPersisted, .word(first.description))) }
    if case .identity(let name, let certificates)? = used?.kind, certificates.contains(name) {
      found.append(violated(.duplicateLeaf, .words([name] + certificates)))
    }
    return found
  }

  /// What is only worth saying.
  private var others: [Finding] {
    var found: [Finding] = []
    let answers = exchange.calls.filter { $0.call.disposition != nil }
    if answers.count > 1, exchange.answer != .exception {
      let doubt = Finding.Confidence.unknown("what NSURLSession does with a second call; played as ignored")
      found.append(
        violated(
          .secondAnswer, .words(answers.compactMap { $0.call.disposition?.name }),
          configuration.loader == .urlSession ? doubt : .likely("seen in apps that work")))
    }
    if let first = answers.first, first.call.disposition == .useCredential,
      first.credential?.suits(exchange.challenge.method) == false
    {
      found.append(
        violated(
          .wrongCredential, .word(first.credential?.description ?? ""),
          .unknown("what a loader does with it; played as none")))
    }
    if case .credential(let credential) = exchange.answer, credential.kind == .trust, exchange.report == nil {
      let isNil = answers.first?.call.disposition == .continueWithoutCredential
      found.append(
        violated(
          .acceptsAll, .word("a credential for a trust that was not looked at"),
          isNil ? .likely("WebKit of 2020 made a credential out of none") : .certain))
    }
    if case .credential(let credential) = exchange.answer, exchange.challenge.previousFailureCount > 0,
      credential == exchange.challenge.proposedCredential
    {
      found.append(violated(.failuresIgnored, .word("the credential that has failed, again")).advising)
    }
    if exchange.challenge.method == .serverTrust, delegate.rules.contains(where: \.condition.looksAtSpace) {
      found.append(violated(.spaceProvesNothing, .word(exchange.challenge.space.description)))
    }
    return found
  }

  private func violated(
    _ rule: Rule, _ found: Detail = .none, _ confidence: Finding.Confidence = .certain
  ) -> Finding {
    configuration.enforcement.check(rule, on: subject, false, found: found, confidence: confidence)
  }
}

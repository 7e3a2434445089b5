import Explanation
import Trust

/// A challenge, the delegate methods that it reached, and the response.
public struct ChallengeExchange: Sendable {
  /// A call of the delegate, with its credential.
  public struct Call: Sendable, Hashable {
    /// The call.
    public let call: DelegateCall
    /// The credential; nil if there is none.
    public let credential: Credential?
  }

  /// The result with which the load continues.
  public enum Answer: Sendable, Hashable {
    /// A credential.
    case credential(Credential)
    /// The load continues without a credential: `continueWithoutCredential…`, or a credential that does not suit this
    /// challenge.
    case noCredential
    /// The system handles the challenge as it does without a delegate.
    case defaultHandling
    /// The app rejects this space.
    case rejected
    /// The load ends.
    case cancelled
    /// There is no response, so the load waits.
    case unanswered
    /// The completion handler was not called exactly once, so the app is terminated.
    case exception

    /// The names of all possible answers.
    public static let names =
      ChallengeDisposition.allCases.map(\.name) + [Answer.unanswered.name, Answer.exception.name]

    /// Apple's name for the disposition.
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

  /// The challenge.
  public let challenge: AuthenticationChallenge
  /// The methods that the challenge reached.
  public let route: ChallengeRoute
  /// The matching row of the delegate's table; nil if none matched.
  public internal(set) var rule: ChallengeRule?
  /// The result of the delegate's evaluation of the trust; nil if there was none.
  public internal(set) var report: TrustInspection.Report?
  /// The delegate's calls, in order, without calls whose credential was missing.
  public internal(set) var calls: [Call] = []
  /// The effective answer.
  public internal(set) var answer: Answer
  /// The findings about the app's code.
  public internal(set) var findings: [Finding]

  init(_ challenge: AuthenticationChallenge, _ route: ChallengeRoute, answer: Answer, findings: [Finding]) {
    self.challenge = challenge
    self.route = route
    self.answer = answer
    self.findings = findings
  }

  /// Whether a delegate method was called.
  public var isAsked: Bool { route.asked != nil }

  /// Whether the delegate also cancelled the connection, so that it receives no error.
  public var cancelsConnection: Bool { calls.contains { $0.call == .cancelConnection } }
}

/// Checks a delegate's response to a challenge.
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

  /// The finding on an answer that ends the load.
  private var answer: [Finding] {
    switch exchange.answer {
    case .unanswered: [violated(.unanswered, .word(awaited))]
    case .exception where exchange.rule?.inspection?.settings.areAnchorsDER == false:
      [violated(.anchorNotDER, .word("PEM, for which SecCertificateCreateWithData returns NULL"))]
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

  /// The finding on a space that matches none of the delegate's own spaces. It lists the differences.
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

  /// The findings on wrong assumptions about the credential of an identity.
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

  /// The findings that are only advice.
  private var others: [Finding] {
    var found: [Finding] = []
    let answers = exchange.calls.filter { $0.call.disposition != nil }
    if answers.count > 1, exchange.answer != .exception {
      let doubt = Finding.Confidence.unknown("how NSURLSession handles a second call; TrustLab ignores it")
      found.append(
        violated(
          .secondAnswer, .words(answers.compactMap { $0.call.disposition?.name }),
          configuration.loader == .urlSession ? doubt : .likely("observed in working apps")))
    }
    if let first = answers.first, first.call.disposition == .useCredential,
      first.credential?.suits(exchange.challenge.method) == false
    {
      found.append(
        violated(
          .wrongCredential, .word(first.credential?.description ?? ""),
          .unknown("how a loader handles a credential of another type; TrustLab treats it as no credential")))
    }
    if case .credential(let credential) = exchange.answer, credential.kind == .trust, exchange.report == nil {
      let isNil = answers.first?.call.disposition == .continueWithoutCredential
      found.append(
        violated(
          .acceptsAll, .word("a credential for a trust object that the app did not evaluate"),
          isNil ? .likely("in 2020, WebKit created a credential from nil") : .certain))
    }
    if case .credential(let credential) = exchange.answer, exchange.challenge.previousFailureCount > 0,
      credential == exchange.challenge.proposedCredential
    {
      found.append(violated(.failuresIgnored, .word("the credential that failed before")).advising)
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

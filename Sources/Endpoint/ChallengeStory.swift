import Explanation
import PKIX
import Trust
import URLLoading

/// The words for one challenge: the question, what the delegate does before it answers, and the answer.
struct ChallengeStory {
  private let exchange: ChallengeExchange

  init(_ exchange: ChallengeExchange) { self.exchange = exchange }

  private var method: AuthenticationMethod { exchange.challenge.method }

  /// The decisions in order; `evaluated` are the findings of the delegate's own evaluation, `conduct` those on its answer.
  func decisions(evaluated: [Finding] = [], conduct: [Finding]) -> [Decision] {
    guard exchange.isAsked else { return [] }
    let own = exchange.report?.findings ?? []
    return [question] + steps(evaluated, own) + [answer(conduct.filter { !own.contains($0) })]
  }

  private var question: Decision {
    let challenge = exchange.challenge
    var sentences = ["\(method.constant) for \(challenge.space.place)."]
    if let says = exchange.route.canAuthenticate, exchange.route.called.contains(.canAuthenticate) {
      sentences.append("canAuthenticateAgainstProtectionSpace: says \(says ? "YES" : "NO").")
    }
    if let asked = exchange.route.asked, exchange.route.called.contains(asked) {
      sentences.append("\(asked.selector) is called.")
    }
    if challenge.previousFailureCount > 0 {
      sentences.append("previousFailureCount is \(challenge.previousFailureCount).")
    }
    if let proposed = challenge.proposedCredential { sentences.append("Proposed: \(proposed.description).") }
    if let names = challenge.space.distinguishedNames, !names.isEmpty {
      sentences.append("The server names \(names.count == 1 ? "one authority" : "\(names.count) authorities").")
    }
    return Decision(title: "the app is asked: \(words)", narration: sentences.joined(separator: " "), findings: [])
  }

  private var words: String {
    switch method {
    case .serverTrust: "shall it go on with \(exchange.challenge.space.host)?"
    case .clientCertificate: "who is it, by a certificate?"
    default: "user and password for \(exchange.challenge.space.realm.map { "'\($0)'" } ?? "no realm")?"
    }
  }

  /// What the delegate does with the trust, a step for each call.
  private func steps(_ evaluated: [Finding], _ own: [Finding]) -> [Decision] {
    guard let report = exchange.report else { return [] }
    if let library = report.library { return steps(of: library, evaluated) }
    let settings = report.inspection.settings
    var steps: [Decision] = []
    func step(_ title: String, _ narration: String, _ findings: [Finding] = []) {
      steps.append(Decision(title: title, narration: narration, findings: findings))
    }
    if !settings.added.isEmpty {
      step("the delegate adds certificates to the chain", "They may stand between the server's and an anchor.")
    }
    if let anchors = settings.anchors {
      step(
        "the delegate sets anchors of its own",
        "SecTrustSetAnchorCertificates with \(anchors.count): "
          + (settings.anchorsOnly
            ? "only these are trusted now, and the system's roots are not."
            : "SecTrustSetAnchorCertificatesOnly(false) after it adds the system's roots again."))
    }
    if let date = settings.verifyDate {
      step("the delegate sets the date of validation", "SecTrustSetVerifyDate: \(date).")
    }
    if settings.exceptions != nil {
      step("the delegate sets exceptions", "SecTrustSetExceptions: what a user once let pass for this certificate.")
    }
    if settings.leavesOutHost {
      step("the delegate sets a policy without a host", "SecPolicyCreateSSL(true, NULL) compares no name.")
    }
    let pins = own.filter { $0.rule.layer == .pin }
    let rest = own.filter { $0.rule.layer != .pin }
    let result = report.result?.description ?? "nothing: the variable is left as it was"
    step(
      "the delegate evaluates: \(report.result?.description ?? "no result")",
      "\(report.inspection.reading.function): status \(report.status == 0 ? "errSecSuccess (0)" : "errSecParam (-50): there is no trust"), result \(result)."
        + violated(evaluated), evaluated + rest)
    if !pins.isEmpty {
      let matches = !pins.refuses
      step(
        "the delegate compares public keys: \(matches ? "one is pinned" : "none is pinned")",
        "What the app pins is its own affair: the result of SecTrustEvaluate knows nothing of it.", pins)
    }
    return steps
  }

  /// What a library does, in its own order; what its last evaluation found stands with that.
  private func steps(of library: LibraryVerdict, _ evaluated: [Finding]) -> [Decision] {
    let last = library.steps.lastIndex(where: \.isEvaluation) ?? library.steps.indices.last
    return library.steps.enumerated().map { index, step in
      Decision(step, index == last ? evaluated : [])
    }
  }

  private func violated(_ findings: [Finding]) -> String {
    let rules = findings.deciding.map(\.id)
    return rules.isEmpty ? "" : " Violated: \(rules.joined(separator: ", "))."
  }

  private func answer(_ findings: [Finding]) -> Decision {
    let disposition = exchange.answer.disposition
    var narration =
      switch exchange.answer {
      case .unanswered:
        "No branch of it answers. The load waits, and neither an end nor an error is reported. Whether the time-out of the "
          + "request runs meanwhile is not documented; if it does, NSURLErrorTimedOut (-1001) comes in the end."
      case .exception where exchange.rule?.inspection?.settings.areAnchorsDER == false:
        "SecCertificateCreateWithData makes nothing of a file in PEM, and an array with nothing in it cannot be made: "
          + "NSInvalidArgumentException ends the app, before it has evaluated anything."
      case .exception where exchange.calls.contains { $0.call == .raise }:
        "An exception ends the app before it answers."
      case .exception:
        "The completion handler must be called exactly once: an NSInternalInconsistencyException ends the app."
      default: disposition?.meaning(for: exchange.challenge.space) ?? ""
      }
    if case .credential(let credential) = exchange.answer {
      narration = "It hands in \(credential.description). \(narration)"
    }
    if let library = exchange.report?.library, !library.accepts {
      if let reason = library.reason { narration += " The reason is \(reason.constant)." }
      if let error = library.error {
        narration += " The app is told \(error.description) in the place of the loader's error."
      }
    }
    if exchange.cancelsConnection { narration += " It cancels the connection as well, and is told of no error." }
    return Decision(
      title: "the delegate answers \(exchange.answer.name)", narration: narration, findings: findings)
  }
}

extension ChallengeExchange.Answer {
  /// The disposition that it is; nil where nothing was answered.
  fileprivate var disposition: ChallengeDisposition? {
    switch self {
    case .credential: .useCredential
    case .noCredential: .continueWithoutCredential
    case .defaultHandling: .performDefaultHandling
    case .rejected: .rejectProtectionSpace
    case .cancelled: .cancel
    case .unanswered, .exception: nil
    }
  }
}

/// The words for how a client comes to trust a server: one decision where the system's word stands, else the system's,
/// the delegate's, and that of App Transport Security where it matters.
struct ServerTrustStory {
  private let challenge: ServerTrustChallenge
  private let host: String
  private let decision: AppTransportSecurity.Decision

  init(_ challenge: ServerTrustChallenge, host: String, decision: AppTransportSecurity.Decision) {
    self.challenge = challenge
    self.host = host
    self.decision = decision
  }

  private var exchange: ChallengeExchange { challenge.exchange }

  /// The decisions in order; `findings` are those on chain, host and key.
  func decisions(_ findings: [Finding]) -> [Decision] {
    guard exchange.isAsked else {
      return [
        system("the client", violated: findings.deciding, findings + challenge.conductFindings)
      ]
    }
    // Where the delegate evaluates for itself, what the system held against the chain is only worth saying.
    let isOwn = challenge.goesByReport
    let refused = challenge.system.findings.settled.filter(\.refuses).map(\.advising)
    var decisions = [system("the system", violated: challenge.system.deciding, isOwn ? refused : findings)]
    decisions += ChallengeStory(exchange).decisions(
      evaluated: isOwn ? findings : [], conduct: challenge.conductFindings)
    if let loosening = challenge.loosening { decisions.append(lastWord(loosening)) }
    return decisions
  }

  /// What the system says; where it speaks for the client, App Transport Security's own demands are among it.
  private func system(_ speaker: String, violated: [Rule], _ findings: [Finding]) -> Decision {
    let reason =
      violated.isEmpty
      ? "Every signature leads to an anchor in the trust store, and the certificate is for \(host)."
      : "Violated: \(violated.map(\.id).joined(separator: ", "))."
    return Decision(
      title: "\(speaker) \(violated.isEmpty ? "trusts" : "does not trust") the server's certificate",
      narration: "SecTrustEvaluate answers \(challenge.system.result). \(reason)", findings: findings)
  }

  private func lastWord(_ loosening: Finding) -> Decision {
    let title: String
    let narration: String
    if loosening.refuses {
      title = "App Transport Security does not let the app loosen trust"
      narration =
        "It is in force for \(host) (\(key)), and there an app may only be stricter than the system: the credential for "
        + "a chain that the system refused does not count."
    } else if decision.standing == .inForce || loosening.outcome == .violated {
      title = "App Transport Security lets the app loosen trust"
      narration = "The app's Info.plist lifts it for \(host) (\(key)): the credential counts."
    } else {
      title = "App Transport Security has no say here"
      narration = "It does not apply to this load: the credential counts."
    }
    return Decision(title: title, narration: narration, findings: [loosening])
  }

  private var key: String { decision.decidedBy == "default" ? "by default" : "by \(decision.decidedBy)" }
}

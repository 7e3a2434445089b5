import Endpoint
import Explanation
import URLLoading

extension ChallengeEvent {
  /// The words for a step of a challenge.
  var words: EventWords {
    switch self {
    case .asked(let exchange): exchange.question
    case .addedCertificates:
      EventWords(
        "the delegate adds certificates to the chain", "They may stand between the server's and an anchor.")
    case .setAnchors(let count, let only): Self.setAnchors(count, only)
    case .setDate(let date):
      EventWords("the delegate sets the date of validation", "SecTrustSetVerifyDate: \(date).")
    case .setExceptions:
      EventWords(
        "the delegate sets exceptions", "SecTrustSetExceptions: what a user once let pass for this certificate.")
    case .setPolicyWithoutHost:
      EventWords("the delegate sets a policy without a host", "SecPolicyCreateSSL(true, NULL) compares no name.")
    case .evaluated(let report, let violated): Self.evaluated(report, violated)
    case .comparedKeys(let matches):
      EventWords(
        "the delegate compares public keys: \(matches ? "one is pinned" : "none is pinned")",
        "What the app pins is its own affair: the result of SecTrustEvaluate knows nothing of it.")
    case .answered(let exchange): exchange.response
    case .certificateNotAsked:
      EventWords(
        "no delegate is asked who the client is",
        "The server asks, and no method of the app is called for it: default handling of "
          + "\(AuthenticationMethod.clientCertificate.constant) shows no certificate.")
    case .passwordNotAsked(let challenge, let opensNoTunnel): Self.passwordNotAsked(challenge, opensNoTunnel)
    case .neverEnds(let rule): EventWords("the delegate would go on like this for ever", rule.statement)
    case .sentAtOnce(let known):
      EventWords(
        .client, "says at once who it is",
        "An earlier load was asked at \(known.url), and this URL is in the same protection space: "
          + "\(known.credential.description) goes along before anybody asks.")
    case .ownAuthorization:
      EventWords(
        "the app sets Authorization itself",
        "The field travels with the first request, asked for or not. To the system it is no credential: a 401 "
          + "is a first failure of nothing, and a redirect goes on without the field.")
    }
  }

  private static func setAnchors(_ count: Int, _ only: Bool) -> EventWords {
    EventWords(
      "the delegate sets anchors of its own",
      "SecTrustSetAnchorCertificates with \(count): "
        + (only
          ? "only these are trusted now, and the system's roots are not."
          : "SecTrustSetAnchorCertificatesOnly(false) after it adds the system's roots again."))
  }

  private static func evaluated(_ report: TrustInspection.Report, _ violated: [Rule]) -> EventWords {
    let status = report.status == 0 ? "errSecSuccess (0)" : "errSecParam (-50): there is no trust"
    let result = report.result?.description ?? "nothing: the variable is left as it was"
    return EventWords(
      "the delegate evaluates: \(report.result?.description ?? "no result")",
      "\(report.inspection.reading.function): status \(status), result \(result)."
        + (violated.isEmpty ? "" : " Violated: \(violated.map(\.id).joined(separator: ", "))."))
  }

  private static func passwordNotAsked(_ challenge: AuthenticationChallenge, _ opensNoTunnel: Bool) -> EventWords {
    EventWords(
      "nobody is asked for user and password",
      challenge.proposedCredential.map { "There is one already: \($0.description)." }
        ?? "Default handling of \(challenge.method.constant) without a credential "
        + (opensNoTunnel ? "opens no tunnel." : "hands the response to the app."))
  }
}

extension ChallengeExchange {
  fileprivate var question: EventWords {
    var sentences = ["\(challenge.method.constant) for \(challenge.space.place)."]
    if let says = route.canAuthenticate, route.called.contains(.canAuthenticate) {
      sentences.append("canAuthenticateAgainstProtectionSpace: says \(says ? "YES" : "NO").")
    }
    if let asked = route.asked, route.called.contains(asked) { sentences.append("\(asked.selector) is called.") }
    if challenge.previousFailureCount > 0 {
      sentences.append("previousFailureCount is \(challenge.previousFailureCount).")
    }
    if let proposed = challenge.proposedCredential { sentences.append("Proposed: \(proposed.description).") }
    if let names = challenge.space.distinguishedNames, !names.isEmpty {
      sentences.append("The server names \(names.count == 1 ? "one authority" : "\(names.count) authorities").")
    }
    return EventWords("the app is asked: \(questionWords)", sentences.joined(separator: " "))
  }

  private var questionWords: String {
    switch challenge.method {
    case .serverTrust: "shall it go on with \(challenge.space.host)?"
    case .clientCertificate: "who is it, by a certificate?"
    default: "user and password for \(challenge.space.realm.map { "'\($0)'" } ?? "no realm")?"
    }
  }

  fileprivate var response: EventWords {
    var narration = answerNarration
    if case .credential(let credential) = answer { narration = "It hands in \(credential.description). \(narration)" }
    if let library = report?.library, !library.accepts {
      if let reason = library.reason { narration += " The reason is \(reason.constant)." }
      if let error = library.error {
        narration += " The app is told \(error.description) in the place of the loader's error."
      }
    }
    if cancelsConnection { narration += " It cancels the connection as well, and is told of no error." }
    return EventWords("the delegate answers \(answer.name)", narration)
  }

  private var answerNarration: String {
    switch answer {
    case .unanswered:
      "No branch of it answers. The load waits, and neither an end nor an error is reported. Whether the time-out of the "
        + "request runs meanwhile is not documented; if it does, NSURLErrorTimedOut (-1001) comes in the end."
    case .exception where rule?.inspection?.settings.areAnchorsDER == false:
      "SecCertificateCreateWithData makes nothing of a file in PEM, and an array with nothing in it cannot be made: "
        + "NSInvalidArgumentException ends the app, before it has evaluated anything."
    case .exception where calls.contains { $0.call == .raise }: "An exception ends the app before it answers."
    case .exception:
      "The completion handler must be called exactly once: an NSInternalInconsistencyException ends the app."
    default: answer.disposition?.meaning(for: challenge.space) ?? ""
    }
  }
}

extension ChallengeExchange.Answer {
  /// The disposition that it is; nil if nothing was answered.
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

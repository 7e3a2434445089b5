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
        "the delegate adds certificates to the chain",
        "These certificates can connect the server's certificate to an anchor.")
    case .setAnchors(let count, let only): Self.setAnchors(count, only)
    case .setDate(let date):
      EventWords("the delegate sets the date of validation", "SecTrustSetVerifyDate: \(date).")
    case .setExceptions:
      EventWords(
        "the delegate sets exceptions",
        "SecTrustSetExceptions: exceptions that a user once granted for this certificate.")
    case .setPolicyWithoutHost:
      EventWords(
        "the delegate sets a policy without a host", "SecPolicyCreateSSL(true, NULL) does not check the host name.")
    case .evaluated(let report, let violated): Self.evaluated(report, violated)
    case .comparedKeys(let matches):
      EventWords(
        "the delegate compares public keys: \(matches ? "one is pinned" : "none is pinned")",
        "The pins are the app's own: they do not affect the result of SecTrustEvaluate.")
    case .answered(let exchange): exchange.response
    case .certificateNotAsked:
      EventWords(
        "no delegate is called for a client certificate",
        "The server requests a client certificate, but no method of the app is called: default handling of "
          + "\(AuthenticationMethod.clientCertificate.constant) presents no certificate.")
    case .passwordNotAsked(let challenge, let opensNoTunnel): Self.passwordNotAsked(challenge, opensNoTunnel)
    case .neverEnds(let rule): EventWords("the delegate would repeat this forever", rule.violation)
    case .sentAtOnce(let known):
      EventWords(
        .client, "sends credentials with the first request",
        "An earlier load got a challenge at \(known.url), and this URL is in the same protection space. Therefore, "
          + "\(known.credential.description) is sent before any challenge.")
    case .ownAuthorization:
      EventWords(
        "the app sets Authorization itself",
        "The app sends the field with the first request, before any challenge. The system does not treat it as a "
          + "credential: a 401 does not count as a failed credential, and a redirect drops the field.")
    }
  }

  private static func setAnchors(_ count: Int, _ only: Bool) -> EventWords {
    EventWords(
      "the delegate sets its own anchors",
      "SecTrustSetAnchorCertificates gets \(count == 1 ? "1 certificate" : "\(count) certificates"). "
        + (only
          ? "Only these anchors are trusted now; the system's roots are not."
          : "The following call, SecTrustSetAnchorCertificatesOnly(false), adds the system's roots again."))
  }

  private static func evaluated(_ report: TrustInspection.Report, _ violated: [Rule]) -> EventWords {
    let status = report.status == 0 ? "errSecSuccess (0)" : "errSecParam (-50): there is no trust"
    let result = report.result?.description ?? "none: the variable is unchanged"
    return EventWords(
      "the delegate evaluates: \(report.result?.description ?? "no result")",
      "\(report.inspection.reading.function): status \(status), result \(result)."
        + (violated.isEmpty ? "" : " Violated: \(violated.map(\.id).joined(separator: ", "))."))
  }

  private static func passwordNotAsked(_ challenge: AuthenticationChallenge, _ opensNoTunnel: Bool) -> EventWords {
    EventWords(
      "no delegate is called for user and password",
      challenge.proposedCredential.map { "A credential is already known: \($0.description)." }
        ?? "Default handling of \(challenge.method.constant) without a credential "
        + (opensNoTunnel ? "opens no tunnel." : "passes the response to the app."))
  }
}

extension ChallengeExchange {
  fileprivate var question: EventWords {
    var sentences = ["\(challenge.method.constant) for \(challenge.space.place)."]
    if let says = route.canAuthenticate, route.called.contains(.canAuthenticate) {
      sentences.append("canAuthenticateAgainstProtectionSpace: returns \(says ? "YES" : "NO").")
    }
    if let asked = route.asked, route.called.contains(asked) { sentences.append("\(asked.selector) is called.") }
    if challenge.previousFailureCount > 0 {
      sentences.append("previousFailureCount is \(challenge.previousFailureCount).")
    }
    if let proposed = challenge.proposedCredential { sentences.append("Proposed: \(proposed.description).") }
    if let names = challenge.space.distinguishedNames, !names.isEmpty {
      sentences.append("The server names \(names.count == 1 ? "one CA" : "\(names.count) CAs").")
    }
    return EventWords("the app gets a challenge: \(questionWords)", sentences.joined(separator: " "))
  }

  private var questionWords: String {
    switch challenge.method {
    case .serverTrust: "is \(challenge.space.host) trusted?"
    case .clientCertificate: "which client certificate?"
    default: "user and password for \(challenge.space.realm.map { "'\($0)'" } ?? "no realm")?"
    }
  }

  fileprivate var response: EventWords {
    var narration = answerNarration
    if case .credential(let credential) = answer { narration = "It passes \(credential.description). \(narration)" }
    if let library = report?.library, !library.accepts {
      if let reason = library.reason { narration += " The reason is \(reason.constant)." }
      if let error = library.error {
        narration += " The app receives \(error.description) instead of the loader's error."
      }
    }
    if cancelsConnection { narration += " It also cancels the connection, and receives no error." }
    return EventWords("the delegate answers \(answer.name)", narration)
  }

  private var answerNarration: String {
    switch answer {
    case .unanswered:
      "No branch of the delegate answers. The load waits, and reports neither completion nor an error. It is not "
        + "documented whether the request's timeout runs meanwhile; if it does, the load ends with "
        + "NSURLErrorTimedOut (-1001)."
    case .exception where rule?.inspection?.settings.areAnchorsDER == false:
      "SecCertificateCreateWithData returns nil for a PEM file, and an array cannot contain nil: "
        + "NSInvalidArgumentException ends the app before it evaluates anything."
    case .exception where calls.contains { $0.call == .raise }: "An exception ends the app before it answers."
    case .exception:
      "The completion handler must be called exactly once: an NSInternalInconsistencyException ends the app."
    default: answer.disposition?.meaning(for: challenge.space) ?? ""
    }
  }
}

extension ChallengeExchange.Answer {
  /// The disposition of the answer; nil if there is none.
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

import Explanation

// The rules for a delegate's responses to challenges.
extension Rule {
  private static let handling = Clause.apple("Handling an authentication challenge")
  private static let guide = Clause.apple("Authentication Challenges and TLS Chain Validation")

  /// The delegate uses a current evaluation result.
  public static let notEvaluated = Rule(
    .challenge, "not-evaluated", "A delegate that changes a trust evaluates it again before it reads the result.",
    .apple("SecTrustResultType.invalid"),
    fix: "Call SecTrustEvaluateWithError, or SecTrustEvaluateAsync…, after the last SecTrustSet… call.")

  /// The delegate responds to the challenge.
  public static let unanswered = Rule(
    .challenge, "unanswered", "The delegate answers every challenge: without an answer, the load waits and never ends.",
    handling, fix: "Answer in every branch; performDefaultHandling leaves a challenge to the system.")

  /// The app does not cancel the challenge.
  public static let cancelled = Rule(
    .challenge, "cancelled", "The app's delegate does not cancel a challenge of the load.",
    .apple("cancelAuthenticationChallenge"),
    fix: "Let the delegate answer the challenge, or leave it to the system with performDefaultHandling.")

  /// A web view's completion handler is called exactly once.
  public static let completionHandler = Rule(
    .challenge, "completion-handler",
    "The completion handler of a web view's challenge is called exactly once. Otherwise, an exception ends the app.",
    .apple("webView(_:didReceive:completionHandler:)"), fix: "Call the handler once in every branch.")

  /// A delegate that compares protection spaces knows all spaces of its server.
  public static let spaceMismatch = Rule(
    .challenge, "space-mismatch",
    "A delegate that compares protection spaces knows every space of its server's challenges.",
    .apple("URLProtectionSpace"),
    fix: "Look at the authentication method first: challenges of TLS have no realm, and the method ServerTrust.")

  /// The delegate evaluates the trust of the challenge.
  public static let nilTrust = Rule(
    .challenge, "nil-trust", "The delegate evaluates the trust in the challenge's protection space.",
    .apple("serverTrust"), fix: "Evaluate challenge.protectionSpace.serverTrust.")

  /// The delegate uses the trust only in challenges for server trust, because other challenges have none.
  public static let methodNotChecked = Rule(
    .challenge, "method-not-checked", "A delegate checks the authentication method before it uses a trust.",
    handling,
    fix: "Handle methods other than NSURLAuthenticationMethodServerTrust separately, or leave them to "
      + "performDefaultHandling.")

  /// The delegate does not mistake the status of the evaluation for its result.
  public static let statusIgnored = Rule(
    .challenge, "status-ignored", "The result of SecTrustEvaluate is valid only with the status errSecSuccess.",
    .apple("SecTrustEvaluate(_:_:)"), fix: "Compare the status with errSecSuccess first.", decides: false)

  /// The delegate accepts only the two results that mean trust.
  public static let resultNotTrusted = Rule(
    .challenge, "result-not-trusted", "Only the results Proceed and Unspecified mean that a server is trusted.",
    .apple("SecTrustResultType"), fix: "Accept only kSecTrustResultProceed and kSecTrustResultUnspecified.",
    decides: false)

  /// The delegate responds only once, because only its first answer is effective.
  public static let secondAnswer = Rule(
    .challenge, "second-answer", "The delegate answers a challenge once: later calls have no effect.", handling,
    fix: "Return after the first answer.", decides: false)

  /// The app evaluates the trust before it accepts the server.
  public static let acceptsAll = Rule(
    .challenge, "accepts-all", "The app creates a credential for a trust only after it evaluates the trust.",
    .apple("init(trust:)"), fix: "Evaluate the trust and check the result, or call performDefaultHandling.",
    decides: false)

  /// The credential suits the challenge.
  public static let wrongCredential = Rule(
    .challenge, "wrong-credential", "The credential is of the kind that the authentication method requires.", handling,
    fix: "Pass a trust for ServerTrust, an identity for ClientCertificate, and user and password for all others.",
    decides: false)

  /// The load has a delegate.
  public static let noDelegate = Rule(
    .challenge, "no-delegate", "A load that needs the app's answer to a challenge has a delegate.", guide,
    fix: "Use a session with a delegate: a synchronous request has none, and blocks its thread.", decides: false)

  /// The app implements the method that the system calls.
  public static let notAsked = Rule(
    .challenge, "not-asked", "The app implements the method that its API calls for this challenge.", handling,
    fix:
      "Implement a method of the same API. For NSURLSession, use the task's: the session's is not called for Basic and "
      + "Digest.", decides: false)

  /// The app does not use a protection space as proof of the server's identity.
  public static let spaceProvesNothing = Rule(
    .challenge, "space-proves-nothing",
    "A delegate identifies a server by its certificate: host, port and protocol of a space come from the URL.",
    .apple("URLProtectionSpace"), fix: "Evaluate the trust: an attacker on the network shows the same space.",
    decides: false)

  /// The app does not reject a protection space in order to refuse a server.
  public static let rejectAccepts = Rule(
    .challenge, "reject-accepts",
    "A delegate cancels to refuse a connection: if it rejects the only protection space, the system decides.",
    .apple("URLSession.AuthChallengeDisposition.rejectProtectionSpace"), fix: "Call cancelAuthenticationChallenge.",
    decides: false)

  /// The file of the anchor can be read.
  public static let anchorNotDER = Rule(
    .challenge, "anchor-not-der",
    "A certificate file that an app loads is DER: for PEM the result is NULL, which raises an exception in an array.",
    .apple("SecCertificateCreateWithData(_:_:)"),
    fix: "Convert the file with 'openssl x509 -in server.pem -outform der -out server.cer', and check the result for "
      + "NULL.")

  /// The app does not evaluate trust on the main thread, because an evaluation can take long.
  public static let mainThread = Rule(
    .challenge, "main-thread", "An app does not evaluate a trust on the main thread if that may use the network.",
    .apple("SecTrustEvaluate(_:_:)"), fix: "Evaluate on a queue of your own: SecTrustEvaluateAsyncWithError.",
    decides: false)

  /// After a failure, the delegate checks the number of failures.
  public static let failuresIgnored = Rule(
    .challenge, "failures-ignored", "A delegate checks previousFailureCount before it answers again.",
    .apple("previousFailureCount"),
    fix: "If the count is above 0, ask the user again or cancel: servers lock accounts.")

  /// A loop that waits for a load ends.
  public static let neverReturns = Rule(
    .application, "never-returns", "A loop that waits for a load ends when the load finishes or fails.",
    .apple("NSURLConnectionDataDelegate"), fix: "Set the flag in connectionDidFinishLoading: and didFailWithError:.",
    decides: false)

  /// The app does not expect a credential storage to keep identities.
  public static let notPersisted = Rule(
    .clientAuth, "not-persisted",
    "An identity's credential is only for the session: the system ignores its persistence and never stores it.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Add the identity to the keychain with SecItemAdd, look it up after launch, and pass persistence forSession.",
    decides: false)

  /// The certificates passed with an identity are only its intermediates.
  public static let duplicateLeaf = Rule(
    .clientAuth, "duplicate-leaf",
    "The certificates of an identity's credential are intermediates: the leaf among them is sent a second time.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Pass nil, or only the intermediates: some servers refuse a chain with the leaf twice.", decides: false)

  /// The rules for responses to challenges.
  public static let challenges: [Rule] = [
    .notEvaluated, .unanswered, .cancelled, .completionHandler, .spaceMismatch, .nilTrust, .methodNotChecked,
    .statusIgnored, .resultNotTrusted, .secondAnswer, .acceptsAll, .wrongCredential, .noDelegate, .notAsked,
    .anchorNotDER, .spaceProvesNothing, .rejectAccepts, .failuresIgnored, .mainThread, .neverReturns,
    .notPersisted, .duplicateLeaf,
  ]
}

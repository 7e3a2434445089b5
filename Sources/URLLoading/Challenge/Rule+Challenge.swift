import Explanation

// The rules for a delegate's responses to challenges.
extension Rule {
  private static let handling = Clause.apple("Handling an authentication challenge")
  private static let guide = Clause.apple("Authentication Challenges and TLS Chain Validation")

  /// The delegate uses a current evaluation result.
  public static let notEvaluated = Rule(
    .challenge, "not-evaluated",
    "After a delegate changes a trust object, it evaluates the object again before it "
      + "reads the result.",
    .apple("SecTrustResultType.invalid"),
    fix: "Call SecTrustEvaluateWithError, or SecTrustEvaluateAsync…, after the last SecTrustSet… call.")

  /// The delegate responds to the challenge.
  public static let unanswered = Rule(
    .challenge, "unanswered", "The delegate responds to every challenge: without a response, the load never ends.",
    handling, fix: "Respond in every branch; use performDefaultHandling to leave a challenge to the system.")

  /// The app does not cancel the challenge.
  public static let cancelled = Rule(
    .challenge, "cancelled", "The app's delegate does not cancel the load's challenge.",
    .apple("cancelAuthenticationChallenge"),
    fix: "Respond to the challenge in the delegate, or leave it to the system with performDefaultHandling.")

  /// A web view's completion handler is called exactly once.
  public static let completionHandler = Rule(
    .challenge, "completion-handler",
    "The delegate calls the completion handler of a web view's challenge exactly once. Otherwise, an exception ends "
      + "the app.",
    .apple("webView(_:didReceive:completionHandler:)"), fix: "Call the handler once in every branch.")

  /// A delegate that compares protection spaces knows all spaces of its server.
  public static let spaceMismatch = Rule(
    .challenge, "space-mismatch",
    "A delegate that compares protection spaces recognizes every space of its server's challenges.",
    .apple("URLProtectionSpace"),
    fix: "Check the authentication method first: a challenge with the method ServerTrust or ClientCertificate has no "
      + "realm.")

  /// The delegate evaluates the trust of the challenge.
  public static let nilTrust = Rule(
    .challenge, "nil-trust", "The delegate evaluates the trust object of the challenge's protection space.",
    .apple("serverTrust"), fix: "Evaluate challenge.protectionSpace.serverTrust.")

  /// The delegate uses the trust only in challenges for server trust, because other challenges have none.
  public static let methodNotChecked = Rule(
    .challenge, "method-not-checked", "A delegate checks the authentication method before it uses a trust object.",
    handling,
    fix: "Handle methods other than NSURLAuthenticationMethodServerTrust separately, or leave them to "
      + "performDefaultHandling.")

  /// The delegate does not mistake the status of the evaluation for its result.
  public static let statusIgnored = Rule(
    .challenge, "status-ignored", "The result of SecTrustEvaluate is valid only if the function returns errSecSuccess.",
    .apple("SecTrustEvaluate(_:_:)"), fix: "Check for errSecSuccess before you read the result.", decides: false)

  /// The delegate accepts only the two results that mean trust.
  public static let resultNotTrusted = Rule(
    .challenge, "result-not-trusted", "Only the results Proceed and Unspecified mean that a server is trusted.",
    .apple("SecTrustResultType"), fix: "Accept only kSecTrustResultProceed and kSecTrustResultUnspecified.",
    decides: false)

  /// The delegate responds only once, because only its first answer is effective.
  public static let secondAnswer = Rule(
    .challenge, "second-answer", "The delegate responds to a challenge once: later calls have no effect.", handling,
    fix: "Return after the first response.", decides: false)

  /// The app evaluates the trust before it accepts the server.
  public static let acceptsAll = Rule(
    .challenge, "accepts-all", "The app evaluates a trust object before it creates a credential for it.",
    .apple("init(trust:)"), fix: "Evaluate the trust object and check the result, or call performDefaultHandling.",
    decides: false)

  /// The credential suits the challenge.
  public static let wrongCredential = Rule(
    .challenge, "wrong-credential", "The credential has the type that the authentication method requires.", handling,
    fix: "Pass a trust object for ServerTrust, an identity for ClientCertificate, or a user name and password for "
      + "other methods.",
    decides: false)

  /// The load has a delegate.
  public static let noDelegate = Rule(
    .challenge, "no-delegate", "If a load needs the app's response to a challenge, it has a delegate.", guide,
    fix: "Use a session with a delegate: a synchronous request has no delegate, and blocks its thread.", decides: false)

  /// The app implements the method that the system calls.
  public static let notAsked = Rule(
    .challenge, "not-asked", "The app implements the delegate method that its API calls for this challenge.", handling,
    fix:
      "Implement a delegate method of the same API. For NSURLSession, implement the task's method: the session's "
      + "method is not called for Basic and Digest.", decides: false)

  /// The app does not use a protection space as proof of the server's identity.
  public static let spaceProvesNothing = Rule(
    .challenge, "space-proves-nothing",
    "A delegate identifies a server by its certificate: the protection space's host, port and protocol come from the "
      + "URL.",
    .apple("URLProtectionSpace"),
    fix: "Evaluate the trust object: with an attacker on the network, the protection "
      + "space is the same.",
    decides: false)

  /// The app does not reject a protection space in order to refuse a server.
  public static let rejectAccepts = Rule(
    .challenge, "reject-accepts",
    "To refuse a connection, a delegate cancels the challenge: if it rejects the only protection space, the system "
      + "decides.",
    .apple("URLSession.AuthChallengeDisposition.rejectProtectionSpace"),
    fix:
      "Cancel the challenge with cancelAuthenticationChallenge.",
    decides: false)

  /// The file of the anchor can be read.
  public static let anchorNotDER = Rule(
    .challenge, "anchor-not-der",
    "An app loads certificates from DER files: for PEM, the result is NULL, which raises an exception in an array.",
    .apple("SecCertificateCreateWithData(_:_:)"),
    fix: "Convert the file with 'openssl x509 -in server.pem -outform der -out server.cer', and check the result for "
      + "NULL.")

  /// The app does not evaluate trust on the main thread, because an evaluation can take long.
  public static let mainThread = Rule(
    .challenge, "main-thread", "If a trust evaluation may use the network, an app does not run it on the main thread.",
    .apple("SecTrustEvaluate(_:_:)"),
    fix: "Evaluate the trust object on a separate queue with "
      + "SecTrustEvaluateAsyncWithError.",
    decides: false)

  /// After a failure, the delegate checks the number of failures.
  public static let failuresIgnored = Rule(
    .challenge, "failures-ignored", "A delegate checks previousFailureCount before it responds again.",
    .apple("previousFailureCount"),
    fix: "If the count is above 0, ask the user again or cancel: the server may lock the account.")

  /// A loop that waits for a load ends.
  public static let neverReturns = Rule(
    .application, "never-returns", "A loop that waits for a load ends when the load finishes or fails.",
    .apple("NSURLConnectionDataDelegate"),
    fix: "Set the loop's flag in connectionDidFinishLoading: and "
      + "connection:didFailWithError:.",
    decides: false)

  /// The app does not expect a credential storage to keep identities.
  public static let notPersisted = Rule(
    .clientAuth, "not-persisted",
    "A credential with an identity is only for the session: the system ignores its persistence and never stores it.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Add the identity to the keychain with SecItemAdd, look it up after launch, and pass the persistence "
      + "forSession.",
    decides: false)

  /// The certificates passed with an identity are only its intermediates.
  public static let duplicateLeaf = Rule(
    .clientAuth, "duplicate-leaf",
    "The certificates of an identity's credential are intermediates: if they include the leaf, it is sent twice.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Pass nil, or only the intermediates: some servers "
      + "refuse a chain that contains the leaf twice.", decides: false)

  /// The rules for responses to challenges.
  public static let challenges: [Rule] = [
    .notEvaluated, .unanswered, .cancelled, .completionHandler, .spaceMismatch, .nilTrust, .methodNotChecked,
    .statusIgnored, .resultNotTrusted, .secondAnswer, .acceptsAll, .wrongCredential, .noDelegate, .notAsked,
    .anchorNotDER, .spaceProvesNothing, .rejectAccepts, .failuresIgnored, .mainThread, .neverReturns,
    .notPersisted, .duplicateLeaf,
  ]
}

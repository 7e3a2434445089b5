import Explanation

// How an app answers its system's challenges.
extension Rule {
  private static let handling = Clause.apple("Handling an authentication challenge")
  private static let guide = Clause.apple("Authentication Challenges and TLS Chain Validation")

  /// The delegate reads a result that there is.
  public static let notEvaluated = Rule(
    .challenge, "not-evaluated", "A delegate that changes a trust evaluates it again before it reads the result.",
    .apple("SecTrustResultType.invalid"),
    fix: "Call SecTrustEvaluateWithError, or SecTrustEvaluateAsync…, after the last SecTrustSet… call.")

  /// Somebody answers.
  public static let unanswered = Rule(
    .challenge, "unanswered", "Every challenge is answered: a load whose challenge is not waits, and never ends.",
    handling, fix: "Answer in every branch; performDefaultHandling leaves to the system what is not yours.")

  /// The app gives up.
  public static let cancelled = Rule(
    .challenge, "cancelled", "A load goes on unless the app's delegate cancels a challenge of it.",
    .apple("cancelAuthenticationChallenge"),
    fix: "Let the delegate answer the challenge, or leave it to the system with performDefaultHandling.")

  /// A web view's handler is called once.
  public static let completionHandler = Rule(
    .challenge, "completion-handler",
    "The completion handler of a web view's challenge is called exactly once; else an exception ends the app.",
    .apple("webView(_:didReceive:completionHandler:)"), fix: "Call the handler once in every branch.")

  /// Whoever compares spaces knows all that are asked about.
  public static let spaceMismatch = Rule(
    .challenge, "space-mismatch",
    "A delegate that compares protection spaces knows every space that its server's challenges have.",
    .apple("URLProtectionSpace"),
    fix: "Look at the authentication method first: challenges of TLS have no realm, and the method ServerTrust.")

  /// A trust is one that there is.
  public static let nilTrust = Rule(
    .challenge, "nil-trust", "The trust that is evaluated is the one in the challenge's protection space.",
    .apple("serverTrust"), fix: "Evaluate challenge.protectionSpace.serverTrust.")

  /// Only challenges about servers carry a trust.
  public static let methodNotChecked = Rule(
    .challenge, "method-not-checked", "A delegate looks at the authentication method before it looks for a trust.",
    handling,
    fix: "Answer what is not NSURLAuthenticationMethodServerTrust apart; performDefaultHandling, if it is not yours.")

  /// The status is not the result.
  public static let statusIgnored = Rule(
    .challenge, "status-ignored", "The result of SecTrustEvaluate counts only beside the status errSecSuccess.",
    .apple("SecTrustEvaluate(_:_:)"), fix: "Compare the status with errSecSuccess first.", decides: false)

  /// Only two results mean trust.
  public static let resultNotTrusted = Rule(
    .challenge, "result-not-trusted", "Only the results Proceed and Unspecified mean that a server is trusted.",
    .apple("SecTrustResultType"), fix: "Accept kSecTrustResultProceed and kSecTrustResultUnspecified alone.",
    decides: false)

  /// One answer counts.
  public static let secondAnswer = Rule(
    .challenge, "second-answer", "A challenge is answered once: what is called after that has no effect.", handling,
    fix: "Return after the first answer.", decides: false)

  /// A trust is looked at before it is taken for good.
  public static let acceptsAll = Rule(
    .challenge, "accepts-all", "A credential for a trust is made only after the trust was evaluated.",
    .apple("init(trust:)"), fix: "Evaluate the trust and look at the result, or leave it to performDefaultHandling.",
    decides: false)

  /// A credential suits its challenge.
  public static let wrongCredential = Rule(
    .challenge, "wrong-credential", "The credential is of the kind that the authentication method asks for.", handling,
    fix: "Hand in a trust for ServerTrust, an identity for ClientCertificate, and user and password for all else.",
    decides: false)

  /// Somebody is there to be asked.
  public static let noDelegate = Rule(
    .challenge, "no-delegate", "A load that needs an answer of the app's is started with a delegate.", guide,
    fix: "Use a session with a delegate; a synchronous request asks nobody, and blocks its thread.", decides: false)

  /// The method that is implemented is the one that is asked.
  public static let notAsked = Rule(
    .challenge, "not-asked", "The app implements the method that its API calls for this challenge.", handling,
    fix:
      "Implement a method of the same API; of NSURLSession the task's, for the session's is not asked about Basic and "
      + "Digest.", decides: false)

  /// A space is no proof.
  public static let spaceProvesNothing = Rule(
    .challenge, "space-proves-nothing",
    "That the right server answers follows from its certificate: host, port and protocol of a protection space are the URL's.",
    .apple("URLProtectionSpace"), fix: "Evaluate the trust: a stand-in on the network shows the same space.",
    decides: false)

  /// To reject a space is no refusal.
  public static let rejectAccepts = Rule(
    .challenge, "reject-accepts",
    "A delegate that wants no connection cancels: to reject the only protection space leaves a server to the system.",
    .apple("URLSession.AuthChallengeDisposition.rejectProtectionSpace"), fix: "Answer cancelAuthenticationChallenge.",
    decides: false)

  /// What is to be an anchor can be read.
  public static let anchorNotDER = Rule(
    .challenge, "anchor-not-der",
    "A certificate that an app makes of a file is in DER: of PEM there comes NULL, and an array of NULL is an exception.",
    .apple("SecCertificateCreateWithData(_:_:)"),
    fix:
      "Convert the file with 'openssl x509 -in server.pem -outform der -out server.cer', and look at what comes back.")

  /// Evaluations take their time.
  public static let mainThread = Rule(
    .challenge, "main-thread", "A trust that may ask the network is not evaluated on the main thread.",
    .apple("SecTrustEvaluate(_:_:)"), fix: "Evaluate on a queue of your own: SecTrustEvaluateAsyncWithError.",
    decides: false)

  /// Whoever has failed looks at the count.
  public static let failuresIgnored = Rule(
    .challenge, "failures-ignored", "A delegate looks at previousFailureCount before it answers once more.",
    .apple("previousFailureCount"),
    fix: "Ask the user again, or cancel, when the count is above 0: servers lock accounts.")

  /// A loop ends.
  public static let neverReturns = Rule(
    .application, "never-returns", "A loop that waits for a load ends when the load has finished or failed.",
    .apple("NSURLConnectionDataDelegate"), fix: "Set the flag in connectionDidFinishLoading: and didFailWithError:.",
    decides: false)

  /// Identities are not kept by a credential storage.
  public static let notPersisted = Rule(
    .clientAuth, "not-persisted",
    "An identity's credential is made for the session: its persistence is ignored, and it is never kept for good.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Add the identity to the keychain with SecItemAdd, look it up after launch, and pass persistence forSession.",
    decides: false)

  /// Intermediates are what goes with an identity.
  public static let duplicateLeaf = Rule(
    .clientAuth, "duplicate-leaf",
    "The certificates of an identity's credential are intermediates: the leaf among them is sent a second time.",
    .apple("init(identity:certificates:persistence:)"),
    fix: "Pass nil, or the intermediates alone; some servers refuse a chain that begins twice.", decides: false)

  /// The rules of answers to challenges.
  public static let challenges: [Rule] = [
    .notEvaluated, .unanswered, .cancelled, .completionHandler, .spaceMismatch, .nilTrust, .methodNotChecked,
    .statusIgnored, .resultNotTrusted, .secondAnswer, .acceptsAll, .wrongCredential, .noDelegate, .notAsked,
    .anchorNotDER, .spaceProvesNothing, .rejectAccepts, .failuresIgnored, .mainThread, .neverReturns,
    .notPersisted, .duplicateLeaf,
  ]
}

import Explanation

extension AppError {
  /// A situation in which an app sees errors: what happens, on which systems, what is seen and what to do about it.
  ///
  /// Apple documents the codes, not which of them comes when; that is known from reports, each with its confidence.
  public struct Situation: Sendable, Hashable, Identifiable {
    /// A short stable name: `blocked-load`.
    public let id: String
    /// What happens, as a sentence. "Under ATS" is App Transport Security in force for the load; "without ATS" is all
    /// else: an older system, a loader it does not cover, a key that lifts it.
    public let description: String
    /// The systems it is known of.
    public let systems: String
    /// The errors of which the app sees one or more, likeliest first: those of the URL Loading System before codes of TLS.
    public let errors: [AppError]
    /// How well known they are.
    public let confidence: Finding.Confidence
    /// What to do about it, as sentences.
    public let advice: String

    init(
      _ id: String, _ description: String, on systems: String, url: [Int], tls: [Int] = [],
      network: [Int] = [], _ confidence: Finding.Confidence, advice: String
    ) {
      self.id = id
      self.description = description
      self.systems = systems
      errors =
        url.map { AppError(.url, $0) } + tls.map { AppError(.tls, $0) } + network.map { AppError(.network, $0) }
      self.confidence = confidence
      self.advice = advice
    }
  }

  /// The situations in which this error is seen.
  public var situations: [Situation] { Situation.all.filter { $0.errors.contains(self) } }
}

extension AppError.Situation {
  /// Every situation that is known of: first what was reported, then what only the names of the codes say.
  public static let all = reported + inferred

  private static let reported = [
    blockedLoad, trustUnderATS, unknownRoot, unknownRootEarlier, expired, nameMismatch, noCommonOffer, alertFromServer,
    pinMismatch, challengeCancelled, challengeCancelledByConnection, passwordRefused,
    noTunnel, clientCertificateMissing, clientCertificateRejected,
  ]
  private static let inferred = [
    otherTrustFailure, otherTrustFailureEarlier, notYetValid, damagedRecord, closedConnection, closedHandshake,
    redirectLoop, hostNotFound,
  ]

  private static let nine = "iOS 9, macOS 10.11 and later"
  private static let thirteen = "iOS 13, macOS 10.15 and later"
  private static let thirteenEarlier = "before iOS 13, macOS 10.15; -9813 also in a log of iOS 18"
  private static let every = "every system"
  private static let observed = Finding.Confidence.likely("observed, not documented")
  private static let extrapolated = Finding.Confidence.likely(
    "-1202 was reported whatever the cause; the code of TLS is extrapolated from an unknown root's")
  private static let byName = Finding.Confidence.likely("inferred from the names of the codes")

  static let blockedLoad = Self(
    "blocked-load", "ATS blocks a load over plain http, also one that a redirect leads to",
    on: nine, url: [-1022], .certain,
    advice: "Load it over https; look in the message which host it was. Where that server has no https: "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES, which App Review asks about.")

  static let trustUnderATS = Self(
    "trust-under-ats",
    "Under ATS the certificate fails: not trusted, weak hash, weak key, another name, "
      + "expired; also when a delegate accepted it",
    on: nine, url: [-1200], tls: [-9802], .certain,
    advice: "The code does not say what failed: look at the chain with 'trustlab verify', and mend the server. "
      + "A key of the plist rarely helps: the system's own checks run without ATS too.")

  static let unknownRoot = Self(
    "unknown-root",
    "Without ATS: the certificate is self-signed or its root "
      + "unknown", on: thirteen, url: [-1202], tls: [-9807], .certain,
    advice: "Send the whole chain up to a root that the system has. For a root of your own: install and trust it, or "
      + "decide in the app's delegate.")

  static let unknownRootEarlier = Self(
    "unknown-root-earlier",
    "Without ATS: the certificate is self-signed or "
      + "its root unknown", on: thirteenEarlier, url: [-1202], tls: [-9813], observed,
    advice: unknownRoot.advice)

  static let expired = Self(
    "expired", "Without ATS: a certificate of the chain expired",
    on: every, url: [-1202, -1201], tls: [-9814], observed,
    advice: "Renew the certificate, and look at the date of the device and at the intermediates too.")

  static let nameMismatch = Self(
    "name-mismatch", "Without ATS: the certificate is for another name",
    on: every, url: [-1202], tls: [-9843], observed,
    advice: "Have the host put into subjectAltName, or use a name that is in it.")

  static let noCommonOffer = Self(
    "no-common-offer", "Client and server have no cipher suite or version in common, and the client notices",
    on: every, url: [-1200], tls: [-9801, -9800, -9858], observed,
    advice: "Turn on TLS 1.2 with ECDHE suites on the server. 'trustlab ats diagnostics' finds the smallest exception "
      + "that would do where it cannot.")

  static let alertFromServer = Self(
    "alert-from-server",
    "The server ends the handshake with an alert: handshake_failure, protocol_version, "
      + "internal_error", on: every, url: [-1200], tls: [-9824, -9836, -9838], observed,
    advice: "The alert's name is the code's: compare what the client offers with what the server takes, and read the "
      + "server's log.")

  static let pinMismatch = Self(
    "pin-mismatch", "The chain has none of the identities of NSPinnedDomains", on: "iOS 14, macOS 11 and later",
    url: [-1200, -1202], tls: [-9802, -9807],
    .conflicting(
      "Apple DTS confirms -1200 with -9802 (forums 731368), other reports show -1202; -9886, the status of the policy, "
        + "is in none"),
    advice: "Compare the pins with the SHA-256 of the SubjectPublicKeyInfo of each certificate in the chain.")

  static let otherTrustFailure = Self(
    "other-trust-failure", "Without ATS: the chain fails in another way: key, hash, lifetime, purpose", on: thirteen,
    url: [-1202], tls: [-9807], extrapolated,
    advice: "Look at the chain with 'trustlab verify --profile apple', which names the rule, and mend the certificate.")

  static let otherTrustFailureEarlier = Self(
    "other-trust-failure-earlier", otherTrustFailure.description,
    on: thirteenEarlier, url: [-1202], tls: [-9813], extrapolated, advice: otherTrustFailure.advice)

  static let notYetValid = Self(
    "not-yet-valid", "Without ATS: a certificate is not valid yet",
    on: every, url: [-1202, -1204, -1201], tls: [-9815, -9814], byName,
    advice: "Look at the date of the device first, then at the certificate's.")

  static let damagedRecord = Self(
    "damaged-record", "A record was changed on the way, or a side made it wrongly", on: every, url: [-1200, -1005],
    tls: [-9846, -9845, -9847], byName,
    advice: "Try another network: something between the app and the server changes bytes.")

  static let closedConnection = Self(
    "closed-connection", "The connection ends, and neither an alert nor close_notify says that it should", on: every,
    url: [-1200, -1005], tls: [-9816, -9806], byName,
    advice: "Look who ended it: the server, whose log says why, or something between, by trying another network.")

  static let closedHandshake = Self(
    "closed-handshake", "The server says close_notify before the handshake is complete", on: every,
    url: [-1200, -1005], tls: [-9805], byName,
    advice: "Look into the server's log: close_notify does not say why it goes.")

  static let challengeCancelled = Self(
    "challenge-cancelled", "A delegate of NSURLSession cancels a challenge, or the app the whole load", on: every,
    url: [-999], observed,
    advice: "Look at what the delegate answers, and why: the system may have been content with the server.")

  static let challengeCancelledByConnection = Self(
    "challenge-cancelled-by-connection", "A delegate of NSURLConnection cancels a challenge", on: every,
    url: [-1012], observed,
    advice: "Look at what the delegate answers, and why: the system may have been content with the server.")

  static let clientCertificateMissing = Self(
    "client-certificate-missing", "The server demands a certificate of the client, and the client shows none",
    on: every,
    url: [-1206], observed,
    advice: "Answer the challenge NSURLAuthenticationMethodClientCertificate with an identity under one of the "
      + "authorities that the server names.")

  static let clientCertificateRejected = Self(
    "client-certificate-rejected", "The client shows a certificate, and the server answers with an alert", on: every,
    url: [-1205], tls: [-9825, -9826, -9827, -9828, -9829, -9831, -9834], observed,
    advice: "Ask whoever runs the server what its alert means: the certificate may have expired, be revoked, be for "
      + "something else, or come from an authority that the server does not take clients from.")

  static let passwordRefused = Self(
    "password-refused",
    "NSURLConnection's sendSynchronousRequest or sendAsynchronousRequest, which have no delegate, end with 401 or 407; "
      + "a delegate gets the response, and no error",
    on: every, url: [-1012], observed,
    advice: "Use an API with a delegate, and answer the challenge with a credential for its protection space.")

  static let noTunnel = Self(
    "no-tunnel",
    "A proxy asks for a password (407) before it opens a tunnel to an https URL, and gets none that it takes",
    on: every,
    url: [], network: [310], observed,
    advice: "Answer the challenge whose protection space isProxy in the task's delegate, or put the password into the "
      + "device's network settings. What the proxy answered is never the app's response.")

  static let redirectLoop = Self(
    "redirect-loop", "Redirects go round in a circle", on: every, url: [-1007], byName,
    advice: "Let the server answer one of the URLs itself.")

  package static let hostNotFound = Self(
    "host-not-found", "Nobody is at the host, also one that a redirect leads to", on: every, url: [-1003], byName,
    advice: "Look at the name of the host, and at who answers for it.")
}

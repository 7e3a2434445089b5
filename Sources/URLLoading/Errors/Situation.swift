import Explanation

extension AppError {
  /// A situation in which an app receives errors, with its cause, the affected systems, the errors and the fix.
  ///
  /// Apple documents the codes, but not when they occur. That information comes from reports, and has a confidence.
  public struct Situation: Sendable, Hashable, Identifiable {
    /// A short stable name, such as `blocked-load`.
    public let id: String
    /// A description as a sentence.
    ///
    /// "Under ATS" means that App Transport Security is in force for the load. "Without ATS" covers all other cases: an
    /// older system, a loader that App Transport Security does not cover, or a key that lifts it.
    public let description: String
    /// The systems on which the situation is known to occur.
    public let systems: String
    /// The possible errors, most likely first. Errors of the URL Loading System come before TLS codes.
    public let errors: [AppError]
    /// The confidence in the errors.
    public let confidence: Finding.Confidence
    /// The fix as one or more sentences.
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

  /// The situations in which this error can occur.
  public var situations: [Situation] { Situation.all.filter { $0.errors.contains(self) } }
}

extension AppError.Situation {
  /// All known situations. Those from reports come first, then those inferred from the names of the codes.
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
    "reports show -1202 for all causes; TrustLab extrapolates the TLS code from that of an unknown root")
  private static let byName = Finding.Confidence.likely("inferred from the names of the codes")

  static let blockedLoad = Self(
    "blocked-load", "ATS blocks a load over plain http, or a redirect to plain http",
    on: nine, url: [-1022], .certain,
    advice: "Load the URL over https; the message names the host. If its server does not support https, set "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES; App Review asks for a justification.")

  static let trustUnderATS = Self(
    "trust-under-ats",
    "Under ATS, the certificate is untrusted, expired or for another name, or has a weak hash or key; the delegate "
      + "cannot accept it",
    on: nine, url: [-1200], tls: [-9802], .certain,
    advice: "The code does not name the failed check: run 'trustlab verify' on the chain, and fix the server. A key in "
      + "the Info.plist rarely helps, because the system also runs its own checks without ATS.")

  static let unknownRoot = Self(
    "unknown-root", "Without ATS, the certificate is self-signed or its root is unknown",
    on: thirteen, url: [-1202], tls: [-9807], .certain,
    advice: "Send the whole chain up to a root that the system trusts. If the root is your own, install and trust it, "
      + "or evaluate the chain in the app's delegate.")

  static let unknownRootEarlier = Self(
    "unknown-root-earlier", "Without ATS, the certificate is self-signed or its root is unknown",
    on: thirteenEarlier, url: [-1202], tls: [-9813], observed,
    advice: unknownRoot.advice)

  static let expired = Self(
    "expired", "Without ATS, a certificate in the chain has expired",
    on: every, url: [-1202, -1201], tls: [-9814], observed,
    advice: "Renew the certificate. Also check the date of the device and the intermediates.")

  static let nameMismatch = Self(
    "name-mismatch", "Without ATS, the certificate is for another name",
    on: every, url: [-1202], tls: [-9843], observed,
    advice: "Have the host added to the certificate's subjectAltName, or use a name that it contains.")

  static let noCommonOffer = Self(
    "no-common-offer", "The client detects that it has no cipher suite or version in common with the server",
    on: every, url: [-1200], tls: [-9801, -9800, -9858], observed,
    advice: "Enable TLS 1.2 with ECDHE suites on the server. If that is not possible, run 'trustlab ats diagnostics' "
      + "to find the smallest sufficient exception.")

  static let alertFromServer = Self(
    "alert-from-server",
    "The server ends the handshake with an alert: handshake_failure, protocol_version, "
      + "internal_error", on: every, url: [-1200], tls: [-9824, -9836, -9838], observed,
    advice: "The code names the alert: compare the client's offer with the server's settings, and read the "
      + "server's log.")

  static let pinMismatch = Self(
    "pin-mismatch", "The chain contains none of the identities in NSPinnedDomains", on: "iOS 14, macOS 11 and later",
    url: [-1200, -1202], tls: [-9802, -9807],
    .conflicting(
      "Apple DTS confirms -1200 with -9802 (forums 731368), but other reports show -1202; no report shows -9886, the "
        + "status of the policy"),
    advice: "Compare the pins with the SHA-256 of the SubjectPublicKeyInfo of each certificate in the chain.")

  static let otherTrustFailure = Self(
    "other-trust-failure", "Without ATS, the chain fails for another reason: its key, hash, lifetime or purpose",
    on: thirteen, url: [-1202], tls: [-9807], extrapolated,
    advice: "Run 'trustlab verify --profile apple' on the chain to see the violated rule. Then fix the certificate.")

  static let otherTrustFailureEarlier = Self(
    "other-trust-failure-earlier", otherTrustFailure.description,
    on: thirteenEarlier, url: [-1202], tls: [-9813], extrapolated, advice: otherTrustFailure.advice)

  static let notYetValid = Self(
    "not-yet-valid", "Without ATS, a certificate is not yet valid",
    on: every, url: [-1202, -1204, -1201], tls: [-9815, -9814], byName,
    advice: "Check the date of the device first, then the dates of the certificate.")

  static let damagedRecord = Self(
    "damaged-record", "A record was changed in transit, or its sender built it incorrectly", on: every,
    url: [-1200, -1005], tls: [-9846, -9845, -9847], byName,
    advice: "Try another network: a device between the app and the server may be changing bytes.")

  static let closedConnection = Self(
    "closed-connection", "The connection ends without an alert or close_notify", on: every,
    url: [-1200, -1005], tls: [-9816, -9806], byName,
    advice: "Find out which side ended the connection. If it was the server, its log shows the reason. To rule out a "
      + "device between them, try another network.")

  static let closedHandshake = Self(
    "closed-handshake", "The server sends close_notify before the handshake is complete", on: every,
    url: [-1200, -1005], tls: [-9805], byName,
    advice: "Read the server's log: close_notify does not give the reason.")

  static let challengeCancelled = Self(
    "challenge-cancelled", "An NSURLSession delegate cancels a challenge, or the app cancels the load", on: every,
    url: [-999], observed,
    advice: "Check the delegate's response to the challenge: the system may have accepted the server.")

  static let challengeCancelledByConnection = Self(
    "challenge-cancelled-by-connection", "An NSURLConnection delegate cancels a challenge", on: every,
    url: [-1012], observed,
    advice: "Check the delegate's response to the challenge: the system may have accepted the server.")

  static let clientCertificateMissing = Self(
    "client-certificate-missing", "The server requires a client certificate, and the client sends none",
    on: every,
    url: [-1206], observed,
    advice: "Respond to the NSURLAuthenticationMethodClientCertificate challenge with an identity from a CA that the "
      + "server names.")

  static let clientCertificateRejected = Self(
    "client-certificate-rejected", "The client sends a certificate, and the server responds with an alert", on: every,
    url: [-1205], tls: [-9825, -9826, -9827, -9828, -9829, -9831, -9834], observed,
    advice: "Ask the server's operator about the alert. The certificate may have expired, be revoked or lack the right "
      + "purpose, or the server may not accept its CA for clients.")

  static let passwordRefused = Self(
    "password-refused",
    "NSURLConnection's sendSynchronousRequest or sendAsynchronousRequest, which have no delegate, fail after a 401 or "
      + "407; a delegate gets the response, and no error",
    on: every, url: [-1012], observed,
    advice: "Use an API with a delegate, and respond to the challenge with a credential for its protection space.")

  static let noTunnel = Self(
    "no-tunnel",
    "A proxy requires a password (407) for a tunnel to an https URL, but receives none that it accepts",
    on: every,
    url: [], network: [310], observed,
    advice: "In the task's delegate, respond to the proxy's challenge (isProxy), or enter the password in the device's "
      + "network settings. The app never receives the proxy's response.")

  static let redirectLoop = Self(
    "redirect-loop", "Redirects form a loop", on: every, url: [-1007], byName,
    advice: "Make the server return a resource for one of the URLs.")

  package static let hostNotFound = Self(
    "host-not-found", "The host of the URL, or of a redirect, does not exist", on: every, url: [-1003], byName,
    advice: "Check the host name and its DNS entry.")
}

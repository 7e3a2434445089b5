import Explanation
import TLS
import Trust

extension AppError {
  /// The errors that an app can receive, most likely first.
  public struct Surfaced: Sendable, Hashable {
    /// The error of the URL Loading System, followed by TLS codes that were observed with it.
    public let errors: [AppError]
    /// The confidence in the errors. The exact code for each release and cause is not documented.
    public let confidence: Finding.Confidence

    init(errors: [AppError], confidence: Finding.Confidence) {
      self.errors = errors
      self.confidence = confidence
    }

    /// Creates the errors of a situation. If an alert narrows the TLS codes, `codes` replaces them.
    init(_ situation: Situation, tls codes: [Int]? = nil) {
      let own = codes.map { codes in
        situation.errors.filter { $0.domain == .url } + codes.map { AppError(.tls, $0) }
      }
      self.init(errors: own ?? situation.errors, confidence: situation.confidence)
    }
  }

  /// A fatal alert that ended a handshake.
  public struct FatalAlert: Sendable, Hashable {
    /// The alert's description.
    public let description: AlertDescription
    /// Whether the server, not the client, sent the alert.
    public let isFromServer: Bool
    /// Whether the client had sent a certificate before the alert.
    public let followsCertificate: Bool

    /// Creates a fatal alert.
    public init(_ description: AlertDescription, isFromServer: Bool, followsCertificate: Bool = false) {
      self.description = description
      self.isFromServer = isFromServer
      self.followsCertificate = followsCertificate
    }

    /// Whether the server sent the alert after the client's certificate and before the end of the handshake.
    ///
    /// Such an alert refuses the client, or at least does not exclude this reason.
    public var refusesClient: Bool { isFromServer && followsCertificate }
  }

  /// Returns the errors that an app receives after a refusal.
  ///
  /// The earliest layer of the rules determines the kind of error.
  ///
  /// - Parameters:
  ///   - because: the rules that decided.
  ///   - atsInForce: whether App Transport Security was in force (`Decision.isRequired`).
  ///   - os: the system.
  ///   - alert: the fatal alert, if any.
  public static func surfacing(
    _ because: [Rule], atsInForce: Bool, os: OSVersion, alert: FatalAlert? = nil
  ) -> Surfaced {
    guard let first = because.min(by: { $0.layer < $1.layer }) else {
      return Surfaced(errors: [], confidence: .certain)
    }
    if first == .atsInsecureHTTP { return Surfaced(.blockedLoad) }
    if first == .shortDHGroup { return Surfaced(.noCommonOffer, tls: [-9850]) }
    if isAboutTrust(first) {
      if first.layer == .pin { return Surfaced(.pinMismatch) }
      return Surfaced(atsInForce ? .trustUnderATS : trust(because, os))
    }
    if first == .fatalAlert, let alert, alert.refusesClient {
      return Surfaced(.clientCertificateRejected, tls: peerCodes(alert))
    }
    switch first.layer {
    case .ats, .handshake: return Surfaced(.noCommonOffer, tls: alert.flatMap(peerCodes))
    case .record where first == .truncatedConnection: return Surfaced(.closedConnection)
    case .record where first == .closedEarly: return Surfaced(.closedHandshake)
    case .record: return Surfaced(.damagedRecord, tls: recordCodes(alert))
    case .challenge:
      return first == .unanswered || first == .completionHandler
        ? Surfaced(errors: [], confidence: .certain) : Surfaced(.challengeCancelled)
    case .pkcs12: return Surfaced(.clientCertificateMissing)
    case .clientAuth:
      // A 403 from the application is a response, not an error.
      if ["client-auth.not-registered", "client-auth.wrong-pin"].contains(first.id) {
        return Surfaced(errors: [], confidence: .certain)
      }
      return first == .clientCertificateRequired
        ? Surfaced(.clientCertificateMissing) : Surfaced(.clientCertificateRejected, tls: alert.flatMap(peerCodes))
    case .httpAuth: return Surfaced(first == .proxyUnauthorized ? .noTunnel : .passwordRefused)
    case .application:
      return afterwards[first.id].map { Surfaced($0) }
        ?? Surfaced(errors: [], confidence: openQuestion(about: because) ?? .certain)
    case .plist, .chain, .name, .pin: return Surfaced(errors: [], confidence: .certain)
    }
  }

  /// The situations after the connection is established, by rule.
  private static let afterwards: [String: Situation] = [
    "application.redirect-loop": .redirectLoop, "application.host-not-found": .hostNotFound,
  ]

  /// The rules that apply after the connection and whose errors are not in any public source.
  ///
  /// The names of Apple's codes alone do not show which code is used (NSURLErrorCannotParseResponse,
  /// NSURLErrorBadServerResponse).
  private static let unreported: Set<String> = [
    "application.malformed-message", "application.incomplete-message", "application.websocket-not-opened",
    "application.malformed-opening", "application.malformed-frame",
  ]

  /// Returns the open question about the errors for these rules; nil if they are known or at least likely.
  public static func openQuestion(about because: [Rule]) -> Finding.Confidence? {
    guard let first = because.min(by: { $0.layer < $1.layer }), unreported.contains(first.id) else { return nil }
    return .unknown("which error an app sees for an invalid or incomplete response; no report shows it")
  }

  /// Returns whether a rule is about the server's certificates, not about the protocol.
  private static func isAboutTrust(_ rule: Rule) -> Bool {
    switch rule.layer {
    case .chain, .name, .pin: true
    case .ats: [.atsKeySize, .atsLeafHash, .atsTrustLoosening, .atsCertificateTransparency].contains(rule)
    default: false
    }
  }

  /// Returns the situation of an app whose load App Transport Security does not cover.
  private static func trust(_ because: [Rule], _ os: OSVersion) -> Situation {
    if because.contains(where: { $0.id == "chain.expired" }) { return .expired }
    if because.contains(where: { $0.id == "chain.not-yet-valid" }) { return .notYetValid }
    if because.allSatisfy({ $0.layer == .name }) { return .nameMismatch }
    let isEarlier = !os.isAtLeast(iOS: (13, 0), macOS: (10, 15))
    if because.contains(where: { rootRules.contains($0.id) }) { return isEarlier ? .unknownRootEarlier : .unknownRoot }
    return isEarlier ? .otherTrustFailureEarlier : .otherTrustFailure
  }

  private static let rootRules: Set<String> = [
    "chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet", "chain.distrusted",
  ]

  private static func peerCodes(_ alert: FatalAlert) -> [Int]? {
    guard alert.isFromServer else { return nil }
    return [peerAlerts[alert.description] ?? -9802]
  }

  private static func recordCodes(_ alert: FatalAlert?) -> [Int] {
    if let codes = alert.flatMap(peerCodes) { return codes }
    return alert?.description == .recordOverflow ? [-9847] : [-9846, -9845]
  }

  /// The error codes for alerts from the server.
  private static let peerAlerts: [AlertDescription: Int] = [
    .unexpectedMessage: -9819, .badRecordMAC: -9820, .decryptionFailedReserved: -9821, .recordOverflow: -9822,
    .decompressionFailure: -9823, .handshakeFailure: -9824, .badCertificate: -9825, .unsupportedCertificate: -9826,
    .certificateRevoked: -9827, .certificateExpired: -9828, .certificateUnknown: -9829, .illegalParameter: -9830,
    .unknownCA: -9831, .accessDenied: -9832, .decodeError: -9833, .decryptError: -9834,
    .exportRestrictionReserved: -9835, .protocolVersion: -9836, .insufficientSecurity: -9837, .internalError: -9838,
    .userCanceled: -9839, .noRenegotiation: -9840, .inappropriateFallback: -9860, .missingExtension: -9861,
    .badCertificateStatusResponse: -9862, .certificateRequired: -9863, .unknownPSKIdentity: -9864,
    .unrecognizedName: -9865,
  ]

  /// Returns the error of a load whose challenge the app's own delegate cancelled.
  public static func cancelledChallenge(by loader: Loader) -> Surfaced {
    Surfaced(loader == .nsurlConnection ? .challengeCancelledByConnection : .challengeCancelled)
  }

  /// The errors for a certificate failure while App Transport Security is in force.
  public static let trustUnderATS = Situation.trustUnderATS.errors

  /// The error of a load that received no response before its timeout (`timeoutInterval` of URLRequest).
  public static let timedOut = AppError.all.filter { $0.name == "NSURLErrorTimedOut" }

  /// The errors of an app without a delegate, if the response requires a password.
  public static let passwordRefused = Situation.passwordRefused.errors

  /// The errors of an app whose proxy does not open a tunnel.
  public static let withoutTunnel = Situation.noTunnel.errors

  /// Returns the errors of SecTrustEvaluateWithError for a refusal: the distinct statuses of the deciding rules.
  ///
  /// The codes are those of Security's SecPolicyChecks.list and SecBase.h. Apple does not document which of several
  /// codes the system reports first, so they are in the order of the rules. A rule without its own code has
  /// errSecNotTrusted.
  public static func evaluation(_ because: [Rule]) -> [AppError] {
    var seen: Set<Int> = []
    return because.map { checks[$0.id]?.code ?? -67843 }.filter { seen.insert($0).inserted }.map {
      AppError(.status, $0)
    }
  }

  /// Returns the ids of the rules whose violation has this status, in alphabetical order.
  static func rules(evaluatingAs error: AppError) -> [String] {
    checks.filter { $0.value.code == error.code }.map(\.key).sorted()
  }

  /// Returns the confidence in a rule's code in `evaluation`. It is certain if SecPolicyChecks.list has the same check
  /// as the rule.
  public static func evaluationConfidence(_ rule: Rule) -> Finding.Confidence {
    guard let check = checks[rule.id] else {
      return .likely(
        "SecPolicyChecks.list contains no separate check for this rule")
    }
    return check.doubt.map { .likely($0) } ?? .certain
  }

  /// A check of SecPolicyChecks.list: its status, and the doubt about whether it is the same check as the rule.
  private struct Check {
    let code: Int
    var doubt: String?

    init(_ code: Int, doubt: String? = nil) {
      self.code = code
      self.doubt = doubt
    }
  }

  private static let checks: [String: Check] = [
    "name.mismatch": Check(-67602), "name.no-san": Check(-67602), "name.wildcard-depth": Check(-67602),
    "name.wildcard-form": Check(-67602),
    "chain.expired": Check(-67818), "chain.not-yet-valid": Check(-67818), "chain.key-size": Check(-67735),
    "chain.key-algorithm": Check(-67735), "chain.key-identifier": Check(-67610), "chain.empty-name": Check(-67655),
    "chain.weak-signature": Check(-67815), "chain.lifetime": Check(-67901), "chain.extended-key-usage": Check(-67609),
    "chain.key-usage": Check(-67608), "chain.path-length": Check(-67611), "chain.name-constraints": Check(-67689),
    "chain.certificate-policy": Check(-67835), "chain.unhandled-critical-extension": Check(-67603),
    "chain.not-a-ca": Check(-67605, doubt: "-67604 if basicConstraints is missing"),
    "chain.malformed": Check(-67618, doubt: "-67903 if an extension occurs twice"),
    "chain.revoked": Check(-67820), "chain.revocation-unknown": Check(-67635), "chain.denied": Check(-67654),
    "chain.distrusted": Check(-67820, doubt: "-67843 for keys on the system's grey list"),
    "chain.no-issuer": Check(-25318), "chain.no-anchor": Check(-67843), "chain.self-signed": Check(-67843),
    "chain.not-trusted-yet": Check(-67843), "pin.mismatch": Check(-9886),
    "chain.certificate-transparency": Check(-67825), "ats.certificate-transparency": Check(-67825),
  ]
}

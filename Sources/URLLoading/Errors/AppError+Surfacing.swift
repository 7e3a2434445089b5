import Explanation
import TLS
import Trust

extension AppError {
  /// The errors of which an app can see one or more, likeliest first.
  public struct Surfaced: Sendable, Hashable {
    /// The error of the URL Loading System first, then codes of TLS that have been seen with it.
    public let errors: [AppError]
    /// How well known they are: exact codes per release and cause are not documented.
    public let confidence: Finding.Confidence
  }

  /// A fatal alert that ended a handshake.
  public struct FatalAlert: Sendable, Hashable {
    /// What it says.
    public let description: AlertDescription
    /// Whether the server sent it, rather than the client.
    public let isFromServer: Bool

    /// A fatal alert.
    public init(_ description: AlertDescription, isFromServer: Bool) {
      self.description = description
      self.isFromServer = isFromServer
    }
  }

  /// What an app sees of a refusal.
  ///
  /// - Parameters:
  ///   - because: the rules that decided; the earliest layer among them tells the kind of error.
  ///   - atsInForce: whether App Transport Security was in force for the load (`Decision.isRequired`).
  ///   - os: the system.
  ///   - alert: the fatal alert that ended the handshake, if one did.
  public static func surfacing(
    _ because: [Rule], atsInForce: Bool, os: OSVersion, alert: FatalAlert? = nil
  ) -> Surfaced {
    guard let first = because.min(by: { $0.layer < $1.layer }) else {
      return Surfaced(errors: [], confidence: .certain)
    }
    if first == .atsInsecureHTTP { return Surfaced(errors: [url(-1022)], confidence: .certain) }
    if isAboutTrust(first) {
      if first.layer == .pin { return pinMismatch }
      return atsInForce ? underATS : trust(because, os)
    }
    switch first.layer {
    case .ats, .handshake:
      return Surfaced(errors: [url(-1200)] + handshakeCodes(alert), confidence: observed)
    case .record:
      return Surfaced(errors: [url(-1200), url(-1005)] + recordCodes(alert), confidence: observed)
    case .challenge:
      return Surfaced(errors: first.id == "challenge.unanswered" ? [] : [url(-999), url(-1012)], confidence: observed)
    case .clientAuth: return Surfaced(errors: [url(-1206), url(-1205), url(-1200)], confidence: observed)
    case .httpAuth: return Surfaced(errors: [url(-1012), url(-1013)], confidence: observed)
    case .plist, .chain, .name, .pin, .application: return Surfaced(errors: [], confidence: .certain)
    }
  }

  private static let observed = Finding.Confidence.likely("exact codes are observed, not documented")

  private static func url(_ code: Int) -> AppError { AppError(.url, code) }
  private static func tls(_ code: Int) -> AppError { AppError(.tls, code) }

  /// What the server showed, rather than how it spoke.
  private static func isAboutTrust(_ rule: Rule) -> Bool {
    switch rule.layer {
    case .chain, .name, .pin: true
    case .ats: [.atsKeySize, .atsLeafHash, .atsTrustLoosening, .atsCertificateTransparency].contains(rule)
    default: false
    }
  }

  private static let underATS = Surfaced(errors: [url(-1200), tls(-9802)], confidence: .certain)

  private static let pinMismatch = Surfaced(
    errors: [url(-1202), url(-1200), tls(-9802), tls(-9807), tls(-9886)],
    confidence: .conflicting("reports of pin mismatches differ"))

  private static func trust(_ because: [Rule], _ os: OSVersion) -> Surfaced {
    let isModern = os.isAtLeast(iOS: (13, 0), macOS: (10, 15))
    let unknownRoot = isModern ? [-9807] : [-9813, -9807]
    if because.contains(where: { $0.id == "chain.expired" }) {
      return Surfaced(errors: [url(-1202), url(-1201), tls(-9814)], confidence: observed)
    }
    if because.contains(where: { $0.id == "chain.not-yet-valid" }) {
      return Surfaced(errors: [url(-1202), url(-1204), url(-1201), tls(-9815), tls(-9814)], confidence: observed)
    }
    if because.allSatisfy({ $0.layer == .name }) {
      return Surfaced(errors: [url(-1202), tls(-9843)], confidence: observed)
    }
    return Surfaced(errors: [url(-1202)] + unknownRoot.map(tls), confidence: isModern ? .certain : observed)
  }

  private static func handshakeCodes(_ alert: FatalAlert?) -> [AppError] {
    guard let alert, alert.isFromServer else { return [-9801, -9800, -9858].map(tls) }
    return peerAlerts[alert.description].map { [tls($0)] } ?? [tls(-9802)]
  }

  private static func recordCodes(_ alert: FatalAlert?) -> [AppError] {
    if let alert, alert.isFromServer { return handshakeCodes(alert) }
    return alert?.description == .recordOverflow ? [tls(-9847)] : [tls(-9846), tls(-9845)]
  }

  /// The codes that are alerts from the server.
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
}

import Cryptography
import Explanation
import PKIX
import Trust

/// TrustKit's report of pins that did not match, in JSON similar to that of RFC 7469 section 3.
///
/// TrustKit sends a report for every result except success and, on macOS, a user's root. It does so even if pins are
/// not enforced. It does not repeat a report within 24 hours. The report's own connection is not pinned.
public struct PinFailureReport: Sendable, Hashable {
  /// The servers that receive the report: those in TSKReportUris, and Data Theorem's server unless it is disabled.
  public let destinations: [String]
  /// The time of the connection.
  public let date: Instant
  /// The host of the connection.
  public let hostname: String
  /// The entry of TSKPinnedDomains that covers the host.
  public let notedHostname: String
  /// The value of TSKIncludeSubdomains in that entry.
  public let includesSubdomains: Bool
  /// The value of TSKEnforcePinning in that entry.
  public let enforcesPinning: Bool
  /// The certification path, leaf first.
  public let chain: [Certificate]
  /// The names of the certificates in findings.
  public let chainNames: [String]
  /// The pins that TrustKit expected.
  public let knownPins: [PublicKeyPins.Pin]
  /// The evaluation result, with the number of its TSKTrustEvaluationResult.
  public let result: TrustKit.Result

  /// TrustKit's default server for reports.
  public static let defaultDestination = "https://overmind.datatheorem.com/trustkit/report"

  /// The members that depend on the connection, by name. Members about the app and the device are not simulated.
  public var members: [(name: String, value: String)] {
    [
      ("hostname", hostname), ("port", "0"), ("noted-hostname", notedHostname),
      ("include-subdomains", includesSubdomains ? "true" : "false"),
      ("enforce-pinning", enforcesPinning ? "true" : "false"),
      ("validated-certificate-chain", chainNames.joined(separator: ", ")),
      ("known-pins", pins.joined(separator: ", ")), ("date-time", date.description),
      ("validation-result", String(result.rawValue)),
    ]
  }

  /// The pins in the notation of the report: `pin-sha256="…"`.
  public var pins: [String] { knownPins.map { "pin-sha256=\"\(Base64.encode($0.fingerprint))\"" } }

  /// The certificates of the path as PEM, leaf first.
  public var pem: [String] { chain.map { PEM.encode("CERTIFICATE", $0.der) } }
}

extension TrustKit {
  /// Creates the report on an evaluation; nil if TrustKit does not send one.
  func report(_ run: inout LibraryRun, _ entry: (name: String, domain: Domain), _ result: Result, at now: Instant)
    -> PinFailureReport?
  {
    let isExempt = result == .success || result == .userDefinedTrustAnchor
    let isOver = result == .noHash && throwsAtUnknownKeys
    guard !isExempt, !isOver else { return nil }
    let byDefault = entry.domain.disablesDefaultReport ? [] : [PinFailureReport.defaultDestination]
    return PinFailureReport(
      destinations: entry.domain.reportURIs + byDefault, date: now, hostname: run.host, notedHostname: entry.name,
      includesSubdomains: entry.domain.includesSubdomains, enforcesPinning: entry.domain.enforcesPinning,
      chain: run.path(), chainNames: run.pathNames(), knownPins: entry.domain.pins, result: result)
  }

  func post(_ report: PinFailureReport, _ run: inout LibraryRun) {
    let destinations = report.destinations
    guard !destinations.isEmpty else {
      run.step(
        .trustKit(.foundNoReportServer), [run.found(.pinReported, required: .word("TSKReportUris"), found: .absent)])
      return
    }
    run.step(
      .trustKit(.postedReport(report)),
      [run.found(.pinReported, true, required: .word("TSKReportUris"), found: .words(destinations))])
  }
}

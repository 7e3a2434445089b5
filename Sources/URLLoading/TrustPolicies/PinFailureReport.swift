import Cryptography
import Explanation
import PKIX
import Trust

/// TrustKit's report of pins that did not match: JSON similar to that of RFC 7469 section 3.
///
/// TrustKit sends it for every result except success and, on macOS, a user's root, whether pins are enforced or not. It
/// does not repeat a report of the last 24 hours. The report's own connection is not pinned.
public struct PinFailureReport: Sendable, Hashable {
  /// The servers that receive the report: TSKReportUris, and Data Theorem's server unless that is disabled.
  public let destinations: [String]
  /// The time of the connection.
  public let date: Instant
  /// The host of the connection.
  public let hostname: String
  /// The entry of TSKPinnedDomains that covers it.
  public let notedHostname: String
  /// TSKIncludeSubdomains of that entry.
  public let includesSubdomains: Bool
  /// TSKEnforcePinning of that entry.
  public let enforcesPinning: Bool
  /// The certification path, leaf first.
  public let chain: [Certificate]
  /// The certificates' names in findings.
  public let chainNames: [String]
  /// The hashes that TrustKit expected.
  public let knownPins: [PublicKeyPins.Pin]
  /// The number of TSKTrustEvaluationResult.
  public let result: TrustKit.Result

  /// TrustKit's default server for reports.
  public static let defaultDestination = "https://overmind.datatheorem.com/trustkit/report"

  /// The members that follow from the connection, by name; those about app and device are not simulated.
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

  /// The pins in the report's notation: `pin-sha256="…"`.
  public var pins: [String] { knownPins.map { "pin-sha256=\"\(Base64.encode($0.fingerprint))\"" } }

  /// The path as PEM, leaf first.
  public var pem: [String] { chain.map { PEM.encode("CERTIFICATE", $0.der) } }
}

extension TrustKit {
  /// The report on an evaluation; nil if TrustKit makes none.
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

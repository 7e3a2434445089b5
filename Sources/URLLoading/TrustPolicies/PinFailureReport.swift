import Cryptography
import Explanation
import PKIX
import Trust

/// What TrustKit posts when pins did not match: a report in JSON, much like those of RFC 7469 section 3.
///
/// It is sent for every result but success and, on macOS, a user's root, whether pins are enforced or not. A report that
/// is the same as one of the last 24 hours is not sent again, and the connection that carries it is not pinned.
public struct PinFailureReport: Sendable, Hashable {
  /// Where it is posted: TSKReportUris, and Data Theorem's server unless that is disabled.
  public let destinations: [String]
  /// When.
  public let date: Instant
  /// The host that was connected to.
  public let hostname: String
  /// The entry of TSKPinnedDomains that covers it.
  public let notedHostname: String
  /// TSKIncludeSubdomains of that entry.
  public let includesSubdomains: Bool
  /// TSKEnforcePinning of that entry.
  public let enforcesPinning: Bool
  /// The path that was built, leaf first.
  public let chain: [Certificate]
  /// What findings call the certificates of the path.
  public let chainNames: [String]
  /// The hashes that were wanted.
  public let knownPins: [PublicKeyPins.Pin]
  /// The number of TSKTrustEvaluationResult.
  public let result: TrustKit.Result

  /// Where TrustKit reports to by itself.
  public static let defaultDestination = "https://overmind.datatheorem.com/trustkit/report"

  /// The members of the report that follow from the connection, by name; what it says of app and device is the app's own.
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

  /// The pins as the report writes them: `pin-sha256="…"`.
  public var pins: [String] { knownPins.map { "pin-sha256=\"\(Base64.encode($0.fingerprint))\"" } }

  /// The path as PEM, leaf first.
  public var pem: [String] { chain.map { PEM.encode("CERTIFICATE", $0.der) } }
}

extension TrustKit {
  /// The report that an evaluation ends in; nil where TrustKit makes none.
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

  /// Posts a report, if there is a server for it.
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

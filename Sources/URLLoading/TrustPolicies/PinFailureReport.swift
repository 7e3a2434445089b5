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
    // 1.6.0 to 1.6.5 end the app at a key that they cannot hash.
    let isOver = result == .noHash && version.isAtLeast(1, 6) && !version.isAtLeast(1, 7)
    guard !isExempt, !isOver else { return nil }
    let byDefault = entry.domain.disablesDefaultReport ? [] : [PinFailureReport.defaultDestination]
    return PinFailureReport(
      destinations: entry.domain.reportURIs + byDefault, date: now, hostname: run.host, notedHostname: entry.name,
      includesSubdomains: entry.domain.includesSubdomains, enforcesPinning: entry.domain.enforcesPinning,
      chain: run.path(), chainNames: run.pathNames(), knownPins: entry.domain.pins, result: result)
  }

  /// Says what becomes of a report.
  func post(_ report: PinFailureReport, _ run: inout LibraryRun) {
    let destinations = report.destinations
    guard !destinations.isEmpty else {
      run.step(
        "has nobody to report to",
        "TSKReportUris names none, and TSKDisableDefaultReportUri is YES: nobody learns of it.",
        [run.found(.pinReported, required: .word("TSKReportUris"), found: .absent)])
      return
    }
    let facts = report.members.map { "\($0.name) \($0.value)" }.joined(separator: "; ")
    let isDefaultAlone = destinations == [PinFailureReport.defaultDestination]
    run.step(
      "posts a report to \(destinations.joined(separator: " and "))",
      "JSON by POST, \(report.enforcesPinning ? "beside the refusal" : "which is all that happens"): \(facts). The same "
        + "report is not sent again within 24 hours, and its own connection is not pinned."
        + (isDefaultAlone
          ? " No TSKReportUris are set: it goes to Data Theorem, whom the library is of." : "")
        + (version.isAtLeast(1, 4) ? "" : " Until 1.3 builds for debugging leave Data Theorem's server out."),
      [run.found(.pinReported, true, required: .word("TSKReportUris"), found: .words(destinations))])
  }
}

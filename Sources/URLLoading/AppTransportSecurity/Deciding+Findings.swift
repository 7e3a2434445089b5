import Explanation
import TLS
import Trust

extension AppTransportSecurity.Deciding {
  /// What is checked before any connection.
  func findings(
    _ standing: AppTransportSecurity.Decision.Standing, _ confidence: Finding.Confidence, _ enforcement: Enforcement
  ) -> [Finding] {
    [insecureHTTP(standing, confidence, enforcement)] + transparency(enforcement)
  }

  private func insecureHTTP(
    _ standing: AppTransportSecurity.Decision.Standing, _ confidence: Finding.Confidence, _ enforcement: Enforcement
  ) -> Finding {
    let subject = Finding.Subject.url(load.url.description)
    let found = Detail.word(load.url.scheme)
    if case .notApplicable = standing {
      return enforcement.note(.atsInsecureHTTP, on: subject, .notApplicable, found: found, confidence: confidence)
    }
    guard load.url.isHTTP else {
      return enforcement.note(
        .atsInsecureHTTP, on: subject, .unknown, found: found,
        confidence: .unknown("what becomes of loads that are not of HTTP"))
    }
    let finding = enforcement.check(
      .atsInsecureHTTP, on: subject, load.url.isSecure, required: .word("https"), found: found, confidence: confidence)
    return standing == .inForce ? finding : finding.overridden(by: .exception)
  }

  private func transparency(_ enforcement: Enforcement) -> [Finding] {
    guard let entry, entry.domain.requiresCertificateTransparency else { return [] }
    let isHeeded = heedsTransparency
    return [
      enforcement.note(
        .atsCertificateTransparency,
        on: .propertyListKey("\(entry.domain.keyPath).\(AppTransportSecurity.Key.requiresCertificateTransparency)"),
        isHeeded ? .notEvaluated : .notApplicable,
        confidence: isHeeded ? .likely("since which release the key is ignored is not public") : .certain)
    ]
  }

  /// The keys that App Review asks about, of those the load falls under.
  var appReview: [String] {
    if let entry {
      if entry.isBuiltIn { return [] }
      let isLowered = entry.minimumVersion < .tls12
      return (entry.allowsInsecureHTTPLoads ? ["NSExceptionAllowsInsecureHTTPLoads"] : [])
        + (isLowered ? ["NSExceptionMinimumTLSVersion"] : [])
    }
    let globals = configuration.globals
    let newer: [(String, Bool?)] =
      profile.knowsNewerGlobals
      ? [
        (AppTransportSecurity.Key.allowsArbitraryLoadsForMedia, globals.media),
        (AppTransportSecurity.Key.allowsArbitraryLoadsInWebContent, globals.webContent),
      ] : []
    let keys = [(AppTransportSecurity.Key.allowsArbitraryLoads, globals.arbitraryLoads)] + newer
    return keys.filter { $0.1 == true }.map(\.0)
  }
}

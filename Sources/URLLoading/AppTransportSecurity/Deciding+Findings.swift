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
        confidence: Self.otherProtocols)
    }
    let rule = load.url.isSecure ? Rule.atsInsecureHTTP : .atsInsecureHTTP.helping(load, profile)
    let finding = enforcement.check(
      rule, on: subject, load.url.isSecure, required: .word("https"), found: found, confidence: confidence)
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

  /// The keys that App Review asks about, of those that the load rests on.
  func appReview(_ standing: AppTransportSecurity.Decision.Standing) -> [String] {
    if let entry {
      if entry.isBuiltIn { return [] }
      return (entry.allowsInsecureHTTPLoads ? ["NSExceptionAllowsInsecureHTTPLoads"] : [])
        + (entry.minimumVersion < .tls12 ? ["NSExceptionMinimumTLSVersion"] : [])
    }
    guard case .lifted(let key) = standing, Self.reviewed.contains(key) else { return [] }
    return [key]
  }

  private static let reviewed = [
    AppTransportSecurity.Key.allowsArbitraryLoads, AppTransportSecurity.Key.allowsArbitraryLoadsForMedia,
    AppTransportSecurity.Key.allowsArbitraryLoadsInWebContent,
  ]
}

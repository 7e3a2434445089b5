import Explanation
import TLS

// An offer that the app sets itself, which replaces the system's offer.
extension AppTransportSecurity.Decision {
  /// Narrows an offer to the versions and suites that App Transport Security allows.
  ///
  /// The offer is unchanged if there are no requirements. The result is nil if no version or suite remains, and the
  /// client then sends nothing.
  public func narrowing(
    _ offer: ClientConfiguration, enforcement: Enforcement = .standard
  ) -> ClientConfiguration? {
    guard let requirements else { return offer }
    let lowest = max(offer.versions.lowerBound, requirements.lowestVersion(of: offer.versions, enforcement))
    var narrowed = offer
    narrowed.cipherSuites = offer.cipherSuites.filter { $0.isSignalling || requirements.allows($0, enforcement) }
    guard lowest <= offer.versions.upperBound, narrowed.cipherSuites.contains(where: { !$0.isSignalling }) else {
      return nil
    }
    narrowed.versions = lowest...offer.versions.upperBound
    return narrowed
  }

  /// Returns the findings on an offer of which narrowing leaves nothing.
  ///
  /// They are the requirements that the offer's best version and suite do not meet.
  public func findings(onNothingLeftOf offer: ClientConfiguration, enforcement: Enforcement = .standard) -> [Finding] {
    guard let suite = offer.cipherSuites.first(where: { !$0.isSignalling }) else { return [] }
    return findings(
      on: .init(version: offer.versions.upperBound, cipherSuite: suite), enforcement: enforcement
    ).filter(\.refuses)
  }
}

import Explanation
import TLS

// An offer that an app names itself, in the place of its system's own.
extension AppTransportSecurity.Decision {
  /// What App Transport Security leaves of an offer: the versions from its minimum on and the suites of its list, all of
  /// it where it demands nothing; nil where nothing is left, so that nothing is sent.
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

  /// Why nothing is left of an offer: the demands that the best of it fails.
  public func findings(onNothingLeftOf offer: ClientConfiguration, enforcement: Enforcement = .standard) -> [Finding] {
    guard let suite = offer.cipherSuites.first(where: { !$0.isSignalling }) else { return [] }
    return findings(
      on: .init(version: offer.versions.upperBound, cipherSuite: suite), enforcement: enforcement
    ).filter(\.refuses)
  }
}

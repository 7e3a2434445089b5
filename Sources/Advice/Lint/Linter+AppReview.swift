import Explanation
import URLLoading

extension AppTransportSecurity.Linter {
  /// Reports the keys that App Review asks about, in a single finding.
  mutating func checkReview(_ settings: PropertyList.Dictionary, at spot: Spot) {
    var reviewed = settings.entries.filter { needsReview($0, .global) }.map { spot.below($0) }
    for exceptions in settings.entries where exceptions.is(.exceptionDomains) {
      for domain in exceptions.value.dictionary?.entries ?? [] {
        let place = spot.below(exceptions).below(domain)
        reviewed += (domain.value.dictionary?.entries ?? []).filter { needsReview($0, .exceptionDomain) }.map(
          place.below)
      }
    }
    for key in reviewed { addReview(of: key) }
  }

  /// Adds a finding for a key that App Review requires the developer to justify.
  private mutating func addReview(of key: Spot) {
    let name = key.path.last ?? ""
    let isDisputed = Key.lifting.contains { $0.name == name }
    add(
      .plistAppReview, .note, at: key, "App Review requires a reason for '\(name)'", found: name,
      effect: "you must justify the key when you submit the app",
      confidence: isDisputed
        ? .conflicting(
          "a page of 2016 lists three keys, without ForMedia and InWebContent; the current page lists five")
        : .certain)
  }

  private func needsReview(_ entry: PropertyList.Dictionary.Entry, _ level: AppTransportSecurity.Key.Level) -> Bool {
    guard let key = Key.named(entry.key, at: level) else { return false }
    switch key.review {
    case .never: return false
    case .whenYes: return entry.value.isOn
    case .whenLowered:
      let version = entry.value.string.flatMap { AppTransportSecurity.versions[$0] }
      return version.map { $0 < .tls12 } ?? false
    }
  }
}

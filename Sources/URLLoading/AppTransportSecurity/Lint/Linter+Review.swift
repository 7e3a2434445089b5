import Explanation
import TLS

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// Says, once for all of them, which keys App Review asks about.
  mutating func checkReview(_ settings: PropertyList.Dictionary, at spot: Spot) {
    var asked = settings.entries.filter { asks($0, .global) }.map { spot.below($0) }
    for exceptions in settings.entries where exceptions.key == Key.exceptionDomains {
      for domain in exceptions.value.dictionary?.entries ?? [] {
        let place = spot.below(exceptions).below(domain)
        asked += (domain.value.dictionary?.entries ?? []).filter { asks($0, .exceptionDomain) }.map(place.below)
      }
    }
    guard let first = asked.first, let name = first.path.last else { return }
    let isDisputed = asked.contains { spot in
      [Key.allowsArbitraryLoadsForMedia, Key.allowsArbitraryLoadsInWebContent].contains(spot.path.last)
    }
    let rest = asked.count - 1
    add(
      .plistAppReview, .note, at: first,
      "App Review asks why: '\(name)'" + (rest == 0 ? "" : " and \(rest) more \(rest == 1 ? "key" : "keys")"),
      found: "\(asked.count) \(asked.count == 1 ? "key" : "keys")",
      effect: "a justification is due when the app is submitted",
      confidence: isDisputed
        ? .conflicting("an edition of 2016 lists three keys, without ForMedia and InWebContent; today's lists five")
        : .certain,
      related: Array(asked.dropFirst()))
  }

  private func asks(_ entry: PropertyList.Dictionary.Entry, _ level: AppTransportSecurity.Key.Level) -> Bool {
    guard let key = Key.named(entry.key).first(where: { $0.level == level }) else { return false }
    switch key.review {
    case .never: return false
    case .whenYes: return entry.value.isOn
    case .whenLowered:
      let version = entry.value.string.flatMap { AppTransportSecurity.ExceptionDomain.Values.versions[$0] }
      return version.map { $0 < .tls12 } ?? false
    }
  }
}

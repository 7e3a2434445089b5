import Explanation
import URLLoading

extension AppTransportSecurity.Decision {
  /// Why App Transport Security is in force, or is not, in a few words.
  var reason: String {
    let isDefault = decidedBy == "default"
    switch standing {
    case .inForce:
      if let overridingKey { return "in force: the presence of \(overridingKey) turns NSAllowsArbitraryLoads off" }
      return isDefault ? "in force, since nothing lifts it" : "in force"
    case .lifted:
      if isDefault, load.isApplesOwn { return "lifted, as for apps of Apple's own" }
      return isDefault ? "lifted, by an exception that every app has" : "lifted"
    case .notApplicable(let exemption): return "not applied, since \(exemption.rawValue)"
    }
  }

  /// What its reader can do about a blocked load, a sentence or two for each violated rule.
  var fixes: [String] { because.map(\.fix) }
}

extension Finding.Confidence {
  /// One word: `certain`, `likely`, `conflicting` or `unknown`.
  var word: String {
    switch self {
    case .certain: "certain"
    case .likely: "likely"
    case .conflicting: "conflicting"
    case .unknown: "unknown"
    }
  }
}

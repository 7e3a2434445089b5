import URLLoading

/// Keys of App Transport Security, current, historical and misspelt.
extension ExplainView {
  static func explanation(of key: AppTransportSecurity.Key, _ scenarios: [String]) -> WordExplanation {
    WordExplanation(
      "App Transport Security key", key.name,
      [
        ("meaning", [key.meaning]), ("where", [key.level.rawValue]), ("type", [key.valueType]),
        ("default", [key.defaultValue]), ("since", [key.since]), ("standing", [standing(key)]),
        ("App Review", [review(key)]), ("interplay", key.interplay), ("scenarios", scenarios),
      ])
  }

  private static func standing(_ key: AppTransportSecurity.Key) -> String {
    switch key.standing {
    case .current: "current"
    case .historical(let use):
      key.wasEverRead ? "a name of the past; today: \(use)" : "a name that no known system reads; today: \(use)"
    case .obsolete: "documented once and read by nothing today"
    case .misspelling(let use): "never a key" + (use.map { "; what was meant is \($0)" } ?? "")
    }
  }

  private static func review(_ key: AppTransportSecurity.Key) -> String {
    if case .misspelling = key.standing { return "" }
    return switch key.review {
    case .never: "does not ask about it"
    case .whenYes: "asks for a justification when it is YES"
    case .whenLowered: "asks for a justification when it is lower than TLSv1.2"
    }
  }
}

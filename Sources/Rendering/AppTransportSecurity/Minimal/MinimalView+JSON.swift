import Explanation
import URLLoading

extension MinimalView {
  /// The answer as JSON, version 1.
  public func json() -> JSONValue {
    let other: JSONValue = forAnyHost.map { .object(MinimalView($0).members) } ?? .null
    return .object(
      [.init("trustlab", 1)] + members + [.init("forAnyHost", other), .init("asksServers", .boolean(asksServers))])
  }

  /// The members of an answer, in order, without the version.
  var members: [JSONValue.Member] {
    [
      .init("outcome", .string(result.outcome.rawValue)),
      .init("dictionary", PropertyList.dictionary(result.dictionary).json),
      .init("plist", plist.isEmpty ? .null : .string(plist.joined(separator: "\n"))),
      .init("keys", .array(result.reasons.map(\.json))), .init("appReview", .strings(result.appReview)),
      .init("surer", result.surer.map { PropertyList.dictionary($0).json } ?? .null),
      .init("loads", .array(result.loads.map(\.json))), .init("unknown", .strings(notes)),
    ]
  }
}

extension AppTransportSecurity.ExceptionAnswer.Reason {
  fileprivate var json: JSONValue {
    [
      "keyPath": .strings(keyPath), "value": value.json, "weakens": .string(weakens),
      "because": .strings(because.map(\.id)), "systems": .strings(systems.map(\.description)),
      "systemsForTheEntry": .strings(systemsForTheEntry.map(\.description)),
      "appReview": .boolean(isReviewed),
    ]
  }
}

extension AppTransportSecurity.ExceptionAnswer.Load {
  fileprivate var json: JSONValue {
    [
      "url": .string(url.description), "os": .string(os.description), "before": before.json, "after": after.json,
    ]
  }
}

extension AppTransportSecurity.LoadResult {
  fileprivate var json: JSONValue {
    [
      "passes": .boolean(passes), "because": .strings(because.map(\.id)), "errors": .array(errors.map(\.json)),
      "failingURL": .optional(failingURL?.description), "confidence": .string(confidence.note ?? "certain"),
    ]
  }
}

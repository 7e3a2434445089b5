import Trust
import URLLoading

extension Scenario {
  /// Whether the case exercises a word: a rule or an error that it expects, a SecTrustResultType, or a key of App
  /// Transport Security in the dictionary that stands in the file.
  public func exercises(_ word: String) -> Bool {
    let expectations = ([expectation] + connections.map(\.expectation)).compactMap { $0 }
    return expectations.contains { $0.names(word) } || tree["client"]?["infoPlist"]?.hasKey(word) == true
      || later.contains { $0.exercises(word) }
  }
}

extension Expectation {
  fileprivate func names(_ word: String) -> Bool {
    if (because ?? []).contains(word) || (overridden ?? []).contains(word) || trustResult == word { return true }
    if connections.values.contains(where: { $0.names(word) }) { return true }
    return (errors ?? []).contains { [$0.description, $0.name, "\($0.code)"].contains(word) }
  }
}

extension Node {
  /// Whether it, or anything below it, is a map with this key.
  fileprivate func hasKey(_ key: String) -> Bool {
    (entries ?? []).contains { $0.key == key || $0.value.hasKey(key) }
  }
}

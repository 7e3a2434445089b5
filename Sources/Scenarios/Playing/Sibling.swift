/// The accepted case with the fewest differences from a refused case. The differences explain the refusal.
public struct Sibling: Sendable, Hashable {
  /// The name of the sibling case: `L1-15/iOS 8 has no ATS`.
  public let name: String
  /// The paths at which the two cases differ, in order: `client.os`.
  public let differences: [String]
}

extension ScenarioFile {
  /// Returns the accepted case of this file that differs from `scenario` in the fewest places, or the first of several.
  func nearestAccepted(to scenario: Scenario) -> Scenario? {
    let accepted = cases.filter { $0.expectsAcceptance && $0.name != scenario.name }
    return accepted.map { ($0, scenario.differences(from: $0).count) }.min { $0.1 < $1.1 }?.0
  }

  /// Returns the sibling of a refused case: the one that the file names, or else the nearest. Nil for an accepted case.
  public func sibling(of scenario: Scenario) -> Sibling? {
    guard !scenario.expectsAcceptance else { return nil }
    let named = scenario.sibling.flatMap { self.scenario(named: $0) }
    guard let sibling = named ?? (scenario.sibling == nil ? nearestAccepted(to: scenario) : nil) else { return nil }
    return Sibling(name: sibling.name, differences: scenario.differences(from: sibling))
  }
}

extension Scenario {
  /// Returns the paths at which this case differs from `other`, ignoring expectations.
  public func differences(from other: Scenario) -> [String] {
    let aside = Self.wordsAboutIt
    guard let difference = tree.without(aside).difference(from: other.tree.without(aside)) else { return [] }
    return difference.paths(below: "")
  }
}

extension Node {
  /// Returns the paths of all leaves of this tree.
  fileprivate func paths(below path: String) -> [String] {
    guard case .map(let entries, _) = self, !entries.isEmpty else { return [path] }
    return entries.flatMap { entry in
      let key = entry.key.contains(where: { $0 == "." || $0 == " " }) ? "\"\(entry.key)\"" : entry.key
      return entry.value.paths(below: path.isEmpty ? key : "\(path).\(key)")
    }
  }
}

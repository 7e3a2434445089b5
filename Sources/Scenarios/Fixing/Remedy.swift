import Endpoint
import Explanation

/// One way to carry out the fix that a rule prints.
///
/// A remedy has one part of the printed fix, and the scenario lines that apply exactly this part.
struct Remedy: Sendable {
  /// Returns the lines `PATH = VALUE` to apply in order.
  ///
  /// The result is empty if this part of the fix does not apply to the case.
  typealias Changes = @Sendable (FixContext) throws(NotPlayable) -> [String]

  /// The rules whose fix contains the part.
  let rules: [Rule]
  /// The part of the printed fix, copied word for word.
  let words: String
  /// Whether the part repairs an endpoint that deviates from TLS on purpose. No other part removes its findings.
  let repairsDeviation: Bool
  /// The scenario lines that apply the part.
  let changes: Changes

  /// Creates a remedy for these rules.
  init(_ rules: Rule..., says words: String, by changes: @escaping Changes) {
    (self.rules, self.words, repairsDeviation, self.changes) = (rules, words, false, changes)
  }

  /// Creates a remedy that repairs an endpoint: it removes the deviation, if `changes` does nothing else.
  init(_ rules: Rule..., repairs words: String, by changes: @escaping Changes = withoutDeviation) {
    (self.rules, self.words, repairsDeviation, self.changes) = (rules, words, true, changes)
  }

  /// Creates a remedy for a rule about a server's chain, and for the corresponding rule about a client's chain.
  init(bothSides rule: Rule, says words: String, by changes: @escaping Changes) {
    let id = rule.id.replacingPrefix(Layer.chain.rawValue, with: Layer.clientAuth.rawValue)
    rules = [rule] + Rule.clientChain.filter { $0.id == id }
    (self.words, repairsDeviation, self.changes) = (words, false, changes)
  }

  /// Creates a remedy for a part that the scenario language cannot express, for both sides.
  init(bothSides rule: Rule, says words: String, cannotBePlayed reason: String) {
    self.init(bothSides: rule, says: words) { _ throws(NotPlayable) in throw NotPlayable(reason) }
  }

  /// Creates a remedy for a part that the scenario language cannot express.
  init(_ rules: Rule..., says words: String, cannotBePlayed reason: String) {
    (self.rules, self.words, repairsDeviation) = (rules, words, false)
    changes = { _ throws(NotPlayable) in throw NotPlayable(reason) }
  }

  /// Removes the words for a deviation from every endpoint. A scenario has at most one endpoint with a deviation.
  @Sendable static func withoutDeviation(_ c: FixContext) -> [String] {
    c.tree.settings(called: "misbehaves").map { "\($0) = null" }
  }

  /// Returns whether the printed fix of the finding's rule contains this part.
  func isPart(of finding: Finding) -> Bool { rules.contains(finding.rule) && finding.rule.fix.contains(words) }

  /// All remedies, grouped by layer.
  static let all =
    ats + handshake + attackers + repairs + application + chain + forms + limits + revocation + names + pins
    + challenges + httpAuthentication + clients + identityFiles
}

/// The error for a part of a fix that cannot be applied to a scenario.
struct NotPlayable: Error, Sendable, Hashable {
  /// The reason, in one clause.
  let reason: String

  /// Creates an error with this reason.
  init(_ reason: String) { self.reason = reason }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}

import Endpoint
import Explanation

/// One way to carry out the fix that a rule prints.
///
/// It has a part of the printed sentence, and the scenario lines that do only this.
struct Remedy: Sendable {
  /// Makes the lines `PATH = VALUE`, which are applied in order; empty if the part does not apply to this case.
  typealias Changes = @Sendable (FixContext) throws(NotPlayable) -> [String]

  /// The rules that print the part.
  let rules: [Rule]
  /// The part of the printed fix, word for word.
  let words: String
  /// The lines that carry it out.
  let changes: Changes

  /// A remedy for these rules.
  init(_ rules: Rule..., says words: String, by changes: @escaping Changes) {
    self.rules = rules
    self.words = words
    self.changes = changes
  }

  /// A remedy for a rule of a server's chain, and for the same rule of a client's.
  init(bothSides rule: Rule, says words: String, by changes: @escaping Changes) {
    let id = rule.id.replacingPrefix(Layer.chain.rawValue, with: Layer.clientAuth.rawValue)
    rules = [rule] + Rule.clientChain.filter { $0.id == id }
    self.words = words
    self.changes = changes
  }

  /// A part that the scenario language cannot express.
  init(_ rules: Rule..., says words: String, cannotBePlayed reason: String) {
    self.rules = rules
    self.words = words
    changes = { _ throws(NotPlayable) in throw NotPlayable(reason) }
  }

  /// Whether the fix that the finding's rule prints has this part.
  func isPart(of finding: Finding) -> Bool { rules.contains(finding.rule) && finding.rule.fix.contains(words) }

  /// All remedies, by layer.
  static let all =
    ats + handshake + records + chain + forms + revocation + names + pins + challenges + httpAuthentication
    + clients + identityFiles
}

/// A part of a fix that cannot be carried out on a scenario.
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

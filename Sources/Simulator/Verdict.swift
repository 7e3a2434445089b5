import Explanation

/// What the subject, the simulated client, decided. Computed from findings; there is no other way to one.
public struct Verdict: Sendable, Hashable {
  /// The words of the scenario language.
  public enum Word: String, Sendable, Hashable, CaseIterable {
    case accepted
    case refused
    case hangs
    case notApplicable = "not-applicable"
  }

  /// What was decided.
  public let word: Word
  /// The layer that decided first, unless it was accepted.
  public let layer: Layer?
  /// Every violated rule that decides.
  public let because: [Rule]

  /// The verdict of a connection on which these were found, and which did or did not bring the app its content.
  public init(_ findings: [Finding], hasContent: Bool) {
    because = findings.deciding
    layer = because.map(\.layer).min() ?? (hasContent ? nil : .application)
    word = because.isEmpty ? (hasContent ? .accepted : .hangs) : .refused
  }

  private init(_ word: Word) {
    self.word = word
    layer = nil
    because = []
  }

  /// There is nothing to judge by.
  public static let notApplicable = Verdict(.notApplicable)
}

/// An answer that cannot be judged, which is not the same as a wrong one: what is wrong with it, and how to write it.
public struct AnswerError: Error, Sendable, Hashable {
  /// What is wrong, without a final period.
  public let message: String
  /// How to write it, without a final period.
  public let hint: String

  init(_ message: String, _ hint: String) {
    self.message = message
    self.hint = hint
  }

  /// What is wrong with a scenario that an answer makes.
  init(_ diagnostics: Diagnostics) {
    let first = diagnostics.all.first
    self.init(first?.message ?? "the scenario cannot be played", first?.hint ?? "")
  }
}

/// A scenario file that was read: its cases, the file alone first.
public struct ScenarioFile: Sendable {
  /// The file's name without its extension.
  public let id: String
  /// The file as the user named it.
  public let path: String
  /// The case `main`, then the rows of `cases`, then those of a `sweep`.
  public let cases: [Scenario]
  /// What is odd in it, without being wrong.
  public let warnings: [Diagnostic]
  /// The file's own tree, without the baseline.
  public let root: Node
  /// The file's lines.
  public let lines: [String]

  /// The case called `name`, nil when there is none.
  public func scenario(named name: String) -> Scenario? { cases.first { $0.caseName == name } }
}

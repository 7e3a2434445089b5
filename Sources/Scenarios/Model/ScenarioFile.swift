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

  /// The same diagnostics with the lines of this file that they point at.
  public func showing(_ diagnostics: Diagnostics) -> Diagnostics {
    Diagnostics(
      diagnostics.all.map { diagnostic in
        guard let mark = diagnostic.mark, mark.file == path, diagnostic.line == nil,
          lines.indices.contains(mark.line - 1)
        else { return diagnostic }
        return Diagnostic(
          diagnostic.message, hint: diagnostic.hint, at: mark, line: lines[mark.line - 1], severity: diagnostic.severity
        )
      })
  }

  /// The case called `name`, nil when there is none.
  public func scenario(named name: String) -> Scenario? { cases.first { $0.caseName == name } }
}

/// What is wrong with a PEM text, and where.
public struct PEMError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The line of the text, from 1.
  public let line: Int
  /// The byte of the line, from 1.
  public let column: Int
  /// What is wrong.
  public let message: String
  /// What can be done about it.
  public let hint: String

  init(line: Int, column: Int = 1, _ message: String, hint: String) {
    self.line = line
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// Place and message: `line 3, column 14: '*' is not a base64 character`.
  public var description: String { "line \(line), column \(column): \(message)" }
}

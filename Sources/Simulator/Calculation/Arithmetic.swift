/// The working of one step of a calculation: with names, with numbers, in tables, and as a program.
public struct Arithmetic: Sendable, Hashable {
  /// A calculation in rows, as on a blackboard.
  public struct Table: Sendable, Hashable {
    /// The title: `65 ^ 17 mod 3233, by squaring and multiplying`.
    public let title: String
    /// The headings of the columns.
    public let header: [String]
    /// The rows, each with as many cells as the header.
    public let rows: [[String]]

    /// Creates a table with these rows.
    public init(title: String, header: [String], rows: [[String]]) {
      self.title = title
      self.header = header
      self.rows = rows
    }
  }

  /// The equation with names: `n = p * q`.
  public let equation: String
  /// The equation with numbers: `3233 = 61 * 53`.
  public let numbers: String
  /// Tables of modular powers and inverses, if their numbers are small enough for a blackboard.
  public let tables: [Table]
  /// A Python 3 program that computes the result again; nil if the result is a text.
  public let program: String?
  /// The expected output of the program.
  public let result: String

  /// Creates the working of one step.
  public init(equation: String, numbers: String, tables: [Table], program: String?, result: String) {
    self.equation = equation
    self.numbers = numbers
    self.tables = tables
    self.program = program
    self.result = result
  }
}

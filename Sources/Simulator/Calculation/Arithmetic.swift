/// How a step of a calculation is worked out: with names, with numbers, line by line, and by another program.
public struct Arithmetic: Sendable, Hashable {
  /// A calculation in rows, as on a blackboard.
  public struct Table: Sendable, Hashable {
    /// What is calculated: `65 ^ 17 mod 3233, by squaring and multiplying`.
    public let title: String
    /// What stands in each column.
    public let header: [String]
    /// The rows, each with as many cells as the header.
    public let rows: [[String]]

    /// A table of these rows.
    public init(title: String, header: [String], rows: [[String]]) {
      self.title = title
      self.header = header
      self.rows = rows
    }
  }

  /// With names: `n = p * q`.
  public let equation: String
  /// With numbers: `3233 = 61 * 53`.
  public let numbers: String
  /// Modular powers and inverses line by line, where they are small enough for a blackboard.
  public let tables: [Table]
  /// The program for python3 that works it out again; nil where the result is a text.
  public let program: String?
  /// What that program prints.
  public let result: String

  /// The working of one step.
  public init(equation: String, numbers: String, tables: [Table], program: String?, result: String) {
    self.equation = equation
    self.numbers = numbers
    self.tables = tables
    self.program = program
    self.result = result
  }
}

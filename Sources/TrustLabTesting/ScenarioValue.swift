import Scenarios

/// A value of the scenario language, which Swift code writes as a literal.
public indirect enum ScenarioValue: Sendable {
  /// A keyword or a text.
  case text(String)
  /// A number.
  case number(Int)
  /// `true` or `false`.
  case flag(Bool)
  /// Several values.
  case list([ScenarioValue])
  /// Values with their keys, in order.
  case map([(key: String, value: ScenarioValue)])
  /// The value `null`, which removes the previous value.
  case none

  func node(at mark: SourceMark) -> Node {
    switch self {
    // The reader accepts a quoted value only as text, and a plain value as any type.
    case .text(let text): .scalar(text, quoted: Self.needsQuotes(text), mark)
    case .number(let number): .scalar("\(number)", quoted: false, mark)
    case .flag(let flag): .scalar("\(flag)", quoted: false, mark)
    case .list(let values): .list(values.map { $0.node(at: mark) }, mark)
    case .map(let entries):
      .map(entries.map { .init(key: $0.key, mark: mark, value: $0.value.node(at: mark)) }, mark)
    case .none: .scalar("null", quoted: false, mark)
    }
  }

  private static func needsQuotes(_ text: String) -> Bool {
    ["", "~", "null", "Null", "NULL", "true", "false"].contains(text) || Int(text) != nil
  }
}

extension ScenarioValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a keyword or a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a number from a literal.
  public init(integerLiteral value: Int) { self = .number(value) }
  /// Creates `true` or `false` from a literal.
  public init(booleanLiteral value: Bool) { self = .flag(value) }
  /// Creates a list of values.
  public init(arrayLiteral elements: ScenarioValue...) { self = .list(elements) }
  /// Creates a map, with the keys in the order of the literal.
  public init(dictionaryLiteral elements: (String, ScenarioValue)...) {
    self = .map(elements.map { (key: $0.0, value: $0.1) })
  }
  /// Creates the value `null`.
  public init(nilLiteral: ()) { self = .none }
}

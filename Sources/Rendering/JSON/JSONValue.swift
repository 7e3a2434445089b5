/// A JSON value whose objects keep the order of their members, so that the text is the same in every process.
public enum JSONValue: Sendable, Hashable {
  /// Members in the order in which they are written; no name twice.
  case object([Member])
  case array([JSONValue])
  case string(String)
  case integer(Int)
  /// A number that no `Int` holds, as it is written.
  case number(String)
  case boolean(Bool)
  case null

  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JSONValue

    /// A member of an object.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The members of an object; nil for anything else.
  public var members: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// The value of the member called `name`; nil when this is no object or has none.
  public subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

  /// A string, or null.
  static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// An array of strings.
  static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// This object with more members at its end.
  func adding(_ members: [Member]) -> JSONValue {
    guard let own = self.members else { return self }
    return .object(own + members)
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// An object with its members in the order of the literal.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
}

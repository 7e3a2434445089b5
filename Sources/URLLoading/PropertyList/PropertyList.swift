import Explanation

/// A value of a property list, as in an app's Info.plist.
///
/// Numbers and booleans are different types: `<true/>` is a boolean, but `<integer>1</integer>` is not.
public indirect enum PropertyList: Sendable, Hashable {
  case dictionary(Dictionary)
  case array([PropertyList])
  case string(String)
  /// A whole number. Files can contain values from -2^63 to 2^64 - 1.
  case integer(Int128)
  case real(Double)
  case boolean(Bool)
  /// A date with a precision of one second.
  case date(Instant)
  case data([UInt8])

  /// The dictionary; nil for any other type.
  public var dictionary: Dictionary? {
    if case .dictionary(let dictionary) = self { dictionary } else { nil }
  }

  /// The array; nil for any other type.
  public var array: [PropertyList]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The string; nil for any other type.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The name of the value's type in Apple's documentation, such as `Dictionary` or `Boolean`.
  public var typeName: String {
    switch self {
    case .dictionary: "Dictionary"
    case .array: "Array"
    case .string: "String"
    case .integer, .real: "Number"
    case .boolean: "Boolean"
    case .date: "Date"
    case .data: "Data"
    }
  }
}

extension PropertyList {
  /// A place in the text of a property list.
  public struct Place: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The column in characters, counted from 1.
    public let column: Int

    /// Creates a place.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }

    /// Returns whether one place comes before another.
    public static func < (left: Place, right: Place) -> Bool { (left.line, left.column) < (right.line, right.column) }

    /// `LINE:COLUMN`.
    public var description: String { "\(line):\(column)" }
  }

  /// The keys and values of a dictionary, in the order in which they were written.
  ///
  /// Dictionaries are equal if every key has equal values in both. Order and places are ignored.
  public struct Dictionary: Sendable {
    /// One key and its value.
    public struct Entry: Sendable {
      /// The key.
      public let key: String
      /// Its value.
      public let value: PropertyList
      /// The place of the key, if the property list was read from text.
      public let place: Place?

      /// Creates an entry.
      public init(key: String, value: PropertyList, place: Place? = nil) {
        self.key = key
        self.value = value
        self.place = place
      }
    }

    /// All entries in order. A key may occur more than once.
    public let entries: [Entry]

    /// Creates a dictionary from entries.
    public init(entries: [Entry] = []) { self.entries = entries }

    /// The value of `key`; the last one if the key occurs more than once.
    public subscript(key: String) -> PropertyList? { entries.last { $0.key == key }?.value }

    /// The keys in the order in which they were written.
    public var keys: [String] { entries.map(\.key) }
    /// The keys that occur more than once with different values.
    var repeatedKeys: [String] {
      var seen: [String: PropertyList] = [:]
      var repeated: [String] = []
      for entry in entries {
        if let other = seen.updateValue(entry.value, forKey: entry.key), other != entry.value,
          !repeated.contains(entry.key)
        {
          repeated.append(entry.key)
        }
      }
      return repeated
    }

    /// Whether there are no entries.
    public var isEmpty: Bool { entries.isEmpty }

    fileprivate var values: [String: PropertyList] {
      Swift.Dictionary(entries.map { ($0.key, $0.value) }) { _, last in last }
    }
  }
}

extension PropertyList.Dictionary: Hashable {
  /// Returns whether two dictionaries have equal values for equal keys, in any order.
  public static func == (left: Self, right: Self) -> Bool { left.values == right.values }

  /// Hashes the keys and values without their order.
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension PropertyList: ExpressibleByDictionaryLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral
{
  /// Creates a dictionary with the entries in the order of the literal.
  public init(dictionaryLiteral elements: (String, PropertyList)...) {
    self = .dictionary(Dictionary(entries: elements.map { Dictionary.Entry(key: $0.0, value: $0.1) }))
  }

  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }

  /// A whole number.
  public init(integerLiteral value: Int) { self = .integer(Int128(value)) }

  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// An array.
  public init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
}

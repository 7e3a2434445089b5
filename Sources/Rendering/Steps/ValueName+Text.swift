import Explanation

// Names of values are shown as scenario files write them.

extension Span {
  /// The name of a value.
  init(_ name: ValueName, _ style: Style = .plain) { self.init(name.description, style) }
}

extension RichText {
  /// The name of a value.
  init(_ name: ValueName, _ style: Span.Style = .plain) { self.init(name.description, style) }
}

extension JSONValue {
  /// The name of a value.
  static func string(_ name: ValueName) -> JSONValue { .string(name.description) }

  /// The name of a value, or null.
  static func optional(_ name: ValueName?) -> JSONValue { .optional(name?.description) }

  /// The names of values.
  static func strings(_ names: some Sequence<ValueName>) -> JSONValue { .strings(names.map(\.description)) }
}

import Explanation

// Value names have the spelling that scenario files use.

extension Span {
  init(_ name: ValueName, _ style: Style = .plain) { self.init(name.description, style) }
}

extension RichText {
  init(_ name: ValueName, _ style: Span.Style = .plain) { self.init(name.description, style) }
}

extension JSONValue {
  static func string(_ name: ValueName) -> JSONValue { .string(name.description) }

  static func optional(_ name: ValueName?) -> JSONValue { .optional(name?.description) }

  static func strings(_ names: some Sequence<ValueName>) -> JSONValue { .strings(names.map(\.description)) }
}

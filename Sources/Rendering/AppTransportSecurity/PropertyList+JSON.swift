import URLLoading

extension PropertyList {
  /// A property list as JSON writes it: booleans and numbers stay apart, and null is as if it were not there.
  ///
  /// It is nil for null itself.
  public init?(_ json: JSONValue) {
    switch json {
    case .null: return nil
    case .boolean(let flag): self = .boolean(flag)
    case .integer(let number): self = .integer(Int128(number))
    case .number(let digits): self = .real(Double(digits) ?? .infinity)
    case .string(let text): self = .string(text)
    case .array(let values): self = .array(values.compactMap { PropertyList($0) })
    case .object(let members):
      let entries = members.compactMap { member in
        PropertyList(member.value).map { Dictionary.Entry(key: member.name, value: $0) }
      }
      self = .dictionary(.init(entries: entries))
    }
  }
}

extension PropertyList {
  /// The property list as JSON: what JSON has no word for, dates and data, as text.
  var json: JSONValue {
    switch self {
    case .boolean(let flag): .boolean(flag)
    case .string(let text): .string(text)
    case .integer(let number): Int(exactly: number).map { .integer($0) } ?? .number(String(number))
    case .array(let values): .array(values.map(\.json))
    case .dictionary(let dictionary):
      .object(
        dictionary.entries.map { entry in JSONValue.Member(entry.key, entry.value.json) })
    case .real, .date, .data: .string(words)
    }
  }
}

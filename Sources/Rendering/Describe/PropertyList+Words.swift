import URLLoading

extension PropertyList {
  /// The value on one line, in the words of property lists: `{ NSAllowsArbitraryLoads: YES }`.
  var words: String {
    switch self {
    case .dictionary(let dictionary):
      let entries = dictionary.entries.map { "\($0.key): \($0.value.words)" }
      return entries.isEmpty ? "{}" : "{ \(entries.joined(separator: ", ")) }"
    case .array(let values): return "[\(values.map(\.words).joined(separator: ", "))]"
    case .string(let text): return text.isEmpty ? "\"\"" : text
    case .integer(let number): return String(number)
    case .real(let number): return String(number)
    case .boolean(let flag): return flag ? "YES" : "NO"
    case .date(let instant): return instant.description
    case .data(let bytes): return "<\(bytes.count) bytes>"
    }
  }
}

import Explanation
import URLLoading

extension NodeReader {
  /// Reads a property list that is written in the scenario itself.
  ///
  /// Unknown keys are not errors here, as on iOS. `true`, `false`, `YES` and `NO` without quotes are Booleans. In
  /// quotes they are strings, which is a mistake that a scenario may demonstrate.
  func propertyList() -> PropertyList {
    switch node {
    case .map:
      let entries = named { key, _, reader in
        Optional(PropertyList.Dictionary.Entry(key: key, value: reader.propertyList()))
      }
      return .dictionary(.init(entries: entries))
    case .list:
      return .array(list { $0.propertyList() } ?? [])
    case .scalar(let text, let quoted, _):
      checkIdentity(text)
      return quoted ? .string(text) : Self.plain(text)
    }
  }

  /// Reports a text that begins like `spki(api)` but does not end like it. Otherwise it would be decoded as the Base64
  /// of a hash.
  private func checkIdentity(_ text: String) {
    guard text.lowercased().hasPrefix("spki("), PinnedIdentityText.name(in: text) == nil else { return }
    let name = text.dropFirst(5).prefix { $0 != ")" }
    fail("\(shown) is not a pinned identity", hint: "write spki(\(name.isEmpty ? "api" : String(name)))")
  }

  private static func plain(_ text: String) -> PropertyList {
    switch text {
    case "true", "True", "TRUE", "YES", "Yes", "yes": return .boolean(true)
    case "false", "False", "FALSE", "NO", "No", "no": return .boolean(false)
    default: break
    }
    if let integer = Int128(text) { return .integer(integer) }
    if let real = Double(text), text.contains(where: \.isNumber) { return .real(real) }
    return .string(text)
  }
}

extension PropertyList {
  /// The value on one line, in the notation of property lists: `{ NSAllowsArbitraryLoads: YES }`.
  public var words: String {
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

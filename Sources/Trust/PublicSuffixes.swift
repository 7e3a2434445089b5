/// What is known of the names under which registries register: publicsuffix.org's list.
public enum PublicSuffixes: Sendable, Hashable {
  /// Nobody asks: a star may stand before any two labels.
  case notAsked
  /// It would be asked, and there is no list.
  case unavailable
  /// The list, in the form in which it is published: a rule a line, `co.uk`, `*.ck`, and `!www.ck` for what is none.
  case list(String)

  /// Whether a registry registers below `name`, which is in lower case; nil where that is not known. A single label always
  /// is such a name, listed or not.
  func contains(_ name: String) -> Bool? {
    switch self {
    case .notAsked: return false
    case .unavailable: return nil
    case .list(let text):
      guard let period = name.firstIndex(of: ".") else { return true }
      func has(_ rule: String) -> Bool { text.contains("\n\(rule)\n") }
      return has(name) || has("*\(name[period...])") && !has("!\(name)")
    }
  }
}

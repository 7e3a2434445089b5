/// The names under which registries register: the list of publicsuffix.org.
public enum PublicSuffixes: Sendable, Hashable {
  /// The client does not check suffixes: a wildcard label may precede any two labels.
  case notAsked
  /// The client checks suffixes, but has no list.
  case unavailable
  /// The registries' rules: `co.uk`, `*.ck`, and exceptions such as `!www.ck`.
  case list(Set<String>)

  /// Reads the published list, with one rule per line up to the first blank.
  ///
  /// Only the first of its two sections counts, the suffixes of registries. The owner of a name in the second section,
  /// such as `github.io`, has registered it and may have a certificate for all of it. Baseline Requirements 3.2.2.6
  /// also exclude that section.
  public init(_ text: String) {
    var rules: Set<String> = []
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("//") {
        if line.contains("===END ICANN DOMAINS===") { break }
        continue
      }
      if let rule = line.split(whereSeparator: \.isWhitespace).first { rules.insert(PublicSuffixes.asciiForm(rule)) }
    }
    self = .list(rules)
  }

  /// A rule in A-labels, as certificates write names: the list uses the scripts of its registries.
  private static func asciiForm(_ rule: Substring) -> String {
    guard rule.utf8.contains(where: { $0 >= 0x80 }) else { return rule.lowercased() }
    let mark = rule.hasPrefix("!") ? "!" : rule.hasPrefix("*.") ? "*." : ""
    let name = String(rule.dropFirst(mark.count))
    return mark + (RequestedHost.asciiForm(of: name) ?? name).lowercased()
  }

  /// Whether a registry registers names below `name`, in lower case; nil if that is not known.
  ///
  /// A single label is always such a name, listed or not.
  func contains(_ name: String) -> Bool? {
    switch self {
    case .notAsked: return false
    case .unavailable: return nil
    case .list(let rules):
      guard let period = name.firstIndex(of: ".") else { return true }
      return rules.contains(name) || rules.contains("*\(name[period...])") && !rules.contains("!\(name)")
    }
  }
}

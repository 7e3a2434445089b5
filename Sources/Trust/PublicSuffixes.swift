/// The names below which registries register domains, from the list of publicsuffix.org.
public enum PublicSuffixes: Sendable, Hashable {
  /// The client does not check public suffixes, so a wildcard label may precede any two labels.
  case notAsked
  /// The client checks public suffixes, but has no list of them.
  case unavailable
  /// The rules of the list, such as `co.uk`, `*.ck`, and exceptions such as `!www.ck`.
  case list(Set<String>)

  /// Reads the published list, in which each line has one rule before the first blank.
  ///
  /// Only the first section, with the suffixes of registries, is used. The owner of a name in the second section, such
  /// as `github.io`, has registered it and may have a certificate for all names below. Section 3.2.2.6 of the Baseline
  /// Requirements also excludes the second section.
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

  /// Converts a rule to A-labels, as in certificates. The list writes rules in the script of their registry.
  private static func asciiForm(_ rule: Substring) -> String {
    guard rule.utf8.contains(where: { $0 >= 0x80 }) else { return rule.lowercased() }
    let mark = rule.hasPrefix("!") ? "!" : rule.hasPrefix("*.") ? "*." : ""
    let name = String(rule.dropFirst(mark.count))
    return mark + (RequestedHost.asciiForm(of: name) ?? name).lowercased()
  }

  /// Returns whether a registry registers names below `name`; nil if this is not known.
  ///
  /// `name` must be in lower case. A single label is always such a name, even if it is not listed.
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

/// What is known of the names under which registries register: publicsuffix.org's list.
public enum PublicSuffixes: Sendable, Hashable {
  /// Nobody asks: a star may stand before any two labels.
  case notAsked
  /// It would be asked, and there is no list.
  case unavailable
  /// The rules of registries: `co.uk`, `*.ck`, and `!www.ck` for what is none.
  case list(Set<String>)

  /// The list in the form in which it is published, a rule a line up to its first blank.
  ///
  /// Only what registries run counts, the first of its two sections. Who runs a name of the second, `github.io`, has it
  /// registered and may have a certificate for all of it: Baseline Requirements 3.2.2.6 leave that section out, too.
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

  /// A rule as certificates have names, in A-labels: the list is written in the scripts of its registries.
  private static func asciiForm(_ rule: Substring) -> String {
    guard rule.utf8.contains(where: { $0 >= 0x80 }) else { return rule.lowercased() }
    let mark = rule.hasPrefix("!") ? "!" : rule.hasPrefix("*.") ? "*." : ""
    let name = String(rule.dropFirst(mark.count))
    return mark + (RequestedHost.asciiForm(of: name) ?? name).lowercased()
  }

  /// Whether a registry registers below `name`, which is in lower case; nil where that is not known. A single label always
  /// is such a name, listed or not.
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

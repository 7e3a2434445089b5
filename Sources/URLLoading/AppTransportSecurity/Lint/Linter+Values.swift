import Explanation
import TLS
import Trust

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// Whether the value of `entry` is of the type that `key` takes; says so where it is not.
  @discardableResult mutating func checkType(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) -> Bool {
    switch (key.valueType, entry.value) {
    case ("Boolean", .boolean), ("Boolean", .integer(0)), ("Boolean", .integer(1)): return true
    case ("Boolean", .real(let number)) where number == 0 || number == 1: return true
    case ("Boolean", _):
      addNotABoolean(entry, key, at: spot)
      return false
    case ("String", .string(let text)):
      if isUnexpanded(text) { addUnexpanded(text, at: spot) }
      return !isUnexpanded(text)
    case ("String", _):
      add(
        .plistNotAString, .error, at: spot, "'\(entry.key)' takes a string, and this is \(entry.value.shown)",
        found: entry.value.shown, effect: "ignored: the default, \(key.defaultValue), holds")
      return false
    case ("Dictionary", _) where entry.value.dictionary == nil:
      let list = entry.key == Key.exceptionDomains ? "every entry is ignored, other keys still count" : "ignored"
      addNotADictionary(entry, at: spot, effect: list)
      return false
    default: return true
    }
  }

  private mutating func addNotABoolean(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    let isAbsent = key.level == .global
    let effect: String
    switch entry.value {
    case .integer, .real:
      effect =
        "counts as <false/>, for only 1 counts as true" + (overrides(key) ? "; NSAllowsArbitraryLoads is off" : "")
    case .string(let text) where isUnexpanded(text):
      effect =
        "a build setting is always a string here: "
        + (isAbsent ? "the key counts as absent" : "the default, \(key.defaultValue), holds")
    case _ where isAbsent:
      effect = "counts as absent" + (overrides(key) ? ": NSAllowsArbitraryLoads is not turned off by it" : "")
    default: effect = "ignored: the default, \(key.defaultValue), holds"
    }
    add(
      .plistNotABoolean, .error, at: spot, "'\(entry.key)' takes a boolean, and this is \(entry.value.shown)",
      found: entry.value.shown, meant: Self.flag(entry.value), caution: caution(key, entry.value), effect: effect)
  }

  /// What a boolean in the place of a value that counts as absent would do beside its own work: be present.
  private func caution(_ key: AppTransportSecurity.Key, _ value: PropertyList) -> String? {
    switch value {
    case .integer, .real: return nil
    default: break
    }
    if overrides(key), isEverythingAllowed {
      return "Its presence, <false/> too, turns NSAllowsArbitraryLoads off since iOS 10"
    }
    let isDenial = key.name == Key.allowsLocalNetworking && Self.flag(value) == "<false/>"
    return isDenial ? "Since iOS 18.4 <false/> is not the same as absent: local names then need TLS" : nil
  }

  private func overrides(_ key: AppTransportSecurity.Key) -> Bool { Self.overriding.contains(key.name) }

  /// The boolean that somebody meant with a string.
  private static func flag(_ value: PropertyList) -> String? {
    switch value.string?.lowercased() {
    case "yes", "true", "1", "y", "on": "<true/>"
    case "no", "false", "0", "n", "off": "<false/>"
    default: nil
    }
  }

  mutating func addNotADictionary(_ entry: PropertyList.Dictionary.Entry, at spot: Spot, effect: String) {
    add(
      .plistNotADictionary, .error, at: spot, "'\(entry.key)' takes a <dict>, and this is \(entry.value.shown)",
      found: entry.value.shown, effect: effect)
  }

  /// Checks what `NSExceptionMinimumTLSVersion` says.
  mutating func checkVersion(_ text: String, at spot: Spot) {
    guard let version = AppTransportSecurity.ExceptionDomain.Values.versions[text] else {
      add(
        .plistUnknownTLSVersion, .error, at: spot, "'\(text)' is no version of TLS that a system knows", found: text,
        meant: Self.version(meantBy: text), effect: "ignored: TLSv1.2 stays the lowest version")
      return
    }
    guard version == .tls13 else { return }
    addIgnored(
      "TLSv1.3", by: systems.covered.filter { $0.newestVersion < .tls13 }, of: systems.covered,
      since: "iOS 12.2, macOS 10.14.4", at: spot, effect: "ignored there: TLSv1.2 stays the lowest version",
      confidence: .likely("what releases before iOS 12.2 make of the value is not documented"))
  }

  /// `TLSv1.3` for `TLSV1.3`, `tls 1.3`, `1.3`; nil where the number is none.
  private static func version(meantBy text: String) -> String? {
    let digits = text.filter { $0.isASCII && $0.isNumber }
    guard !text.lowercased().contains("ssl"),
      let minor = ["1": "0", "10": "0", "11": "1", "12": "2", "13": "3"][digits]
    else { return nil }
    return "TLSv1.\(minor)"
  }

  /// Checks what a key of NIAP says; the words are from documentation alone.
  mutating func checkPackage(_ text: String, at spot: Spot) {
    let known = ["none", "FCP_v2.1", "recommended"]
    if known.contains(text) { return }
    add(
      .plistUnknownPackage, .error, at: spot, "'\(text)' is no package version of NIAP that Apple documents",
      found: text, meant: Spelling.nearest(to: text, among: known), effect: "probably ignored",
      on: "iOS 26.4, macOS 26.4 and later", confidence: .likely("read in documentation only"))
  }

  /// Says that some of the systems do not read something.
  mutating func addIgnored(
    _ what: String, by ignoring: [OSVersion], of all: [OSVersion], since: String, at spot: Spot, effect: String,
    confidence: Finding.Confidence = .certain
  ) {
    guard !ignoring.isEmpty else { return }
    let names = ignoring.map(\.description).joined(separator: ", ")
    add(
      .plistIgnoredBySystem, ignoring.count == all.count ? .warning : .note, at: spot,
      "\(what) counts since \(since.replacing(", ", with: " and ")) only", found: names,
      effect: "\(effect) (of the systems looked at: \(names))", on: "before \(since)", confidence: confidence)
  }

  /// Whether a text has a build setting in it that Xcode would have replaced.
  func isUnexpanded(_ text: String) -> Bool { text.contains("$(") || text.contains("${") }

  mutating func addUnexpanded(_ text: String, at spot: Spot) {
    add(
      .plistUnexpandedSetting, .warning, at: spot, "'\(text)' is a build setting that is not replaced yet",
      found: text, effect: "what the app gets is not known here; if it is not replaced, it is ignored")
  }
}

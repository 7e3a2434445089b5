import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity.Linter {
  /// Whether the value of `entry` is of the type that `key` takes; says so where it is not.
  @discardableResult mutating func checkType(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) -> Bool {
    switch (key.valueType, entry.value) {
    case (.boolean, .boolean): return true
    case (.boolean, .integer(0)), (.boolean, .integer(1)), (.boolean, .real(0)), (.boolean, .real(1)):
      // Pins are compared with a boolean, and say so themselves.
      if key.level != .pinnedDomain { addNumber(entry, at: spot) }
      return true
    case (.boolean, _):
      addNotABoolean(entry, key, at: spot)
      return false
    case (.string, .string(let text)):
      if isUnexpanded(text) { addUnexpanded(text, at: spot) }
      return !isUnexpanded(text)
    case (.string, _):
      add(
        .plistNotAString, .error, at: spot, "'\(entry.key)' takes a string, and this is \(entry.value.shown)",
        found: entry.value.shown, effect: "ignored: the default, \(key.defaultValue), holds")
      return false
    case (.dictionary, _) where entry.value.dictionary == nil:
      let isOfPins = key == .pinnedDomains
      addNotADictionary(
        entry, at: spot, of: "domains, each with \(isOfPins ? "its pins" : "its exceptions")",
        effect: isOfPins ? "ignored: nothing is pinned" : "every entry is ignored, other keys still count")
      return false
    default: return true
    }
  }

  /// A number that counts as the boolean it stands for, as far as is known.
  private mutating func addNumber(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    let meant = entry.value.isOn ? "<true/>" : "<false/>"
    add(
      .plistNotABoolean, .note, at: spot, "'\(entry.key)' takes a boolean, and this is \(entry.value.shown)",
      found: entry.value.shown, meant: meant, effect: "counts as \(meant)",
      confidence: .likely("how values of other types are read is known of the open engine alone, since iOS 18.4"))
  }

  private mutating func addNotABoolean(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    let isAbsent = key.level == .global
    let effect: String
    switch entry.value {
    case .integer, .real:
      effect =
        "counts as <false/>, for only 1 counts as true"
        + (key.turnsArbitraryLoadsOff ? "; NSAllowsArbitraryLoads is off" : "")
    case .string(let text) where isUnexpanded(text):
      effect =
        "a build setting is always a string here: "
        + (isAbsent ? "the key counts as absent" : "the default, \(key.defaultValue), holds")
    case _ where isAbsent:
      effect =
        "counts as absent" + (key.turnsArbitraryLoadsOff ? ": NSAllowsArbitraryLoads is not turned off by it" : "")
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
    if key.turnsArbitraryLoadsOff, isEverythingAllowed {
      return "Its presence, <false/> too, turns NSAllowsArbitraryLoads off since iOS 10"
    }
    let isDenial = key == .allowsLocalNetworking && Self.flag(value) == "<false/>"
    return isDenial ? "Since iOS 18.4 <false/> is not the same as absent: local names then need TLS" : nil
  }

  /// The boolean that a string means, such as `YES`.
  private static func flag(_ value: PropertyList) -> String? {
    switch value.string?.lowercased() {
    case "yes", "true", "1", "y", "on": "<true/>"
    case "no", "false", "0", "n", "off": "<false/>"
    default: nil
    }
  }

  /// - Parameter contents: what the dictionary has in it, in words.
  mutating func addNotADictionary(
    _ entry: PropertyList.Dictionary.Entry, at spot: Spot, of contents: String, effect: String
  ) {
    add(
      .plistNotADictionary, .error, at: spot, "'\(entry.key)' takes a <dict>, and this is \(entry.value.shown)",
      found: entry.value.shown, caution: "It holds \(contents)", effect: effect)
  }

  /// Checks the text of a key that takes one.
  mutating func checkText<Target>(
    _ entry: PropertyList.Dictionary.Entry, _ property: AppTransportSecurity.Key.Property<Target>, at spot: Spot
  ) {
    switch property {
    case .version: checkVersion(entry.value.string ?? "", at: spot)
    case .niapPackage: checkPackage(entry.value.string ?? "", at: spot)
    case .flag: break
    }
  }

  /// Checks what `NSExceptionMinimumTLSVersion` says.
  private mutating func checkVersion(_ text: String, at spot: Spot) {
    guard let version = AppTransportSecurity.versions[text] else {
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
  private mutating func checkPackage(_ text: String, at spot: Spot) {
    let known = AppTransportSecurity.NIAPPackage.allCases.map(\.rawValue)
    if known.contains(text) { return }
    add(
      .plistUnknownPackage, .error, at: spot, "'\(text)' is no package version of NIAP that Apple documents",
      found: text, meant: Spelling.nearest(to: text, among: known), effect: "probably ignored",
      on: "\(Key.requiresNIAP.since) and later", confidence: .likely("read in documentation only"))
  }
}

import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity.Linter {
  /// Reports a value of the wrong type. Returns whether the value has the type of `key`.
  @discardableResult mutating func checkType(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) -> Bool {
    switch (key.valueType, entry.value) {
    case (.boolean, .boolean): return true
    case (.boolean, .integer(0)), (.boolean, .integer(1)), (.boolean, .real(0)), (.boolean, .real(1)):
      // The system compares a pinned domain's value with a boolean, so the value has its own finding.
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
        .plistNotAString, .error, at: spot, "'\(entry.key)' takes a string, but its value is \(entry.value.shown)",
        found: entry.value.shown, effect: "ignored: the default, \(key.defaultValue), applies")
      return false
    case (.dictionary, _) where entry.value.dictionary == nil:
      let isOfPins = key == .pinnedDomains
      addNotADictionary(
        entry, at: spot, of: "domains, each with its \(isOfPins ? "pins" : "exceptions")",
        effect: isOfPins ? "ignored: nothing is pinned" : "every entry is ignored; other keys still apply")
      return false
    default: return true
    }
  }

  /// Reports a number that the system interprets as a boolean, as far as is known.
  private mutating func addNumber(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    let meant = entry.value.isOn ? "<true/>" : "<false/>"
    add(
      .plistNotABoolean, .note, at: spot, "'\(entry.key)' takes a Boolean, but its value is \(entry.value.shown)",
      found: entry.value.shown, meant: meant, effect: "counts as \(meant)",
      confidence: .likely("only the open engine, since iOS 18.4, shows how systems read other types"))
  }

  private mutating func addNotABoolean(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    let isAbsent = key.level == .global
    let effect: String
    switch entry.value {
    case .integer, .real:
      effect =
        "counts as <false/>, because the only number that counts as true is 1"
        + (key.turnsArbitraryLoadsOff ? "; NSAllowsArbitraryLoads is off" : "")
    case .string(let text) where isUnexpanded(text):
      effect =
        "an unexpanded build setting is always a string: "
        + (isAbsent ? "the key counts as absent" : "the default, \(key.defaultValue), applies")
    case _ where isAbsent:
      effect =
        "counts as absent" + (key.turnsArbitraryLoadsOff ? ": it does not turn NSAllowsArbitraryLoads off" : "")
    default: effect = "ignored: the default, \(key.defaultValue), applies"
    }
    add(
      .plistNotABoolean, .error, at: spot, "'\(entry.key)' takes a Boolean, but its value is \(entry.value.shown)",
      found: entry.value.shown, meant: Self.flag(entry.value), caution: caution(key, entry.value), effect: effect)
  }

  /// Returns the side effect of a boolean that replaces a value of the wrong type: the key is then present.
  private func caution(_ key: AppTransportSecurity.Key, _ value: PropertyList) -> String? {
    switch value {
    case .integer, .real: return nil
    default: break
    }
    if key.turnsArbitraryLoadsOff, isEverythingAllowed {
      return "The key turns NSAllowsArbitraryLoads off since iOS 10, even with the value <false/>"
    }
    let isDenial = key == .allowsLocalNetworking && Self.flag(value) == "<false/>"
    return isDenial ? "Since iOS 18.4, <false/> differs from an absent key: local names then need TLS" : nil
  }

  /// Returns the boolean that a string such as `YES` means; nil for other values.
  private static func flag(_ value: PropertyList) -> String? {
    switch value.string?.lowercased() {
    case "yes", "true", "1", "y", "on": "<true/>"
    case "no", "false", "0", "n", "off": "<false/>"
    default: nil
    }
  }

  /// - Parameter contents: a description of the intended contents of the dictionary.
  mutating func addNotADictionary(
    _ entry: PropertyList.Dictionary.Entry, at spot: Spot, of contents: String, effect: String
  ) {
    add(
      .plistNotADictionary, .error, at: spot, "'\(entry.key)' takes a <dict>, but its value is \(entry.value.shown)",
      found: entry.value.shown, caution: "It contains \(contents)", effect: effect)
  }

  /// Checks the value of a key whose value should be text.
  mutating func checkText<Target>(
    _ entry: PropertyList.Dictionary.Entry, _ property: AppTransportSecurity.Key.Property<Target>, at spot: Spot
  ) {
    switch property {
    case .version: checkVersion(entry.value.string ?? "", at: spot)
    case .niapPackage: checkPackage(entry.value.string ?? "", at: spot)
    case .flag: break
    }
  }

  /// Checks the value of `NSExceptionMinimumTLSVersion`.
  private mutating func checkVersion(_ text: String, at spot: Spot) {
    guard let version = AppTransportSecurity.versions[text] else {
      add(
        .plistUnknownTLSVersion, .error, at: spot, "'\(text)' is not a TLS version that systems know", found: text,
        meant: Self.version(meantBy: text), effect: "ignored: the minimum version remains TLSv1.2")
      return
    }
    if version < .tls12 { checkOldVersion(text, version, at: spot) }
    guard version == .tls13 else { return }
    addIgnored(
      "TLSv1.3", by: systems.covered.filter { $0.newestVersion < .tls13 }, of: systems.covered,
      since: "iOS 12.2, macOS 10.14.4", at: spot,
      effect:
        "ignored by earlier systems: the minimum version remains TLSv1.2",
      confidence: .likely("Apple does not document how releases before iOS 12.2 read the value"))
  }

  /// Reports the systems that refuse a version, whatever the app's exceptions.
  private mutating func checkOldVersion(_ text: String, _ version: ProtocolVersion, at spot: Spot) {
    let refusing = systems.covered.filter(\.requiresTLS12)
    guard let first = refusing.first else { return }
    let names = refusing.map(\.description).joined(separator: ", ")
    add(
      .plistIgnoredBySystem, refusing.count == systems.covered.count ? .warning : .note, at: spot,
      "'\(text)' has no effect since iOS 26 and macOS 26", found: names,
      effect: "ignored by later systems: the minimum version is TLSv1.2 (affected systems: \(names))",
      on: "iOS 26, macOS 26 and later", confidence: first.confidence(in: version))
  }

  /// Returns `TLSv1.3` for `TLSV1.3`, `tls 1.3` or `1.3`; nil if the number does not belong to a version.
  private static func version(meantBy text: String) -> String? {
    let digits = text.filter { $0.isASCII && $0.isNumber }
    guard !text.lowercased().contains("ssl"),
      let minor = ["1": "0", "10": "0", "11": "1", "12": "2", "13": "3"][digits]
    else { return nil }
    return "TLSv1.\(minor)"
  }

  /// Checks the value of a NIAP key. The allowed values are known only from documentation.
  private mutating func checkPackage(_ text: String, at spot: Spot) {
    let known = AppTransportSecurity.NIAPPackage.allCases.map(\.rawValue)
    if known.contains(text) { return }
    add(
      .plistUnknownPackage, .error, at: spot, "'\(text)' is not a NIAP package version that Apple documents",
      found: text, meant: Spelling.nearest(to: text, among: known), effect: "probably ignored",
      on: "\(Key.requiresNIAP.since) and later", confidence: .likely("known only from documentation"))
  }
}

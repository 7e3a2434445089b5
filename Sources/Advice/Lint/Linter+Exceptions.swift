import Explanation
import Trust
import URLLoading

extension AppTransportSecurity.Linter {
  /// Checks the entries of `NSExceptionDomains`.
  mutating func checkExceptions(
    _ exceptions: PropertyList.Dictionary, of configuration: AppTransportSecurity.Configuration, at spot: Spot
  ) {
    var effects = AppTransportSecurity.EntryEffects(configuration, exceptions, systems: systems)
    var ranges: [AddressRange: Spot] = [:]
    for entry in entries(of: exceptions, at: spot) {
      let place = spot.below(entry)
      guard let keys = entry.value.dictionary else {
        reportNoEntry(entry, at: place)
        continue
      }
      let before = findings.count
      let isName = checkName(entry.key, at: place, isPinned: false)
      if isName { checkAddress(entry, &ranges, at: place) }
      checkNumericName(entry.key, at: place)
      if isName { checkWidth(entry, at: place) }
      checkKeys(of: keys, under: configuration, at: place)
      // If an entry contains a mistake, the entry's effect is not the most important finding.
      let minor: [Rule] = [.plistHistoricalKey, .plistWholeSuffix, .plistEveryAddress]
      guard weighsEntries, isName, systems.sdkBeforeATS == nil,
        findings[before...].allSatisfy({ $0.severity == .note || minor.contains($0.rule) })
      else { continue }
      let effect = effects.effect(of: entry)
      checkBuiltIn(entry, effects, isIdle: effect == .nothing(above: nil), at: place)
      checkSuites(entry, at: place)
      // If a key occurs twice, the system may use either entry.
      if hidesAnother(place) { continue }
      if effect != .some { dropDefaults(from: before) }
      if effect == .some { checkForwardSecrecy(entry, at: place) }
      report(effect, of: entry, at: place)
    }
  }

  /// Reports entries that are too broad: those for every address, or for every host of a public suffix.
  private mutating func checkWidth(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    if let range = AddressRange(entry.key) {
      guard range.prefixLength <= 1 else { return }
      add(
        .plistEveryAddress, .warning, at: spot,
        "'\(entry.key)' covers \(range.prefixLength == 0 ? "every address" : "half of all addresses")",
        found: entry.key, effect: "the entry applies to servers that the app does not know", on: Self.sinceSeventeen)
      return
    }
    let isWide = entry.value.dictionary?[.includesSubdomains]?.isOn == true
    guard isWide, IPAddress(entry.key) == nil, entry.key != "localhost", entry.key != "local",
      PublicSuffix.isSuffix(entry.key), !isUnexpanded(entry.key)
    else { return }
    add(
      .plistWholeSuffix, .warning, at: spot, "'\(entry.key)' with its subdomains covers a whole public suffix",
      found: entry.key, effect: "the entry applies to every host whose name ends in .\(entry.key), from any owner")
  }

  /// Reports a value that is not an entry. The value may belong to a key that is one level too high.
  private mutating func reportNoEntry(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    if let key = Key.named(entry.key).first {
      addMisplaced(entry, key, at: spot)
    } else if entry.key.hasPrefix("NS"), let meant = Spelling.nearest(to: entry.key, among: Key.catalogue.map(\.name)) {
      addUnknown(entry.key, at: spot, meant: meant, belongs: .exceptionDomain, value: entry.value)
    } else {
      addNotADictionary(
        entry, at: spot, of: "the domain's keys; if the domain needs no settings, remove the entry",
        effect: "ignored: the domain has the default requirements")
    }
  }

  private mutating func checkKeys(
    of keys: PropertyList.Dictionary, under configuration: AppTransportSecurity.Configuration, at spot: Spot
  ) {
    for entry in entries(of: keys, at: spot) {
      let place = spot.below(entry)
      guard let key = key(entry, of: keys, at: place, level: .exceptionDomain), checkType(entry, key, at: place) else {
        continue
      }
      if key.standing == .current { checkReleases(key, at: place) }
      if let property = key.entryProperty { checkText(entry, property, at: place) }
      // If NIAP is required for all domains, 'none' exempts this domain.
      if key == .exceptionRequiresNIAP, configuration.globals.niapPackage != nil { continue }
      let isDefault = entry.value.isOn == (key.defaultValue == "YES") && key.valueType == .boolean
      if key.standing == .current, isDefault || entry.value.string == key.defaultValue {
        addDefault(entry, key, at: place)
      }
    }
  }

  /// - Parameter isIdle: whether the entry changes nothing, so that it can be removed.
  private mutating func checkBuiltIn(
    _ entry: PropertyList.Dictionary.Entry, _ effects: AppTransportSecurity.EntryEffects, isIdle: Bool, at spot: Spot
  ) {
    guard systems.covered.contains(where: { AppTransportSecurity.Profile($0).hasBuiltInDomains }) else { return }
    let name = entry.key
    if AppTransportSecurity.builtInDomains.contains(where: { $0.name == name }) {
      add(
        .plistReplacesBuiltIn, .warning, at: spot, "'\(name)' replaces the system's built-in exception", found: name,
        effect: "the system's exception for '\(name)' no longer applies; keys are not merged", on: Self.sinceOpenEngine)
    } else if !isIdle, let above = effects.builtIn(above: entry) {
      add(
        .plistReplacesBuiltIn, .warning, at: spot,
        "'\(name)' replaces the system's built-in exception for '\(above)'", found: name,
        effect: "the system's exception for '\(above)' (plain HTTP, no forward secrecy) does not apply to this name; "
          + "keys are not merged", on: Self.sinceOpenEngine)
    }
  }

  /// Reports that the servers of a domain do not have to offer forward secrecy.
  private mutating func checkForwardSecrecy(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    guard let keys = entry.value.dictionary, keys[.insecureLoads]?.isOn != true,
      let waiver = keys.last(.requiresForwardSecrecy), case .boolean(false) = waiver.value
    else { return }
    add(
      .plistForwardSecrecyWaived, .note, at: spot.below(waiver),
      "'\(waiver.key)' = NO waives forward secrecy for '\(entry.key)'", found: waiver.value.shown,
      effect: "RSA key exchange is accepted: an attacker with the server's key can decrypt recorded connections")
  }

  /// Reports a combination of two keys that adds no cipher suites, contrary to the purpose of each key.
  private mutating func checkSuites(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    guard let keys = entry.value.dictionary, keys[.insecureLoads]?.isOn == true,
      let waiver = keys.last(.requiresForwardSecrecy), !waiver.value.isOn,
      systems.covered.contains(where: { AppTransportSecurity.Profile($0).mayLeaveSuitesAlone })
    else { return }
    add(
      .plistSuitesLeftAlone, .note, at: spot.below(waiver),
      "'\(waiver.key)' adds no suites, because the entry allows plain HTTP",
      found: waiver.value.shown,
      effect: "connections use the session's own suites, not those of App Transport Security with RSA key exchange",
      on: Self.sinceOpenEngine,
      confidence: .unknown("when the session's own suites include RSA key exchange"))
  }

  private mutating func report(
    _ effect: AppTransportSecurity.EntryEffects.Effect, of entry: PropertyList.Dictionary.Entry, at spot: Spot
  ) {
    let found = entry.value.shown
    switch effect {
    case .some: break
    case .nothing(let above):
      add(
        .plistChangesNothing, .note, at: spot, "the entry '\(entry.key)' changes nothing", found: found,
        effect: above.map { "the entry '\($0)' has the same effect on this name" }
          ?? "loads from the domain have the same result without the entry; settings that an entry omits have their "
          + "strict defaults",
        on: systemNames)
    case .openBySDK(let sdk):
      add(
        .plistChangesNothing, .note, at: spot, "the entry '\(entry.key)' changes nothing", found: found,
        caution: "If the app is built with the SDK of iOS 17, macOS 14 or a later system, it needs the entry",
        effect: "the app is linked with the SDK of \(sdk), which allows addresses without an entry",
        on: systemNames)
    case .strictness(let reason, let blocking):
      let names = blocking.map(\.description).joined(separator: ", ")
      add(
        .plistAddsStrictness, !blocking.isEmpty && isMeantToLoosen(entry) ? .warning : .note, at: spot,
        "the entry '\(entry.key)' only adds requirements", found: found,
        effect:
          "without the entry, nothing is required\(reason.loader.map { " for \($0)" } ?? ""), because \(reason.words); "
          + "this does not apply to a listed domain"
          + (blocking.isEmpty ? "" : ", and plain HTTP to it is blocked on \(names)"),
        on: systemNames)
    case .closedAddress(let blocking):
      add(
        .plistAddressClosed, .note, at: spot, "the entry '\(entry.key)' does not allow plain HTTP", found: found,
        effect: "plain HTTP to the address is blocked on \(blocking.map(\.description).joined(separator: ", "))",
        on: systemNames,
        confidence: IPAddress(entry.key) == nil
          ? AppTransportSecurity.Deciding.otherSpelling(of: entry.key) : AppTransportSecurity.Deciding.directAddress)
    case .notMerged(let above):
      add(
        .plistNotMerged, .note, at: spot, "'\(entry.key)' inherits no settings from '\(above)'", found: found,
        effect: "plain HTTP is blocked: only the nearest entry applies, and keys are not merged",
        on: IPAddress(entry.key) == nil ? systemNames : Self.sinceSeventeen)
    }
  }

  /// Returns whether an entry tries to allow plain HTTP, under a current or former name of the key.
  private func isMeantToLoosen(_ entry: PropertyList.Dictionary.Entry) -> Bool {
    entry.value.dictionary?.entries.contains { $0.key.hasSuffix("InsecureHTTPLoads") && $0.value.isOn } == true
  }

  /// The names of the systems for which effects were determined.
  private var systemNames: String { systems.covered.map(\.description).joined(separator: ", ") }
}

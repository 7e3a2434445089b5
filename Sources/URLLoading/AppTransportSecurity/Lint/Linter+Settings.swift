import Explanation

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// The keys whose presence, whatever their value, turns `NSAllowsArbitraryLoads` off since iOS 10.
  static let overriding = [
    AppTransportSecurity.Key.allowsArbitraryLoadsForMedia, AppTransportSecurity.Key.allowsArbitraryLoadsInWebContent,
    AppTransportSecurity.Key.allowsLocalNetworking,
  ]

  /// Checks an `NSAppTransportSecurity` dictionary.
  mutating func checkSettings(_ settings: PropertyList.Dictionary, at spot: Spot) {
    let configuration = AppTransportSecurity.Configuration(dictionary: settings)
    let isOverridden = checkArbitraryLoads(configuration, at: spot)
    isEverythingAllowed = configuration.globals.arbitraryLoads == true && !isOverridden
    for entry in entries(of: settings, at: spot) {
      let place = spot.below(entry)
      guard let key = key(entry, of: settings, at: place, level: .global), checkType(entry, key, at: place) else {
        continue
      }
      if key.standing == .current { checkReleases(key, at: place) }
      switch entry.key {
      case Key.exceptionDomains: checkExceptions(entry.value.dictionary ?? .init(), of: configuration, at: place)
      case Key.pinnedDomains: checkPins(entry.value.dictionary ?? .init(), at: place)
      case Key.requiresNIAP: checkPackage(entry.value.string ?? "", at: place)
      default: if !isOverridden { checkFlag(entry, key, at: place) }
      }
    }
    checkReview(settings, at: spot)
  }

  /// What there is to say about a switch for all domains, `NSAllowsArbitraryLoads` not being overridden.
  private mutating func checkFlag(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    guard key.standing == .current, key.valueType == "Boolean", !entry.value.isOn else { return }
    guard entry.key == Key.allowsLocalNetworking else { return addDefault(entry, key, at: spot) }
    add(
      .plistLocalNetworkingDenied, .warning, at: spot, "'\(entry.key)' with NO is not the same as without it",
      found: entry.value.shown,
      effect: "unqualified names and .local need TLS like any other host, and NSAllowsArbitraryLoads would count as NO",
      on: Self.sinceOpenEngine)
  }

  /// Says that a key states its default.
  mutating func addDefault(_ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot) {
    add(
      .plistDefaultValue, .note, at: spot, "'\(entry.key)' says what holds without it", found: entry.value.shown,
      effect: "none: \(key.defaultValue) is the default")
  }

  /// Whether `NSAllowsArbitraryLoads` is on and yet off, which it says.
  private mutating func checkArbitraryLoads(
    _ configuration: AppTransportSecurity.Configuration, at spot: Spot
  ) -> Bool {
    let globals = configuration.globals
    let present = [globals.media, globals.webContent, globals.localNetworking]
    let entries = configuration.dictionary.entries
    guard globals.arbitraryLoads == true, systems.knowNewerGlobals, present.contains(where: { $0 != nil }),
      let loads = entries.last(where: { $0.key == Key.allowsArbitraryLoads })
    else { return false }
    let causes = zip(Self.overriding, present).filter { $0.1 != nil }.compactMap { cause in
      entries.last { $0.key == cause.0 }
    }
    let names = causes.map { entry in
      "'\(entry.key)'" + (entry.place.map { " (line \($0.line)\(entry.value.isOn ? "" : ", NO"))" } ?? "")
    }
    let isLocalDenied = globals.localNetworking == false
    let isDisputed = isLocalDenied && globals.media == nil && globals.webContent == nil
    add(
      .plistArbitraryLoadsOverridden, .warning, at: spot.below(loads),
      "'\(loads.key)' is switched off by \(names.joined(separator: ", "))", found: loads.value.shown,
      effect: "counts as NO: the other key need only be there, whatever its value"
        + (isLocalDenied ? "; with NO, unqualified names and .local need TLS too, since iOS 18.4 and macOS 15.4" : ""),
      on: Self.sinceTen,
      confidence: isDisputed
        ? .conflicting("an archived page of Apple's says that only YES does so; its code and tests say presence")
        : .certain,
      related: causes.map(spot.below))
    return true
  }
}

extension PropertyList {
  /// Whether a switch with this value is on.
  var isOn: Bool { self == .boolean(true) || self == .integer(1) || self == .real(1) }
}

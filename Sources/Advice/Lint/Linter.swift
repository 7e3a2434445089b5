import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Returns errors, warnings and notes about an app's Info.plist, or about a file with only the
  /// `NSAppTransportSecurity` dictionary.
  ///
  /// The findings are in the order of the file.
  ///
  /// - Parameters:
  ///   - infoPlist: the property list.
  ///   - systems: the releases to check for. If empty, these are the releases that the app supports
  ///     (`MinimumOSVersion`, `LSMinimumSystemVersion`), or else all since iOS 10.
  ///   - bundle: the platform of the bundle, if known.
  public static func lint(
    _ infoPlist: PropertyList, systems: [OSVersion] = [], inBundleOf bundle: OSVersion.Family? = nil
  ) -> [LintFinding] {
    let root = infoPlist.dictionary ?? .init()
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: root, inBundleOf: bundle))
    linter.check(root, as: Configuration.Origin(in: infoPlist))
    return linter.sorted
  }

  /// Returns the findings on an `NSAppTransportSecurity` dictionary from another source.
  public static func lint(settings: PropertyList.Dictionary, systems: [OSVersion] = []) -> [LintFinding] {
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: .init()))
    linter.checkSettings(settings, at: LintFinding.Spot(path: [], place: nil))
    return linter.sorted
  }

  /// Returns the findings on settings that the system ignores. The effects of entries are not determined.
  public static func passedOver(
    in infoPlist: PropertyList, inBundleOf bundle: OSVersion.Family? = nil
  ) -> [LintFinding] {
    let root = infoPlist.dictionary ?? .init()
    let systems = LintSystems(named: [], infoPlist: root, inBundleOf: bundle)
    var linter = Linter(systems: systems, weighsEntries: false)
    linter.check(root, as: Configuration.Origin(in: infoPlist))
    return linter.sorted.filter(\.isPassedOver)
  }

  /// Returns the findings on ignored settings in an `NSAppTransportSecurity` dictionary from another source.
  public static func passedOver(inSettings settings: PropertyList.Dictionary) -> [LintFinding] {
    var linter = Linter(systems: LintSystems(named: [], infoPlist: .init()), weighsEntries: false)
    linter.checkSettings(settings, at: LintFinding.Spot(path: [], place: nil))
    return linter.sorted.filter(\.isPassedOver)
  }

  /// Checks a property list and collects the findings.
  struct Linter {
    typealias Key = AppTransportSecurity.Key
    typealias Spot = LintFinding.Spot

    let systems: LintSystems
    /// Whether the lint determines the effect of each entry of `NSExceptionDomains`.
    let weighsEntries: Bool
    private(set) var findings: [LintFinding] = []
    /// The paths of keys that occur more than once.
    private var repeated: Set<[String]> = []
    /// Whether `NSAllowsArbitraryLoads` is on, and no other key turns it off.
    var isEverythingAllowed = false
    /// The intended keys by misspelling. Files with many mistakes usually have few different ones.
    var meanings: [Misspelling: AppTransportSecurity.Key?] = [:]

    init(systems: LintSystems, weighsEntries: Bool = true) {
      self.systems = systems
      self.weighsEntries = weighsEntries
    }

    mutating func add(
      _ rule: Rule, _ severity: LintFinding.Severity, at spot: Spot, _ message: String, found: String = "",
      meant: String? = nil, caution: String? = nil, effect: String, on systems: String = everyRelease,
      confidence: Finding.Confidence = .certain, related: [Spot] = []
    ) {
      let key = spot.path.last ?? ""
      // Most messages quote the key, which may be long.
      func cut(_ words: String) -> String { key.count > 40 ? words.replacing(key, with: key.shortened) : words }
      findings.append(
        LintFinding(
          rule: rule, severity: severity, spot: spot, message: cut(message), found: cut(found), meant: meant,
          caution: caution, effect: cut(effect), systems: systems, confidence: confidence, related: related))
    }

    /// Removes the findings since `index` that report default values. A finding on the whole entry is more useful.
    mutating func dropDefaults(from index: Int) {
      let kept = findings[index...].filter { $0.rule != .plistDefaultValue }
      findings.replaceSubrange(index..., with: kept)
    }

    /// The findings in the order of their locations. Findings without a location keep their order.
    var sorted: [LintFinding] {
      findings.enumerated().sorted { left, right in
        guard let first = left.element.spot.place, let second = right.element.spot.place, first != second else {
          return left.offset < right.offset
        }
        return first < second
      }.map(\.element)
    }

    static let everyRelease = "every release"
    static let sinceTen = "iOS 10, macOS 10.12 and later"
    static let sinceSeventeen = "iOS 17, macOS 14 and later"
    static let sinceOpenEngine = "iOS 18.4, macOS 15.4 and later"
  }
}

extension String {
  /// The text, truncated to a length that fits in a message.
  var shortened: String { count > 40 ? prefix(40) + "…" : self }
}

extension PropertyList {
  /// A short description of the value, such as `the string 'YES'` or `the number 2`.
  var shown: String {
    switch self {
    case .boolean(let flag): flag ? "<true/>" : "<false/>"
    case .integer(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .string(let text): "the string '\(text.shortened)'"
    case .data(let bytes): "<data> of \(bytes.count) bytes"
    case .date: "a <date>"
    case .array(let items): "an <array> of \(items.count)"
    case .dictionary(let dictionary): "a <dict> of \(dictionary.entries.count)"
    }
  }
}

extension AppTransportSecurity.Linter {
  /// Checks the settings in a property list, and keys that resemble settings but are in the wrong place.
  mutating func check(_ root: PropertyList.Dictionary, as origin: AppTransportSecurity.Configuration.Origin) {
    let top = Spot(path: [], place: nil)
    if origin == .dictionaryItself {
      checkSettings(root, at: top)
      return
    }
    let nature = AppTransportSecurity.PropertyListNature(root)
    checkRelease(in: root)
    let before = findings.count
    for entry in entries(of: root, at: top, isOurs: { !Key.named($0).isEmpty }) { checkRoot(entry) }
    if origin == .absent, findings.count == before {
      add(
        .plistNoSettings, .note, at: top, "the property list contains no NSAppTransportSecurity", found: "no such key",
        effect: nature == .framework
          ? "none: a framework or bundle uses the settings of the app that loads it"
          : systems.sdkBeforeATS.map { Self.beforeATS($0) }
            ?? "the app changes nothing: full App Transport Security applies to all its loads")
    }
    if origin == .infoPlist, nature == .framework,
      let entry = root.last(.appTransportSecurity)
    {
      add(
        .plistNotAnApp, .warning, at: Spot(path: [entry.key], place: entry.place),
        "a framework or bundle has no settings of its own", found: entry.value.shown,
        effect: "ignored: the settings of the app that loads it apply to all loads of the process",
        confidence: .likely("documentation mentions only apps and app extensions"))
    }
  }

  /// Reports that the app's minimum release is unknown, and which releases are checked instead.
  private mutating func checkRelease(in root: PropertyList.Dictionary) {
    guard let family = systems.misnamed else { return }
    let key = PropertyList.Dictionary.firstReleaseKey(of: family)
    guard let entry = root.entries.last(where: { $0.key == key }) else { return }
    let text = entry.value.string ?? entry.value.shown
    if isUnexpanded(text) { return }
    add(
      .plistUnknownRelease, .note, at: Spot(path: [key], place: entry.place),
      "'\(text.shortened)' is not a known release of \(family.rawValue)", found: text.shortened,
      effect: "the lint checks the settings for \(systems.all.map(\.description).joined(separator: ", "))")
  }

  /// Describes the effect of an SDK that is older than App Transport Security.
  private static func beforeATS(_ sdk: OSVersion) -> String {
    "the app is linked with the SDK of \(sdk), which is older than App Transport Security: its loads have no "
      + "requirements, whatever the settings are"
  }

  private mutating func checkRoot(_ entry: PropertyList.Dictionary.Entry) {
    let spot = Spot(path: [entry.key], place: entry.place)
    if entry.is(.appTransportSecurity) {
      guard let settings = entry.value.dictionary else {
        addNotADictionary(
          entry, at: spot, of: "keys such as NSExceptionDomains, each with its value",
          effect: "ignored: full App Transport Security applies to all loads")
        return
      }
      checkReleases(.appTransportSecurity, at: spot)
      if let sdk = systems.sdkBeforeATS {
        add(
          .plistIgnoredBySystem.fixed(by: "Build the app with a current SDK, so that the settings apply."), .warning,
          at: spot, "App Transport Security does not apply to this app",
          found: sdk.description, effect: Self.beforeATS(sdk))
      }
      checkSettings(settings, at: spot)
      return
    }
    let named = Key.named(entry.key)
    if let key = named.first {
      if key.level == .root { checkType(entry, key, at: spot) } else { addMisplaced(entry, key, at: spot) }
    } else if let key = Self.displayed(entry.key) {
      addDisplayName(entry, key, at: spot)
    } else if let meant = Self.nearestToRoot(entry.key) {
      addUnknown(
        entry.key, at: spot, meant: meant.name, belongs: meant.level == .root ? nil : meant.level, value: entry.value)
    }
  }

  /// Returns the key of App Transport Security that a key of an Info.plist was probably intended to be.
  ///
  /// At most three edits are allowed, because there are hundreds of other keys.
  private static func nearestToRoot(_ name: String) -> AppTransportSecurity.Key? {
    let known = Key.catalogue.filter { $0.standing == .current && $0.name.hasPrefix("NS") }
    let nearest = Spelling.nearest(to: name, among: known.map(\.name), within: 3)
    return known.first { $0.name == nearest }
  }

  /// Returns the effective entries, which are the last ones of each key. Keys that occur more than once are reported if
  /// they are `isOurs`.
  mutating func entries(
    of dictionary: PropertyList.Dictionary, at spot: Spot, isOurs: (String) -> Bool = { _ in true }
  ) -> [PropertyList.Dictionary.Entry] {
    var places: [String: [Int]] = [:]
    for (index, entry) in dictionary.entries.enumerated() { places[entry.key, default: []].append(index) }
    return dictionary.entries.indices.compactMap { index in
      let entry = dictionary.entries[index]
      let same = places[entry.key] ?? []
      guard index == same.last, let first = same.first else { return nil }
      if same.count > 1, isOurs(entry.key) {
        repeated.insert(spot.below(entry).path)
        add(
          .plistDuplicateKey, .warning, at: spot.below(entry), "the key '\(entry.key)' occurs \(same.count) times",
          found: entry.key, effect: "systems read only one of them; TrustLab reads the last one",
          confidence: .unknown("which of them a system reads"),
          related: [spot.below(dictionary.entries[first])])
      }
      return entry
    }
  }

  /// Returns whether the entry at `spot`, or one that contains it, is the last of several entries with one key. The
  /// system may use another one.
  func hidesAnother(_ spot: Spot) -> Bool {
    !repeated.isEmpty && spot.path.indices.contains { repeated.contains(Array(spot.path[...$0])) }
  }

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
      switch key.reading {
      case .dictionary where key == .exceptionDomains:
        checkExceptions(entry.value.dictionary ?? .init(), of: configuration, at: place)
      case .dictionary: checkPins(entry.value.dictionary ?? .init(), at: place)
      case .global(let property): checkText(entry, property, at: place)
      default: break
      }
      if !isOverridden { checkFlag(entry, key, at: place) }
    }
    checkReview(settings, at: spot)
  }

  /// Checks a switch for all domains, unless `NSAllowsArbitraryLoads` is overridden.
  private mutating func checkFlag(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    guard key.standing == .current, key.valueType == .boolean, !entry.value.isOn else { return }
    guard key == .allowsLocalNetworking else { return addDefault(entry, key, at: spot) }
    add(
      .plistLocalNetworkingDenied, .warning, at: spot, "'\(entry.key)' = NO differs from an absent key",
      found: entry.value.shown,
      effect: "unqualified names and .local names need TLS like any other host, and NSAllowsArbitraryLoads would count "
        + "as NO",
      on: Self.sinceOpenEngine)
  }

  /// Reports a key whose value is the default.
  mutating func addDefault(_ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot) {
    if hidesAnother(spot) { return }
    add(
      .plistDefaultValue, .note, at: spot, "'\(entry.key)' has its default value", found: entry.value.shown,
      effect: "none: \(key.defaultValue) is the default")
  }

  /// Reports an `NSAllowsArbitraryLoads` that another key turns off. Returns whether there is such a key.
  private mutating func checkArbitraryLoads(
    _ configuration: AppTransportSecurity.Configuration, at spot: Spot
  ) -> Bool {
    let globals = configuration.globals
    let present = Key.turningArbitraryLoadsOff.filter { globals[$0] != nil && systems.know($0) }
    guard globals.arbitraryLoads == true, !present.isEmpty,
      let loads = configuration.dictionary.last(.allowsArbitraryLoads)
    else { return false }
    let causes = present.compactMap(configuration.dictionary.last)
    let names = causes.map { entry in
      "'\(entry.key)'" + (entry.place.map { " (line \($0.line)\(entry.value.isOn ? "" : ", NO"))" } ?? "")
    }
    let isLocalDenied = globals.localNetworking == false
    let isDisputed = isLocalDenied && present == [.allowsLocalNetworking]
    add(
      .plistArbitraryLoadsOverridden, .warning, at: spot.below(loads),
      "'\(loads.key)' is turned off by \(names.joined(separator: ", "))", found: loads.value.shown,
      effect: "counts as NO: the other key only has to be present, with any value"
        + (isLocalDenied
          ? "; since iOS 18.4 and macOS 15.4, its value NO also requires TLS for unqualified names and "
            + ".local names" : ""),
      on: Self.sinceTen,
      confidence: isDisputed
        ? .conflicting(
          "an archived Apple page says that only the value YES does so; code and tests show that presence "
            + "is enough")
        : .certain,
      related: causes.map(spot.below))
    return true
  }
}

extension PropertyList {
  /// Whether the value turns a switch on.
  var isOn: Bool { flag == true }
}

import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// What is wrong, odd or worth knowing in an app's Info.plist, or in a file with its `NSAppTransportSecurity`
  /// dictionary alone, in the order of the file.
  ///
  /// - Parameters:
  ///   - infoPlist: the list.
  ///   - systems: the releases it shall be right for; none for those that the app names itself (`MinimumOSVersion`,
  ///     `LSMinimumSystemVersion`), else for all since iOS 10.
  ///   - bundle: the platform of the bundle that it lies in, where that is known.
  public static func lint(
    _ infoPlist: PropertyList, systems: [OSVersion] = [], inBundleOf bundle: OSVersion.Family? = nil
  ) -> [LintFinding] {
    let root = infoPlist.dictionary ?? .init()
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: root, inBundleOf: bundle))
    linter.check(root, as: Configuration.Origin(in: infoPlist))
    return linter.sorted
  }

  /// The same for an `NSAppTransportSecurity` dictionary that stands elsewhere.
  public static func lint(settings: PropertyList.Dictionary, systems: [OSVersion] = []) -> [LintFinding] {
    var linter = Linter(systems: LintSystems(named: systems, infoPlist: .init()))
    linter.checkSettings(settings, at: LintFinding.Spot(path: [], place: nil))
    return linter.sorted
  }

  /// What of a property list the system passes over, as `lint` finds it; what its entries do is not worked out for that.
  public static func passedOver(
    in infoPlist: PropertyList, inBundleOf bundle: OSVersion.Family? = nil
  ) -> [LintFinding] {
    let root = infoPlist.dictionary ?? .init()
    let systems = LintSystems(named: [], infoPlist: root, inBundleOf: bundle)
    var linter = Linter(systems: systems, weighsEntries: false)
    linter.check(root, as: Configuration.Origin(in: infoPlist))
    return linter.sorted.filter(\.isPassedOver)
  }

  /// The same for an `NSAppTransportSecurity` dictionary that stands elsewhere.
  public static func passedOver(inSettings settings: PropertyList.Dictionary) -> [LintFinding] {
    var linter = Linter(systems: LintSystems(named: [], infoPlist: .init()), weighsEntries: false)
    linter.checkSettings(settings, at: LintFinding.Spot(path: [], place: nil))
    return linter.sorted.filter(\.isPassedOver)
  }

  /// Walks through a property list and collects findings.
  struct Linter {
    typealias Key = AppTransportSecurity.Key
    typealias Spot = LintFinding.Spot

    let systems: LintSystems
    /// Whether it is worked out what each entry of `NSExceptionDomains` does, by deciding with and without it.
    let weighsEntries: Bool
    private(set) var findings: [LintFinding] = []
    /// The paths of keys that are there more than once.
    private var repeated: Set<[String]> = []
    /// Whether `NSAllowsArbitraryLoads` is on, and stays so.
    var isEverythingAllowed = false
    /// The keys that misspelt ones were meant to be: files with many slips have few different ones.
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
      // Most words quote the key they are about, which may be of any length.
      func cut(_ words: String) -> String { key.count > 40 ? words.replacing(key, with: key.shortened) : words }
      findings.append(
        LintFinding(
          rule: rule, severity: severity, spot: spot, message: cut(message), found: cut(found), meant: meant,
          caution: caution, effect: cut(effect), systems: systems, confidence: confidence, related: related))
    }

    /// Forgets of the findings since `index` that keys state their defaults, where one about the whole says more.
    mutating func dropDefaults(from index: Int) {
      let kept = findings[index...].filter { $0.rule != .plistDefaultValue }
      findings.replaceSubrange(index..., with: kept)
    }

    /// By place, what has none in the order in which it was found.
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
  /// What a message shows of a text that may be of any length.
  var shortened: String { count > 40 ? prefix(40) + "…" : self }
}

extension PropertyList {
  /// The value as a reader knows it, cut short: `the string 'YES'`, `the number 2`.
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
  /// Finds the settings in a property list, and what looks like them in the wrong place.
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
        .plistNoSettings, .note, at: top, "there is no NSAppTransportSecurity", found: "no such key",
        effect: nature == .framework
          ? "none: a framework or bundle has no settings of its own, those of the app that loads it hold"
          : systems.sdkBeforeATS.map { Self.beforeATS($0) }
            ?? "the app changes nothing: full App Transport Security is in force for all its loads")
    }
    if origin == .infoPlist, nature == .framework,
      let entry = root.last(.appTransportSecurity)
    {
      add(
        .plistNotAnApp, .warning, at: Spot(path: [entry.key], place: entry.place),
        "a framework or bundle has no settings of its own", found: entry.value.shown,
        effect: "ignored: the settings of the app that loads it hold for all loads of the process",
        confidence: .likely("documentation speaks of apps and app extensions alone"))
    }
  }

  /// Says that the release is not known which the app names as its first, and what is looked at in its place.
  private mutating func checkRelease(in root: PropertyList.Dictionary) {
    guard let family = systems.misnamed else { return }
    let key = PropertyList.Dictionary.firstReleaseKey(of: family)
    guard let entry = root.entries.last(where: { $0.key == key }) else { return }
    let text = entry.value.string ?? entry.value.shown
    if isUnexpanded(text) { return }
    add(
      .plistUnknownRelease, .note, at: Spot(path: [key], place: entry.place),
      "'\(text.shortened)' is no release of \(family.rawValue) that is known here", found: text.shortened,
      effect: "the lint looks at \(systems.all.map(\.description).joined(separator: ", "))")
  }

  /// What an SDK that is older than App Transport Security means for the app.
  private static func beforeATS(_ sdk: OSVersion) -> String {
    "the app is linked with the SDK of \(sdk), which is older than App Transport Security: nothing is demanded of its "
      + "loads, whatever is written"
  }

  private mutating func checkRoot(_ entry: PropertyList.Dictionary.Entry) {
    let spot = Spot(path: [entry.key], place: entry.place)
    if entry.is(.appTransportSecurity) {
      guard let settings = entry.value.dictionary else {
        addNotADictionary(
          entry, at: spot, of: "keys such as NSExceptionDomains, each with its value",
          effect: "ignored: full App Transport Security is in force for all loads")
        return
      }
      checkReleases(.appTransportSecurity, at: spot)
      if let sdk = systems.sdkBeforeATS {
        add(
          .plistIgnoredBySystem.fixed(by: "Build the app with a current SDK: then the settings count."), .warning,
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

  /// The key of App Transport Security that a key of Info.plist was meant to be: three slips at most, for there are
  /// hundreds of other keys.
  private static func nearestToRoot(_ name: String) -> AppTransportSecurity.Key? {
    let known = Key.catalogue.filter { $0.standing == .current && $0.name.hasPrefix("NS") }
    let nearest = Spelling.nearest(to: name, among: known.map(\.name), within: 3)
    return known.first { $0.name == nearest }
  }

  /// The entries that count, which are the last ones of their keys; keys that are there more often are reported where
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
          .plistDuplicateKey, .warning, at: spot.below(entry), "the key '\(entry.key)' is there \(same.count) times",
          found: entry.key, effect: "only one of them counts; the last one is read here",
          confidence: .unknown("which of them a system takes is not documented"),
          related: [spot.below(dictionary.entries[first])])
      }
      return entry
    }
  }

  /// Whether what stands at `spot`, or what it stands in, is the last of several with its key, each of which may be the one
  /// that counts.
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

  /// What there is to say about a switch for all domains, `NSAllowsArbitraryLoads` not being overridden.
  private mutating func checkFlag(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    guard key.standing == .current, key.valueType == .boolean, !entry.value.isOn else { return }
    guard key == .allowsLocalNetworking else { return addDefault(entry, key, at: spot) }
    add(
      .plistLocalNetworkingDenied, .warning, at: spot, "'\(entry.key)' with NO is not the same as without it",
      found: entry.value.shown,
      effect: "unqualified names and .local need TLS like any other host, and NSAllowsArbitraryLoads would count as NO",
      on: Self.sinceOpenEngine)
  }

  /// Says that a key states its default.
  mutating func addDefault(_ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot) {
    if hidesAnother(spot) { return }
    add(
      .plistDefaultValue, .note, at: spot, "'\(entry.key)' says what holds without it", found: entry.value.shown,
      effect: "none: \(key.defaultValue) is the default")
  }

  /// Whether `NSAllowsArbitraryLoads` is on and yet off, which it says.
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
  var isOn: Bool { flag == true }
}

import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity.Key.Level {
  /// The location of a key at this level, as text.
  var place: String {
    switch self {
    case .root: "in Info.plist itself"
    case .global: "directly in NSAppTransportSecurity"
    case .exceptionDomain: "in an entry of NSExceptionDomains"
    case .pinnedDomain: "in an entry of NSPinnedDomains"
    case .pinnedIdentity: "in an item of NSPinnedCAIdentities or NSPinnedLeafIdentities"
    }
  }
}

extension PropertyList.Dictionary {
  /// Returns the last entry with this key, which is the effective one.
  fileprivate func last(named key: String) -> Entry? { entries.last { $0.key == key } }
}

extension AppTransportSecurity.Linter {
  /// Returns the key of `entry` at `level`. Reports an entry whose key has no effect there.
  ///
  /// - Parameters:
  ///   - siblings: the dictionary that contains the entry.
  ///   - consequence: the effect of a misspelling; nil if the intended key then has its default.
  mutating func key(
    _ entry: PropertyList.Dictionary.Entry, of siblings: PropertyList.Dictionary, at spot: Spot,
    level: AppTransportSecurity.Key.Level, consequence: Consequence? = nil
  ) -> AppTransportSecurity.Key? {
    guard let key = Key.named(entry.key, at: level) else {
      reportUnknown(entry, Key.named(entry.key), of: siblings, at: spot, level: level, consequence: consequence)
      return nil
    }
    switch key.standing {
    case .current: break
    case .misspelling(let use):
      addUnknown(
        entry.key, at: spot, meant: use, right: use.flatMap(siblings.last(named:)), consequence: consequence,
        value: entry.value)
      return nil
    case .historical(let use): addHistorical(key, use: use, at: spot)
    case .obsolete: addObsolete(entry, at: spot)
    }
    return key
  }

  /// Reports the obsolete key, unless all systems of the app are old enough to support it.
  private mutating func addObsolete(_ entry: PropertyList.Dictionary.Entry, at spot: Spot) {
    typealias Profile = AppTransportSecurity.Profile
    let heeding = entry.value.isOn ? systems.covered.filter { Profile($0).heedsTransparencyKey } : []
    if !heeding.isEmpty, heeding.count == systems.covered.count { return }
    let names = heeding.map(\.description).joined(separator: ", ")
    let today =
      "ignored since iOS 12.1.1 and macOS 10.14.2, which require SCTs for every publicly trusted certificate anyway"
    let exception = "Remove the key, unless the app needs SCTs on \(names), which does not require them itself."
    add(
      heeding.isEmpty ? .plistObsoleteKey : .plistObsoleteKey.fixed(by: exception), .note, at: spot,
      "'\(entry.key)' is obsolete", found: entry.value.shown,
      effect: heeding.isEmpty ? today : "\(today); only \(names) reads it",
      on: "all current releases", confidence: heeding.isEmpty ? .certain : Profile.transparencyDoubt)
  }

  private mutating func reportUnknown(
    _ entry: PropertyList.Dictionary.Entry, _ named: [AppTransportSecurity.Key],
    of siblings: PropertyList.Dictionary, at spot: Spot, level: AppTransportSecurity.Key.Level,
    consequence: Consequence?
  ) {
    if let key = named.first {
      addMisplaced(entry, key, at: spot)
    } else if let key = Self.displayed(entry.key) {
      addDisplayName(entry, key, at: spot)
    } else if isUnexpanded(entry.key) {
      addUnexpanded(entry.key, at: spot)
    } else if let meant = nearest(entry.key, at: level) {
      let isHere = meant.level == level
      addUnknown(
        entry.key, at: spot, meant: meant.name, belongs: isHere ? nil : meant.level,
        right: isHere ? siblings.last(named: meant.name) : nil, consequence: consequence, value: entry.value)
    } else if entry.value.dictionary != nil, entry.key.contains(".") || entry.key == "localhost" {
      add(
        .plistMisplacedKey, .error, at: spot, "the domain '\(entry.key)' has no effect here", found: entry.key,
        meant: level == .global ? "\(Key.exceptionDomains.name).\(entry.key)" : nil,
        effect: "ignored: domains belong in NSExceptionDomains or NSPinnedDomains")
    } else {
      add(
        .plistUnknownKey, .warning, at: spot, "no system reads the key '\(entry.key)'", found: entry.value.shown,
        effect: "ignored")
    }
  }

  /// The effect of a misspelling that does more than restore a default.
  struct Consequence {
    let effect: String
    var confidence = Finding.Confidence.certain
  }

  /// An unknown key at a level.
  struct Misspelling: Hashable {
    let name: String
    let level: AppTransportSecurity.Key.Level
  }

  /// Returns the key that was probably intended.
  ///
  /// It is a key of this level or, if the spelling is similar, of another level.
  private mutating func nearest(
    _ name: String, at level: AppTransportSecurity.Key.Level
  ) -> AppTransportSecurity.Key? {
    let misspelling = Misspelling(name: name, level: level)
    if let known = meanings[misspelling] { return known }
    let meant = Self.nearest(name, at: level)
    meanings[misspelling] = .some(meant)
    return meant
  }

  private static func nearest(
    _ name: String, at level: AppTransportSecurity.Key.Level
  ) -> AppTransportSecurity.Key? {
    let known = Key.catalogue.filter(\.isKey)
    let here = known.filter { $0.level == level }
    let nearest =
      Spelling.nearest(to: name, among: here.map(\.name))
      ?? Spelling.nearest(to: name, among: known.map(\.name), within: 3)
    guard let key = (here + known).first(where: { $0.name == nearest }) else { return nil }
    // Suggests the current name instead of a former one.
    if case .historical(let use) = key.standing { return here.first { $0.name == use } ?? key }
    return key
  }

  mutating func addUnknown(
    _ name: String, at spot: Spot, meant: String?, belongs level: AppTransportSecurity.Key.Level? = nil,
    right: PropertyList.Dictionary.Entry? = nil, consequence: Consequence? = nil, value: PropertyList? = nil
  ) {
    let place = level.map { ", which belongs \($0.place)" } ?? ""
    let type = value.flatMap { value in
      meant.flatMap { Key.named($0).first }.flatMap { Self.typeFault(of: value, for: $0) }
    }
    if let right, let meant {
      let line = right.place.map { " on line \($0.line)" } ?? ""
      add(
        .plistUnknownKey, .error, at: spot, "no system reads the key '\(name)'", found: name, meant: meant,
        caution: "The dictionary already has the correct key: remove one of the two",
        effect: "ignored: '\(meant)' is set\(line), and its value applies")
      return
    }
    add(
      .plistUnknownKey, .error, at: spot, "no system reads the key '\(name)'", found: name, meant: meant,
      caution: Self.sentence([level.map { "It belongs \($0.place)" }, type].compactMap(\.self)),
      effect: consequence?.effect ?? meant.map { "ignored: '\($0)' has its default\(place)" }
        ?? "ignored: there is no such key", confidence: consequence?.confidence ?? .certain)
  }

  mutating func addMisplaced(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    if case .misspelling(let use) = key.standing {
      return addUnknown(entry.key, at: spot, meant: use, belongs: key.level, value: entry.value)
    }
    let levels = Key.named(entry.key).map(\.level.place)
    let use: String? = if case .historical(let use) = key.standing { "Write '\(use)' there" } else { nil }
    let type = Self.typeFault(of: entry.value, for: key)
    add(
      .plistMisplacedKey, .error, at: spot, "'\(entry.key)' has no effect here", found: entry.value.shown,
      caution: Self.sentence([use, type].compactMap(\.self)),
      effect: "ignored: it belongs \(levels.joined(separator: " or "))\(type == nil ? "" : ", and has the wrong type")")
  }

  /// Joins sentences into one text; nil if there are none.
  private static func sentence(_ sentences: [String]) -> String? {
    sentences.isEmpty ? nil : sentences.joined(separator: ". ")
  }

  /// Describes the wrong type of a value, without a full stop; nil if the type is correct.
  private static func typeFault(of value: PropertyList, for key: AppTransportSecurity.Key) -> String? {
    let tag: String
    switch (key.valueType, value) {
    case (.boolean, .boolean), (.boolean, .integer), (.boolean, .real): return nil
    case (.string, .string), (.dictionary, .dictionary), (.array, .array): return nil
    case (.boolean, _): tag = "a Boolean (<true/> or <false/>)"
    case (.string, _): tag = "a <string>"
    case (.dictionary, _): tag = "a <dict>"
    case (.array, _): tag = "an <array>"
    }
    return "'\(key.name)' takes \(tag), but its value is \(value.shown)"
  }

  /// The display names that Xcode's property list editor shows instead of keys, in lower case.
  private static let displayNames = [
    "app transport security settings": Key.appTransportSecurity, "allow arbitrary loads": Key.allowsArbitraryLoads,
    "allows arbitrary loads": Key.allowsArbitraryLoads,
    "allow arbitrary loads in web content": Key.allowsArbitraryLoadsInWebContent,
    "allows arbitrary loads in web content": Key.allowsArbitraryLoadsInWebContent,
    "allow arbitrary loads for media": Key.allowsArbitraryLoadsForMedia,
    "allows arbitrary loads for media": Key.allowsArbitraryLoadsForMedia,
    "allow local networking": Key.allowsLocalNetworking, "allows local networking": Key.allowsLocalNetworking,
    "exception domains": Key.exceptionDomains, "pinned domains": Key.pinnedDomains,
  ]

  /// Returns the key with the given display name; nil if there is none.
  static func displayed(_ name: String) -> AppTransportSecurity.Key? {
    displayNames[name.lowercased()]
  }

  /// Reports a display name that is used instead of a key, and those in the dictionary below it.
  mutating func addDisplayName(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    let type = Self.typeFault(of: entry.value, for: key)
    add(
      .plistUnknownKey, .error, at: spot, "'\(entry.key)' is the name that Xcode displays for '\(key.name)'",
      found: entry.key, meant: key.name, caution: type,
      effect: "ignored: the file must contain the key itself, '\(key.name)'"
        + (key.level == .root ? "; full App Transport Security is in force for all loads" : ""))
    for inner in entries(of: entry.value.dictionary ?? .init(), at: spot) {
      if let key = Self.displayed(inner.key) { addDisplayName(inner, key, at: spot.below(inner)) }
    }
  }

  private mutating func addHistorical(_ key: AppTransportSecurity.Key, use: String, at spot: Spot) {
    let isMedia = key == .allowsArbitraryLoadsInMedia
    add(
      .plistHistoricalKey, .warning, at: spot, "'\(key.name)' is a former name of a key", found: key.name, meant: use,
      effect: isMedia
        ? "ignored, and unlike '\(use)' it does not turn NSAllowsArbitraryLoads off"
        : "Apple's open engine ignores it; an entry without any known key means full requirements",
      on: isMedia ? Self.everyRelease : Self.sinceOpenEngine,
      confidence: isMedia
        ? .likely("Apple's open engine reads only the other name, and the earlier code is closed")
        : .likely("Apple has not published whether closed code still translates it to the current name"))
  }

  /// Reports the systems that are older than the key.
  mutating func checkReleases(_ key: AppTransportSecurity.Key, at spot: Spot) {
    let among = key.level == .root ? systems.all : systems.covered
    addIgnored(
      "'\(key.name)'", by: among.filter { !key.isKnown(to: $0) }, of: among, since: key.since.description, at: spot,
      effect: "ignored by earlier systems")
  }

  /// Reports the systems that ignore a setting.
  mutating func addIgnored(
    _ what: String, by ignoring: [OSVersion], of all: [OSVersion], since: String, at spot: Spot, effect: String,
    confidence: Finding.Confidence = .certain
  ) {
    guard !ignoring.isEmpty else { return }
    let names = ignoring.map(\.description).joined(separator: ", ")
    add(
      .plistIgnoredBySystem, ignoring.count == all.count ? .warning : .note, at: spot,
      "\(what) applies only since \(since.replacing(", ", with: " and "))", found: names,
      effect: "\(effect) (affected systems: \(names))", on: "before \(since)", confidence: confidence)
  }

  /// Returns whether a text contains a build setting that Xcode would have replaced.
  func isUnexpanded(_ text: String) -> Bool { BuildSettings.isUnexpanded(text) }

  mutating func addUnexpanded(_ text: String, at spot: Spot) {
    let unknown = BuildSettings.unknownOperator(in: text).map { " or the effect of the operator ':\($0)'" }
    add(
      .plistUnexpandedSetting, .warning, at: spot,
      "'\(text.shortened)' is an unexpanded build setting", found: text.shortened,
      effect: "TrustLab does not know the value in the built app\(unknown ?? ""); without a value, the setting is "
        + "ignored")
  }
}

import Explanation

extension AppTransportSecurity.Key.Level {
  /// Where a key of the level stands, in words.
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
  /// The entry that counts of those with this key.
  fileprivate func last(_ key: String) -> Entry? { entries.last { $0.key == key } }
}

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// The key that `entry` is at `level`; where it is none that counts, says so.
  ///
  /// - Parameters:
  ///   - siblings: the dictionary that it stands in, which may have the right spelling too.
  ///   - consequence: what a misspelling comes to; nil where what was meant has its default then.
  mutating func key(
    _ entry: PropertyList.Dictionary.Entry, of siblings: PropertyList.Dictionary, at spot: Spot,
    level: AppTransportSecurity.Key.Level, consequence: Consequence? = nil
  ) -> AppTransportSecurity.Key? {
    let named = Key.named(entry.key)
    guard let key = named.first(where: { $0.level == level }) else {
      reportStranger(entry, named, of: siblings, at: spot, level: level, consequence: consequence)
      return nil
    }
    switch key.standing {
    case .current: break
    case .misspelling(let use):
      addUnknown(entry.key, at: spot, meant: use, right: use.flatMap(siblings.last), consequence: consequence)
      return nil
    case .historical(let use): addHistorical(key, use: use, at: spot)
    case .obsolete:
      add(
        .plistObsoleteKey, .note, at: spot, "'\(entry.key)' is obsolete", found: entry.value.shown,
        effect: "ignored: certificate transparency is demanded of publicly trusted certificates in any case",
        on: "every release of today")
    }
    return key
  }

  private mutating func reportStranger(
    _ entry: PropertyList.Dictionary.Entry, _ named: [AppTransportSecurity.Key],
    of siblings: PropertyList.Dictionary, at spot: Spot, level: AppTransportSecurity.Key.Level,
    consequence: Consequence?
  ) {
    if let key = named.first {
      if case .misspelling(let use) = key.standing {
        addUnknown(entry.key, at: spot, meant: use, belongs: key.level)
      } else {
        addMisplaced(entry, key, at: spot)
      }
    } else if isUnexpanded(entry.key) {
      addUnexpanded(entry.key, at: spot)
    } else if let meant = nearest(entry.key, at: level) {
      let isHere = meant.level == level
      addUnknown(
        entry.key, at: spot, meant: meant.name, belongs: isHere ? nil : meant.level,
        right: isHere ? siblings.last(meant.name) : nil, consequence: consequence)
    } else if entry.value.dictionary != nil, entry.key.contains(".") || entry.key == "localhost" {
      add(
        .plistMisplacedKey, .error, at: spot, "the domain '\(entry.key)' has no effect here", found: entry.key,
        meant: level == .global ? "NSExceptionDomains.\(entry.key)" : nil,
        effect: "ignored: domains stand in NSExceptionDomains or NSPinnedDomains")
    } else {
      add(
        .plistUnknownKey, .warning, at: spot, "no system knows the key '\(entry.key)'", found: entry.value.shown,
        effect: "ignored")
    }
  }

  /// What comes of a misspelling where more is lost than a default restored.
  struct Consequence {
    let effect: String
    var confidence = Finding.Confidence.certain
  }

  /// A name that no key has, at a level.
  struct Misspelling: Hashable {
    let name: String
    let level: AppTransportSecurity.Key.Level
  }

  /// What was meant: a key of the level, or with few slips one of another.
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
    let known = Key.catalogue.filter { key in
      if case .misspelling = key.standing { false } else { true }
    }
    let here = known.filter { $0.level == level }
    let nearest =
      Spelling.nearest(to: name, among: here.map(\.name))
      ?? Spelling.nearest(to: name, among: known.map(\.name), within: 3)
    guard let key = (here + known).first(where: { $0.name == nearest }) else { return nil }
    // Nobody should write an old name anew.
    if case .historical(let use) = key.standing { return here.first { $0.name == use } ?? key }
    return key
  }

  mutating func addUnknown(
    _ name: String, at spot: Spot, meant: String?, belongs level: AppTransportSecurity.Key.Level? = nil,
    right: PropertyList.Dictionary.Entry? = nil, consequence: Consequence? = nil
  ) {
    let place = level.map { ", which belongs \($0.place)" } ?? ""
    if let right, let meant {
      let line = right.place.map { " on line \($0.line)" } ?? ""
      add(
        .plistUnknownKey, .error, at: spot, "no system knows the key '\(name)'", found: name, meant: meant,
        caution: "It is there already: one of the two is too many",
        effect: "ignored: '\(meant)' is set\(line), and that is what counts")
      return
    }
    add(
      .plistUnknownKey, .error, at: spot, "no system knows the key '\(name)'", found: name, meant: meant,
      effect: consequence?.effect ?? meant.map { "ignored: '\($0)' has its default\(place)" }
        ?? "ignored: there is no such key", confidence: consequence?.confidence ?? .certain)
  }

  mutating func addMisplaced(
    _ entry: PropertyList.Dictionary.Entry, _ key: AppTransportSecurity.Key, at spot: Spot
  ) {
    let levels = Key.named(entry.key).map(\.level.place)
    add(
      .plistMisplacedKey, .error, at: spot, "'\(entry.key)' has no effect here", found: entry.value.shown,
      effect: "ignored: it belongs \(levels.joined(separator: " or "))")
  }

  private mutating func addHistorical(_ key: AppTransportSecurity.Key, use: String, at spot: Spot) {
    let isMedia = key.name == Key.allowsArbitraryLoadsInMedia
    add(
      .plistHistoricalKey, .warning, at: spot, "'\(key.name)' is a name of the past", found: key.name, meant: use,
      effect: isMedia
        ? "ignored, and unlike '\(use)' it does not turn NSAllowsArbitraryLoads off"
        : "Apple's open engine does not read it; an entry without keys that count means full demands",
      on: isMedia ? Self.everyRelease : Self.sinceOpenEngine,
      confidence: isMedia
        ? .likely("Apple's open engine knows the other name only; what was before it is closed")
        : .likely("whether closed code still translates it into today's name is not public"))
  }

  /// Says which systems are older than the key, or than what `what` stands for.
  mutating func checkReleases(_ key: AppTransportSecurity.Key?, at spot: Spot) {
    guard let key, let first = key.firstReleases else { return }
    let among = key.level == .root ? systems.all : systems.covered
    addIgnored(
      "'\(key.name)'", by: among.filter(key.isUnknown), of: among, since: "\(first.iOS), \(first.macOS)", at: spot,
      effect: "ignored there, as if it were not written")
  }
}

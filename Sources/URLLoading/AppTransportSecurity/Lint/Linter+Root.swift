import Explanation

extension AppTransportSecurity.Linter {
  private typealias Key = AppTransportSecurity.Key

  /// Finds the settings in a property list, and what looks like them in the wrong place.
  mutating func check(_ root: PropertyList.Dictionary, as origin: AppTransportSecurity.Configuration.Origin) {
    let top = Spot(path: [], place: nil)
    if origin == .dictionaryItself {
      checkSettings(root, at: top)
      return
    }
    let before = findings.count
    for entry in entries(of: root, at: top, isOurs: { !Key.named($0).isEmpty }) { checkRoot(entry) }
    if origin == .absent, findings.count == before {
      add(
        .plistNoSettings, .note, at: top, "there is no NSAppTransportSecurity", found: "no such key",
        effect: "the app changes nothing: full App Transport Security is in force for all its loads")
    }
  }

  private mutating func checkRoot(_ entry: PropertyList.Dictionary.Entry) {
    let spot = Spot(path: [entry.key], place: entry.place)
    if entry.key == Key.appTransportSecurity {
      guard let settings = entry.value.dictionary else {
        addNotADictionary(entry, at: spot, effect: "ignored: full App Transport Security is in force for all loads")
        return
      }
      checkReleases(Key.named(entry.key).first, at: spot)
      checkSettings(settings, at: spot)
      return
    }
    let named = Key.named(entry.key)
    if let key = named.first {
      if key.level == .root { checkType(entry, key, at: spot) } else { addMisplaced(entry, key, at: spot) }
    } else if let meant = Self.nearestToRoot(entry.key) {
      addUnknown(entry.key, at: spot, meant: meant.name, belongs: meant.level == .root ? nil : meant.level)
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
        add(
          .plistDuplicateKey, .warning, at: spot.below(entry), "the key '\(entry.key)' is there \(same.count) times",
          found: entry.key, effect: "only one of them counts; the last one is read here",
          confidence: .unknown("which of them a system takes is not documented"),
          related: [spot.below(dictionary.entries[first])])
      }
      return entry
    }
  }
}

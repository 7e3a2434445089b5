import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Finds the keys that change the decision about a load between two property lists.
  ///
  /// To find them, it restores one key at a time and decides the load again.
  struct ChangedKeys {
    typealias Path = [String]
    typealias Change = SettingsDifference.Change

    private let old: Side
    private let new: Side

    init(from old: Configuration, to new: Configuration) {
      self.old = Side(old)
      self.new = Side(new)
    }

    /// Returns the parts of the two lists that apply to loads of `url`.
    func near(_ url: LoadURL) -> Near { Near(old: old.settings(for: url), new: new.settings(for: url)) }

    /// Both property lists, with only the entries that may apply to loads of one URL.
    struct Near {
      /// The old list.
      let old: Configuration
      /// The new list.
      let new: Configuration
      /// The paths of the keys that differ.
      private let paths: [Path]

      fileprivate init(old: Configuration, new: Configuration) {
        (self.old, self.new) = (old, new)
        // The key that requires pins is next to the dictionary; inside it, the key has no effect.
        let beside: [Path] = old.requiresPinning == new.requiresPinning ? [] : [ChangedKeys.demand]
        paths = beside + ChangedKeys.differing(old.dictionary, new.dictionary).filter { $0 != ChangedKeys.demand }
      }

      /// Returns the paths of the keys that cause `change`; empty if no single key causes it.
      func changedPaths(behind change: Change) -> [Path] {
        let (earlier, load) = (change.old.load, change.new.load)
        func isUndone(_ path: Path) -> Bool {
          let settings = ChangedKeys.putting(path, of: old, into: new)
          return change.isGone(from: Change(change.old, decide(load, by: settings)))
        }
        func isMade(_ path: Path) -> Bool {
          let settings = ChangedKeys.putting(path, of: new, into: old)
          return !change.isGone(from: Change(change.old, decide(earlier, by: settings)))
        }
        // The SDK version is not a key of App Transport Security, but is reported next to the keys.
        if earlier.linkedSDK != load.linkedSDK, change.isGone(from: Change(change.old, decide(earlier, by: new))) {
          return [[PropertyList.Dictionary.linkedSDKKey]]
        }
        var found = paths.filter(isUndone)
        if found.isEmpty {
          let entries = Set(paths.filter { $0.count == 3 }.map { Array($0.prefix(2)) })
          found = entries.sorted { $0[1] < $1[1] }.filter(isUndone)
        }
        if found.isEmpty { found = paths.filter(isMade) }
        if found.isEmpty { found = paths }
        let names = found.map { $0.joined(separator: ".") }
        // A single key decides whether a load is blocked or allowed.
        let deciding = change.demands.isEmpty ? [change.new.decidedBy, change.old.decidedBy] : []
        return deciding.compactMap { names.firstIndex(of: $0) }.first.map { [found[$0]] } ?? found
      }
    }

    /// The keys whose dictionaries have an entry for each domain.
    static let domainKeys = [Key.exceptionDomains.name, Key.pinnedDomains.name]

    /// The path of the key that requires pins for every host. The key is outside the ATS dictionary.
    private static let demand: Path = [Key.pinningRequired.name]

    /// Returns the deepest paths whose values differ.
    private static func differing(_ old: PropertyList.Dictionary, _ new: PropertyList.Dictionary) -> [Path] {
      changes(old, new).flatMap { key in
        guard domainKeys.contains(key), let (olds, news) = dictionaries(old[key], new[key]) else { return [[key]] }
        return changes(olds, news).flatMap { name -> [Path] in
          guard let (before, after) = dictionaries(olds[name], news[name]) else { return [[key, name]] }
          let inner = changes(before, after)
          return inner.isEmpty ? [[key, name]] : inner.map { [key, name, $0] }
        }
      }
    }

    /// Returns the keys whose values differ, in order.
    private static func changes(_ old: PropertyList.Dictionary, _ new: PropertyList.Dictionary) -> [String] {
      var seen: Set<String> = []
      return (new.keys + old.keys).filter { seen.insert($0).inserted && old[$0] != new[$0] }
    }

    /// Returns both values as dictionaries, one of which may be absent; nil if one has another type.
    private static func dictionaries(
      _ old: PropertyList?, _ new: PropertyList?
    ) -> (PropertyList.Dictionary, PropertyList.Dictionary)? {
      guard (old ?? [:]).dictionary != nil, (new ?? [:]).dictionary != nil else { return nil }
      return (old?.dictionary ?? .init(), new?.dictionary ?? .init())
    }

    private static func value(at path: Path, in dictionary: PropertyList.Dictionary) -> PropertyList? {
      path.reduce(Optional(PropertyList.dictionary(dictionary))) { $0?.dictionary?[$1] }
    }

    /// Returns `list` with the value that `other` has at `path`.
    private static func putting(_ path: Path, of other: Configuration, into list: Configuration) -> Configuration {
      if path == demand { return .init(dictionary: list.dictionary, requiresPinning: other.requiresPinning) }
      return .init(
        dictionary: setting(path, to: value(at: path, in: other.dictionary), in: list.dictionary),
        requiresPinning: list.requiresPinning)
    }

    /// Returns `dictionary` with a value at `path`; if the value is nil, without one.
    private static func setting(
      _ path: Path, to value: PropertyList?, in dictionary: PropertyList.Dictionary
    ) -> PropertyList.Dictionary {
      guard let key = path.first else { return dictionary }
      let rest = Array(path.dropFirst())
      var inner = value
      if !rest.isEmpty { inner = .dictionary(setting(rest, to: value, in: dictionary[key]?.dictionary ?? .init())) }
      var entries = dictionary.entries.filter { $0.key != key }
      if let inner { entries.append(.init(key: key, value: inner)) }
      return .init(entries: entries)
    }
  }
}

extension AppTransportSecurity.ChangedKeys {
  /// One of the two lists, indexed by domain because some apps list thousands.
  fileprivate struct Side {
    private let globals: [PropertyList.Dictionary.Entry]
    private let exceptions: [String: PropertyList.Dictionary.Entry]
    /// The pins by domain in lower case, because pins ignore case.
    private let pins: [String: [PropertyList.Dictionary.Entry]]
    /// The ranges as interpreted by the documentation and by the open-source engine.
    private let ranges: [(ranges: [AddressRange], name: String)]
    /// The names of the entries for each address, in any spelling.
    private let addresses: [IPAddress: [String]]
    private let requiresPinning: Bool

    init(_ list: AppTransportSecurity.Configuration) {
      let dictionary = list.dictionary
      requiresPinning = list.requiresPinning
      let names = AppTransportSecurity.ChangedKeys.domainKeys
      // A value that is not a dictionary stays as it is.
      globals = dictionary.entries.filter { !names.contains($0.key) || $0.value.dictionary == nil }
      let listed = dictionary[.exceptionDomains]?.dictionary?.entries ?? []
      exceptions = Dictionary(listed.map { ($0.key, $0) }) { $1 }
      ranges = listed.compactMap { entry -> (ranges: [AddressRange], name: String)? in
        let readings = Set([AddressRange(entry.key), AddressRange(asCodeReads: entry.key)].compactMap(\.self))
        return readings.isEmpty ? nil : (ranges: Array(readings), name: entry.key)
      }
      let spelt = listed.compactMap { entry in IPAddress(entry.key).map { ($0, entry.key) } }
      addresses = Dictionary(grouping: spelt, by: \.0).mapValues { $0.map(\.1) }
      pins = Dictionary(
        grouping: dictionary[.pinnedDomains]?.dictionary?.entries ?? [],
        by: { $0.key.lowercased() })
    }

    /// Returns the settings with only the entries that may apply to `url`.
    func settings(for url: LoadURL) -> AppTransportSecurity.Configuration {
      var names = Self.lineage(of: url.host)
      // Pins ignore a trailing dot.
      let pinned = url.host.hasSuffix(".") ? Self.lineage(of: String(url.host.dropLast())) : names
      if let address = url.address {
        names = [url.host] + (addresses[address] ?? []).filter { $0 != url.host }
        names += ranges.filter { $0.ranges.contains { $0.contains(address) } }.map(\.name)
      }
      var entries = globals
      func add(_ key: AppTransportSecurity.Key, _ domains: [PropertyList.Dictionary.Entry]) {
        if domains.isEmpty { return }
        entries.append(.init(key: key.name, value: .dictionary(.init(entries: domains))))
      }
      add(.exceptionDomains, names.compactMap { exceptions[$0] })
      add(.pinnedDomains, pinned.flatMap { pins[$0.lowercased()] ?? [] })
      return .init(dictionary: .init(entries: entries), requiresPinning: requiresPinning)
    }

    /// Returns a name and its parent domains.
    private static func lineage(of host: String) -> [String] {
      var names = [host]
      var rest = host[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        names.append(String(rest))
      }
      return names
    }
  }
}

extension AppTransportSecurity.SettingsDifference.Change {
  /// Returns whether a part of this change is missing in `other`.
  fileprivate func isGone(from other: Self?) -> Bool {
    guard let other else { return true }
    let isOfVerdict = kind == .newlyAllowed || kind == .newlyBlocked
    return isOfVerdict ? kind != other.kind : !demands.allSatisfy(other.demands.contains)
  }
}

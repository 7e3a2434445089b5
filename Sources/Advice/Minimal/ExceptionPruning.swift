import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Finds the keys in an app's settings that no load needs.
  public struct ExceptionPruning: Sendable {
    /// A key that no given load needs, but that keeps another load blocked, or requires more of its server.
    public struct Kept: Sendable {
      /// The path of the key.
      public let key: String
      /// A load that would be allowed without the key, or whose server would have fewer requirements.
      ///
      /// A load from a host without an entry is written as `http://(any other host)/`.
      public let load: String
      /// The systems on which the load would be allowed, or its server would have fewer requirements.
      public internal(set) var systems: [OSVersion]
      /// The key that would allow the load; `default` if no key does.
      public let decidedBy: String
      /// Whether the mere presence of the key turns `NSAllowsArbitraryLoads` off.
      public let isOverriding: Bool
      /// The requirements that the load's server would lose.
      ///
      /// They are present if the key only adds requirements, and if no given load uses the host. The list is empty for
      /// a key that keeps a load blocked.
      public let demands: [DemandChange]
    }

    /// The paths of the keys that can all be dropped together, in the order of the file.
    public let droppable: [String]
    /// The keys that are kept only because of loads that were not given, in the order of the file.
    public let kept: [Kept]
    /// The keys that are always kept, because they only add requirements: pins and NIAP levels.
    public let untouched: [String]
    /// The remaining settings, which do not allow any load that was blocked.
    public let dictionary: PropertyList.Dictionary

    /// Drops one key after another, whole entries before single keys.
    ///
    /// A key is dropped if every given load keeps its result and no other load is newly allowed. An entry that makes
    /// its domain stricter is kept.
    ///
    /// - Parameters:
    ///   - configuration: the app's settings.
    ///   - urls: the URLs that the app loads.
    ///   - systems: the systems on which it loads them.
    ///   - loader: the API with which it loads them.
    ///   - site: the servers. Without them, an https load also keeps all requirements for its server.
    public init(
      of configuration: Configuration, urls: [LoadURL], systems: [OSVersion], loader: Loader = .urlSession,
      site: Site? = nil
    ) {
      let routes = urls.flatMap { url in systems.map { Route(url, os: $0, loader: loader, site: site) } }
      let search = Search(of: configuration, routes: routes, systems: systems, keepsDemands: site == nil)
      (droppable, kept, dictionary) = search.result
      untouched = configuration.dictionary.entries.filter(Search.isUntouched).map(\.key)
    }

    /// The result of one load.
    fileprivate struct Outcome {
      let passes: Bool
      let because: [String]
      let demands: [Requirements?]
      let trustMayBeLoosened: [Bool]
      /// The degree of doubt about the decision for each hop.
      let doubts: [Int]

      init(_ result: LoadResult, keepsDemands: Bool) {
        passes = result.passes
        because = result.because.map(\.id)
        let secure = keepsDemands ? result.hops.filter { $0.url.isSecure } : []
        demands = secure.map(\.decision.requirements)
        trustMayBeLoosened = secure.map(\.decision.trustMayBeLoosened)
        doubts = result.hops.map(\.decision.confidence.gravity)
      }

      /// Returns whether the result is `wanted`, with at least as much certainty.
      ///
      /// An entry for 127.0.0.1 is therefore kept, because the result without it is unknown.
      func keeps(_ wanted: Outcome) -> Bool {
        passes == wanted.passes && because == wanted.because && demands == wanted.demands
          && trustMayBeLoosened == wanted.trustMayBeLoosened && zip(doubts, wanted.doubts).allSatisfy { $0 <= $1 }
      }
    }
  }
}

extension AppTransportSecurity.ExceptionPruning {
  /// The search for the keys that can be dropped.
  fileprivate struct Search {
    typealias Key = AppTransportSecurity.Key
    typealias Path = [String]

    /// The settings after some keys were dropped.
    struct Step {
      var left: PropertyList.Dictionary
      var dropped: Set<Path> = []

      /// Returns whether the key at `path` is dropped, alone or with a dictionary that contains it.
      func lacks(_ path: Path) -> Bool { path.indices.contains { dropped.contains(Array(path[...$0])) } }

      mutating func drop(_ path: Path, leaving left: PropertyList.Dictionary) {
        self.left = left
        dropped.insert(path)
      }
    }

    /// The reason why a key is kept.
    struct Reason {
      var kept: Kept
      /// The load that would be allowed, or whose server would have fewer requirements.
      let load: AppTransportSecurity.Load

      /// Returns this reason for another key.
      func told(of path: Path) -> Reason {
        let other = Kept(
          key: path.joined(separator: "."), load: kept.load, systems: kept.systems, decidedBy: kept.decidedBy,
          isOverriding: false, demands: kept.demands)
        return Reason(kept: other, load: load)
      }
    }

    /// The round from which nested domains are kept together, because each of them might otherwise take one round.
    private static let turnsBeforeFamilies = 4

    let configuration: AppTransportSecurity.Configuration
    let routes: [AppTransportSecurity.Route]
    let systems: [OSVersion]
    let keepsDemands: Bool
    let paths: [Path]
    let wanted: [Outcome]
    /// The hosts of the given loads. The requirements of these loads are compared with `wanted`.
    let loaded: Set<String>

    init(
      of configuration: AppTransportSecurity.Configuration, routes: [AppTransportSecurity.Route], systems: [OSVersion],
      keepsDemands: Bool
    ) {
      self.configuration = configuration
      self.routes = routes
      self.systems = systems
      self.keepsDemands = keepsDemands
      var seen: Set<Path> = []
      paths = Self.paths(in: configuration.dictionary).filter { seen.insert($0).inserted }
      loaded = Set(routes.flatMap { $0.stops.map(\.url.host) })
      wanted = routes.map { Outcome($0.judged(by: configuration), keepsDemands: keepsDemands) }
    }

    /// The keys that can be dropped, the keys that only other loads need, and the remaining settings.
    var result: (droppable: [String], kept: [Kept], dictionary: PropertyList.Dictionary) {
      var reasons: [Path: Reason] = [:]
      var step = dropping(exceptFor: reasons)
      var found = reasonsAgainst(step)
      var turns = 0
      // Each iteration keeps one more key, so the loop ends: if no keys are dropped, no load is newly allowed.
      while !found.isEmpty {
        turns += 1
        reasons.merge(turns < Self.turnsBeforeFamilies ? found : withFamilies(found)) { first, _ in first }
        step = dropping(exceptFor: reasons)
        found = reasonsAgainst(step)
      }
      let further = droppingFurther(step, reasons)
      if reasonsAgainst(further).isEmpty { step = further }
      let kept = paths.filter { path in
        guard let reason = reasons[path], !step.lacks(path) else { return false }
        let without = step.left.removing(path[...])
        return isSame(without) && isBroughtAbout(reason, by: without)
      }
      // A key in an entry is more specific than the whole entry, and directly follows it.
      let deepest = kept.indices.filter { index in
        let next = kept.index(after: index)
        return !kept.indices.contains(next) || !kept[next].starts(with: kept[index])
      }
      return (
        paths.filter(step.dropped.contains).map { $0.joined(separator: ".") },
        deepest.compactMap { reasons[kept[$0]]?.kept }, step.left
      )
    }

    /// Extends reasons to all entries whose topmost domain is that of an entry with a reason.
    ///
    /// The reason of an entry is not extended if there are no entries above or below it.
    private func withFamilies(_ found: [Path: Reason]) -> [Path: Reason] {
      let entries = paths.filter { $0.count == 2 }
      let names = Set(entries.compactMap(\.last))
      let sizes = Dictionary(grouping: names) { Self.topmost(of: $0, among: names) }.mapValues(\.count)
      var families: [String: Reason] = [:]
      for path in paths where path.count > 1 {
        let top = Self.topmost(of: path[1], among: names)
        if let reason = found[path], families[top] == nil, sizes[top, default: 1] > 1 { families[top] = reason }
      }
      var all = found
      for path in paths where path.count > 1 && all[path] == nil {
        all[path] = families[Self.topmost(of: path[1], among: names)]?.told(of: path)
      }
      return all
    }

    /// Returns the shortest of `names` that is equal to `name` or is a parent domain of it.
    private static func topmost(of name: String, among names: Set<String>) -> String {
      var top = name
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if names.contains(String(rest)) { top = String(rest) }
      }
      return top
    }

    /// Drops the keys that the loads do not need, except keys with a reason to be kept.
    private func dropping(exceptFor reasons: [Path: Reason]) -> Step {
      var step = Step(left: configuration.dictionary)
      for path in paths where reasons[path] == nil && !step.lacks(path) {
        let without = step.left.removing(path[...])
        if isSame(without) { step.drop(path, leaving: without) }
      }
      return step
    }

    /// Drops keys whose reason no longer applies, because another key now blocks their load or the load no longer
    /// occurs.
    private func droppingFurther(_ step: Step, _ reasons: [Path: Reason]) -> Step {
      var step = step
      for path in paths where !step.lacks(path) {
        guard let reason = reasons[path] else { continue }
        let without = step.left.removing(path[...])
        if isSame(without), !isBroughtAbout(reason, by: without) {
          step.dropped = step.dropped.filter { !$0.starts(with: path) }
          step.drop(path, leaving: without)
        }
      }
      return step
    }

    /// Returns whether every given load keeps its result.
    private func isSame(_ dictionary: PropertyList.Dictionary) -> Bool {
      let configuration = settings(dictionary)
      return zip(routes, wanted).allSatisfy { route, wanted in
        Outcome(route.judged(by: configuration), keepsDemands: keepsDemands).keeps(wanted)
      }
    }

    /// Returns whether these settings cause the change that a key prevents.
    ///
    /// The change is that a load is allowed, or that its server has fewer requirements.
    private func isBroughtAbout(_ reason: Reason, by dictionary: PropertyList.Dictionary) -> Bool {
      let decision = AppTransportSecurity.decide(reason.load, by: settings(dictionary))
      guard !reason.kept.demands.isEmpty else { return decision.verdict == .allowed }
      let before = AppTransportSecurity.decide(reason.load, by: configuration)
      return AppTransportSecurity.SettingsDifference.Change(before, decision)?.kind == .loosened
    }

    private func settings(_ dictionary: PropertyList.Dictionary) -> AppTransportSecurity.Configuration {
      configuration.having(dictionary)
    }

    /// Returns the dropped keys whose absence newly allows or loosens a load.
    ///
    /// Loosened loads are considered only for hosts that no given load uses.
    private func reasonsAgainst(_ step: Step) -> [Path: Reason] {
      let difference = AppTransportSecurity.SettingsDifference(
        from: configuration, to: settings(step.left), urls: [], systems: systems)
      let opened = difference.changes.filter { $0.kind == .newlyAllowed }
      let loosened = difference.changes.filter { $0.kind == .loosened && !loaded.contains($0.new.load.url.host) }
      var reasons: [Path: Reason] = [:]
      for change in opened + loosened {
        for path in change.paths.map({ $0.map(difference.written) }) {
          if change.kind == .loosened, !demandsMore(path), !change.fallsToLess { continue }
          let dropped = path.indices.map { Array(path[...$0]) }.first(where: step.dropped.contains)
          guard let dropped else { continue }
          reasons[dropped, default: Reason(dropped, change, in: difference)].add(change.new.load)
        }
      }
      if reasons.isEmpty, let change = opened.first {
        for path in step.dropped { reasons[path] = Reason(path, change, in: difference) }
      }
      return reasons
    }

    /// Returns whether the purpose of the entry or key at `path` is to require more than for other hosts.
    ///
    /// An entry that allows a load also waives requirements, so it is dropped as requested.
    private func demandsMore(_ path: Path) -> Bool {
      guard path.count > 1, path[0] == Key.exceptionDomains.name,
        let entry = configuration.dictionary[path[0]]?.dictionary?[path[1]]?.dictionary
      else { return false }
      let isDemanding = AppTransportSecurity.ExceptionDomain(name: path[1], entry).demandsMore
      guard path.count > 2, path[2] != Key.includesSubdomains.name else { return isDemanding }
      let alone = PropertyList.Dictionary(entries: entry.entries.filter { $0.key == path[2] })
      return AppTransportSecurity.ExceptionDomain(name: path[1], alone).demandsMore
    }

    /// Returns every key of the settings. Whole entries come before the keys in them.
    private static func paths(in dictionary: PropertyList.Dictionary) -> [[String]] {
      dictionary.entries.flatMap { entry -> [[String]] in
        let below = entry.is(.exceptionDomains) ? entry.value.dictionary : nil
        let entries = (below?.entries ?? []).flatMap { domain -> [[String]] in
          let keys = (domain.value.dictionary?.entries ?? []).map { [entry.key, domain.key, $0.key] }
          return [[entry.key, domain.key]] + keys
        }
        return isUntouched(entry) ? [] : [[entry.key]] + entries
      }
    }

    /// Returns whether the key only adds requirements, like pins and NIAP levels. Dropping such keys is never
    /// advisable.
    static func isUntouched(_ entry: PropertyList.Dictionary.Entry) -> Bool {
      Key.named(entry.key, at: .global)?.onlyDemands == true
    }
  }
}

extension AppTransportSecurity.ExceptionPruning.Search.Reason {
  /// Describes the change that dropping the key at `path` causes.
  fileprivate init(
    _ path: [String], _ change: AppTransportSecurity.SettingsDifference.Change,
    in difference: AppTransportSecurity.SettingsDifference
  ) {
    load = change.new.load
    kept = .init(
      key: path.joined(separator: "."), load: difference.shown(load.url), systems: [load.os],
      decidedBy: difference.written(change.new.decidedBy),
      isOverriding: change.old.overridingKey.map { path == [$0.name] } ?? false,
      demands: change.kind == .loosened ? change.demands : [])
  }

  /// Adds a system on which the load would also be allowed.
  fileprivate mutating func add(_ other: AppTransportSecurity.Load) {
    let isSame = other.url == load.url && other.loader == load.loader
    if isSame, !kept.systems.contains(other.os) { kept.systems.append(other.os) }
  }
}

extension AppTransportSecurity.SettingsDifference.Change {
  /// Whether another entry or key, which requires less, applies to the load without its own entry.
  ///
  /// It can be the entry of a parent domain, a wider range, or a key for all domains.
  fileprivate var fallsToLess: Bool { old.entryName.map { $0 != new.entryName } ?? false }
}

extension AppTransportSecurity.ExceptionDomain {
  /// Whether a value of the entry requires more than App Transport Security requires of every host.
  fileprivate var demandsMore: Bool {
    values.values.contains { values in
      AppTransportSecurity.Key.exceptions.contains { key in
        key.entryProperty?.isRaised(values, onlyDemands: key.onlyDemands) == true
      }
    }
  }
}

extension PropertyList.Dictionary {
  /// Returns the dictionary without the key at `path`.
  fileprivate func removing(_ path: ArraySlice<String>) -> PropertyList.Dictionary {
    guard let key = path.first else { return self }
    let rest = path.dropFirst()
    return .init(
      entries: entries.compactMap { entry in
        guard entry.key == key else { return entry }
        guard !rest.isEmpty, let below = entry.value.dictionary else { return nil }
        return .init(key: entry.key, value: .dictionary(below.removing(rest)), place: entry.place)
      })
  }
}

import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// What of an app's settings no load needs.
  public struct ExceptionPruning: Sendable {
    /// A key that none of the loads needs either, but that keeps another one blocked, or demands more of its server.
    public struct Kept: Sendable {
      /// The path of the key.
      public let key: String
      /// A load that would pass without it, or of whose server less would be demanded, as its reader knows it:
      /// `http://(any other host)/`.
      public let load: String
      /// Where it would.
      public internal(set) var systems: [OSVersion]
      /// What would let it pass; `default` where no key does.
      public let decidedBy: String
      /// Whether its mere presence turns `NSAllowsArbitraryLoads` off.
      public let isOverriding: Bool
      /// What would be demanded of the load's server no more: the key only demands more, and no load of the
      /// host was named. Empty for what keeps a load blocked.
      public let demands: [DemandChange]
    }

    /// The key paths that can be dropped, all of them together, in the order of the file.
    public let droppable: [String]
    /// What could be dropped but for loads that nobody asked about, in the order of the file.
    public let kept: [Kept]
    /// The keys that are left alone, whatever is loaded: pins and levels of NIAP only add demands.
    public let untouched: [String]
    /// What is left: no load that was blocked passes by it.
    public let dictionary: PropertyList.Dictionary

    /// Takes away one key after the other, the largest first, as long as everything that is loaded comes to the same
    /// and nothing else is newly allowed, nor less demanded by an entry that is there to demand more.
    ///
    /// - Parameters:
    ///   - configuration: the app's settings.
    ///   - urls: what is loaded.
    ///   - systems: where.
    ///   - loader: what the app loads it with.
    ///   - site: the servers; without them an https load also keeps everything that is demanded of its server.
    public init(
      of configuration: Configuration, urls: [LoadURL], systems: [OSVersion], loader: Loader = .urlSession,
      site: Site? = nil
    ) {
      let routes = urls.flatMap { url in systems.map { Route(url, os: $0, loader: loader, site: site) } }
      let search = Search(of: configuration, routes: routes, systems: systems, keepsDemands: site == nil)
      (droppable, kept, dictionary) = search.result
      untouched = configuration.dictionary.entries.filter(Search.isUntouched).map(\.key)
    }

    /// What one load comes to.
    fileprivate struct Outcome {
      let passes: Bool
      let because: [String]
      let demands: [Requirements?]
      let trustMayBeLoosened: [Bool]
      /// How doubtful the decision about each place on the way is.
      let doubts: [Int]

      init(_ result: LoadResult, keepsDemands: Bool) {
        passes = result.passes
        because = result.because.map(\.id)
        let secure = keepsDemands ? result.hops.filter { $0.url.isSecure } : []
        demands = secure.map(\.decision.requirements)
        trustMayBeLoosened = secure.map(\.decision.trustMayBeLoosened)
        doubts = result.hops.map(\.decision.confidence.gravity)
      }

      /// Whether all comes out as `wanted`, and as surely: an entry for 127.0.0.1 is not needless because nobody knows
      /// what would be without it.
      func keeps(_ wanted: Outcome) -> Bool {
        passes == wanted.passes && because == wanted.because && demands == wanted.demands
          && trustMayBeLoosened == wanted.trustMayBeLoosened && zip(doubts, wanted.doubts).allSatisfy { $0 <= $1 }
      }
    }
  }
}

extension AppTransportSecurity.ExceptionPruning {
  /// The search for what can be dropped.
  fileprivate struct Search {
    typealias Key = AppTransportSecurity.Key
    typealias Path = [String]

    /// The settings when some keys are dropped.
    struct Step {
      var left: PropertyList.Dictionary
      var dropped: Set<Path> = []

      /// Whether the key at `path` is gone, by itself or with what it stood in.
      func lacks(_ path: Path) -> Bool { path.indices.contains { dropped.contains(Array(path[...$0])) } }

      mutating func drop(_ path: Path, leaving left: PropertyList.Dictionary) {
        self.left = left
        dropped.insert(path)
      }
    }

    /// Why a key is not dropped.
    struct Reason {
      var kept: Kept
      /// The load that would pass, or of whose server less would be demanded.
      let load: AppTransportSecurity.Load

      /// The same reason for another key.
      func told(of path: Path) -> Reason {
        let other = Kept(
          key: path.joined(separator: "."), load: kept.load, systems: kept.systems, decidedBy: kept.decidedBy,
          isOverriding: false, demands: kept.demands)
        return Reason(kept: other, load: load)
      }
    }

    /// The turn from which on domains below each other are kept together: one by one, each may take a turn.
    private static let turnsBeforeFamilies = 4

    let configuration: AppTransportSecurity.Configuration
    let routes: [AppTransportSecurity.Route]
    let systems: [OSVersion]
    let keepsDemands: Bool
    let paths: [Path]
    let wanted: [Outcome]
    /// The hosts that are loaded from: what is demanded of these goes by `wanted`.
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

    /// What can be dropped, what only others keep, and what is left.
    var result: (droppable: [String], kept: [Kept], dictionary: PropertyList.Dictionary) {
      var reasons: [Path: Reason] = [:]
      var step = dropping(exceptFor: reasons)
      var found = reasonsAgainst(step)
      var turns = 0
      // Each turn keeps a key more, and where none is dropped nothing is opened.
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
      // What stands in an entry says it better than the whole, and follows it at once.
      let deepest = kept.indices.filter { index in
        let next = kept.index(after: index)
        return !kept.indices.contains(next) || !kept[next].starts(with: kept[index])
      }
      return (
        paths.filter(step.dropped.contains).map { $0.joined(separator: ".") },
        deepest.compactMap { reasons[kept[$0]]?.kept }, step.left
      )
    }

    /// What was found, and said also of all entries that share their topmost domain with one of it; an entry with no
    /// other above or below it stands for itself.
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

    /// The shortest of `names` that `name` is, or is below.
    private static func topmost(of name: String, among names: Set<String>) -> String {
      var top = name
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if names.contains(String(rest)) { top = String(rest) }
      }
      return top
    }

    /// Drops what the loads can do without, but for keys that there is a reason to keep.
    private func dropping(exceptFor reasons: [Path: Reason]) -> Step {
      var step = Step(left: configuration.dictionary)
      for path in paths where reasons[path] == nil && !step.lacks(path) {
        let without = step.left.removing(path[...])
        if isSame(without) { step.drop(path, leaving: without) }
      }
      return step
    }

    /// Drops keys whose reason is gone as well: what they held back is gone, or held back by another one.
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

    /// Whether all that is loaded comes to the same.
    private func isSame(_ dictionary: PropertyList.Dictionary) -> Bool {
      let configuration = settings(dictionary)
      return zip(routes, wanted).allSatisfy { route, wanted in
        Outcome(route.judged(by: configuration), keepsDemands: keepsDemands).keeps(wanted)
      }
    }

    /// Whether what a key is kept for happens by these settings: a load passes, or less is demanded of its server.
    private func isBroughtAbout(_ reason: Reason, by dictionary: PropertyList.Dictionary) -> Bool {
      let decision = AppTransportSecurity.decide(reason.load, by: settings(dictionary))
      guard !reason.kept.demands.isEmpty else { return decision.verdict == .allowed }
      let before = AppTransportSecurity.decide(reason.load, by: configuration)
      return AppTransportSecurity.SettingsDifference.Change(before, decision)?.kind == .loosened
    }

    private func settings(_ dictionary: PropertyList.Dictionary) -> AppTransportSecurity.Configuration {
      configuration.having(dictionary)
    }

    /// The dropped keys by whose want a load passes that was blocked, or less is demanded of a server that no load was
    /// named of; empty when there are none.
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

    /// Whether what stands at `path`, in an entry or as one, is there to demand more than holds for other hosts; what
    /// an entry lets pass takes demands away beside others, and is dropped as it was asked for.
    private func demandsMore(_ path: Path) -> Bool {
      guard path.count > 1, path[0] == Key.exceptionDomains.name,
        let entry = configuration.dictionary[path[0]]?.dictionary?[path[1]]?.dictionary
      else { return false }
      let isDemanding = AppTransportSecurity.ExceptionDomain(name: path[1], entry).demandsMore
      guard path.count > 2, path[2] != Key.includesSubdomains.name else { return isDemanding }
      let alone = PropertyList.Dictionary(entries: entry.entries.filter { $0.key == path[2] })
      return AppTransportSecurity.ExceptionDomain(name: path[1], alone).demandsMore
    }

    /// Every key of the settings, whole entries before what is in them.
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

    /// Pins and NIAP's levels only add demands, and nobody wants to be told to drop them.
    static func isUntouched(_ entry: PropertyList.Dictionary.Entry) -> Bool {
      Key.named(entry.key, at: .global)?.onlyDemands == true
    }
  }
}

extension AppTransportSecurity.ExceptionPruning.Search.Reason {
  /// The change that dropping the key at `path` brings about.
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

  /// Notes that the same load would pass on another system too.
  fileprivate mutating func add(_ other: AppTransportSecurity.Load) {
    let isSame = other.url == load.url && other.loader == load.loader
    if isSame, !kept.systems.contains(other.os) { kept.systems.append(other.os) }
  }
}

extension AppTransportSecurity.SettingsDifference.Change {
  /// Whether something else of the app's governs the load where its own entry is gone, and demands less: the entry of a
  /// domain above, a wider range, or keys for all domains.
  fileprivate var fallsToLess: Bool { old.entryName.map { $0 != new.entryName } ?? false }
}

extension AppTransportSecurity.ExceptionDomain {
  /// Whether something in it demands more than App Transport Security does of every host.
  fileprivate var demandsMore: Bool {
    values.values.contains { values in
      AppTransportSecurity.Key.exceptions.contains { key in
        key.entryProperty?.isRaised(values, onlyDemands: key.onlyDemands) == true
      }
    }
  }
}

extension PropertyList.Dictionary {
  /// The same dictionary without what stands at `path`.
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

import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Searches all exceptions for the smallest with which every load passes on every system; the engine is the judge.
  ///
  /// Hosts are independent of one another under the same keys for all domains, so that the best entry of each host makes
  /// the best dictionary.
  public struct ExceptionSearch: Sendable {
    private let routes: [(url: LoadURL, route: Route)]
    private let systems: [OSVersion]
    private let hosts: [String]

    /// A search.
    ///
    /// - Parameters:
    ///   - urls: what is loaded, all of it.
    ///   - systems: where all of it must pass.
    ///   - loader: what the app loads it with.
    ///   - site: the servers; nil where only what is decided before any connection is to count.
    ///   - namesHosts: whether the hosts are known beforehand, so that entries can name them.
    public init(
      urls: [LoadURL], systems: [OSVersion], loader: Loader = .urlSession, site: Site? = nil, namesHosts: Bool = true
    ) {
      self.systems = systems
      routes = urls.flatMap { url in
        systems.map { (url, Route(url, os: $0, loader: loader, site: site)) }
      }
      let all = Set(routes.flatMap { $0.route.stops.map(\.url.host) })
      hosts = namesHosts ? all.filter { !$0.isEmpty }.sorted() : []
    }

    /// What there is to do.
    public func answer() -> ExceptionAnswer {
      let passing = ExceptionCandidate.globalChoices.compactMap(completed)
        .map { (candidate: $0, cost: $0.cost(on: systems, uncertain: uncertain($0))) }.sorted { $0.cost < $1.cost }
      let best = passing.first?.candidate
      let surer = passing.first { $0.cost.uncertain < (passing.first?.cost.uncertain ?? 0) }?.candidate
      let shown = best ?? ExceptionCandidate(globals: [.allowsArbitraryLoads])
      let loads = routes.map { url, route in
        ExceptionAnswer.Load(
          url: url, os: route.os, before: route.judged(by: .empty), after: route.judged(by: shown.configuration))
      }
      guard let best else {
        return ExceptionAnswer(outcome: .impossible, dictionary: .init(), reasons: [], loads: loads)
      }
      let isNeeded = best != ExceptionCandidate()
      let isUnseen = loads.contains(where: \.before.isUnseen)
      return ExceptionAnswer(
        outcome: isNeeded ? .exception : isUnseen ? .unknown : .notNeeded, dictionary: best.dictionary,
        reasons: reasons(for: best), loads: loads, surer: surer?.dictionary)
    }

    /// The keys for all domains with the best entry for each host; nil where something fails whatever the entries.
    private func completed(_ globals: ExceptionCandidate) -> ExceptionCandidate? {
      var candidate = globals
      for host in hosts {
        guard let entry = bestEntry(for: host, under: globals) else { return nil }
        candidate = candidate.with(entry, for: host)
      }
      return routes.allSatisfy { $0.route.judged(by: candidate.configuration).passes } ? candidate : nil
    }

    /// The cheapest entry with which everything passes that is loaded of the host; nil where none does.
    private func bestEntry(for host: String, under globals: ExceptionCandidate) -> ExceptionDomain.Values?? {
      var best: (entry: ExceptionDomain.Values?, cost: ExceptionCost)?
      for entry in ExceptionCandidate.entryChoices {
        let candidate = globals.with(entry, for: host)
        guard let uncertain = uncertain(candidate, of: host) else { continue }
        var cost = candidate.cost(on: systems, uncertain: uncertain)
        if losesDemands(candidate, of: host) { cost.weakenings += ExceptionCost.allDemands }
        if best.map({ cost < $0.cost }) ?? true { best = (entry, cost) }
      }
      return best?.entry
    }

    /// Whether the keys for all domains leave nothing of what is demanded of the host where it is loaded from over https.
    private func losesDemands(_ candidate: ExceptionCandidate, of host: String) -> Bool {
      if candidate.globals.isEmpty { return false }
      let configuration = candidate.configuration
      return routes.contains { _, route in
        route.stops.contains { stop in
          stop.url.host == host && stop.url.isSecure
            && route.judged(stop, by: configuration).decision.requirements == nil
            && route.judged(stop, by: .empty).decision.requirements != nil
        }
      }
    }

    /// How many places of the host pass only uncertainly; nil where one does not pass.
    private func uncertain(_ candidate: ExceptionCandidate, of host: String) -> Int? {
      let configuration = candidate.configuration
      var count = 0
      for (_, route) in routes {
        for stop in route.stops where stop.url.host == host {
          let hop = route.judged(stop, by: configuration)
          guard hop.passes else { return nil }
          if LoadResult(hops: [hop]).isUncertain { count += 1 }
        }
      }
      return count
    }

    private func uncertain(_ candidate: ExceptionCandidate) -> Int {
      let configuration = candidate.configuration
      return routes.count { $0.route.judged(by: configuration).isUncertain }
    }
  }
}

// Why each key is there.
extension AppTransportSecurity.ExceptionSearch {
  private typealias Key = AppTransportSecurity.Key
  private typealias Reason = AppTransportSecurity.ExceptionAnswer.Reason

  /// Each key is taken away, and the loads are made again.
  private func reasons(
    for best: AppTransportSecurity.ExceptionCandidate
  ) -> [AppTransportSecurity.ExceptionAnswer.Reason] {
    let globals = best.globals.map { key in
      var without = best
      without.globals.removeAll { $0 == key }
      return reason(for: key, of: nil, true, without, best)
    }
    return globals + best.entries.indices.flatMap { reasons(forEntry: $0, of: best) }
  }

  private func reasons(forEntry index: Int, of best: AppTransportSecurity.ExceptionCandidate) -> [Reason] {
    let entry = best.entries[index]
    return Key.exceptions.compactMap { key in
      guard let property = key.entryProperty, let value = property.written(entry.exception) else { return nil }
      var exception = entry.exception
      property.remove(from: &exception)
      var without = best
      without.entries[index] = .init(host: entry.host, exception: exception)
      return reason(for: key, of: entry.host, value, without, best)
    }
  }

  private func reason(
    for key: Key, of host: String?, _ value: PropertyList, _ without: AppTransportSecurity.ExceptionCandidate,
    _ best: AppTransportSecurity.ExceptionCandidate
  ) -> Reason {
    let decider = host.map { AppTransportSecurity.Decision.Decider.entry($0, key) } ?? .key(key)
    let failing = routes.map(\.route).filter { !$0.judged(by: without.configuration).passes }
    let needing = failing.filter { !$0.judged(by: .empty).passes }
    let systems = needing.map(\.os).eachOnce
    let carried = routes.map(\.route).filter { route in
      route.judged(by: best.configuration).hops.contains { $0.decision.decider == decider }
    }
    return .init(
      key: key, host: host, value: value,
      because: (needing.isEmpty ? failing : needing).flatMap { $0.judged(by: without.configuration).because }.eachOnce,
      systems: systems, systemsForTheEntry: failing.map(\.os).filter { !systems.contains($0) }.eachOnce,
      carries: carried.map(\.os).eachOnce, isReviewed: best.reviewed.contains(key))
  }
}

extension Array where Element: Equatable {
  /// The elements without repetitions, in order of appearance.
  fileprivate var eachOnce: [Element] {
    reduce(into: []) { seen, element in
      if !seen.contains(element) { seen.append(element) }
    }
  }
}

extension AppTransportSecurity {
  /// The smallest exception with which some loads pass on some systems.
  public struct ExceptionAnswer: Sendable {
    /// What there is to do.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
      /// All loads pass without an exception.
      case notNeeded = "not-needed"
      /// All pass without one but for certificates that nobody has seen.
      case unknown
      /// All pass with this one.
      case exception
      /// No dictionary makes all of them pass.
      case impossible
    }

    /// One load on one system, without and with the exception.
    public struct Load: Sendable {
      /// What is loaded.
      public let url: LoadURL
      /// On which system.
      public let os: OSVersion
      /// Without any exception.
      public let before: LoadResult
      /// With the exception; where there is none, with `NSAllowsArbitraryLoads`, the strongest.
      public let after: LoadResult
    }

    /// A key of the exception, and the loads that need it.
    public struct Reason: Sendable {
      /// The key.
      public let key: Key
      /// The host that it is about; nil for a key for all domains.
      public let host: String?
      /// Its value.
      public let value: PropertyList
      /// What would decide against the loads without it, each rule once.
      public let because: [Rule]
      /// The systems on which a load needs it: without any exception the load fails there.
      public let systems: [OSVersion]
      /// The systems on which a load would pass without any exception, and needs the key because the entry that is
      /// there for others takes the place of what lets it pass: a built-in entry, or the rules for local names.
      public let systemsForTheEntry: [OSVersion]
      /// The systems on which a load passes by this key, although another would let it pass too.
      public let carries: [OSVersion]
      /// Whether App Review asks about it.
      public let isReviewed: Bool

      /// The place of the key: `NSExceptionDomains`, the host and the key, or the key alone.
      public var keyPath: [String] { host.map { [Key.exceptionDomains.name, $0, key.name] } ?? [key.name] }
    }

    /// What there is to do.
    public let outcome: Outcome
    /// The `NSAppTransportSecurity` dictionary; empty unless there is an exception.
    public let dictionary: PropertyList.Dictionary
    /// Its keys with their reasons.
    public let reasons: [Reason]
    /// Every load on every system.
    public let loads: [Load]
    /// A wider exception that rests on less that no source settles; nil where there is none.
    public var surer: PropertyList.Dictionary?

    /// The keys that App Review asks about, each once.
    public var appReview: [String] {
      reasons.filter(\.isReviewed).map(\.key.name).reduce(into: []) { keys, key in
        if !keys.contains(key) { keys.append(key) }
      }
    }

    /// The smallest range with every IPv4 address of the exception in it, and how many addresses it has; nil for fewer than
    /// two addresses, and for a range of more than 65,536.
    public var coveringRange: (text: String, count: Int)? {
      let hosts = dictionary[.exceptionDomains]?.dictionary?.keys ?? []
      let addresses = hosts.compactMap { IPAddress($0) }.filter { !$0.isVersion6 }
      guard addresses.count > 1, let first = addresses.first else { return nil }
      let range = (16...32).reversed().lazy.compactMap { AddressRange("\(first)/\($0)") }.first { range in
        addresses.allSatisfy(range.contains)
      }
      return range.map { ("\($0.masked.network)/\($0.prefixLength)", 1 << (32 - $0.prefixLength)) }
    }

    /// The loads that no exception helps; empty where one does.
    public var hopeless: [Load] { loads.filter { !$0.after.passes } }
    /// Whether it is not settled that no exception helps.
    public var isOpen: Bool { !hopeless.isEmpty && hopeless.allSatisfy(\.after.isUncertain) }
  }
}

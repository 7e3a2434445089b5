import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Searches all exceptions for the smallest one that allows every load on every system.
  ///
  /// The engine decides about every candidate. With given keys for all domains, hosts are independent of one another.
  /// The best entries of all hosts therefore form the best dictionary.
  public struct ExceptionSearch: Sendable {
    private let routes: [(url: LoadURL, route: Route)]
    private let systems: [OSVersion]
    private let hosts: [String]

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - urls: the URLs that the app loads.
    ///   - systems: the systems on which all loads must be allowed.
    ///   - loader: the API with which the app loads them.
    ///   - site: the servers; nil to decide only before a connection.
    ///   - namesHosts: whether the hosts are known in advance, so that entries can name them.
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

    /// Searches for the smallest exception.
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
      return ExceptionAnswer(
        outcome: isNeeded ? .exception : .notNeeded, dictionary: best.dictionary,
        reasons: reasons(for: best), loads: loads, surer: surer?.dictionary)
    }

    /// Adds the best entry for each host to the global keys; nil if a load fails with every entry.
    private func completed(_ globals: ExceptionCandidate) -> ExceptionCandidate? {
      var candidate = globals
      for host in hosts {
        guard let entry = bestEntry(for: host, under: globals) else { return nil }
        candidate = candidate.with(entry, for: host)
      }
      return routes.allSatisfy { $0.route.judged(by: candidate.configuration).passes } ? candidate : nil
    }

    /// Returns the cheapest entry that allows every load of the host; nil if there is none.
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

    /// Returns whether the keys for all domains remove all requirements of the host, which is loaded over https.
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

    /// Returns the number of the host's hops that are allowed only with uncertainty; nil if one is not allowed.
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

// The reasons of the keys.
extension AppTransportSecurity.ExceptionSearch {
  private typealias Key = AppTransportSecurity.Key
  private typealias Reason = AppTransportSecurity.ExceptionAnswer.Reason

  /// Removes each key in turn, and decides the loads again.
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
  /// The elements without duplicates, in order of appearance.
  fileprivate var eachOnce: [Element] {
    reduce(into: []) { seen, element in
      if !seen.contains(element) { seen.append(element) }
    }
  }
}

extension AppTransportSecurity {
  /// The smallest exception that allows some loads on some systems.
  public struct ExceptionAnswer: Sendable {
    /// Whether the loads need an exception, and whether one exists.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
      /// All loads are allowed without an exception.
      case notNeeded = "not-needed"
      /// All loads are allowed with this exception.
      case exception
      /// No dictionary allows all loads.
      case impossible
    }

    /// One load on one system, with and without the exception.
    public struct Load: Sendable {
      /// The URL of the load.
      public let url: LoadURL
      /// The system of the load.
      public let os: OSVersion
      /// The result without any exception.
      public let before: LoadResult
      /// The result with the exception, or with `NSAllowsArbitraryLoads` if there is none.
      public let after: LoadResult
    }

    /// A key of the exception, and the loads that need it.
    public struct Reason: Sendable {
      /// A key that the exception needs.
      public let key: Key
      /// The host of the key's entry; nil for a key for all domains.
      public let host: String?
      /// The value of the key.
      public let value: PropertyList
      /// The rules that would refuse the loads without the key, without duplicates.
      public let because: [Rule]
      /// The systems on which a load fails without any exception, so that it needs the key.
      public let systems: [OSVersion]
      /// The systems on which a load needs the key only because of its entry.
      ///
      /// Other loads need the entry. It replaces a built-in entry or the rules for local names, so this load needs the
      /// key.
      public let systemsForTheEntry: [OSVersion]
      /// The systems on which this key allows a load that another key would also allow.
      public let carries: [OSVersion]
      /// Whether App Review asks about the key.
      public let isReviewed: Bool

      /// The path of the key: `NSExceptionDomains`, the host and the key, or the key alone.
      public var keyPath: [String] { host.map { [Key.exceptionDomains.name, $0, key.name] } ?? [key.name] }
    }

    /// Whether the loads need an exception, and whether one exists.
    public let outcome: Outcome
    /// The `NSAppTransportSecurity` dictionary; empty unless there is an exception.
    public let dictionary: PropertyList.Dictionary
    /// The keys of the dictionary with their reasons.
    public let reasons: [Reason]
    /// The result of every load on every system.
    public let loads: [Load]
    /// A wider exception that depends less on undocumented behaviour; nil if there is none.
    public var surer: PropertyList.Dictionary?

    /// The keys that App Review asks about, without duplicates.
    public var appReview: [String] {
      reasons.filter(\.isReviewed).map(\.key.name).reduce(into: []) { keys, key in
        if !keys.contains(key) { keys.append(key) }
      }
    }

    /// The smallest range that contains every IPv4 address of the exception, and the number of its addresses.
    ///
    /// The result is nil for fewer than two addresses, and for a range of more than 65,536 addresses.
    public var coveringRange: (text: String, count: Int)? {
      let hosts = dictionary[.exceptionDomains]?.dictionary?.keys ?? []
      let addresses = hosts.compactMap { IPAddress($0) }.filter { !$0.isVersion6 }
      guard addresses.count > 1, let first = addresses.first else { return nil }
      let range = (16...32).reversed().lazy.compactMap { AddressRange("\(first)/\($0)") }.first { range in
        addresses.allSatisfy(range.contains)
      }
      return range.map { ("\($0.masked.network)/\($0.prefixLength)", 1 << (32 - $0.prefixLength)) }
    }

    /// The loads that no exception allows; empty if an exception allows all loads.
    public var hopeless: [Load] { loads.filter { !$0.after.passes } }
    /// Whether it is uncertain that no exception allows the loads.
    public var isOpen: Bool { !hopeless.isEmpty && hopeless.allSatisfy(\.after.isUncertain) }
  }
}

import Trust
import URLLoading

extension AppTransportSecurity {
  /// The results of some loads with an app's own settings, and a change with which all of them pass.
  public struct PresentLoads: Sendable {
    /// One load on one system.
    public struct Load: Sendable {
      /// The URL.
      public let url: LoadURL
      /// The system.
      public let os: OSVersion
      /// The result of the load.
      public let result: LoadResult
    }

    /// A change to `NSAppTransportSecurity` with which every load passes.
    public enum Remedy: Sendable, Hashable {
      /// Adds these keys and entries to the app's settings.
      case adding(PropertyList.Dictionary)
      /// Replaces the app's dictionary, whose own settings block loads, with this one.
      case replacing(PropertyList.Dictionary)
    }

    /// The result of every load on every system.
    public let loads: [Load]
    /// The change with which all loads pass; nil if no change is needed, or if none is known.
    public let remedy: Remedy?

    /// The loads that fail.
    public var failing: [Load] { loads.filter { !$0.result.passes } }

    /// Simulates every load with the app's settings. If one fails, searches for a change.
    ///
    /// - Parameters:
    ///   - configuration: the app's settings.
    ///   - urls: the loads.
    ///   - systems: the systems.
    ///   - loader: the app's loader.
    ///   - site: the servers; nil to decide only before a connection.
    public init(
      of configuration: Configuration, urls: [LoadURL], systems: [OSVersion], loader: Loader = .urlSession,
      site: Site? = nil
    ) {
      let loads = urls.flatMap { url in
        systems.map { (url: url, route: Route(url, os: $0, loader: loader, site: site)) }
      }
      self.loads = loads.map { Load(url: $0.url, os: $0.route.os, result: $0.route.judged(by: configuration)) }
      guard self.loads.contains(where: { !$0.result.passes }) else {
        remedy = nil
        return
      }
      let answer = ExceptionSearch(urls: urls, systems: systems, loader: loader, site: site).answer()
      func helps(_ dictionary: PropertyList.Dictionary) -> Bool {
        let changed = configuration.having(dictionary)
        return loads.allSatisfy { $0.route.judged(by: changed).passes }
      }
      let exception = answer.dictionary
      if answer.outcome == .exception, !configuration.dictionary.isEmpty,
        helps(configuration.dictionary.merging(exception))
      {
        remedy = .adding(exception)
      } else {
        remedy = helps(exception) ? .replacing(exception) : nil
      }
    }
  }
}

extension PropertyList.Dictionary {
  /// Returns the dictionary with the entries of `other`. Dictionaries are merged, and other values are replaced.
  func merging(_ other: PropertyList.Dictionary) -> PropertyList.Dictionary {
    let kept = entries.map { entry -> Entry in
      guard let value = other[entry.key] else { return entry }
      guard let own = entry.value.dictionary, let added = value.dictionary else {
        return Entry(key: entry.key, value: value, place: entry.place)
      }
      return Entry(key: entry.key, value: .dictionary(own.merging(added)), place: entry.place)
    }
    let known = Set(keys)
    return PropertyList.Dictionary(entries: kept + other.entries.filter { !known.contains($0.key) })
  }
}

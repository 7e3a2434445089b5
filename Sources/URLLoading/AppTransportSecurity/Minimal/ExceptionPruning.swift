import Explanation
import Trust

extension AppTransportSecurity {
  /// What of an app's settings no load needs.
  public struct ExceptionPruning: Sendable {
    /// The key paths that can be dropped, all of them together, in the order of the file.
    public let droppable: [String]
    /// What is left.
    public let dictionary: PropertyList.Dictionary

    /// Takes away one key after the other, the largest first, as long as everything that is loaded comes to the same.
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
      func outcomes(_ dictionary: PropertyList.Dictionary) -> [Outcome] {
        let settings = configuration.having(dictionary)
        return routes.map { Outcome($0.judged(by: settings), keepsDemands: site == nil) }
      }
      let wanted = outcomes(configuration.dictionary)
      var (left, dropped) = (configuration.dictionary, [[String]]())
      for path in Self.paths(in: configuration.dictionary) where !dropped.contains(where: { path.starts(with: $0) }) {
        let without = left.removing(path[...])
        guard zip(outcomes(without), wanted).allSatisfy({ $0.keeps($1) }) else { continue }
        left = without
        dropped.append(path)
      }
      droppable = dropped.map { $0.joined(separator: ".") }
      dictionary = left
    }

    /// What one load comes to.
    private struct Outcome {
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

    /// Every key of the settings, whole entries before what is in them.
    private static func paths(in dictionary: PropertyList.Dictionary) -> [[String]] {
      dictionary.entries.flatMap { entry -> [[String]] in
        let below = entry.key == Key.exceptionDomains ? entry.value.dictionary : nil
        let entries = (below?.entries ?? []).flatMap { domain -> [[String]] in
          let keys = (domain.value.dictionary?.entries ?? []).map { [entry.key, domain.key, $0.key] }
          return [[entry.key, domain.key]] + keys
        }
        // Pins and NIAP's levels only add demands, and nobody wants to be told to drop them.
        if entry.key == Key.pinnedDomains || entry.key == Key.requiresNIAP { return [] }
        return [[entry.key]] + entries
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

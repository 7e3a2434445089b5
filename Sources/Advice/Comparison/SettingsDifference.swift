import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// What an app's loads come to by an old property list and by a new one.
  public struct SettingsDifference: Sendable {
    /// What happens to a load.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It was blocked, or refused by pins that no server can meet or that are missing, and passes.
      case newlyAllowed = "newly-allowed"
      /// It passed, and is blocked, or refused by pins that no server can meet or that are missing.
      case newlyBlocked = "newly-blocked"
      /// It passes, and less is demanded of the server.
      case loosened
      /// It passes, and more is demanded.
      case tightened

      /// Whether connections may succeed now that failed before.
      public var opens: Bool { self == .newlyAllowed || self == .loosened }
    }

    /// One load on one system, decided twice.
    public struct Change: Sendable {
      /// What happens to it.
      public let kind: Kind
      /// By the old list.
      public let old: Decision
      /// By the new list.
      public let new: Decision
      /// What is demanded otherwise; empty for loads that pass or do not, unless pins say so.
      public let demands: [DemandChange]
      /// The paths of the keys that bring it about, which differ between the lists.
      fileprivate(set) var paths: [[String]] = []

      /// How well known it is: no better than either decision.
      public var confidence: Finding.Confidence { [old.confidence, new.confidence].gravest }

      /// The same as text.
      public var keys: [String] { paths.map { $0.joined(separator: ".") } }

      /// The same in words; where no key that differs does alone, the one that decided.
      public var key: String {
        if !keys.isEmpty { return keys.joined(separator: ", ") }
        return (new.decider == .byDefault ? old : new).decidedBy
      }
    }

    /// The loads that change, in the order of the hosts.
    public let changes: [Change]
    /// How many loads were decided.
    public let count: Int
    /// A host that neither list names.
    public let otherHost: String
    private let settings: UnexpandedSettings

    /// What nobody knows before build settings are replaced, where the lists differ in it.
    public var doubts: [UnknownSetting] { settings.doubts }

    /// Decides about the hosts that either list names, about one that none names, and about `urls`.
    ///
    /// - Parameters:
    ///   - old: the app's settings before.
    ///   - new: its settings now.
    ///   - urls: what the app is known to load besides.
    ///   - systems: where.
    public init(from old: Configuration, to new: Configuration, urls: [LoadURL], systems: [OSVersion]) {
      settings = UnexpandedSettings(old, new)
      let lists = (old: settings.named(old), new: settings.named(new))
      let areAllChanged =
        old.globals != new.globals || old.linkedSDK != new.linkedSDK || old.requiresPinning != new.requiresPinning
      let hosts = ComparedHosts(lists.old, lists.new, areAllChanged: areAllChanged)
      otherHost = hosts.other
      let loaders = Self.loaders([old.globals, new.globals])
      let changed = ChangedKeys(from: lists.old, to: lists.new)
      var changes: [Change] = []
      var count = 0
      /// Decides about one URL; one of a host of these lists falls under few of their entries.
      func compare(_ url: LoadURL, by near: ChangedKeys.Near, _ decided: (old: Configuration, new: Configuration)) {
        for os in systems {
          for loader in loaders {
            count += 1
            let decisions = (
              decide(Load(url, os: os, loader: loader, linkedSDK: old.linkedSDK), by: decided.old),
              decide(Load(url, os: os, loader: loader, linkedSDK: new.linkedSDK), by: decided.new)
            )
            guard var change = Change(decisions.0, decisions.1) else { continue }
            change.paths = near.changedPaths(behind: change)
            changes.append(change)
          }
        }
      }
      var seen: Set<LoadURL> = []
      for url in urls where seen.insert(url).inserted { compare(url, by: changed.near(url), lists) }
      for host in hosts.names {
        for scheme in ["http", "https"] {
          guard let url = try? LoadURL("\(scheme)://\(host)/"), seen.insert(url).inserted else { continue }
          let near = changed.near(url)
          compare(url, by: near, (near.old, near.new))
        }
      }
      (self.changes, self.count) = (changes, count)
    }

    /// A text of the changes as its reader knows it: with build settings that are not replaced yet.
    public func written(_ text: String) -> String { settings.written(text) }

    /// A URL as its reader knows it: one of any other host says so.
    public func shown(_ url: LoadURL) -> String {
      url.host == otherHost ? "\(url.scheme)://(any other host)/" : written(url.description)
    }

    /// What loads may come to something else with.
    private static func loaders(_ globals: [Configuration.Globals]) -> [Loader] {
      let keys = Key.lifting + [.allowsArbitraryLoadsInMedia]
      return Key.loaders(of: keys.filter { key in globals.contains { $0[key] != nil } })
    }
  }
}

extension AppTransportSecurity.SettingsDifference.Change {
  /// What differs; nil where nothing does.
  init?(_ old: AppTransportSecurity.Decision, _ new: AppTransportSecurity.Decision) {
    let passed = (old.passes, new.passes)
    self.old = old
    self.new = new
    if passed.0 != passed.1 {
      kind = passed.1 ? .newlyAllowed : .newlyBlocked
      let change =
        passed.1
        ? AppTransportSecurity.DemandChange.readmitted(byMissingPins: old.lacksRequiredPins)
        : .shutOut(byMissingPins: new.lacksRequiredPins)
      demands = old.verdict == new.verdict ? [change] : []
      return
    }
    guard passed.0, old.load.url.isSecure else { return nil }
    demands = AppTransportSecurity.DemandChange.all(from: old, to: new)
    guard !demands.isEmpty else { return nil }
    // What loosens weighs more: nobody shall miss it for what is tightened beside it.
    kind = demands.contains(where: \.isLooser) ? .loosened : .tightened
  }
}

extension AppTransportSecurity.Decision {
  /// Whether some server can be loaded from.
  fileprivate var passes: Bool { verdict == .allowed && !isShutOutByPins }
}

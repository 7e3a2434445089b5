import Explanation
import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// The differences between an old and a new property list in their effect on an app's loads.
  public struct SettingsDifference: Sendable {
    /// The way in which a load changes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// The load was blocked or refused by its pins, and is now allowed.
      ///
      /// Pins refuse a load if they are missing, or if no server can match them.
      case newlyAllowed = "newly-allowed"
      /// The load was allowed, and is now blocked or refused by its pins.
      case newlyBlocked = "newly-blocked"
      /// The load is allowed, and its server has fewer requirements.
      case loosened
      /// The load is allowed, and its server has more requirements.
      case tightened

      /// Whether connections that failed before may now succeed.
      public var opens: Bool { self == .newlyAllowed || self == .loosened }
    }

    /// A load on a system whose decision differs between the two lists.
    public struct Change: Sendable {
      /// The way in which the load changes.
      public let kind: Kind
      /// The decision with the old list.
      public let old: Decision
      /// The decision with the new list.
      public let new: Decision
      /// The requirements that changed. For a newly allowed or blocked load, they are present only if pins are the
      /// cause.
      public let demands: [DemandChange]
      /// The paths of the keys that cause the change.
      fileprivate(set) var paths: [[String]] = []

      /// The lower confidence of the two decisions.
      public var confidence: Finding.Confidence { [old.confidence, new.confidence].gravest }

      /// The paths of the keys as text.
      public var keys: [String] { paths.map { $0.joined(separator: ".") } }

      /// The paths of the keys in a single text. If no single key causes the change, the text is the key that decides.
      public var key: String {
        if !keys.isEmpty { return keys.joined(separator: ", ") }
        return (new.decider == .byDefault ? old : new).decidedBy
      }
    }

    /// The changed loads, in the order of the hosts.
    public let changes: [Change]
    /// The number of loads that were decided.
    public let count: Int
    /// A host for which neither list has an entry.
    public let otherHost: String
    private let settings: UnexpandedSettings

    /// The differences that are unknown until build settings are expanded.
    public var doubts: [UnknownSetting] { settings.doubts }

    /// Decides loads from the hosts of both lists, from a host in neither list, and of `urls`.
    ///
    /// - Parameters:
    ///   - old: the app's old settings.
    ///   - new: the app's new settings.
    ///   - urls: other URLs that the app loads.
    ///   - systems: the systems on which the app runs.
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
      /// Decides one URL with only the entries that can apply to its host.
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

    /// Returns a text about the changes for the user, with the unexpanded build settings.
    public func written(_ text: String) -> String { settings.written(text) }

    /// Returns a URL for the user. The host in neither list is described as such.
    public func shown(_ url: LoadURL) -> String {
      url.host == otherHost ? "\(url.scheme)://(any other host)/" : written(url.description)
    }

    /// Returns the loaders for which a load may change.
    private static func loaders(_ globals: [Configuration.Globals]) -> [Loader] {
      let keys = Key.lifting + [.allowsArbitraryLoadsInMedia]
      return Key.loaders(of: keys.filter { key in globals.contains { $0[key] != nil } })
    }
  }
}

extension AppTransportSecurity.SettingsDifference.Change {
  /// Creates the change between two decisions; nil if there is none.
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
    // A looser requirement takes precedence, so that a tightened one does not hide it.
    kind = demands.contains(where: \.isLooser) ? .loosened : .tightened
  }
}

extension AppTransportSecurity.Decision {
  /// Whether a load from some server can succeed.
  fileprivate var passes: Bool { verdict == .allowed && !isShutOutByPins }
}

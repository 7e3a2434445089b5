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
      /// What is demanded otherwise, in words; empty for loads that pass or do not, unless pins say so.
      public let demands: [String]
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
    public var doubts: [String] { settings.doubts }

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
      let isByPins = old.verdict == new.verdict
      demands = isByPins ? [passed.1 ? Self.reopening(old) : Self.shutting(new)] : []
      return
    }
    guard passed.0, old.load.url.isSecure else { return nil }
    let steps = Self.steps(old, new)
    guard !steps.isEmpty else { return nil }
    // What loosens weighs more: nobody shall miss it for what is tightened beside it.
    kind = steps.contains { $0.isLooser } ? .loosened : .tightened
    demands = steps.map(\.words)
  }

  /// What let a load in again that pins shut out.
  private static func reopening(_ old: AppTransportSecurity.Decision) -> String {
    old.lacksRequiredPins ? "refused no more for want of pins" : "pins can be met again"
  }

  /// How pins shut a load out.
  private static func shutting(_ new: AppTransportSecurity.Decision) -> String {
    let reason = new.lacksRequiredPins ? "pins are demanded, and it has none" : "no key meets its pins"
    return "refused after connecting: \(reason)"
  }

  /// A demand that changes, and whether a server may pass by it that did not.
  private typealias Step = (words: String, isLooser: Bool)

  private static func steps(_ old: AppTransportSecurity.Decision, _ new: AppTransportSecurity.Decision) -> [Step] {
    AppTransportSecurity.Demand.all.flatMap { demand -> [Step] in
      switch demand.content {
      case .version(let path): versionSteps(old[keyPath: path], new[keyPath: path])
      // The lists of suites follow from the version, from forward secrecy and from NIAP's level.
      case .cipherSuites: []
      case .flag(let path, let demanded, let waived):
        flagSteps(old[keyPath: path], new[keyPath: path], ((demanded, isLooser: false), (waived, isLooser: true)))
      case .permission(let path, let granted, let withdrawn):
        flagSteps(old[keyPath: path], new[keyPath: path], ((granted, isLooser: true), (withdrawn, isLooser: false)))
      case .niapPackage(let path): niapSteps(old[keyPath: path], new[keyPath: path])
      case .pins(let path): pinSteps(old[keyPath: path], new[keyPath: path])
      }
    }
  }

  private static func versionSteps(_ old: ProtocolVersion?, _ new: ProtocolVersion?) -> [Step] {
    func words(_ version: ProtocolVersion?) -> String { version.map { "\($0) or later" } ?? "any version" }
    if old == new { return [] }
    let isLooser = new.map { later in old.map { later < $0 } ?? false } ?? true
    return [("\(words(old)) → \(words(new))", isLooser)]
  }

  private static func flagSteps(_ old: Bool, _ new: Bool, _ steps: (on: Step, off: Step)) -> [Step] {
    old == new ? [] : [new ? steps.on : steps.off]
  }

  /// What becomes of pins: a list more, and a list of fewer keys, are met by fewer servers.
  private static func pinSteps(
    _ old: AppTransportSecurity.PinnedIdentities?, _ new: AppTransportSecurity.PinnedIdentities?
  ) -> [Step] {
    switch (old, new) {
    case (nil, nil): return []
    case (nil, _?): return [("the server is pinned", false)]
    case (_?, nil): return [("the server is pinned no more", true)]
    case (let old?, let new?):
      // Of what is still to be replaced nobody knows what it is replaced by.
      guard old.unexpanded == new.unexpanded else { return [("other keys are pinned", true)] }
      return listSteps(old.leaf, new.leaf, "leaf") + listSteps(old.authorities, new.authorities, "CA")
    }
  }

  private static func listSteps(_ old: [[UInt8]]?, _ new: [[UInt8]]?, _ whose: String) -> [Step] {
    switch (old.map(Set.init), new.map(Set.init)) {
    case (nil, nil): return []
    case (nil, _?): return [("\(whose) keys are pinned as well", false)]
    case (_?, nil): return [("\(whose) keys are pinned no more", true)]
    case (let old?, let new?):
      if old == new { return [] }
      let counts = "\(new.count) in the place of \(old.count)"
      if new.isSubset(of: old) { return [("fewer \(whose) keys will do: \(counts)", false)] }
      if old.isSubset(of: new) { return [("more \(whose) keys will do: \(counts)", true)] }
      return [("other \(whose) keys are pinned", true)]
    }
  }

  /// What a level of NIAP demands: documentation of NSRequiresNIAPTLSPackageVersion.
  private static func niapSteps(
    _ old: AppTransportSecurity.NIAPPackage?, _ new: AppTransportSecurity.NIAPPackage?
  ) -> [Step] {
    let demand = "in TLS 1.2 an extended master secret, and ECDHE with AES-GCM alone"
    return switch (old, new) {
    case (let old?, nil): [("NIAP's \(old.rawValue) is demanded no more: \(demand)", true)]
    case (nil, let new?): [("NIAP's \(new.rawValue) is demanded: \(demand)", false)]
    case (let old?, let new?) where old != new:
      // What 'recommended' asks for is not public.
      [("NIAP's \(new.rawValue) is demanded in the place of \(old.rawValue)", true)]
    default: []
    }
  }
}

extension AppTransportSecurity.Decision {
  /// Whether some server can be loaded from.
  fileprivate var passes: Bool { verdict == .allowed && !isShutOutByPins }
}

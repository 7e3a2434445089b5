import Explanation
import Trust

extension AppTransportSecurity {
  /// What an app's loads come to by an old property list and by a new one.
  public struct SettingsDifference: Sendable {
    /// What happens to a load.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It was blocked, or refused by pins that no server can meet, and passes.
      case newlyAllowed = "newly-allowed"
      /// It passed, and is blocked, or refused by pins that no server can meet.
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
      /// The keys that bring it about, which differ between the lists.
      public fileprivate(set) var keys: [String] = []

      /// The same in words; where no key that differs does alone, the one that decided.
      public var key: String {
        if !keys.isEmpty { return keys.joined(separator: ", ") }
        return new.decidedBy == "default" ? old.decidedBy : new.decidedBy
      }
    }

    /// The loads that change, in the order of the hosts.
    public let changes: [Change]
    /// How many loads were decided.
    public let count: Int

    /// Decides about the hosts that either list names, about one that none names, and about `urls`.
    ///
    /// - Parameters:
    ///   - old: the app's settings before.
    ///   - new: its settings now.
    ///   - urls: what the app is known to load besides.
    ///   - systems: where.
    public init(from old: Configuration, to new: Configuration, urls: [LoadURL], systems: [OSVersion]) {
      let loads = Self.loads(old, new, urls: urls, systems: systems)
      count = loads.count
      let changed = ChangedKeys(from: old, to: new)
      changes = loads.compactMap { load in
        guard var change = Change(decide(load, by: old), decide(load, by: new)) else { return nil }
        change.keys = changed.keys(behind: change)
        return change
      }
    }

    /// A host that no list names.
    public static let otherHost = "any-other-host.example"

    private static func loads(
      _ old: Configuration, _ new: Configuration, urls: [LoadURL], systems: [OSVersion]
    ) -> [Load] {
      let globals = [old, new].map(\.globals)
      var loaders: [Loader] = [.urlSession]
      if globals.contains(where: { $0.webContent != nil }) { loaders.append(.wkWebView) }
      if globals.contains(where: { $0.media != nil || $0.mediaByEarlyName != nil }) { loaders.append(.avFoundation) }
      let named = hosts(old, new).flatMap { host in ["http", "https"].compactMap { try? LoadURL("\($0)://\(host)/") } }
      var seen: Set<LoadURL> = []
      let all = (urls + named).filter { seen.insert($0).inserted }
      return all.flatMap { url in
        systems.flatMap { os in loaders.map { Load(url, os: os, loader: $0) } }
      }
    }

    /// The hosts that the lists name, as far as they can differ, with one below each that includes subdomains.
    private static func hosts(_ old: Configuration, _ new: Configuration) -> [String] {
      var names: [String] = [otherHost, "printer.local", "203.0.113.1"]
      let isSameForAll = old.globals == new.globals
      let rest = Set([old, new].flatMap { $0.domains.map(\.name) + $0.pinnedDomains.map(\.name) })
      for name in rest.sorted() {
        let isSame = old.domain(named: name) == new.domain(named: name) && pins(old, name) == pins(new, name)
        if isSameForAll, isSame { continue }
        guard let range = AddressRange(name) else {
          names.append(name.contains(":") ? "[\(name)]" : name)
          let isWide = [old, new].contains { list in
            list.domain(named: name)?.includesSubdomains == true
              || list.pinnedDomains.contains { $0.name == name && $0.includesSubdomains }
          }
          if isWide { names.append("www.\(name)") }
          continue
        }
        let address = range.masked.network.description
        names.append(address.contains(":") ? "[\(address)]" : address)
      }
      return names
    }

    private static func pins(_ list: Configuration, _ name: String) -> [PinnedDomain] {
      list.pinnedDomains.filter { $0.name == name }
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
      demands = isByPins ? [passed.1 ? "pins can be met again" : "refused after connecting: no key meets its pins"] : []
      return
    }
    guard passed.0, old.load.url.isSecure else { return nil }
    let steps = Self.steps(old, new)
    guard !steps.isEmpty else { return nil }
    // What loosens weighs more: nobody shall miss it for what is tightened beside it.
    kind = steps.contains { $0.isLooser } ? .loosened : .tightened
    demands = steps.map(\.words)
  }

  private static func steps(
    _ old: AppTransportSecurity.Decision, _ new: AppTransportSecurity.Decision
  ) -> [(words: String, isLooser: Bool)] {
    var steps: [(words: String, isLooser: Bool)] = []
    func words(_ decision: AppTransportSecurity.Decision) -> String {
      decision.requirements.map { "\($0.minimumVersion) or later" } ?? "any version"
    }
    let (before, after) = (old.requirements, new.requirements)
    if before?.minimumVersion != after?.minimumVersion {
      let isLooser = after.map { later in before.map { later.minimumVersion < $0.minimumVersion } ?? false } ?? true
      steps.append(("\(words(old)) → \(words(new))", isLooser))
    }
    let secrecy = (before?.requiresForwardSecrecy ?? false, after?.requiresForwardSecrecy ?? false)
    if secrecy.0 != secrecy.1 {
      steps.append((secrecy.1 ? "forward secrecy is demanded" : "forward secrecy is waived", !secrecy.1))
    }
    if old.trustMayBeLoosened != new.trustMayBeLoosened {
      steps.append(
        (
          new.trustMayBeLoosened
            ? "the app may accept a server that the system does not trust" : "the app may loosen trust no more",
          new.trustMayBeLoosened
        ))
    }
    if old.pinnedIdentities != new.pinnedIdentities {
      switch (old.pinnedIdentities, new.pinnedIdentities) {
      case (nil, _?): steps.append(("the server is pinned", false))
      case (_?, nil): steps.append(("the server is pinned no more", true))
      default: steps.append(("other keys are pinned", true))
      }
    }
    return steps
  }
}

extension AppTransportSecurity.Decision {
  /// Whether some server can be loaded from: pins without a usable key shut every one out.
  fileprivate var passes: Bool { verdict == .allowed && pinnedIdentities?.areMetByNone != true }
}

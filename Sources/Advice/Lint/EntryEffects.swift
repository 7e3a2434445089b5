import Explanation
import Trust
import URLLoading

extension AppTransportSecurity {
  /// Determines the effect of an entry of `NSExceptionDomains` by comparing the decisions with and without it.
  struct EntryEffects {
    enum Effect: Equatable {
      /// The entry changes at least one decision.
      case some
      /// The entry changes no decision. If another entry already has the same effect, `above` is its name.
      case nothing(above: String?)
      /// The entry allows addresses that an app linked with this SDK can load without it.
      case openBySDK(OSVersion)
      /// Without the entry, ATS requires nothing. With it, these systems block plain HTTP.
      case strictness(Reason, blocking: [OSVersion])
      /// With the entry, these systems block plain HTTP to a direct address. Without it, the result is unclear, because
      /// sources disagree.
      case closedAddress(blocking: [OSVersion])
      /// The entry `above` allows plain HTTP to subdomains or to a range of addresses. This more specific entry
      /// replaces it, and does not allow plain HTTP.
      case notMerged(above: String)
    }

    /// The reason why ATS requires nothing without an entry.
    enum Reason: Equatable {
      /// A switch for all domains.
      case key(Key)
      case localName

      var words: String {
        switch self {
        case .key(let key): "\(key.name) is on"
        case .localName: "systems allow local names since iOS 10 and macOS 10.12"
        }
      }

      /// The loader to which the reason applies; nil if it applies to all loads.
      var loader: String? {
        guard case .key(let key) = self else { return nil }
        return switch key.lift {
        case .webContent: "web views"
        case .media: Loader.avFoundation.rawValue
        case .allLoads, .localNames, nil: nil
        }
      }
    }

    /// The decisions about the loads from one host.
    private struct Outcome: Equatable {
      let os: OSVersion
      let plain: Decision.Verdict
      let requirements: Requirements?
      let isRequired: Bool
      let demandsTransparency: Bool
      let standing: Decision.Standing
      var demandsNothing: Bool { plain == .allowed && requirements == nil }
      var isExempt: Bool { if case .notApplicable = standing { true } else { false } }

      static func == (left: Self, right: Self) -> Bool {
        left.plain == right.plain && left.requirements == right.requirements && left.isRequired == right.isRequired
          && left.demandsTransparency == right.demandsTransparency
      }
    }

    private let globals: [PropertyList.Dictionary.Entry]
    private let entries: [String: PropertyList.Dictionary.Entry]
    private let ranges: ListedRanges
    private let systems: [OSVersion]
    private let linkedSDK: OSVersion?
    private let isEverythingAllowed: Bool
    private let isLocalNetworkingDenied: Bool
    /// The effects of entries with ordinary names, by the value of the entry.
    private var ordinary: [PropertyList: Effect] = [:]
    /// The loaders to examine: one that no switch affects, and each one whose switch is on.
    private let loaders: [Loader]

    init(_ configuration: Configuration, _ exceptions: PropertyList.Dictionary, systems: LintSystems) {
      globals = configuration.dictionary.entries.filter { !$0.is(.exceptionDomains) && !$0.is(.pinnedDomains) }
      entries = Dictionary(exceptions.entries.map { ($0.key, $0) }) { _, last in last }
      ranges = ListedRanges(exceptions)
      self.systems = systems.covered
      linkedSDK = systems.linkedSDK
      let set = configuration.globals
      isLocalNetworkingDenied = set.localNetworking == false
      isEverythingAllowed = set.arbitraryLoads == true && Key.turningArbitraryLoadsOff.allSatisfy { set[$0] == nil }
      loaders = Key.loaders(of: Key.lifting.filter { set[$0] == true })
    }

    /// Returns the effect of `entry`. For most ranges of addresses, the result is `some`, because no single host
    /// represents a range.
    mutating func effect(of entry: PropertyList.Dictionary.Entry) -> Effect {
      if let linkedSDK, isOpen(entry, to: linkedSDK) { return .openBySDK(linkedSDK) }
      if entry.key.utf8.contains(UInt8(ascii: "/")) { return .some }
      guard Self.isOrdinary(entry.key), ancestors(of: entry.key).isEmpty else { return worked(out: entry) }
      if let known = ordinary[entry.value] { return known }
      let effect = worked(out: entry)
      ordinary[entry.value] = effect
      return effect
    }

    /// Returns whether an app linked with `sdk` can load from the addresses of `entry` without it.
    ///
    /// See release notes of iOS 17, 101967030.
    ///
    /// The result is false for 127.0.0.1 and other direct addresses, because sources disagree about them. It is also
    /// false if `NSAllowsLocalNetworking` is NO, because the effect of that value is unknown.
    private func isOpen(_ entry: PropertyList.Dictionary.Entry, to sdk: OSVersion) -> Bool {
      guard !systems.isEmpty, !sdk.isAtLeast(iOS: (17, 0), macOS: (14, 0)), !isLocalNetworkingDenied,
        entry.value.dictionary?[.insecureLoads]?.isOn == true
      else { return false }
      if let range = AddressRange(entry.key) { return !Self.direct.contains { range.contains($0) } }
      return IPAddress(entry.key).map { !$0.isDirect } ?? false
    }

    /// The loopback addresses, and a link-local one.
    private static let direct = ["127.0.0.1", "::1", "fe80::1"].compactMap { IPAddress($0) }

    /// Returns whether the name is special only because it has an entry. In apps with thousands of entries, most of
    /// them have equal values.
    private static func isOrdinary(_ name: String) -> Bool {
      let isPlain = name.utf8.allSatisfy { (97...122).contains($0) || (45...57).contains($0) && $0 != 47 }
      guard isPlain, let last = name.split(separator: ".").last, last != name, last != "local",
        last.utf8.contains(where: { $0 >= 97 }), !last.hasPrefix("0x")
      else { return false }
      return !AppTransportSecurity.builtInDomains.contains { name.hasSuffix($0.name) }
    }

    private func worked(out entry: PropertyList.Dictionary.Entry) -> Effect {
      let isWide = entry.value.dictionary?[.includesSubdomains]?.isOn == true && IPAddress(entry.key) == nil
      let hosts = [entry.key] + (isWide ? ["a.\(entry.key)"] : [])
      let above = listed(above: entry.key)
      guard let with = outcomes(hosts, by: above + [entry]), let without = outcomes(hosts, by: above) else {
        return .some
      }
      let wide = above.first {
        AddressRange($0.key) != nil || $0.value.dictionary?[.includesSubdomains]?.isOn == true
      }
      let isAddress = Self.mayBeAddress(entry.key)
      if with == without { return isAddress ? .some : .nothing(above: wide?.key) }
      let changed = zip(with, without).filter { $0 != $1 }
      if changed.allSatisfy({ $0.1.demandsNothing }) {
        let blocked = changed.map(\.0).filter { $0.plain == .blocked }
        let blocking = systems.filter { os in blocked.contains { $0.os == os } }
        if isAddress, !isEverythingAllowed, changed.contains(where: \.1.isExempt) {
          return blocking.isEmpty ? .some : .closedAddress(blocking: blocking)
        }
        if let reason = reason(changed.map(\.1)) { return .strictness(reason, blocking: blocking) }
      }
      if let wide, entry.value.dictionary?[.insecureLoads] == nil,
        with.contains(where: { $0.plain == .blocked }), without.allSatisfy({ $0.plain == .allowed })
      {
        return .notMerged(above: wide.key)
      }
      return .some
    }

    /// Returns whether the entry is for an address, in any spelling.
    ///
    /// Sources disagree about whether addresses need an entry since iOS 17. This concerns both 127.0.0.1 and private
    /// addresses. An entry for an address is therefore reported as unnecessary in only two cases. Either all loads are
    /// allowed, or the app's SDK allows the addresses of other machines.
    private static func mayBeAddress(_ name: String) -> Bool {
      if IPAddress(name) != nil { return true }
      return (try? LoadURL("http://\(name)/"))?.looksLikeAnotherAddress == true
    }

    /// Returns the common reason why nothing is required. A switch for all domains takes precedence over a local name.
    private func reason(_ outcomes: [Outcome]) -> Reason? {
      if isEverythingAllowed { return .key(.allowsArbitraryLoads) }
      return outcomes.first.flatMap(Self.reason)
    }

    private static func reason(_ outcome: Outcome) -> Reason? {
      switch outcome.standing {
      case .lifted(.key(let key)): .key(key)
      case .notApplicable(.localName): .localName
      case .lifted, .notApplicable, .inForce: nil
      }
    }

    /// Returns the system's built-in exception for a parent domain that `entry` replaces.
    ///
    /// The result is nil if a closer entry of the app already replaces that exception.
    func builtIn(above entry: PropertyList.Dictionary.Entry) -> String? {
      let names = AppTransportSecurity.builtInDomains.map(\.name).filter { entry.key.hasSuffix(".\($0)") }
      guard let nearest = names.max(by: { $0.count < $1.count }), entries[nearest] == nil else { return nil }
      let nearer = ancestors(of: entry.key).contains { above in
        above.key.count > nearest.count && above.value.dictionary?[.includesSubdomains]?.isOn == true
      }
      return nearer ? nil : nearest
    }

    /// Returns the entries that may apply to `name` if it has no entry, the nearest first.
    ///
    /// For an address, this is a range; for a name, these are its parent domains. A range never applies to a name, and
    /// a domain never applies to an address.
    private func listed(above name: String) -> [PropertyList.Dictionary.Entry] {
      guard let address = IPAddress(name) else { return ancestors(of: name) }
      return ranges.narrowest(around: address).map { [$0] } ?? []
    }

    /// Returns the entries of the parent domains of `name`, the nearest first.
    private func ancestors(of name: String) -> [PropertyList.Dictionary.Entry] {
      var found: [PropertyList.Dictionary.Entry] = []
      var rest = name[...]
      while let dot = rest.firstIndex(of: ".") {
        rest = rest[rest.index(after: dot)...]
        if let entry = entries[String(rest)] { found.append(entry) }
      }
      return found
    }

    /// Returns the decisions about `hosts` on each system; nil if one of them is not a valid host.
    private func outcomes(_ hosts: [String], by domains: [PropertyList.Dictionary.Entry]) -> [Outcome]? {
      let exceptions = PropertyList.dictionary(.init(entries: domains))
      let settings = globals + [PropertyList.Dictionary.Entry(key: Key.exceptionDomains.name, value: exceptions)]
      let configuration = Configuration(dictionary: .init(entries: settings))
      var outcomes: [Outcome] = []
      for host in hosts {
        let written = host.contains(":") ? "[\(host)]" : host
        guard let plain = try? LoadURL("http://\(written)/"), let secure = try? LoadURL("https://\(written)/") else {
          return nil
        }
        for os in systems {
          for loader in loaders {
            let decision = decide(Load(secure, os: os, loader: loader, linkedSDK: linkedSDK), by: configuration)
            let unsecured = decide(Load(plain, os: os, loader: loader, linkedSDK: linkedSDK), by: configuration)
            outcomes.append(
              Outcome(
                os: os, plain: unsecured.verdict,
                requirements: decision.requirements, isRequired: decision.isRequired,
                demandsTransparency: decision.requiresCertificateTransparency, standing: decision.standing))
          }
        }
      }
      return outcomes
    }
  }
}

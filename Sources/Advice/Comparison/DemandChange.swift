import TLS
import URLLoading

extension AppTransportSecurity {
  /// A demand on a server that two decisions about a load make differently.
  public enum DemandChange: Sendable, Hashable {
    /// A list of pinned keys.
    public enum PinList: Sendable, Hashable {
      case leaf, authorities
    }

    /// How a list of pinned keys differs.
    public enum ListChange: Sendable, Hashable {
      case added, removed
      /// Some of the old keys are left.
      case fewer(count: Int, before: Int)
      /// The old keys are among the new ones.
      case more(count: Int, before: Int)
      case other
    }

    /// The lowest version of TLS; nil for any.
    case version(from: ProtocolVersion?, to: ProtocolVersion?)
    /// A demand or a permission that is newly there, or no longer.
    case flag(DemandFlag, isOn: Bool)
    /// A level of NIAP; nil for none.
    case niapPackage(from: NIAPPackage?, to: NIAPPackage?)
    /// The server is pinned, or no longer.
    case pins(isOn: Bool)
    /// Keys of build settings that are not replaced yet differ.
    case unexpandedPins
    /// One list of keys differs where both decisions have pins.
    case pinList(PinList, ListChange)
    /// The load is no longer refused by pins; whether they were missing, rather than met by no key.
    case readmitted(byMissingPins: Bool)
    /// The load is refused by pins.
    case shutOut(byMissingPins: Bool)

    /// Whether a server may meet the new demand that did not meet the old one.
    var isLooser: Bool {
      switch self {
      case .version(_, nil): true
      case .version(let old, let new?): old.map { new < $0 } ?? false
      case .flag(let flag, let isOn): flag.isPermission == isOn
      case .niapPackage(nil, to: _), .shutOut: false
      // What 'recommended' asks for is not public.
      case .niapPackage, .unexpandedPins, .readmitted: true
      case .pins(let isOn): !isOn
      case .pinList(_, .added), .pinList(_, .fewer): false
      case .pinList(_, .removed), .pinList(_, .more), .pinList(_, .other): true
      }
    }
  }

  /// A build setting that is not replaced yet, and that differs between two lists.
  public enum UnknownSetting: Sendable, Hashable {
    /// It names a host.
    case host(String)
    /// It is in the text at a key path.
    case text(String, path: String)
  }
}

extension AppTransportSecurity.DemandChange {
  /// The demands that differ between two decisions, in the order of the demands.
  static func all(
    from old: AppTransportSecurity.Decision, to new: AppTransportSecurity.Decision
  ) -> [Self] {
    AppTransportSecurity.Demand.all.flatMap { demand -> [Self] in
      switch demand.content {
      case .version(let path): change(old[keyPath: path], new[keyPath: path]) { .version(from: $0, to: $1) }
      // The lists of suites follow from the version, from forward secrecy and from NIAP's level.
      case .cipherSuites: []
      case .flag(let flag, let path): change(old[keyPath: path], new[keyPath: path]) { .flag(flag, isOn: $1) }
      case .niapPackage(let path): change(old[keyPath: path], new[keyPath: path]) { .niapPackage(from: $0, to: $1) }
      case .pins(let path): pins(old[keyPath: path], new[keyPath: path])
      }
    }
  }

  private static func change<Value: Equatable>(_ old: Value, _ new: Value, _ made: (Value, Value) -> Self) -> [Self] {
    old == new ? [] : [made(old, new)]
  }

  /// A list more, and a list of fewer keys, are met by fewer servers.
  private static func pins(
    _ old: AppTransportSecurity.PinnedIdentities?, _ new: AppTransportSecurity.PinnedIdentities?
  ) -> [Self] {
    guard let old, let new else { return change(old != nil, new != nil) { .pins(isOn: $1) } }
    guard old.unexpanded == new.unexpanded else { return [.unexpandedPins] }
    return list(.leaf, old.leaf, new.leaf) + list(.authorities, old.authorities, new.authorities)
  }

  private static func list(_ list: PinList, _ old: [[UInt8]]?, _ new: [[UInt8]]?) -> [Self] {
    switch (old.map(Set.init), new.map(Set.init)) {
    case (nil, nil): return []
    case (nil, _?): return [.pinList(list, .added)]
    case (_?, nil): return [.pinList(list, .removed)]
    case (let old?, let new?):
      if old == new { return [] }
      if new.isSubset(of: old) { return [.pinList(list, .fewer(count: new.count, before: old.count))] }
      if old.isSubset(of: new) { return [.pinList(list, .more(count: new.count, before: old.count))] }
      return [.pinList(list, .other)]
    }
  }
}

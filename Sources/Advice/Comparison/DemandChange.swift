import TLS
import URLLoading

extension AppTransportSecurity {
  /// A requirement for a server that differs between two decisions about a load.
  public enum DemandChange: Sendable, Hashable {
    /// A list of pinned keys.
    public enum PinList: Sendable, Hashable {
      case leaf, authorities
    }

    /// The difference between two lists of pinned keys.
    public enum ListChange: Sendable, Hashable {
      case added, removed
      /// The new list contains only some of the old keys, and no others.
      case fewer(count: Int, before: Int)
      /// The new list contains all of the old keys, and others.
      case more(count: Int, before: Int)
      case other
    }

    /// The minimum version of TLS changed; nil means any version.
    case version(from: ProtocolVersion?, to: ProtocolVersion?)
    /// A requirement or a permission was added or removed.
    case flag(DemandFlag, isOn: Bool)
    /// The NIAP level changed; nil means no level.
    case niapPackage(from: NIAPPackage?, to: NIAPPackage?)
    /// Pins for the server were added or removed.
    case pins(isOn: Bool)
    /// The pins differ, and are unexpanded build settings.
    case unexpandedPins
    /// Both decisions have pins, and one list of keys differs.
    case pinList(PinList, ListChange)
    /// Pins no longer refuse the load. The value is whether they were missing; otherwise, no key matched them.
    case readmitted(byMissingPins: Bool)
    /// Pins now refuse the load. The value is whether they are missing; otherwise, no key matches them.
    case shutOut(byMissingPins: Bool)

    /// Whether a server that did not satisfy the old requirement may satisfy the new one.
    var isLooser: Bool {
      switch self {
      case .version(_, nil): true
      case .version(let old, let new?): old.map { new < $0 } ?? false
      case .flag(let flag, let isOn): flag.isPermission == isOn
      case .niapPackage(nil, to: _), .shutOut: false
      // The requirements of 'recommended' are not public.
      case .niapPackage, .unexpandedPins, .readmitted: true
      case .pins(let isOn): !isOn
      case .pinList(_, .added), .pinList(_, .fewer): false
      case .pinList(_, .removed), .pinList(_, .more), .pinList(_, .other): true
      }
    }
  }

  /// An unexpanded build setting that differs between two lists.
  public enum UnknownSetting: Sendable, Hashable {
    /// The setting is used as the name of a host.
    case host(String)
    /// The setting is part of the text at a key path.
    case text(String, path: String)
  }
}

extension AppTransportSecurity.DemandChange {
  /// Returns the requirements that differ between two decisions, in the usual order of requirements.
  static func all(
    from old: AppTransportSecurity.Decision, to new: AppTransportSecurity.Decision
  ) -> [Self] {
    AppTransportSecurity.Demand.all.flatMap { demand -> [Self] in
      switch demand.content {
      case .version(let path): change(old[keyPath: path], new[keyPath: path]) { .version(from: $0, to: $1) }
      // The lists of suites follow from the version, from forward secrecy and from the NIAP level.
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

  /// Returns the changes of pins. Fewer servers match an additional list, or a list with fewer keys.
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

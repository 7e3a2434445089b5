import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// A dictionary that may allow the loads, with keys for all domains and entries for hosts.
  struct ExceptionCandidate: Sendable, Hashable {
    /// The keys for all domains with the value YES, in alphabetical order.
    var globals: [Key] = []
    /// The entries in alphabetical order of their hosts.
    var entries: [Entry] = []

    struct Entry: Sendable, Hashable {
      let host: String
      let exception: ExceptionDomain.Values
    }

    var dictionary: PropertyList.Dictionary {
      var written = globals.map { PropertyList.Dictionary.Entry(key: $0.name, value: true) }
      if !entries.isEmpty {
        let hosts = entries.map {
          PropertyList.Dictionary.Entry(key: $0.host, value: .dictionary($0.exception.dictionary))
        }
        written.append(.init(key: Key.exceptionDomains.name, value: .dictionary(.init(entries: hosts))))
      }
      return .init(entries: written)
    }

    var configuration: Configuration { Configuration(dictionary: dictionary) }

    /// The number of keys, including hosts.
    var size: Int { globals.count + entries.reduce(0) { $0 + 1 + $1.exception.dictionary.entries.count } }

    func with(_ exception: ExceptionDomain.Values?, for host: String) -> ExceptionCandidate {
      var candidate = self
      if let exception { candidate.entries.append(Entry(host: host, exception: exception)) }
      return candidate
    }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  /// Every combination of keys for all domains with the value YES. The alternative to YES is absence.
  static let globalChoices: [Self] = AppTransportSecurity.Key.globals.filter { $0.lift != nil }.reduce([Self()]) {
    choices, key in
    choices + choices.map { Self(globals: $0.globals + [key]) }
  }

  /// Every possible entry for a host, including no entry.
  static let entryChoices: [AppTransportSecurity.ExceptionDomain.Values?] = {
    let properties = AppTransportSecurity.Key.exceptions.filter(\.weakens).compactMap(\.entryProperty)
    return [nil]
      + properties.reduce([.init()]) { entries, property in
        entries.flatMap { entry in [entry] + property.lowered(entry) }
      }
  }()
}

extension AppTransportSecurity.Key {
  /// Whether a value of the key can weaken the requirements for servers.
  fileprivate var weakens: Bool { if case .weakens = effect { true } else { false } }
}

extension AppTransportSecurity.Key.Property {
  /// Returns `target` with each less strict value, the strictest first.
  fileprivate func lowered(_ target: Target) -> [Target] {
    func setting<Value>(_ path: WritableKeyPath<Target, Value>, _ value: Value) -> Target {
      var target = target
      target[keyPath: path] = value
      return target
    }
    return switch self {
    case .flag(let path, let usual): [setting(path, !usual)]
    case .version(let path): [setting(path, .tls11), setting(path, .tls10)]
    case .niapPackage: []
    }
  }
}

extension AppTransportSecurity.ExceptionDomain.Values {
  /// The number of requirements that the entry weakens.
  var weakenings: Int {
    AppTransportSecurity.Key.exceptions.count { $0.weakens && $0.entryProperty?.isLowered(self) == true }
  }

  /// The number of TLS versions below the default minimum that the entry allows.
  var oldVersions: Int {
    guard let minimumTLSVersion, minimumTLSVersion < .tls12 else { return 0 }
    return minimumTLSVersion < .tls11 ? 2 : 1
  }
}

extension AppTransportSecurity {
  /// The cost of an exception. Each member takes precedence over all later members together.
  struct ExceptionCost: Sendable, Comparable {
    /// The number of unrelated loads that also lose App Transport Security.
    var beyond = 0
    /// The number of loads that pass only under an assumption that no source settles.
    var uncertain = 0
    /// The number of weakened requirements for the requested hosts.
    var weakenings = 0
    /// The number of old TLS versions that are allowed.
    var oldVersions = 0
    /// The number of keys that App Review asks about.
    var reviewed = 0
    /// The number of keys in the dictionary.
    var keys = 0

    /// The maximum number of requirements that one entry can weaken.
    static let allDemands = Key.exceptions.filter(\.weakens).count

    static func < (left: Self, right: Self) -> Bool { left.inOrder.lexicographicallyPrecedes(right.inOrder) }

    private var inOrder: [Int] { [beyond, uncertain, weakenings, oldVersions, reviewed, keys] }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  func cost(on systems: [OSVersion], uncertain: Int) -> AppTransportSecurity.ExceptionCost {
    AppTransportSecurity.ExceptionCost(
      beyond: beyond(on: systems), uncertain: uncertain,
      weakenings: entries.reduce(0) { $0 + $1.exception.weakenings },
      oldVersions: entries.reduce(0) { $0 + $1.exception.oldVersions }, reviewed: reviewed.count, keys: size)
  }

  /// The keys of the dictionary that App Review asks about, without duplicates.
  var reviewed: [AppTransportSecurity.Key] {
    globals.filter { $0.review != .never }
      + AppTransportSecurity.Key.exceptions.filter { key in entries.contains { key.isReviewed(in: $0.exception) } }
  }

  /// Returns the number of sample loads without App Transport Security.
  ///
  /// The samples are loads from a host without an entry, by the app, by a web view and by a media player, on each
  /// system.
  private func beyond(on systems: [OSVersion]) -> Int {
    guard !globals.isEmpty, let url = try? LoadURL("http://elsewhere.invalid/") else { return 0 }
    let configuration = configuration
    let loaders = AppTransportSecurity.Key.loaders(of: AppTransportSecurity.Key.lifting)
    return systems.reduce(0) { sum, os in
      sum
        + loaders.filter { loader in
          guard
            case .lifted = AppTransportSecurity.decide(.init(url, os: os, loader: loader), by: configuration).standing
          else { return false }
          return true
        }.count
    }
  }
}

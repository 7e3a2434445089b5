import TLS
import Trust
import URLLoading

extension AppTransportSecurity {
  /// A dictionary that might let loads through: keys for all domains, and entries for hosts.
  struct ExceptionCandidate: Sendable, Hashable {
    /// The keys for all domains that say YES, in alphabetical order.
    var globals: [Key] = []
    /// Entries by host, in alphabetical order of the hosts.
    var entries: [Entry] = []

    /// A host and its entry.
    struct Entry: Sendable, Hashable {
      let host: String
      let exception: ExceptionDomain.Values
    }

    /// The `NSAppTransportSecurity` dictionary.
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

    /// How many keys it has, hosts included.
    var size: Int { globals.count + entries.reduce(0) { $0 + 1 + $1.exception.dictionary.entries.count } }

    func with(_ exception: ExceptionDomain.Values?, for host: String) -> ExceptionCandidate {
      var candidate = self
      if let exception { candidate.entries.append(Entry(host: host, exception: exception)) }
      return candidate
    }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  /// Every choice of keys for all domains, all of them YES: their absence is the other value.
  static let globalChoices: [Self] = AppTransportSecurity.Key.globals.filter { $0.lift != nil }.reduce([Self()]) {
    choices, key in
    choices + choices.map { Self(globals: $0.globals + [key]) }
  }

  /// Every entry that a host can have, and none.
  static let entryChoices: [AppTransportSecurity.ExceptionDomain.Values?] = {
    let properties = AppTransportSecurity.Key.exceptions.filter(\.weakens).compactMap(\.entryProperty)
    return [nil]
      + properties.reduce([.init()]) { entries, property in
        entries.flatMap { entry in [entry] + property.lowered(entry) }
      }
  }()
}

extension AppTransportSecurity.Key {
  /// Whether its value can take from the demands on servers.
  fileprivate var weakens: Bool { if case .weakens = effect { true } else { false } }
}

extension AppTransportSecurity.Key.Property {
  /// `target` with each value that demands less, the strictest first.
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
  /// How many demands it weakens.
  var weakenings: Int {
    AppTransportSecurity.Key.exceptions.count { $0.weakens && $0.entryProperty?.isLowered(self) == true }
  }

  /// How many releases of TLS older than the usual one it lets in.
  var oldVersions: Int {
    guard let minimumTLSVersion, minimumTLSVersion < .tls12 else { return 0 }
    return minimumTLSVersion < .tls11 ? 2 : 1
  }
}

extension AppTransportSecurity {
  /// What an exception costs; the smallest one costs least. Earlier members weigh more than all later ones together.
  struct ExceptionCost: Sendable, Comparable {
    /// Loads that nobody asked for and that lose App Transport Security too.
    var beyond = 0
    /// Loads that pass only if something is so that no source settles.
    var uncertain = 0
    /// Demands that are weakened for the hosts that were asked for.
    var weakenings = 0
    /// Old versions of TLS that are let in.
    var oldVersions = 0
    /// Keys that App Review asks about.
    var reviewed = 0
    /// Keys that have to be written.
    var keys = 0

    /// As many demands as one entry can weaken.
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

  /// The keys of the dictionary that App Review asks about, each once.
  var reviewed: [AppTransportSecurity.Key] {
    globals.filter { $0.review != .never }
      + AppTransportSecurity.Key.exceptions.filter { key in entries.contains { key.isReviewed(in: $0.exception) } }
  }

  /// How many of the loads that stand for all others go without App Transport Security: of a host that no entry names,
  /// by the app itself, by a web view and by a media player. The engine is asked, system by system.
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

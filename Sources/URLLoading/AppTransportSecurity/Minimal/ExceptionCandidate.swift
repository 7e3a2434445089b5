import TLS

extension AppTransportSecurity {
  /// A dictionary that might let loads through: keys for all domains, and entries for hosts.
  struct ExceptionCandidate: Sendable, Hashable {
    /// The keys for all domains that say YES, in alphabetical order.
    var globals: [String] = []
    /// Entries by host, in alphabetical order of the hosts.
    var entries: [Entry] = []

    /// A host and its entry.
    struct Entry: Sendable, Hashable {
      let host: String
      let exception: ExceptionEntry
    }

    /// The `NSAppTransportSecurity` dictionary.
    var dictionary: PropertyList.Dictionary {
      var written = globals.map { PropertyList.Dictionary.Entry(key: $0, value: true) }
      if !entries.isEmpty {
        let hosts = entries.map {
          PropertyList.Dictionary.Entry(key: $0.host, value: .dictionary($0.exception.dictionary))
        }
        written.append(.init(key: Key.exceptionDomains, value: .dictionary(.init(entries: hosts))))
      }
      return .init(entries: written)
    }

    var configuration: Configuration { Configuration(dictionary: dictionary) }

    /// How many keys it has, hosts included.
    var size: Int { globals.count + entries.reduce(0) { $0 + 1 + $1.exception.dictionary.entries.count } }

    func with(_ exception: ExceptionEntry?, for host: String) -> ExceptionCandidate {
      var candidate = self
      if let exception { candidate.entries.append(Entry(host: host, exception: exception)) }
      return candidate
    }
  }
}

extension AppTransportSecurity.ExceptionCandidate {
  /// Every choice of keys for all domains, all of them YES: their absence is the other value.
  static let globalChoices: [Self] = {
    typealias Key = AppTransportSecurity.Key
    let keys = [
      Key.allowsArbitraryLoads, Key.allowsArbitraryLoadsForMedia, Key.allowsArbitraryLoadsInWebContent,
      Key.allowsLocalNetworking,
    ]
    return keys.reduce([[]]) { choices, key in choices + choices.map { $0 + [key] } }.map { Self(globals: $0) }
  }()

  /// Every entry that a host can have, and none.
  static let entryChoices: [AppTransportSecurity.ExceptionEntry?] = {
    let versions: [ProtocolVersion?] = [nil, .tls11, .tls10]
    let entries = [false, true].flatMap { allowsHTTP in
      versions.flatMap { version in
        [true, false].map { secrecy in
          AppTransportSecurity.ExceptionEntry(
            allowsInsecureHTTPLoads: allowsHTTP, minimumTLSVersion: version, requiresForwardSecrecy: secrecy)
        }
      }
    }
    return [nil] + entries.map(Optional.some)
  }()
}

extension AppTransportSecurity.ExceptionEntry {
  /// How many demands it weakens.
  var weakenings: Int {
    (allowsInsecureHTTPLoads ? 1 : 0) + (minimumTLSVersion.map { $0 < .tls12 } == true ? 1 : 0)
      + (requiresForwardSecrecy ? 0 : 1)
  }

  /// How many releases of TLS older than the usual one it lets in.
  var oldVersions: Int {
    guard let minimumTLSVersion, minimumTLSVersion < .tls12 else { return 0 }
    return minimumTLSVersion < .tls11 ? 2 : 1
  }
}

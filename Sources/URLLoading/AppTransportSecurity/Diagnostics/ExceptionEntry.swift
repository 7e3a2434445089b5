import TLS

extension AppTransportSecurity {
  /// What an entry of `NSExceptionDomains` can weaken, to be written down.
  struct ExceptionEntry: Sendable, Hashable {
    var allowsInsecureHTTPLoads: Bool
    /// The lowest version; nil leaves TLS 1.2.
    var minimumTLSVersion: ProtocolVersion?
    var requiresForwardSecrecy: Bool

    static let insecureLoadsKey = ExceptionDomain.Spelling.plain.insecureLoadsKey
    static let minimumVersionKey = ExceptionDomain.Spelling.plain.minimumVersionKey
    static let forwardSecrecyKey = ExceptionDomain.Spelling.plain.forwardSecrecyKey

    init(
      allowsInsecureHTTPLoads: Bool = false, minimumTLSVersion: ProtocolVersion? = nil,
      requiresForwardSecrecy: Bool = true
    ) {
      self.allowsInsecureHTTPLoads = allowsInsecureHTTPLoads
      self.minimumTLSVersion = minimumTLSVersion
      self.requiresForwardSecrecy = requiresForwardSecrecy
    }

    /// The entry that was written down like this.
    init(_ dictionary: PropertyList.Dictionary?) {
      allowsInsecureHTTPLoads = dictionary?[Self.insecureLoadsKey] == true
      minimumTLSVersion = dictionary?[Self.minimumVersionKey]?.string.flatMap { ProtocolVersion($0) }
      requiresForwardSecrecy = dictionary?[Self.forwardSecrecyKey] != false
    }

    /// The entry, keys in alphabetical order, without those that only say what holds anyway.
    var dictionary: PropertyList.Dictionary {
      var entries: [PropertyList.Dictionary.Entry] = []
      if allowsInsecureHTTPLoads { entries.append(.init(key: Self.insecureLoadsKey, value: true)) }
      if let minimumTLSVersion {
        entries.append(.init(key: Self.minimumVersionKey, value: .string(minimumTLSVersion.description)))
      }
      if !requiresForwardSecrecy { entries.append(.init(key: Self.forwardSecrecyKey, value: false)) }
      return .init(entries: entries)
    }
  }
}

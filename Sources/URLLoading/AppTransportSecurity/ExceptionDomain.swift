import TLS

extension AppTransportSecurity {
  /// One entry of `NSExceptionDomains`.
  public struct ExceptionDomain: Sendable, Hashable {
    /// How a key of an entry is spelt: today's name, or one of two that older systems honour.
    public enum Spelling: String, Sendable, Hashable, CaseIterable {
      case plain = "NSException"
      /// The same meaning, for a domain that the app's developer does not control.
      case thirdParty = "NSThirdPartyException"
      /// The names of the first betas of iOS 9.
      case temporary = "NSTemporaryException"

      /// The name of a key of today in this spelling.
      func name(of key: Key) -> String { rawValue + key.name.dropFirst(Self.plain.rawValue.count) }
    }

    /// The values of the keys that have one spelling; nil where absent or of the wrong type.
    public struct Values: Sendable, Hashable {
      /// `NSIncludesSubdomains`.
      public var includesSubdomains: Bool?
      /// `…AllowsInsecureHTTPLoads`.
      public var allowsInsecureHTTPLoads: Bool?
      /// `…MinimumTLSVersion`; nil also for a version that is none.
      public var minimumTLSVersion: ProtocolVersion?
      /// `…RequiresForwardSecrecy`.
      public var requiresForwardSecrecy: Bool?
      /// `NSRequiresCertificateTransparency`.
      public var requiresCertificateTransparency: Bool?
      /// `NSExceptionRequiresNIAPTLSPackageVersion`; nil also for a level that is none.
      public var niapPackage: NIAPPackage?

      /// No values.
      package init() {}
    }

    /// The key of the entry: a domain, an address or a range of addresses.
    public let name: String
    /// The values by spelling; spellings that are not used are left out.
    public let values: [Spelling: Values]
    /// The range that the name writes, nil when it writes none.
    public let range: AddressRange?
    /// The range that the open engine takes the name for, which for some spellings is another one.
    public let rangeInCode: AddressRange?

    /// The values in today's spelling.
    var current: Values { values[.plain] ?? Values() }
    /// `NSIncludesSubdomains`, NO when absent.
    public var includesSubdomains: Bool { current.includesSubdomains ?? false }
    /// `NSRequiresCertificateTransparency`, NO when absent.
    public var requiresCertificateTransparency: Bool { current.requiresCertificateTransparency ?? false }
    /// `NSExceptionRequiresNIAPTLSPackageVersion`; nil when absent, and for a level that is none.
    public var niapPackage: NIAPPackage? { current.niapPackage }

    /// The path of the entry: `NSExceptionDomains.api.example`.
    public var keyPath: String { "\(Key.exceptionDomains.name).\(name)" }

    package init(name: String, _ dictionary: PropertyList.Dictionary) {
      var values: [Spelling: Values] = [:]
      for entry in dictionary.entries {
        guard let (property, spelling) = Key.entryProperties[entry.key] else { continue }
        property.read(entry.value, into: &values[spelling, default: Values()])
      }
      self.name = name
      self.values = values.filter { $0.value != Values() }
      range = AddressRange(name)
      rangeInCode = AddressRange(asCodeReads: name)
    }

    init(builtIn name: String, minimumTLSVersion: ProtocolVersion) {
      self.name = name
      var values = Values()
      values.includesSubdomains = true
      values.allowsInsecureHTTPLoads = true
      values.minimumTLSVersion = minimumTLSVersion
      values.requiresForwardSecrecy = false
      self.values = [.plain: values]
      (range, rangeInCode) = (nil, nil)
    }
  }

  /// The exceptions that every app has since iOS 18.4 and macOS 15.4; an app's own entry of that name replaces one.
  public static let builtInDomains: [ExceptionDomain] = [
    ExceptionDomain(builtIn: "apple.com", minimumTLSVersion: .tls12),
    ExceptionDomain(builtIn: "ls.apple.com", minimumTLSVersion: .tls10),
    ExceptionDomain(builtIn: "gs.apple.com", minimumTLSVersion: .tls10),
    ExceptionDomain(builtIn: "geo.apple.com", minimumTLSVersion: .tls10),
    ExceptionDomain(builtIn: "is.autonavi.com", minimumTLSVersion: .tls10),
    ExceptionDomain(builtIn: "apple-mapkit.com", minimumTLSVersion: .tls10),
    ExceptionDomain(builtIn: "setup.icloud.com", minimumTLSVersion: .tls12),
  ]
}

extension AppTransportSecurity {
  /// The texts that are read as a version. DTLS counts as the version of TLS that it is made from.
  package static let versions: [String: ProtocolVersion] = [
    "TLSv1.0": .tls10, "TLSv1.1": .tls11, "TLSv1.2": .tls12, "TLSv1.3": .tls13, "DTLSv1.0": .tls11, "DTLSv1.2": .tls12,
  ]
}

extension AppTransportSecurity.ExceptionDomain.Values {
  /// The values that an entry has in today's spelling.
  package init(_ dictionary: PropertyList.Dictionary) {
    self = AppTransportSecurity.ExceptionDomain(name: "", dictionary).current
  }

  /// These values, and those of another spelling where these are absent.
  func filled(from other: Self) -> Self {
    AppTransportSecurity.Key.exceptions.reduce(into: self) { $1.entryProperty?.fill(&$0, from: other) }
  }

  /// The entry with these values, keys in alphabetical order, without defaults.
  package var dictionary: PropertyList.Dictionary {
    let entries = AppTransportSecurity.Key.exceptions.compactMap { key in
      key.entryProperty?.written(self).map { PropertyList.Dictionary.Entry(key: key.name, value: $0) }
    }
    return .init(entries: entries.sorted { $0.key < $1.key })
  }
}

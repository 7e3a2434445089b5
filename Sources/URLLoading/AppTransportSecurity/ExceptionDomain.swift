import TLS

extension AppTransportSecurity {
  /// One entry of `NSExceptionDomains`.
  public struct ExceptionDomain: Sendable, Hashable {
    /// The spelling of an entry's key: the current name, or one of two that older systems honour.
    public enum Spelling: String, Sendable, Hashable, CaseIterable {
      case plain = "NSException"
      /// The spelling for a domain that the app's developer does not control. It has the meaning of the current name.
      case thirdParty = "NSThirdPartyException"
      /// The spelling in the first beta versions of iOS 9.
      case temporary = "NSTemporaryException"

      /// Returns the name of a current key in this spelling.
      func name(of key: Key) -> String { rawValue + key.name.dropFirst(Self.plain.rawValue.count) }
    }

    /// The values of an entry's keys in one spelling. They are nil if they are absent or have the wrong type.
    public struct Values: Sendable, Hashable {
      /// `NSIncludesSubdomains`.
      public var includesSubdomains: Bool?
      /// `…AllowsInsecureHTTPLoads`.
      public var allowsInsecureHTTPLoads: Bool?
      /// `…MinimumTLSVersion`; nil if absent or not a version.
      public var minimumTLSVersion: ProtocolVersion?
      /// `…RequiresForwardSecrecy`.
      public var requiresForwardSecrecy: Bool?
      /// `NSRequiresCertificateTransparency`.
      public var requiresCertificateTransparency: Bool?
      /// `NSExceptionRequiresNIAPTLSPackageVersion`; nil if absent or not a level.
      public var niapPackage: NIAPPackage?

      /// Creates values that are all absent.
      package init() {}
    }

    /// The name of the entry: a domain, an address or a range of addresses.
    public let name: String
    /// The values by spelling. Spellings that the entry does not use are omitted.
    public let values: [Spelling: Values]
    /// The address range that the name describes; nil if it does not describe a range.
    public let range: AddressRange?
    /// The address range that the open-source engine derives from the name, which differs for some spellings.
    public let rangeInCode: AddressRange?

    /// The values in the current spelling.
    var current: Values { values[.plain] ?? Values() }
    /// `NSIncludesSubdomains`; false if absent.
    public var includesSubdomains: Bool { current.includesSubdomains ?? false }
    /// `NSRequiresCertificateTransparency`; false if absent.
    public var requiresCertificateTransparency: Bool { current.requiresCertificateTransparency ?? false }
    /// `NSExceptionRequiresNIAPTLSPackageVersion`; nil if absent or not a level.
    public var niapPackage: NIAPPackage? { current.niapPackage }

    /// The path of the entry, such as `NSExceptionDomains.api.example`.
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

  /// The exceptions of every app since iOS 18.4 and macOS 15.4. An app's own entry replaces the one with the same name.
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
  /// The supported version strings. A DTLS version is treated as the TLS version that it is based on.
  package static let versions: [String: ProtocolVersion] = [
    "TLSv1.0": .tls10, "TLSv1.1": .tls11, "TLSv1.2": .tls12, "TLSv1.3": .tls13, "DTLSv1.0": .tls11, "DTLSv1.2": .tls12,
  ]
}

extension AppTransportSecurity.ExceptionDomain.Values {
  /// Reads an entry's values in the current spelling.
  package init(_ dictionary: PropertyList.Dictionary) {
    self = AppTransportSecurity.ExceptionDomain(name: "", dictionary).current
  }

  /// Returns these values, with missing values taken from another spelling.
  func filled(from other: Self) -> Self {
    AppTransportSecurity.Key.exceptions.reduce(into: self) { $1.entryProperty?.fill(&$0, from: other) }
  }

  /// The entry as a dictionary with these values. Keys are in alphabetical order, and defaults are omitted.
  package var dictionary: PropertyList.Dictionary {
    let entries = AppTransportSecurity.Key.exceptions.compactMap { key in
      key.entryProperty?.written(self).map { PropertyList.Dictionary.Entry(key: key.name, value: $0) }
    }
    return .init(entries: entries.sorted { $0.key < $1.key })
  }
}

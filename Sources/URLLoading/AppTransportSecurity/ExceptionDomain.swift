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
    }

    /// The three keys that have several spellings; nil where absent or of the wrong type.
    public struct Values: Sendable, Hashable {
      /// `…AllowsInsecureHTTPLoads`.
      public var allowsInsecureHTTPLoads: Bool?
      /// `…MinimumTLSVersion`; nil also for a version that is none.
      public var minimumTLSVersion: ProtocolVersion?
      /// `…RequiresForwardSecrecy`.
      public var requiresForwardSecrecy: Bool?
    }

    /// The key of the entry: a domain, an address or a range of addresses.
    public let name: String
    /// `NSIncludesSubdomains`, NO when absent.
    public let includesSubdomains: Bool
    /// `NSRequiresCertificateTransparency`, NO when absent.
    public let requiresCertificateTransparency: Bool
    /// `NSExceptionRequiresNIAPTLSPackageVersion`; nil when absent, and for a level that is none.
    public let niapPackage: NIAPPackage?
    /// The values by spelling; spellings that are not used are left out.
    public let values: [Spelling: Values]
    /// The range that the name writes, nil when it writes none.
    public let range: AddressRange?
    /// The range that the open engine takes the name for, which for some spellings is another one.
    public let rangeInCode: AddressRange?

    /// The path of the entry: `NSExceptionDomains.api.example`.
    public var keyPath: String { "\(Key.exceptionDomains).\(name)" }

    init(name: String, _ dictionary: PropertyList.Dictionary) {
      self.name = name
      includesSubdomains = dictionary.flag(Key.includesSubdomains) ?? false
      requiresCertificateTransparency = dictionary.flag(Key.requiresCertificateTransparency) ?? false
      niapPackage = dictionary.niapPackage(Key.exceptionRequiresNIAP)
      var values: [Spelling: Values] = [:]
      for spelling in Spelling.allCases {
        let read = Values(spelling, dictionary)
        if read != Values() { values[spelling] = read }
      }
      self.values = values
      range = AddressRange(name)
      rangeInCode = AddressRange(asCodeReads: name)
    }

    init(builtIn name: String, minimumTLSVersion: ProtocolVersion) {
      self.name = name
      includesSubdomains = true
      requiresCertificateTransparency = false
      niapPackage = nil
      values = [
        .plain: Values(
          allowsInsecureHTTPLoads: true, minimumTLSVersion: minimumTLSVersion, requiresForwardSecrecy: false)
      ]
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

extension AppTransportSecurity.ExceptionDomain.Values {
  fileprivate init(
    _ spelling: AppTransportSecurity.ExceptionDomain.Spelling, _ dictionary: PropertyList.Dictionary
  ) {
    allowsInsecureHTTPLoads = dictionary.flag(spelling.insecureLoadsKey)
    requiresForwardSecrecy = dictionary.flag(spelling.forwardSecrecyKey)
    minimumTLSVersion = dictionary[spelling.minimumVersionKey]?.string.flatMap { Self.versions[$0] }
  }

  /// What the system reads as a version; a version of DTLS counts as the one of TLS that it is made from.
  static let versions: [String: ProtocolVersion] = [
    "TLSv1.0": .tls10, "TLSv1.1": .tls11, "TLSv1.2": .tls12, "TLSv1.3": .tls13, "DTLSv1.0": .tls11, "DTLSv1.2": .tls12,
  ]
}

extension AppTransportSecurity.ExceptionDomain.Spelling {
  /// The key that allows plain HTTP.
  public var insecureLoadsKey: String {
    switch self {
    case .plain: "NSExceptionAllowsInsecureHTTPLoads"
    case .thirdParty: "NSThirdPartyExceptionAllowsInsecureHTTPLoads"
    case .temporary: "NSTemporaryExceptionAllowsInsecureHTTPLoads"
    }
  }
  /// The key that sets the lowest version of TLS.
  public var minimumVersionKey: String {
    switch self {
    case .plain: "NSExceptionMinimumTLSVersion"
    case .thirdParty: "NSThirdPartyExceptionMinimumTLSVersion"
    case .temporary: "NSTemporaryExceptionMinimumTLSVersion"
    }
  }
  /// The key that demands forward secrecy.
  public var forwardSecrecyKey: String {
    switch self {
    case .plain: "NSExceptionRequiresForwardSecrecy"
    case .thirdParty: "NSThirdPartyExceptionRequiresForwardSecrecy"
    case .temporary: "NSTemporaryExceptionRequiresForwardSecrecy"
    }
  }
}

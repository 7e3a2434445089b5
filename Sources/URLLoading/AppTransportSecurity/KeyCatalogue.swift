extension AppTransportSecurity.Key {
  /// Every key that Apple documents or has documented, and the names that shipped apps mistake for one.
  public static let catalogue: [Self] = roots + globals + exceptions + pins + historical + misspellings

  private static let nine = "iOS 9, macOS 10.11"
  private static let ten = "iOS 10, macOS 10.12"
  private static let fourteen = "iOS 14, macOS 11"
  private static let twentySix = "iOS 26.4, macOS 26.4"

  private static let roots: [Self] = [
    Self(
      name: "NSAppTransportSecurity", level: .root, valueType: "Dictionary", defaultValue: "none", since: nine,
      review: .never, standing: .current,
      meaning: "Changes what App Transport Security demands of the app's connections."),
    Self(
      name: "SecTrustPinningRequired", level: .root, valueType: "Boolean", defaultValue: "NO", since: fourteen,
      review: .never, standing: .current,
      meaning: "Requires pins for every host; undocumented, known from Apple's source."),
  ]

  private static let globals: [Self] = [
    Self(
      name: "NSAllowsArbitraryLoads", level: .global, valueType: "Boolean", defaultValue: "NO", since: nine,
      review: .whenYes, standing: .current,
      meaning: "Removes App Transport Security for every domain that NSExceptionDomains does not list."),
    Self(
      name: "NSAllowsArbitraryLoadsForMedia", level: .global, valueType: "Boolean", defaultValue: "NO", since: ten,
      review: .whenYes, standing: .current,
      meaning: "Removes it for media loaded through AVFoundation; its presence turns NSAllowsArbitraryLoads off."),
    Self(
      name: "NSAllowsArbitraryLoadsInWebContent", level: .global, valueType: "Boolean", defaultValue: "NO",
      since: ten, review: .whenYes, standing: .current,
      meaning: "Removes it for requests made from web views; its presence turns NSAllowsArbitraryLoads off."),
    Self(
      name: "NSAllowsLocalNetworking", level: .global, valueType: "Boolean", defaultValue: "NO", since: ten,
      review: .never, standing: .current,
      meaning: "Allows loads of local resources; its presence turns NSAllowsArbitraryLoads off."),
    Self(
      name: "NSExceptionDomains", level: .global, valueType: "Dictionary", defaultValue: "none", since: nine,
      review: .never, standing: .current,
      meaning: "Settings by domain; a listed domain ignores every global key, even when its entry is empty."),
    Self(
      name: "NSPinnedDomains", level: .global, valueType: "Dictionary", defaultValue: "none", since: fourteen,
      review: .never, standing: .current,
      meaning: "The identities that a chain must contain, by domain."),
    Self(
      name: "NSRequiresNIAPTLSPackageVersion", level: .global, valueType: "String", defaultValue: "none",
      since: twentySix, review: .never, standing: .current,
      meaning: "Demands the stricter profile of NIAP for all connections: none, FCP_v2.1 or recommended."),
  ]

  private static let exceptions: [Self] = [
    Self(
      name: "NSIncludesSubdomains", level: .exceptionDomain, valueType: "Boolean", defaultValue: "NO", since: nine,
      review: .never, standing: .current, meaning: "Extends the entry to subdomains."),
    Self(
      name: "NSExceptionAllowsInsecureHTTPLoads", level: .exceptionDomain, valueType: "Boolean",
      defaultValue: "NO", since: nine, review: .whenYes, standing: .current,
      meaning: "Allows plain HTTP to the domain, and lets the app loosen server trust there."),
    Self(
      name: "NSExceptionMinimumTLSVersion", level: .exceptionDomain, valueType: "String", defaultValue: "TLSv1.2",
      since: nine, review: .whenLowered, standing: .current,
      meaning: "The lowest version of TLS: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3. It does not change the suites."),
    Self(
      name: "NSExceptionRequiresForwardSecrecy", level: .exceptionDomain, valueType: "Boolean",
      defaultValue: "YES", since: nine, review: .never, standing: .current,
      meaning: "NO adds suites with RSA key exchange, which have no forward secrecy."),
    Self(
      name: "NSRequiresCertificateTransparency", level: .exceptionDomain, valueType: "Boolean", defaultValue: "NO",
      since: ten, review: .never, standing: .obsolete,
      meaning: "Demanded certificate transparency before it became universal; ignored now."),
    Self(
      name: "NSExceptionRequiresNIAPTLSPackageVersion", level: .exceptionDomain, valueType: "String",
      defaultValue: "none", since: twentySix, review: .never, standing: .current,
      meaning: "The profile of NIAP for the domain; none opts it out of the global one."),
  ]

  private static let pins: [Self] = [
    Self(
      name: "NSIncludesSubdomains", level: .pinnedDomain, valueType: "Boolean", defaultValue: "NO",
      since: fourteen, review: .never, standing: .current,
      meaning: "Extends the pins to names with exactly one label more."),
    Self(
      name: "NSPinnedCAIdentities", level: .pinnedDomain, valueType: "Array", defaultValue: "none",
      since: fourteen, review: .never, standing: .current,
      meaning: "One certificate of the chain above the leaf must have one of these keys."),
    Self(
      name: "NSPinnedLeafIdentities", level: .pinnedDomain, valueType: "Array", defaultValue: "none",
      since: fourteen, review: .never, standing: .current, meaning: "The leaf must have one of these keys."),
    Self(
      name: "SPKI-SHA256-BASE64", level: .pinnedIdentity, valueType: "String", defaultValue: "none",
      since: fourteen, review: .never, standing: .current,
      meaning: "Base64 of the SHA-256 of the DER SubjectPublicKeyInfo."),
  ]

  private static let historical: [Self] =
    [
      Self(
        name: "NSAllowsArbitraryLoadsInMedia", level: .global, valueType: "Boolean", defaultValue: "NO",
        since: "early documentation of iOS 10", review: .never,
        standing: .historical(use: "NSAllowsArbitraryLoadsForMedia"),
        meaning: "Has no effect that is known, and does not turn NSAllowsArbitraryLoads off either.")
    ]
    + ["NSThirdPartyException", "NSTemporaryException"].flatMap { prefix in
      exceptions.filter { $0.name.hasPrefix("NSException") && !$0.name.contains("NIAP") }.map { key in
        Self(
          name: prefix + key.name.dropFirst("NSException".count), level: .exceptionDomain,
          valueType: key.valueType, defaultValue: key.defaultValue, since: nine, review: key.review,
          standing: .historical(use: key.name),
          meaning: "The same as \(key.name) on older systems. Apple's open engine (iOS 18.4, macOS 15.4) does not "
            + "read it; whether closed code still translates it is unknown.")
      }
    }

  private static let misspellings: [Self] = [
    ("NSAllowArbitraryLoads", Level.global, "NSAllowsArbitraryLoads"),
    ("NSExceptionAllowInsecureHTTPLoads", .exceptionDomain, "NSExceptionAllowsInsecureHTTPLoads"),
    ("NSTemporaryExceptionAllowInsecureHTTPLoads", .exceptionDomain, "NSExceptionAllowsInsecureHTTPLoads"),
    ("NSExceptionAllowsLocalNetworking", .exceptionDomain, nil),
  ].map { name, level, meant in
    Self(
      name: name, level: level, valueType: "Boolean", defaultValue: "none", since: "never",
      review: .never, standing: .misspelling(use: meant), meaning: "Not a key: it is ignored.")
  }
}

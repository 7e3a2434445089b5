import Explanation

extension Rule {
  /// The load uses HTTPS, or an exception allows plain HTTP.
  public static let atsInsecureHTTP = Rule(
    .ats, "insecure-http", "A load must use HTTPS, unless the app's settings allow plain HTTP.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Serve the resource over https and use that URL. If that is not possible, set "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES; App Review asks for a justification.")

  /// The key exchange is ECDHE, whose keys exist only during the connection.
  public static let atsNoForwardSecrecy = Rule(
    .ats, "no-forward-secrecy", "The key exchange must be ECDHE, not RSA or finite-field DHE.",
    .apple("NSExceptionRequiresForwardSecrecy"),
    fix: "Enable an ECDHE suite with AES on the server: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 for TLS 1.2, or "
      + "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA for an earlier version. If that is not possible, set "
      + "NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO, which allows RSA key exchange, but not DHE.")

  /// The version is at least TLS 1.2, or the minimum version in the domain's entry.
  public static let atsTLSVersion = Rule(
    .ats, "tls-version", "The TLS version must be at least 1.2, or at least the minimum in the domain's entry.",
    .apple("NSExceptionMinimumTLSVersion"),
    fix: "Enable TLS 1.2 and 1.3 on the server. If that is not possible, set "
      + "NSExceptionDomains.HOST.NSExceptionMinimumTLSVersion = the server's version. App Review asks for a "
      + "justification of a version below TLSv1.2.")

  /// The suite is one that the system offers under App Transport Security.
  public static let atsCipherSuite = Rule(
    .ats, "cipher-suite",
    "The cipher suite must be one that App Transport Security offers, with AES or "
      + "ChaCha20-Poly1305.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Enable AES-GCM suites on the server, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256. No exception adds other "
      + "ciphers. NSAllowsArbitraryLoads = YES removes the restriction; App Review asks for a justification.")

  /// The server's own key is long enough.
  public static let atsKeySize = Rule(
    .ats, "key-size", "The server's key must be an RSA key of at least 2048 bits or an EC key of at least 256 bits.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again for an RSA key of 2048 bits or a P-256 key. According to the "
      + "documentation, NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO also removes this check.")

  /// The server's certificate is signed with SHA-2.
  public static let atsLeafHash = Rule(
    .ats, "leaf-hash", "The signature of the server's certificate must use SHA-256 or a longer SHA-2 hash.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again with SHA-256. On iOS 9 and OS X El Capitan, "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES also removes this requirement. On later "
      + "systems, only NSAllowsArbitraryLoads = YES removes it, for a host without an entry; App Review asks for a "
      + "justification.")

  /// The app accepts only servers that the system trusts.
  public static let atsTrustLoosening = Rule(
    .ats, "trust-loosening", "An app must not accept a server that the system does not trust.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Present a certificate for this host that the system trusts. If only its root is unknown, install the root on "
      + "the client. If the app must make the trust decision, set "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES; App Review asks for a justification.")

  /// The server delivers SCTs for its certificate. Later systems require them for every app.
  public static let atsCertificateTransparency = Rule(
    .ats, "certificate-transparency", "The certificate must come with signed certificate timestamps (SCTs).",
    .apple("NSRequiresCertificateTransparency"),
    fix: "Use a certificate with embedded SCTs. NSRequiresCertificateTransparency is obsolete: remove it.",
    implies: ["chain.certificate-transparency"])

  /// The rules of App Transport Security.
  public static let urlLoading: [Rule] = [
    .atsInsecureHTTP, .atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite, .atsKeySize, .atsLeafHash,
    .atsTrustLoosening,
    .atsCertificateTransparency,
  ]

  /// Returns the rule with a fix for `load`. The fix names the load's host instead of HOST, and no exception if the
  /// system allows none, or if the app already has one.
  public func helping(
    _ load: AppTransportSecurity.Load, _ profile: AppTransportSecurity.Profile, isExcepted: Bool = false
  ) -> Rule {
    guard let remedy = Self.remedies[fix] else { return self }
    guard !isExcepted || remedy.onServer.isEmpty else { return fixed(by: remedy.onServer) }
    let isListable = load.url.address == nil || profile.addresses != .blocked
    return fixed(by: isListable ? remedy.aroundHost.joined(separator: load.url.host) : remedy.withoutEntry)
  }

  /// The fixes of rules that an exception can lift, by the original `fix` of the rule.
  ///
  /// One form of the fix is split at HOST. Another is for loads that cannot have an entry, and the last one only fixes
  /// the server. Every decision about plain HTTP needs a fix, so all of them are computed once.
  private static let remedies: [String: (aroundHost: [String], withoutEntry: String, onServer: String)] = {
    var remedies: [String: (aroundHost: [String], withoutEntry: String, onServer: String)] = [:]
    for fix in urlLoading.map(\.fix) {
      guard let place = fix.firstRange(of: "NSExceptionDomains.HOST") else { continue }
      // The sentences before the key explain how to fix the server.
      let server = fix[..<place.lowerBound].lastIndex(of: ".").map { fix[...$0] } ?? ""
      remedies[fix] = (
        fix.split(separator: "HOST", omittingEmptySubsequences: false).map(String.init), "\(server) \(noEntry)",
        String(server)
      )
    }
    return remedies
  }()

  private static let noEntry =
    "iOS 9 and OS X 10.11 do not support exceptions for addresses: set NSAllowsArbitraryLoads = YES; App Review asks "
    + "for a justification."
}

extension AppTransportSecurity.Decision {
  /// The fix for a suite that `NSAllowsArbitraryLoads` would not allow; nil if it would.
  ///
  /// The key has no effect if a NIAP level forbids the suite, or if the host has its own entry.
  fileprivate var suiteFix: String? {
    let server = "Enable AES-GCM suites on the server, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256."
    if let niapDemand {
      return "\(server) \(niapDemand.keyPath) allows no other suites of TLS 1.2. If the host does not need this level, "
        + "set NSExceptionDomains.\(load.url.host).NSExceptionRequiresNIAPTLSPackageVersion = none."
    }
    return entryName.map {
      "\(server) No exception adds other ciphers, and NSAllowsArbitraryLoads does not apply to \($0), which has its own "
        + "entry."
    }
  }
}

extension Finding {
  /// Returns the finding. If it is a violation, its rule gets a fix for the load of `decision`.
  func helping(_ decision: AppTransportSecurity.Decision) -> Finding {
    guard outcome == .violated else { return self }
    let isExcepted = weight == .overridden(by: .exception)
    if !isExcepted, rule == .atsCipherSuite, let fix = decision.suiteFix { return of(rule.fixed(by: fix)) }
    return of(rule.helping(decision.load, decision.profile, isExcepted: isExcepted))
  }
}

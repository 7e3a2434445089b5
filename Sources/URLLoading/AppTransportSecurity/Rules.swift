import Explanation

extension Rule {
  /// The load uses HTTPS, or an exception allows plain HTTP.
  public static let atsInsecureHTTP = Rule(
    .ats, "insecure-http", "A load must use HTTPS, unless the app excepts the domain.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Serve the resource over https and use that URL. If the server cannot, set "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES; App Review asks about it.")

  /// The key exchange is ECDHE, whose keys exist only during the connection.
  public static let atsNoForwardSecrecy = Rule(
    .ats, "no-forward-secrecy", "The key exchange must be ECDHE; RSA and finite-field DHE do not count.",
    .apple("NSExceptionRequiresForwardSecrecy"),
    fix: "Turn on an ECDHE suite with AES on the server: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 for TLS 1.2, "
      + "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA for an older version. If the server cannot, set "
      + "NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO "
      + "(it adds RSA key exchange, never DHE).")

  /// The version is at least TLS 1.2, or the minimum version in the domain's entry.
  public static let atsTLSVersion = Rule(
    .ats, "tls-version", "The version must be TLS 1.2 or later, or the minimum that the domain's entry sets.",
    .apple("NSExceptionMinimumTLSVersion"),
    fix: "Turn on TLS 1.2 and 1.3 on the server. If the server cannot, set "
      + "NSExceptionDomains.HOST.NSExceptionMinimumTLSVersion = the server's version. App Review asks about it "
      + "if it is lower than TLSv1.2.")

  /// The suite is one that the system offers under App Transport Security.
  public static let atsCipherSuite = Rule(
    .ats, "cipher-suite", "The suite must be one that App Transport Security offers: AES or ChaCha20-Poly1305.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Turn on AES-GCM suites on the server, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256. "
      + "No key adds other ciphers. NSAllowsArbitraryLoads = YES lifts the restriction; App Review asks about it.")

  /// The server's own key is long enough.
  public static let atsKeySize = Rule(
    .ats, "key-size", "The server's key must be RSA of at least 2048 bits or on a curve of at least 256 bits.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again for an RSA key of 2048 bits or a P-256 key. By the documentation, "
      + "NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO also removes this check.")

  /// The server's certificate is signed with SHA-2.
  public static let atsLeafHash = Rule(
    .ats, "leaf-hash", "The server's certificate must be signed with SHA-2 of at least 256 bits.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again with SHA-256. On iOS 9 and OS X El Capitan, "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES lifts the rule too. For later systems, only "
      + "NSAllowsArbitraryLoads = YES lifts it; App Review asks about it.")

  /// The app accepts only servers that the system trusts.
  public static let atsTrustLoosening = Rule(
    .ats, "trust-loosening", "An app must not accept a server that the system does not trust.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Present a certificate for this host that the system trusts. If only its root is unknown, install the root on "
      + "the client. If the app must decide itself, set "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES; App Review asks about it.")

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
  /// system allows none.
  public func helping(_ load: AppTransportSecurity.Load, _ profile: AppTransportSecurity.Profile) -> Rule {
    guard let remedy = Self.remedies[fix] else { return self }
    let isListable = load.url.address == nil || profile.addresses != .blocked
    return fixed(by: isListable ? remedy.aroundHost.joined(separator: load.url.host) : remedy.withoutEntry)
  }

  /// The fixes of rules that an exception can lift, by the original `fix` of the rule.
  ///
  /// One form of the fix is split at HOST. The other is for loads that cannot have an entry. Every decision about plain
  /// HTTP needs a fix, so all of them are computed once.
  private static let remedies: [String: (aroundHost: [String], withoutEntry: String)] = {
    var remedies: [String: (aroundHost: [String], withoutEntry: String)] = [:]
    for fix in urlLoading.map(\.fix) {
      guard let place = fix.firstRange(of: "NSExceptionDomains.HOST") else { continue }
      // The sentences before the key say how to fix the server.
      let server = fix[..<place.lowerBound].lastIndex(of: ".").map { fix[...$0] } ?? ""
      remedies[fix] = (
        fix.split(separator: "HOST", omittingEmptySubsequences: false).map(String.init), "\(server) \(noEntry)"
      )
    }
    return remedies
  }()

  private static let noEntry =
    "iOS 9 and OS X 10.11 have no exceptions for addresses: only NSAllowsArbitraryLoads = YES allows one; "
    + "App Review asks about it."
}

extension Finding {
  /// Returns the finding. If it is a violation, its rule gets a fix for the load of `decision`.
  func helping(_ decision: AppTransportSecurity.Decision) -> Finding {
    outcome == .violated ? of(rule.helping(decision.load, decision.profile)) : self
  }
}

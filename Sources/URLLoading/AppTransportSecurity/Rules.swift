import Explanation

extension Rule {
  /// Plain HTTP is not loaded.
  public static let atsInsecureHTTP = Rule(
    .ats, "insecure-http", "A load must use HTTPS, unless the app excepts the domain.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Serve the resource over https and use that URL. Where the server cannot: "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES, which App Review asks about.")

  /// ECDHE, whose keys are gone when the connection is.
  public static let atsNoForwardSecrecy = Rule(
    .ats, "no-forward-secrecy", "The key exchange must be ECDHE; RSA and finite-field DHE do not count.",
    .apple("NSExceptionRequiresForwardSecrecy"),
    fix: "Turn on an ECDHE suite with AES on the server: TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 for TLS 1.2, "
      + "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA for an older version. Where that cannot be: "
      + "NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO "
      + "(it adds RSA key exchange, never DHE).")

  /// TLS 1.2, unless the entry says otherwise.
  public static let atsTLSVersion = Rule(
    .ats, "tls-version", "The version must be TLS 1.2 or later, or what the domain's entry sets.",
    .apple("NSExceptionMinimumTLSVersion"),
    fix: "Turn on TLS 1.2 and 1.3 on the server. Where that cannot be: "
      + "NSExceptionDomains.HOST.NSExceptionMinimumTLSVersion = the server's version, which App Review asks about "
      + "when it is lower than TLSv1.2.")

  /// A suite of the list that the system offers.
  public static let atsCipherSuite = Rule(
    .ats, "cipher-suite", "The suite must be one that App Transport Security offers: AES or ChaCha20-Poly1305.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Turn on AES-GCM suites on the server, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256. "
      + "No key adds other ciphers; NSAllowsArbitraryLoads = YES lifts the list, which App Review asks about.")

  /// The server's own key is long enough.
  public static let atsKeySize = Rule(
    .ats, "key-size", "The server's key must be RSA of at least 2048 bits or on a curve of at least 256 bits.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again for an RSA key of 2048 bits or a P-256 key. By the documentation "
      + "NSExceptionDomains.HOST.NSExceptionRequiresForwardSecrecy = NO also removes this check.")

  /// The certificate's signature uses SHA-2.
  public static let atsLeafHash = Rule(
    .ats, "leaf-hash", "The server's certificate must be signed with SHA-2 of at least 256 bits.",
    .apple("Preventing Insecure Network Connections"),
    fix: "Have the certificate issued again with SHA-256. On iOS 9 and OS X El Capitan, "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES lifts the rule too. Later systems have no key "
      + "of an entry for it: only NSAllowsArbitraryLoads = YES does it, which App Review asks about.")

  /// Nobody accepts what the system does not trust.
  public static let atsTrustLoosening = Rule(
    .ats, "trust-loosening", "An app must not accept a server that the system does not trust.",
    .apple("NSExceptionAllowsInsecureHTTPLoads"),
    fix: "Present a certificate for this host that the system trusts. If only its root is unknown, install the root on "
      + "the client. Where the app must decide itself: "
      + "NSExceptionDomains.HOST.NSExceptionAllowsInsecureHTTPLoads = YES, which App Review asks about.")

  /// The demand that became universal.
  public static let atsCertificateTransparency = Rule(
    .ats, "certificate-transparency", "The certificate must come with signed certificate timestamps.",
    .apple("NSRequiresCertificateTransparency"),
    fix: "Take a certificate with embedded timestamps. NSRequiresCertificateTransparency is obsolete: remove it.",
    implies: ["chain.certificate-transparency"])

  /// The rules of App Transport Security.
  public static let urlLoading: [Rule] = [
    .atsInsecureHTTP, .atsTLSVersion, .atsNoForwardSecrecy, .atsCipherSuite, .atsKeySize, .atsLeafHash,
    .atsTrustLoosening,
    .atsCertificateTransparency,
  ]

  /// The same rule, with what helps `load`: its host for HOST, and no exception where there cannot be one.
  public func helping(_ load: AppTransportSecurity.Load, _ profile: AppTransportSecurity.Profile) -> Rule {
    guard let remedy = Self.remedies[fix] else { return self }
    let isListable = load.url.address == nil || profile.addresses != .blocked
    return fixed(by: isListable ? remedy.aroundHost.joined(separator: load.url.host) : remedy.withoutEntry)
  }

  /// What helps against the rules that an entry lifts, by the words of `fix`: without the host, and where there are no
  /// entries. Every decision about plain HTTP asks for one.
  private static let remedies: [String: (aroundHost: [String], withoutEntry: String)] = {
    var remedies: [String: (aroundHost: [String], withoutEntry: String)] = [:]
    for fix in urlLoading.map(\.fix) {
      guard let place = fix.firstRange(of: "NSExceptionDomains.HOST") else { continue }
      // What is to be done about the server stands in the sentences before.
      let server = fix[..<place.lowerBound].lastIndex(of: ".").map { fix[...$0] } ?? ""
      remedies[fix] = (
        fix.split(separator: "HOST", omittingEmptySubsequences: false).map(String.init), "\(server) \(noEntry)"
      )
    }
    return remedies
  }()

  private static let noEntry =
    "iOS 9 and OS X 10.11 have no exceptions for addresses: only NSAllowsArbitraryLoads = YES lets one through, "
    + "which App Review asks about."
}

extension Finding {
  /// The same finding; where it is a violation its rule says what helps the load of `decision`.
  func helping(_ decision: AppTransportSecurity.Decision) -> Finding {
    outcome == .violated ? of(rule.helping(decision.load, decision.profile)) : self
  }
}

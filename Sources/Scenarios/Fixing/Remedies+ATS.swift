import Explanation
import Trust
import URLLoading

// The remedies for the fixes of App Transport Security.
extension Remedy {
  static let ats: [Remedy] = [
    Remedy(.atsInsecureHTTP, says: "Serve the resource over https and use that URL", by: servingHTTPS),
    Remedy(
      .atsInsecureHTTP, .atsTrustLoosening, says: ".NSExceptionAllowsInsecureHTTPLoads = YES", by: allowingInsecureLoads
    ),
    Remedy(
      .atsInsecureHTTP, .atsTrustLoosening, .atsLeafHash, .atsCipherSuite, says: "NSAllowsArbitraryLoads = YES",
      by: allowingAll),
    Remedy(.atsTLSVersion, says: "Enable TLS 1.2 and 1.3 on the server", by: newerVersion),
    Remedy(.atsTLSVersion, says: ".NSExceptionMinimumTLSVersion = the server's version") { c throws(NotPlayable) in
      try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSExceptionMinimumTLSVersion", c.found)
    },
    Remedy(.atsNoForwardSecrecy, says: "Enable an ECDHE suite with AES on the server") { c in
      let isOld = c.server("versions")?.words.contains("TLSv1.2") != true
      let suite = isOld ? "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA" : "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
      return [c.serverList("cipherSuites", adding: suite, first: true)]
    },
    Remedy(.atsNoForwardSecrecy, says: ".NSExceptionRequiresForwardSecrecy = NO") { c throws(NotPlayable) in
      try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSExceptionRequiresForwardSecrecy", "false")
    },
    Remedy(.atsCipherSuite, says: "Enable AES-GCM suites on the server") { c in
      [c.serverList("cipherSuites", adding: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", first: true)]
    },
    Remedy(.atsCipherSuite, says: ".NSExceptionRequiresNIAPTLSPackageVersion = none") { c throws(NotPlayable) in
      try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSExceptionRequiresNIAPTLSPackageVersion", "none")
    },
    Remedy(.atsKeySize, says: "RSA key of 2048 bits", by: key("rsa-2048", "RSA")),
    Remedy(.atsKeySize, says: "a P-256 key", by: key("ec-p256", "ECDSA")),
    Remedy(.atsKeySize, says: "According to the documentation") { c throws(NotPlayable) in
      guard c.client("os").text == "doc" else { return [] }
      return try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSExceptionRequiresForwardSecrecy", "false")
    },
    Remedy(.keySize, says: "at least 2048 bits (RSA)", by: key("rsa-2048", "RSA")),
    Remedy(.keySize, says: "256 bits (elliptic curve)", by: key("ec-p256", "ECDSA")),
    Remedy(.keyAlgorithm, says: "RSA of at least 2048 bits", by: key("rsa-2048", "RSA")),
    Remedy(.keyAlgorithm, says: "elliptic-curve on P-256", by: key("ec-p256", "ECDSA")),
    Remedy(.atsLeafHash, says: "Have the certificate issued again with SHA-256", by: longerHash),
    Remedy(bothSides: .weakSignature, says: "Have the certificate issued again with SHA-256", by: longerHash),
    Remedy(.atsLeafHash, says: "On iOS 9 and OS X El Capitan", by: allowingInsecureLoads),
    Remedy(.atsTrustLoosening, says: "Present a certificate for this host that the system trusts", by: trustedChain),
    Remedy(.atsTrustLoosening, says: "install the root on the client", by: installingRootAlone),
    Remedy(.atsCertificateTransparency, .certificateTransparency, says: "embedded SCTs", by: timestamps),
    Remedy(.atsCertificateTransparency, .certificateTransparency, says: "SCTs from at least", by: timestamps),
    Remedy(.certificateTransparency, says: "embeds enough SCTs", by: timestamps),
    Remedy(.atsCertificateTransparency, says: "NSRequiresCertificateTransparency is obsolete: remove it") {
      c throws(NotPlayable) in
      try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSRequiresCertificateTransparency", "null")
    },
  ]

  /// Changes the scheme of every URL to https, and adds the host to the names of the server's certificate.
  @Sendable private static func servingHTTPS(_ c: FixContext) throws(NotPlayable) -> [String] {
    let old = "http://\(c.host)"
    let lines = c.urls { url in
      let bare = url.replacing(/\/\/[^@\/]*@/, with: "//")
      let rest = bare.dropFirst(old.count)
      guard bare.hasPrefix(old), rest.first.map("/?#:".contains) != false else { return nil }
      return "https" + url.dropFirst(4).replacing(/:80(?=\/|$)/, with: "")
    }
    if lines.isEmpty { throw NotPlayable("the scenario has no text with this URL") }
    return lines + (try certifying(c.host, c))
  }

  /// Returns the lines that add the host to the names of its server's certificate.
  private static func certifying(_ host: String, _ c: FixContext) throws(NotPlayable) -> [String] {
    let first = c.server("presents")?.items?.first
    guard let name = first?.text ?? first?.items?.first?.text else { return [] }
    let names = try c.entry(name).node["names"]
    return names?.words.contains(host) == true
      ? [] : ["\(try c.setting("names", of: name)) = \(Node.flow(names, adding: host))"]
  }

  @Sendable private static func allowingInsecureLoads(_ c: FixContext) throws(NotPlayable) -> [String] {
    if c.finding.rule == .atsLeafHash, c.os != OSVersion("iOS 9"), c.os != OSVersion("macOS 10.11") { return [] }
    return try c.propertyList("NSExceptionDomains.\(c.host.inQuotes).NSExceptionAllowsInsecureHTTPLoads", "true")
  }

  @Sendable private static func allowingAll(_ c: FixContext) throws(NotPlayable) -> [String] {
    // A host with its own entry follows that entry.
    if c.finding.rule == .atsLeafHash, c.client("infoPlist")?["NSExceptionDomains"]?[c.host] != nil { return [] }
    return try c.propertyList("NSAllowsArbitraryLoads", "true")
  }

  @Sendable private static func longerHash(_ c: FixContext) throws(NotPlayable) -> [String] {
    try c.reissuing(try c.subject(), "signature", "sha256")
  }

  @Sendable private static func newerVersion(_ c: FixContext) throws(NotPlayable) -> [String] {
    [c.serverList("versions", adding: c.required.contains("1.3") ? "TLSv1.3" : "TLSv1.2", first: true)]
  }

  /// Returns the change to another kind of key. If the certificate is the server's own, a matching cipher suite is
  /// added.
  private static func key(_ kind: String, _ algorithm: String) -> Changes {
    { c throws(NotPlayable) in
      let lines = try c.reissuing(try c.subject(), "key", kind)
      guard c.certificate?.index == 0 else { return lines }
      let schemes = c.client("signatureAlgorithms")?.words ?? []
      if !schemes.isEmpty, !schemes.contains(where: { $0.hasPrefix(algorithm.lowercased()) }) { return [] }
      let suites = c.server("cipherSuites")?.words ?? []
      return suites.contains { $0.contains("_\(algorithm)_") }
        ? lines : lines + [c.serverList("cipherSuites", adding: "TLS_ECDHE_\(algorithm)_WITH_AES_128_GCM_SHA256")]
    }
  }

  /// Presents a certificate for the host that a system root has issued, in place of the untrusted one.
  @Sendable private static func trustedChain(_ c: FixContext) throws(NotPlayable) -> [String] {
    [
      FixContext.addingPublicCA,
      "certificates.public = { issuer: \(FixContext.publicCA), names: [\(c.host.inQuotes)] }",
    ] + (try c.presenting("public", insteadOf: try c.leaf()))
  }

  /// Trusts the root, if the unknown root is the only reason for the refusal.
  @Sendable private static func installingRootAlone(_ c: FixContext) throws(NotPlayable) -> [String] {
    let roots: Set<Rule> = [.noAnchor, .noIssuer, .selfSigned]
    let reasons = c.load.findings.filter { $0.outcome == .violated && [.chain, .name].contains($0.rule.layer) }.map(
      \.rule
    )
    .filter { $0.decides }
    guard !reasons.isEmpty, reasons.allSatisfy(roots.contains) else { return [] }
    return ["\(try c.setting("trust", of: try c.root(above: try c.leaf()))) = user"]
  }

  /// Adds as many SCTs as the fix or the rule requires, each from an approved log.
  @Sendable private static func timestamps(_ c: FixContext) throws(NotPlayable) -> [String] {
    let words = "\(c.fix) \(c.required)"
    guard let count = words.firstMatch(of: /at least (\d+) logs|(\d+) embedded/).flatMap({ $0.1 ?? $0.2 }) else {
      return []
    }
    return ["\(try c.setting("timestamps", of: try c.subject())) = \(count)", "logs = null"]
  }
}

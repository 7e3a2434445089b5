import Endpoint
import Explanation
import PKIX
import Trust

// The remedies for the fixes of a certification path.
extension Remedy {
  static let chain: [Remedy] = [
    Remedy(.noAnchor, .noIssuer, says: "use a certificate from a CA that the client trusts", by: otherCA),
    Remedy(.noAnchor, says: "Use a certificate from a CA that the client trusts", by: otherCA),
    Remedy(.selfSigned, says: "Get a certificate from a CA", by: otherCA),
    Remedy(.noAnchor, .noIssuer, says: "install the root on the client", by: installingRoot),
    Remedy(.selfSigned, says: "install this certificate on the client as trusted") { c throws(NotPlayable) in
      ["\(try c.setting("trust", of: try c.subject())) = user"]
    },
    Remedy(.noAnchor, .noIssuer, says: "configure the server to present it", by: presentingIntermediate),
    Remedy(.noAnchor, .noIssuer, says: "use a certificate under one of the app's anchors", by: underOwnAnchor),
    Remedy(.noAnchor, .noIssuer, says: "SecTrustSetAnchorCertificatesOnly with false") { c throws(NotPlayable) in
      if c.client("serverTrust")?.entries == nil { throw NotPlayable("a preset of the delegate sets the anchors") }
      return ["\(c.clientPath("serverTrust")).anchorsOnly = false"]
    },
    Remedy(bothSides: .expired, says: "Renew the certificate", by: renewing),
    Remedy(bothSides: .notYetValid, says: "wait until notBefore") { c in
      c.client("serverTrust")?["verifyDate"] == nil ? ["clock = \(c.finding.required.date ?? c.date.clock)"] : []
    },
    Remedy(.notYetValid, says: "SecTrustSetVerifyDate") { c in
      guard c.client("serverTrust")?["verifyDate"] != nil else { return [] }
      return ["\(c.clientPath("serverTrust")).verifyDate = \(c.finding.required.date ?? c.date.clock)"]
    },
    Remedy(bothSides: .signatureInvalid, says: "Issue the certificate again with the issuer's own key") {
      c throws(NotPlayable) in
      if c.at("calculation") != nil { throw NotPlayable("a calculation has no certificates") }
      let name = try c.subject()
      guard let spoofed = try spoofedKey(above: name, c) else { return ["\(try c.setting("break", of: name)) = null"] }
      return ["\(try c.setting("issuer", of: name)) = \(spoofed.inQuotes)"]
    },
    Remedy(.signatureInvalid, says: "Present the issuer's certificate with the key identifier", by: presentingSigner),
    Remedy(.signatureInvalid, says: "If there is none, issue the certificate again") { c throws(NotPlayable) in
      try c.reissuing(try c.subject(), "issuer", try neighbour(c, 1).inQuotes)
    },
    Remedy(bothSides: .notCA, says: "Sign with the key of a CA") { c throws(NotPlayable) in
      try c.issuedByPublicCA(try neighbour(c, -1))
    },
    Remedy(bothSides: .notCA, says: "issue its certificate again with cA TRUE and keyCertSign") {
      c throws(NotPlayable) in
      let name = try c.subject()
      return try c.entry(name).list == "authorities" ? ["\(try c.setting("break", of: name)) = null"] : []
    },
    Remedy(bothSides: .keyUsage, says: "Issue the CA's certificate with keyCertSign") { c throws(NotPlayable) in
      let name = try c.subject()
      let usage = try c.entry(name).node["keyUsage"]
      return try c.reissuing(name, "keyUsage", Node.flow(usage, adding: "keyCertSign"))
    },
    Remedy(
      bothSides: .pathLength, says: "Have a CA with a larger pathLenConstraint, or without one, issue the intermediate"
    ) {
      c throws(NotPlayable) in try c.issuedByPublicCA(try neighbour(c, -1))
    },
    Remedy(bothSides: .nameConstraints, says: "issued by a CA whose name constraints permit its names") {
      c throws(NotPlayable) in
      try c.issuedByPublicCA(try c.subject())
    },
    Remedy(.pathLoop, says: "Present a certificate that leads out of the loop to a trusted root", by: leavingRing),
    Remedy(.pathLoop, says: "install a CA of the loop on the client") { c throws(NotPlayable) in
      ["\(try c.setting("trust", of: try c.crossSigned())) = user"]
    },
    Remedy(.distrusted, says: "Get a certificate from another CA") { c throws(NotPlayable) in
      [FixContext.addingPublicCA]
        + (try c.replacing(
          try c.leaf(), [("issuer", FixContext.publicCA), ("trust", "null"), ("distrust", "null")]))
    },
    Remedy(.denied, says: "from Never Trust to another value") { c throws(NotPlayable) in
      ["\(try c.setting("trustSettings", of: try c.subject())) = null"]
    },
    Remedy(.asksUser, says: "from Ask Permission to another value") { c throws(NotPlayable) in
      let name = try c.subject()
      return try c.entry(name).node["trust"]?.text == "ask"
        ? ["\(try c.setting("trust", of: name)) = user"] : ["\(try c.setting("trustSettings", of: name)) = always"]
    },
    Remedy(.notTrustedYet, says: "Enable full trust for the root") { c throws(NotPlayable) in
      ["\(try c.setting("trust", of: try c.subject())) = user"]
    },
    Remedy(bothSides: .unhandledCriticalExtension, says: "Issue the certificate without the extension") {
      c throws(NotPlayable) in
      ["\(try c.setting("break", of: try c.subject())) = null"]
    },
    Remedy(
      .unhandledCriticalExtension, says: "mark it not critical", cannotBePlayed: "no scenario word marks it"),
    Remedy(.lifetime, says: "Have the certificate issued for fewer days") { c throws(NotPlayable) in
      try validity(of: try c.subject(), at: c.date.clock, c)
    },
    Remedy(bothSides: .extendedKeyUsage, says: "in extKeyUsage") { c throws(NotPlayable) in
      let name = try c.subject()
      let purposes = try c.entry(name).node["extendedKeyUsage"]
      return try c.reissuing(name, "extendedKeyUsage", Node.flow(purposes, adding: c.required))
    },
  ]

  @Sendable private static func otherCA(_ c: FixContext) throws(NotPlayable) -> [String] {
    try c.issuedByPublicCA(try c.leaf())
  }

  /// Trusts the root, unless it is already trusted.
  @Sendable private static func installingRoot(_ c: FixContext) throws(NotPlayable) -> [String] {
    let root = try c.root(above: try c.leaf())
    return c.isTrusted(root) ? [] : ["\(try c.setting("trust", of: root)) = user"]
  }

  /// Presents the issuer of the last certificate, if a root above that issuer is trusted by the client.
  @Sendable private static func presentingIntermediate(_ c: FixContext) throws(NotPlayable) -> [String] {
    let last = try c.subject()
    guard let issuer = try c.entry(last).node["issuer"]?.text, !c.isTrusted(issuer),
      c.isTrusted(try c.root(above: last))
    else { return [] }
    let lists = c.tree.lists(of: "presents").filter { $0.list.names(last) && $0.list.items?.first?.text != nil }
    if lists.isEmpty { throw NotPlayable("no list of certificates names '\(last)'") }
    return lists.filter { !$0.list.names(issuer) }.map { "\($0.path) = \(Node.flow($0.list, adding: issuer))" }
  }

  @Sendable private static func underOwnAnchor(_ c: FixContext) throws(NotPlayable) -> [String] {
    let anchors = c.client("delegate")?["anchors"] ?? c.client("serverTrust")?["anchors"]
    guard let anchor = anchors?.words.first else { throw NotPlayable("the app sets no anchor by name") }
    return try c.reissuing(try c.leaf(), "issuer", anchor.inQuotes)
  }

  @Sendable private static func renewing(_ c: FixContext) throws(NotPlayable) -> [String] {
    try validity(of: try c.subject(), at: c.finding.found.date ?? c.date.clock, c)
  }

  /// Returns the lines for a validity of 90 days that began 30 days before `day`.
  private static func validity(of name: String, at day: Instant, _ c: FixContext) throws(NotPlayable) -> [String] {
    (try c.entry(name).node["days"] == nil ? [] : ["\(try c.setting("days", of: name)) = null"]) + [
      "\(try c.setting("notBefore", of: name)) = \(day.adding(days: -30))",
      "\(try c.setting("notAfter", of: name)) = \(day.adding(days: 60))",
    ]
  }

  /// Presents the issuer whose key made the signature, in place of the certificate that only has the issuer's name.
  @Sendable private static func presentingSigner(_ c: FixContext) throws(NotPlayable) -> [String] {
    guard let issuer = try c.entry(try c.subject()).node["issuer"]?.text else { return [] }
    let impostor = try neighbour(c, 1)
    // The issuer's own certificate does not help if its root is not trusted.
    let root = try c.root(above: issuer)
    if issuer == impostor || !c.isTrusted(root) { return [] }
    return try c.presenting(issuer, insteadOf: impostor)
  }

  /// Returns the certificate whose key the issuer of `name` spoofs; nil if the issuer has its own key.
  private static func spoofedKey(above name: String, _ c: FixContext) throws(NotPlayable) -> String? {
    guard let issuer = try c.entry(name).node["issuer"]?.text else { return nil }
    return try c.entry(issuer).node["spoofsKeyOf"]?.text
  }

  /// Returns the certificate before or after the finding's certificate on the path.
  private static func neighbour(_ c: FixContext, _ distance: Int) throws(NotPlayable) -> String {
    guard let index = c.certificate?.index, c.path.indices.contains(index + distance) else {
      throw NotPlayable("the path ends at that certificate")
    }
    return c.path[index + distance]
  }

  @Sendable private static func leavingRing(_ c: FixContext) throws(NotPlayable) -> [String] {
    let cross = "\(FixContext.publicCA) cross"
    return [
      FixContext.addingPublicCA,
      "authorities.\(cross.inQuotes) = { issuer: \(FixContext.publicCA), crossSigns: \(try c.crossSigned().inQuotes) }",
      c.serverList("presents", adding: cross),
    ]
  }
}

extension Detail {
  /// The date, or the limit if the limit is a date.
  var date: Instant? {
    switch self {
    case .date(let instant): instant
    case .atLeast(let detail), .atMost(let detail): detail.date
    default: nil
    }
  }
}

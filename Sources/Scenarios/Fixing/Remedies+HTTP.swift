import Endpoint
import Explanation
import TLS
import URLLoading

// The remedies for the fixes of challenges, of authentication and of identities.
extension Remedy {
  private static let handling = "{ answer: performDefaultHandling }"

  static let challenges: [Remedy] = [
    Remedy(.unanswered, says: "Respond in every branch", by: answeringEverything),
    Remedy(.completionHandler, says: "Call the handler once in every branch") { c in
      let once = c.client("delegate")?.text?.split(separator: "-twice").first
      return once.map { ["\(c.clientPath("delegate")) = \($0)"] } ?? answeringEverything(c)
    },
    Remedy(.cancelled, says: "leave it to the system with performDefaultHandling", by: answeringEverything),
    Remedy(.methodNotChecked, says: "leave them to performDefaultHandling", by: answeringEverything),
    Remedy(.spaceMismatch, says: "Check the authentication method first") { c in
      let own = c.client("delegate")?["rules"]?.items?.map(\.flowText) ?? ["{ answer: cancel }"]
      return rules(["{ when: { method: ServerTrust }, answer: performDefaultHandling }"] + own, c)
    },
    Remedy(.anchorNotDER, says: "Convert the file with 'openssl x509") { c in
      let place = c.client("serverTrust")?["anchorForm"] == nil ? "delegate" : "serverTrust"
      return ["\(c.clientPath(place)).anchorForm = DER"]
    },
    Remedy(.notEvaluated, says: "or SecTrustEvaluateAsync…") { c in
      ["\(c.clientPath("serverTrust")).evaluates = true", "\(c.clientPath("serverTrust")).function = evaluateAsync"]
    },
    Remedy(.nilTrust, says: "Evaluate challenge.protectionSpace.serverTrust") { c in
      ["\(c.clientPath("delegate")) = five-steps"]
    },
  ]

  static let httpAuthentication: [Remedy] = [
    Remedy(.unauthorized, says: "Respond to the challenge with the user name and password", by: answeringWithPassword),
    Remedy(.noHTTPScheme, says: "Offer Basic (over https)", by: offering("Basic")),
    Remedy(.noHTTPScheme, says: "Digest with MD5 and qop auth", by: offering("Digest")),
    Remedy(.noHTTPScheme, says: "or NTLM as well", by: offering("NTLM")),
    Remedy(.accountLocked, says: "make the delegate check previousFailureCount") { c throws(NotPlayable) in
      if c.client("delegate") == nil { throw NotPlayable("no scenario word unlocks an account") }
      let own = c.client("delegate")?["rules"]?.items?.map(\.flowText) ?? [handling]
      let isAfterFailure = "{ when: { failures: { atLeast: 1 } }, answer: performDefaultHandling }"
      return rules([isAfterFailure] + own, c)
    },
    Remedy(.proxyUnauthorized, says: "respond to the proxy's challenge (isProxy)") { c throws(NotPlayable) in
      if c.client("loader")?.text == "WKWebView" { return [] }
      let credential = try account(c.client("proxy")?["authentication"])
      let answer = "{ when: { failures: 0, isProxy: true }, answer: { useCredential: \(credential) } }"
      return rules([answer, handling], c)
        + (c.client("api")?.text == "session" ? ["\(c.clientPath("api")) = task"] : [])
    },
    Remedy(.proxyUnauthorized, says: "add them to the credential storage") { c throws(NotPlayable) in
      let proxy = c.client("proxy")
      let (host, port) = (proxy?["host"]?.text ?? "proxy.example", proxy?["port"]?.text ?? "8080")
      let realm = proxy?["authentication"]?["realm"]?.text ?? ""
      let scheme = proxy?["authentication"]?["schemes"]?.words.first ?? "Basic"
      let kind = c.load.url.hasPrefix("https") ? "https" : "http"
      let space =
        "{ host: \(host), port: \(port), realm: \(realm.inQuotes), method: \(scheme), proxyType: \(kind) }"
      let account = try account(proxy?["authentication"]).dropFirst().dropLast()
      return [
        "\(c.clientPath("delegate")) = null", "\(c.clientPath("credentials")) = [{ space: \(space),\(account)}]",
      ]
    },
  ]

  static let clients: [Remedy] = [
    Remedy(
      .clientCertificateRequired, says: "Give the client an identity that fits the CertificateRequest", by: identity),
    Remedy(.clientCertificateRequired, says: "make client certificates optional on the server") { c in
      ["\(c.serverPath("clientAuthentication")) = optional"]
    },
    Remedy(.clientCertificateRequired, says: "Make the client support RFC 5746 and send an identity") {
      c throws(NotPlayable) in
      ["\(c.clientPath("renegotiation")) = secure"] + (try identity(c))
    },
    Remedy(.clientCertificateRequired, says: "Make the client offer post_handshake_auth and send an identity") {
      c throws(NotPlayable) in
      ["\(c.clientPath("postHandshakeAuth")) = true"] + (try identity(c))
    },
    Remedy(.clientCertificateRequired, says: "request the certificate in the first handshake") {
      c throws(NotPlayable) in
      ["\(c.serverPath("renegotiates")) = never"] + (try identity(c))
    },
    Remedy(
      .ofClients(".no-issuer"), says: "make the client send the missing intermediate after its own certificate",
      by: withIssuer),
    Remedy(.ofClients(".no-anchor"), says: "Make the client send any missing intermediate", by: withIssuer),
    Remedy(
      .ofClients(".no-issuer"), says: "use a certificate from a CA that the server trusts for client certificates",
      by: fromTrusted),
    Remedy(
      .ofClients(".no-anchor"), says: "Use a certificate from a CA that the server trusts for client certificates",
      by: fromTrusted),
    Remedy(
      .ofClients(".self-signed"), says: "Get a certificate from a CA that the server trusts for client certificates",
      by: fromTrusted),
    Remedy(.ofClients(".no-issuer"), .ofClients(".no-anchor"), says: "make the server trust this CA") {
      c throws(NotPlayable) in
      let root = try c.root(above: try identityName(c))
      return trusted(c).contains(root) ? [] : [c.serverList("clientAuthorities", adding: root)]
    },
    Remedy(.ofClients(".loop"), says: "Present a certificate that leads out of the loop", by: leavingLoop),
    Remedy(.ofClients(".distrusted"), says: "Get a certificate from another CA") { c throws(NotPlayable) in
      guard let authority = trusted(c).first else { throw NotPlayable("the server names no CA") }
      return try c.replacing(try identityName(c), [("issuer", authority.inQuotes)])
    },
    Remedy(.ofClients(".denied"), says: "change the certificate's trust setting") { c throws(NotPlayable) in
      ["\(c.serverPath("clientTrustSettings")).\(try c.subject().asSegment) = null"]
    },
    Remedy(.ofClients(".must-staple"), says: "Use a certificate without the must-staple extension") {
      c throws(NotPlayable) in
      ["\(try c.setting("mustStaple", of: try c.subject())) = null"]
    },
    // The server has the current CRL of each CA that names no responder.
    Remedy(.ofClients(".revocation-unknown"), says: "Make the CA's CRL or responder reachable for the server") {
      c throws(NotPlayable) in
      guard let issuer = try c.entry(try c.subject()).node["issuer"]?.text else { return [] }
      return ["\(try c.setting("responder", of: issuer)) = null"]
    },
    Remedy(.notRegistered, says: "add its certificate's serial number or key hash to the list") {
      c throws(NotPlayable) in
      c.finding.found == .absent ? [] : [c.serverList("knownClients", adding: c.found)]
    },
    Remedy(.notRegistered, says: "Register the client") { c in
      // A client without a certificate registers, and then has one of the certificates on the list.
      guard c.finding.found == .absent, let known = c.server("knownClients")?.words.first else { return [] }
      return ["\(c.clientPath("identity")) = \(known.inQuotes)"]
    },
    Remedy(
      .wrongPIN, says: "accept it only over https", cannotBePlayed: "the refusal is correct: the user has no PIN"),
  ]

  static let identityFiles: [Remedy] = [
    Remedy(.badPassphrase, says: "Ask the user again") { c throws(NotPlayable) in
      guard let passphrase = c.client("identity")?["passphrase"]?.text else {
        throw NotPlayable("the file's passphrase is unknown")
      }
      return ["\(c.clientPath("identity")).opensWith = \(passphrase.inQuotes)"]
    },
    Remedy(.unsupportedPKCS12, says: "Export the file again for older systems") { c throws(NotPlayable) in
      if c.client("identity")?["file"] != nil { throw NotPlayable("the identity is a real file") }
      return ["\(c.clientPath("identity")).encryption = pbes1-3des", "\(c.clientPath("identity")).mac = sha1"]
    },
    Remedy(.noIdentity, says: "Export the key and certificate together", cannotBePlayed: "the identity is a real file"),
    Remedy(.malformedPKCS12, says: "Check whether the file", cannotBePlayed: "the identity is a real file"),
  ]

  /// Returns the lines that replace all rows of the client's delegate.
  private static func rules(_ rows: [String], _ c: FixContext) -> [String] {
    let place = c.clientPath("delegate")
    return ["\(place) = null", "\(place) = { rules: [\(rows.joined(separator: ", "))] }"]
  }

  @Sendable private static func answeringEverything(_ c: FixContext) -> [String] { rules([handling], c) }

  /// Returns the change that adds a scheme to a server or a proxy. Digest uses MD5 unless a setting selects another
  /// hash.
  private static func offering(_ scheme: String) -> Changes {
    { c in
      let isProxy = c.finding.subject.description.hasPrefix("CONNECT")
      let own = isProxy ? c.client("proxy")?["authentication"] : c.server("authentication")
      let path = isProxy ? "\(c.clientPath("proxy")).authentication" : c.serverPath("authentication")
      let schemes = own?["schemes"]?.words.filter { $0 != scheme } ?? []
      return (scheme == "Digest" && own?["digest"] != nil ? ["\(path).digest = null"] : [])
        + ["\(path).schemes = [\((schemes + [scheme]).joined(separator: ", "))]"]
    }
  }

  /// Returns the first account of a server or a proxy, as a credential of the scenario language.
  private static func account(_ authentication: Node?) throws(NotPlayable) -> String {
    guard let user = authentication?["users"]?.entries?.first, let password = user.value.text else {
      throw NotPlayable("the server has no account")
    }
    return "{ user: \(user.key.inQuotes), password: \(password.inQuotes) }"
  }

  /// Answers with the correct password: in the delegate, or in the URL if the load has no delegate.
  @Sendable private static func answeringWithPassword(_ c: FixContext) throws(NotPlayable) -> [String] {
    let account = try account(c.server("authentication"))
    if ["synchronous", "asynchronous"].contains(c.client("api")?.text) {
      guard let user = c.server("authentication")?["users"]?.entries?.first else { return [] }
      let login = "//\(user.key):\(user.value.text ?? "")@"
      return c.urls { $0.hasPrefix("http") ? $0.replacing(/\/\/([^@\/]*@)?/, with: login, maxReplacements: 1) : nil }
    }
    let answer = "{ when: { method: [Basic, Digest, NTLM], failures: 0 }, answer: { useCredential: \(account) } }"
    let identity = try? identityName(c)
    let showing = identity.map { _ in "{ when: { method: ClientCertificate }, answer: { useCredential: identity } }" }
    let own = c.client("delegate")?["rules"]?.items?.map(\.flowText) ?? [handling]
    return rules([answer] + (showing.map { [$0] } ?? []) + own, c)
  }

  /// Adds an identity issued by a CA in the server's list, and a delegate that uses it.
  @Sendable private static func identity(_ c: FixContext) throws(NotPlayable) -> [String] {
    guard let authority = trusted(c).first else { throw NotPlayable("the server names no CA") }
    let known = c.at("certificates")?.entries?.first { $0.value["issuer"]?.text.map(trusted(c).contains) == true }
    let name = known?.key ?? "client"
    let new =
      known == nil
      ? ["certificates.client = { issuer: \(authority.inQuotes), extendedKeyUsage: [clientAuth] }"] : []
    let answer = "{ when: { method: ClientCertificate }, answer: { useCredential: identity } }"
    let own = c.client("delegate")?["rules"]?.items?.map(\.flowText) ?? [handling]
    let answering = c.client("delegate") == nil ? [] : rules([answer] + own, c)
    return new + ["\(c.clientPath("identity")) = \(name.inQuotes)"] + answering
  }

  /// Returns the name of the certificate in the client's identity.
  private static func identityName(_ c: FixContext) throws(NotPlayable) -> String {
    let identity = c.client("identity")
    let name = identity?.text ?? identity?.items?.first?.text ?? identity?["p12"]?.text
    guard let name, name != "none" else { throw NotPlayable("the client has no named identity") }
    return name
  }

  /// Adds the intermediate issuer to the identity, if the server trusts its root.
  @Sendable private static func withIssuer(_ c: FixContext) throws(NotPlayable) -> [String] {
    let name = try identityName(c)
    guard let issuer = try c.entry(name).node["issuer"]?.text, !trusted(c).contains(issuer),
      trusted(c).contains(try c.root(above: name))
    else { return [] }
    if c.path.contains(issuer) { return [] }
    return ["\(c.clientPath("identity")) = [\(name.inQuotes), \(issuer.inQuotes)]"]
  }

  /// Adds a cross-certificate from a CA that the server trusts for the first CA of the loop.
  @Sendable private static func leavingLoop(_ c: FixContext) throws(NotPlayable) -> [String] {
    guard let authority = trusted(c).first else { throw NotPlayable("the server names no CA") }
    let crossSigned = try c.crossSigned().inQuotes
    return [
      "authorities.outside = { issuer: \(authority.inQuotes), crossSigns: \(crossSigned) }",
      "\(c.clientPath("identity")) = \(Node.flow(c.client("identity"), adding: "outside"))",
    ]
  }

  /// Returns the CAs that the server trusts for client certificates.
  private static func trusted(_ c: FixContext) -> [String] { c.server("clientAuthorities")?.words ?? [] }

  @Sendable private static func fromTrusted(_ c: FixContext) throws(NotPlayable) -> [String] {
    guard let authority = trusted(c).first else { throw NotPlayable("the server names no CA") }
    return try c.reissuing(try identityName(c), "issuer", authority.inQuotes)
  }
}

extension Rule {
  /// Returns the client-chain rule whose id ends in `end`.
  ///
  /// If there is none, returns `noAnchor`, which no remedy for clients uses by this ending.
  fileprivate static func ofClients(_ end: String) -> Rule {
    Rule.clientChain.first { $0.id.hasSuffix(end) } ?? .noAnchor
  }
}

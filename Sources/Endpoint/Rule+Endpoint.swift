import Explanation
import PKIX
import Trust

extension Rule {
  /// The rule for a real chain whose private key is not available. The chain is evaluated as usual, but another key
  /// signs the handshake.
  public static let standInKey = Rule(
    .handshake, "stand-in-key", "The server signs with the private key of the certificate that it presents.",
    .rfc(5246, "7.4.3"),
    fix:
      "Set privateKey for the certificate. Without it, the server signs with another key; the chain is evaluated as "
      + "usual.",
    decides: false)

  /// The rule for access. A certificate authenticates a client, but does not determine whether the client has access.
  public static let notRegistered = Rule(
    .clientAuth, "not-registered", "The server has registered the client's certificate.",
    .rfc(9110, "15.5.4"),
    fix: "Register the client, or add its certificate's serial number or key hash to the list.")

  /// All rules of complete endpoints.
  public static let endpoint: [Rule] =
    [.standInKey, .notRegistered, .wrongPIN] + clientChain + redirects + messages + webSockets

  // A server applies RFC 5280 to a client's certificates in the client authentication layer.

  /// The rules of path validation for a client's certificates: `client-auth.expired`, `client-auth.no-anchor`, …
  public static let clientChain: [Rule] = (pkix + trust).filter { rule in
    rule.layer == .chain && rule.profiles.contains(.rfc5280) && rule != .noCertificate
  }.map(\.ofClients)

  /// The same rule, applied to a client's certificates.
  private var ofClients: Rule {
    moved(
      in: .clientAuth, statement: Rule.clientStatements[id], clause: Rule.clientClauses[id], fix: Rule.clientFixes[id])
  }

  private static let clientStatements = [
    Rule.leafNotFirst.id: "The client's own certificate precedes the certificates of its issuers.",
    Rule.issuerFetched.id: "The client presents the certificates of all its issuers below the root.",
    Rule.notTrustedYet.id: "A manually installed root is also trusted for TLS clients.",
    Rule.mustStaple.id: "If the client's certificate requires it (must-staple), the client staples an OCSP response.",
    Rule.noAnchor.id: "The path ends at a certificate that the server trusts for client certificates.",
    Rule.noIssuer.id: "The client presents the issuer's certificate, or the server trusts it.",
  ]

  /// The clauses for a client's certificates: RFC 5246 section 7.4.6 applies the requirements of section 7.4.2 to them.
  private static let clientClauses: [String: Clause] = Dictionary(
    uniqueKeysWithValues: [Rule.noIssuer, .leafNotFirst, .issuerFetched].map { ($0.id, .rfc(5246, "7.4.6")) })

  private static let clientFixes = [
    Rule.expired.id: "Renew the certificate, and check the clock of the server.",
    Rule.notYetValid.id: "Check the clock of the server, or wait until notBefore.",
    Rule.pathLoop.id: "Present a certificate that leads out of the loop to a trusted root.",
    Rule.revocationUnknown.id: "Make the CA's CRL or responder reachable for the server.",
    Rule.extendedKeyUsage.id: "Have the certificate issued with clientAuth in extKeyUsage.",
    Rule.noIssuer.id:
      "If the server trusts the CA, make the client send the missing intermediate after its own certificate. "
      + "Otherwise use a certificate from a CA that the server trusts for client certificates, "
      + "or make the server trust this CA.",
    Rule.noAnchor.id:
      "Use a certificate from a CA that the server trusts for client certificates, or make the server trust this CA. "
      + "Make the client send any missing intermediate.",
    Rule.selfSigned.id: "Get a certificate from a CA that the server trusts for client certificates.",
    Rule.leafNotFirst.id: "Put the client's certificate first, then its issuer's, and so on.",
    Rule.issuerFetched.id: "Make the client send its intermediates: other servers do not fetch them.",
    Rule.notTrustedYet.id: "Make the server trust the root for clients.",
    Rule.mustStaple.id: "Use a certificate without the must-staple extension: a TLS 1.2 client cannot staple.",
  ]

  private static let clientRules = Dictionary(
    (pkix + trust).filter { $0.layer == .chain }.map { ($0.id, $0.ofClients) }
  ) { first, _ in first }

  /// The corresponding rule of client authentication; nil for a rule that applies only to servers.
  ///
  /// It keeps a fix that depends on the finding, unless clients have a fix of their own.
  static func clientRule(for rule: Rule) -> Rule? {
    guard let common = clientRules[rule.id] else { return nil }
    return clientFixes[rule.id] != nil || common.fix == rule.fix ? common : common.fixed(by: rule.fix)
  }
}

extension Finding {
  /// The finding for the corresponding rule of client authentication, which the server checks.
  ///
  /// Nil for a rule that applies only to servers.
  func aboutClient(_ enforcement: Enforcement) -> Finding? {
    guard let rule = Rule.clientRule(for: rule) else { return nil }
    guard weight == .decides, outcome == .satisfied || outcome == .violated else { return of(rule) }
    let checked = enforcement.check(
      rule, on: subject, outcome == .satisfied, required: required, found: found, confidence: confidence)
    // If path building reached its limit, the limit decides, whatever the rule states.
    return checked.weight == .advises ? of(rule) : checked
  }
}

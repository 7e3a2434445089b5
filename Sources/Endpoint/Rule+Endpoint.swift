import Explanation
import PKIX
import Trust

extension Rule {
  /// A real chain whose private key is not given is judged as it is; only its signature in the handshake is not its own.
  public static let standInKey = Rule(
    .handshake, "stand-in-key", "The server should sign with the private key of the certificate it presents.",
    .rfc(5246, "7.4.3"),
    fix: "Give the certificate its privateKey. Without it another key stands in for it; the chain is judged as it is.",
    decides: false)

  /// A certificate says who somebody is; whether that one may is another question.
  public static let notRegistered = Rule(
    .clientAuth, "not-registered", "A client's certificate is one that the server has registered.",
    .rfc(9110, "15.5.4"),
    fix: "Have the client register, or put the serial number or the key's hash of its certificate on the list.")

  /// The rules of whole endpoints.
  public static let endpoint: [Rule] =
    [.standInKey, .notRegistered, .wrongPIN] + clientChain + redirects + messages + webSockets

  // What a server asks of a client's certificates: what RFC 5280 asks of any, in the layer of client authentication.

  /// Every rule of a path that a server holds against a client's: `client-auth.expired`, `client-auth.no-anchor`, …
  public static let clientChain: [Rule] = (pkix + trust).filter { rule in
    rule.layer == .chain && rule.profiles.contains(.rfc5280) && rule != .noCertificate
  }.map(\.ofClients)

  /// This rule where a server holds it against a client's certificates.
  private var ofClients: Rule {
    held(
      in: .clientAuth, statement: Rule.clientStatements[id], clause: Rule.clientClauses[id], fix: Rule.clientFixes[id])
  }

  private static let clientStatements = [
    Rule.leafNotFirst.id: "The client's own certificate stands before those of its issuers.",
    Rule.issuerFetched.id: "The client presents the certificates of all its issuers below the root.",
    Rule.notTrustedYet.id: "A root that was installed by hand is also trusted for TLS clients.",
    Rule.mustStaple.id: "A client whose certificate says so comes with an answer of the responder.",
    Rule.noAnchor.id: "The path ends at a certificate that the server trusts for clients.",
    Rule.noIssuer.id: "The issuer's certificate is among those that the client presents, or that the server trusts.",
  ]

  /// What RFC 5246 says of a server's certificates in section 7.4.2, it says of a client's in section 7.4.6.
  private static let clientClauses: [String: Clause] = Dictionary(
    uniqueKeysWithValues: [Rule.noIssuer, .leafNotFirst, .issuerFetched].map { ($0.id, .rfc(5246, "7.4.6")) })

  private static let clientFixes = [
    Rule.expired.id: "Renew the certificate, and check the clock of the server.",
    Rule.notYetValid.id: "Check the clock of the server, or wait until notBefore.",
    Rule.pathLoop.id: "Present a certificate that leads out of the ring to a root that the server trusts for clients.",
    Rule.revocationUnknown.id: "Make the CA's CRL or responder reachable for the server.",
    Rule.extendedKeyUsage.id: "Have the certificate issued with clientAuth in extKeyUsage.",
    Rule.noIssuer.id:
      "Where an intermediate of an authority that the server trusts for clients is missing, let the client present it "
      + "after its own certificate. Of any other authority: use a certificate from one that the server trusts, or let "
      + "the server trust this one.",
    Rule.noAnchor.id:
      "Use a certificate from an authority the server trusts for clients, let the server trust this one, or let the "
      + "client present what is missing between the two.",
    Rule.selfSigned.id: "Get a certificate from an authority that the server trusts for clients.",
    Rule.leafNotFirst.id: "Put the certificate of the client first, then the one that issued it, and so on.",
    Rule.issuerFetched.id: "Let the client send its intermediates: other servers fetch nothing.",
    Rule.notTrustedYet.id: "Let the server trust the root for clients.",
    Rule.mustStaple.id: "Take a certificate without the extension: a client of TLS 1.2 has no way to staple.",
  ]

  private static let clientRules = Dictionary(
    (pkix + trust).filter { $0.layer == .chain }.map { ($0.id, $0.ofClients) }
  ) { first, _ in first }

  /// The rule of client authentication that says the same; nil for one that is about servers.
  static func clientRule(for rule: Rule) -> Rule? { clientRules[rule.id] }
}

extension Finding {
  /// The finding about a client's certificate: the rule of client authentication, checked by the server; nil for a rule that
  /// is about servers.
  func aboutClient(_ enforcement: Enforcement) -> Finding? {
    guard let rule = Rule.clientRule(for: rule) else { return nil }
    guard weight == .decides, outcome == .satisfied || outcome == .violated else { return of(rule) }
    let checked = enforcement.check(
      rule, on: subject, outcome == .satisfied, required: required, found: found, confidence: confidence)
    // The limit of path building decides if a search met it, whatever the rule says.
    return checked.weight == .advises ? of(rule) : checked
  }
}

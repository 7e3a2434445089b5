import Explanation
import PKIX
import URLLoading

/// Whether a request is carried out, and what goes before that.
struct Admission {
  /// Whether the server carries the request out.
  let isAdmitted: Bool
  /// What it decided, and what it answers where it does not.
  let effects: [EndpointEffect]

  /// What comes of this and of what is asked after it.
  func and(_ next: Admission) -> Admission {
    Admission(isAdmitted: isAdmitted && next.isAdmitted, effects: effects + next.effects)
  }
}

extension ServerEndpoint {
  /// Who is asking? RFC 9110 section 11.6: a server that wants to know answers 401 until it does.
  mutating func admit(_ request: HTTPRequest, _ message: HTTPMessage) -> Admission {
    let registered = registration(of: request)
    guard registered.isAdmitted, var authenticator else { return registered }
    let judgement = authenticator.judge(
      method: request.method, uri: request.path, authorization: request.authorization, configuration.tls.enforcement)
    self.authenticator = authenticator
    let decision = EndpointEffect.decided(Narration.admission(judgement, of: request))
    switch judgement.answer {
    case .allowed: return Admission(isAdmitted: true, effects: registered.effects + [decision])
    case .forbidden:
      isRefused = true
      return Admission(isAdmitted: false, effects: registered.effects + [decision] + respond(with: HTTP.forbidden))
    case .unauthorized(let challenges):
      // A client that wants the connection closed asks again on another: RFC 9112 section 9.3.
      let isLast = message.values(of: "connection").contains { $0.lowercased() == "close" }
      let closes = isLast || responses >= Self.mostExchanges
      isRefused = closes
      let response = HTTP.unauthorized(challenges, authenticator.policy.body, closes: closes)
      return Admission(
        isAdmitted: false, effects: registered.effects + [decision] + respond(with: response))
    }
  }

  /// Is the client on the list? Its authority is trusted already, and its key was used: now the application decides.
  ///
  /// Where the client showed nothing, whoever asks for a name and a password goes on with that.
  private mutating func registration(of request: HTTPRequest) -> Admission {
    guard let known = configuration.knownClients, !isResumed, clientCertificate != nil || authenticator == nil else {
      return Admission(isAdmitted: true, effects: [])
    }
    let finding = configuration.tls.enforcement.check(
      .notRegistered, on: .handshake(.certificate), clientCertificate.map(known.contains) ?? false,
      required: .anyOf(known.map(\.displayName)), found: clientCertificate.map { .word($0.displayName) } ?? .absent)
    let decision = EndpointEffect.decided(Narration.registration(clientCertificate, finding, of: request))
    guard finding.refuses else { return Admission(isAdmitted: true, effects: [decision]) }
    isRefused = true
    return Admission(isAdmitted: false, effects: [decision] + respond(with: HTTP.forbidden))
  }
}

extension Narration {
  /// What a server reads in a client's certificate, as openssl_x509_parse shows it, and whether it knows the client.
  static func registration(_ certificate: Certificate?, _ finding: Finding, of request: HTTPRequest) -> Decision {
    let name = certificate?.displayName ?? "a client without certificate"
    guard let certificate else {
      return Decision(
        title: "the server does not know \(name): 403", narration: "\(request.line) is not carried out.",
        findings: [finding])
    }
    let purposes =
      certificate.extendedKeyUsage.map { "; purposes \($0.purposes.map(\.name).joined(separator: ", "))" } ?? ""
    let fields =
      "name \(certificate.subject); issuer \(certificate.issuer); version \(certificate.version - 1); serialNumberHex "
      + "\(Hex.string(certificate.serialNumber)); validFrom \(certificate.notBefore); validTo \(certificate.notAfter); "
      + "signatureTypeLN \(certificate.signatureAlgorithm)\(purposes)"
    return Decision(
      title: finding.refuses ? "the server does not know \(name): 403" : "the server knows \(name)",
      narration:
        "Of the certificate it reads: \(fields). Reading proves nothing: that the path and the key are right the "
        + "handshake has shown. " + (finding.refuses ? "The certificate is not on its list." : "It is on its list."),
      findings: [finding])
  }

  /// Whether a server issues an identity.
  static func pin(_ finding: Finding, of name: String) -> Decision {
    Decision(
      title: finding.refuses ? "the server issues nothing: 403" : "the server hears the PIN of \(name)",
      narration: finding.refuses
        ? "Whoever asks does not say what was agreed on another way: nobody is given an identity for a name alone."
        : "Whoever asks says what was agreed on another way. It is not said again: from now on the key speaks.",
      findings: [finding])
  }

  /// What a server says to who a client says it is.
  static func admission(
    _ judgement: HTTPAuthenticator.Judgement, of request: HTTPRequest, by asker: HTTPAsker = .server
  ) -> Decision {
    let title: String
    let narration: String
    switch judgement.answer {
    case .allowed(let user):
      title = asker == .server ? "the server lets \(user) in" : "the proxy lets \(user) through"
      narration = "The credentials are those of \(user), and \(request.line) is carried out."
    case .forbidden(let user):
      title = "\(asker.name) has locked the account of \(user): 403"
      narration = "Passwords were wrong too often: until somebody unlocks the account no password helps."
    case .unauthorized(let challenges):
      let fields = challenges.map { "\(asker.challengeField): \($0)" }.listed
      let reason = judgement.findings.map(words)
      title =
        "\(asker.name) \(reason.isEmpty ? "challenges the client" : "asks who the client is"): \(asker.code)"
      narration =
        reason.isEmpty
        ? "This is the second message of NTLM, a random number that the client proves its password with. It counts as no "
          + "failure, and nobody is asked."
        : "\(request.line) is not carried out: \(reason.joined(separator: "; ")). It answers \(fields)."
    }
    return Decision(title: title, narration: narration, findings: judgement.findings)
  }

  /// What is wrong with the credentials, for whoever does not see the rule.
  private static func words(_ finding: Finding) -> String {
    if finding.found == .absent { return "nothing says who asks" }
    return switch finding.rule {
    case .staleNonce: "the nonce \(finding.found.description) is stale"
    case .replayedNonce: "the nonce was counted to \(finding.found.description) before"
    case .realmMismatch: "there is no realm \(finding.found.description)"
    default: finding.found.description
    }
  }
}

extension [String] {
  fileprivate var listed: String { isEmpty ? "nothing" : joined(separator: ", ") }
}

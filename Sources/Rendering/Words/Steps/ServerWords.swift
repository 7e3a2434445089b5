import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

extension ServerEvent {
  /// Returns the words for a decision of a server. `server` is the endpoint that decides.
  func words(server: Actor) -> EventWords {
    switch self {
    case .failed(let failure):
      EventWords(server, "gives up: \(failure.alert)", failure.finding.rule.violation)
    case .renegotiates(let request, let authentication): Self.renegotiates(request, authentication, server)
    case .certificateMissing(let request):
      EventWords(
        server, "received no certificate: 403",
        "\(request.line) is not carried out: there was no renegotiation in which the client could present one.")
    case .registered(let certificate, let isKnown, let request):
      Self.registered(certificate, isKnown, request, server)
    case .pinChecked(let isRight, let name): Self.pinChecked(isRight, name, server)
    case .admission(let judgement, let request, let asker):
      Self.admission(judgement, request, asker, asker == .server ? server : Actor(the: .proxy))
    case .misdirected(let request, let origin):
      EventWords(
        server, "responds with 421 Misdirected Request",
        "\(request) is for \(origin.words): RFC 9110 section 7.4 requires the server to reject it on this connection.")
    case .requestRejected(let fault): EventWords(server, "responds with \(fault.status)", fault.statement)
    case .carriedOut(let request, let party):
      EventWords(
        Actor(named: party), "carries out \(request.line)",
        "The server performs the request: \(request.description).")
    case .frameRejected(let fault): EventWords(server, "closes the WebSocket", fault.statement)
    case .tooManyPings(let limit):
      EventWords(
        server, "closes the WebSocket",
        "More than \(limit) Pings have arrived. The limit for one connection is TrustLab's, not RFC 6455's.")
    }
  }

  private static func renegotiates(
    _ request: HTTPRequest, _ authentication: ClientAuthentication, _ server: Actor
  ) -> EventWords {
    EventWords(
      server, "starts another handshake before it responds to \(request.line)",
      authentication == .none
        ? "It requires new keys first. The response waits."
        : "Only now does it know that the path requires a client certificate. The response waits. The client's "
          + "certificate is encrypted with the keys of the first handshake.")
  }

  /// Returns the fields that a server reads in a client's certificate, as openssl_x509_parse shows them.
  private static func registered(
    _ certificate: Certificate?, _ isKnown: Bool, _ request: HTTPRequest, _ server: Actor
  ) -> EventWords {
    let name = certificate?.displayName ?? "a client without a certificate"
    guard let certificate else {
      return EventWords(server, "does not know \(name): 403", "\(request.line) is not carried out.")
    }
    let purposes =
      certificate.extendedKeyUsage.map { "; purposes \($0.purposes.map(\.name).joined(separator: ", "))" } ?? ""
    let fields =
      "name \(certificate.subject); issuer \(certificate.issuer); version \(certificate.version - 1); serialNumberHex "
      + "\(Hex.string(certificate.serialNumber)); validFrom \(certificate.notBefore); validTo \(certificate.notAfter); "
      + "signatureTypeLN \(certificate.signatureAlgorithm)\(purposes)"
    return EventWords(
      server, isKnown ? "knows \(name)" : "does not know \(name): 403",
      "It reads these fields of the certificate: \(fields). They prove nothing: "
        + "the handshake has verified the path and the key. "
        + (isKnown ? "It is on its list." : "The certificate is not on its list."))
  }

  private static func pinChecked(_ isRight: Bool, _ name: String, _ server: Actor) -> EventWords {
    isRight
      ? EventWords(
        server, "receives the PIN of \(name)",
        "The client sends the PIN that was agreed outside this connection. The PIN is not sent again: from now on, "
          + "the key identifies the client.")
      : EventWords(
        server, "issues nothing: 403",
        "The client does not send the PIN that was agreed outside this connection. A "
          + "name alone is not enough for an identity.")
  }

  private static func admission(
    _ judgement: HTTPAuthenticator.Judgement, _ request: HTTPRequest, _ asker: HTTPAsker, _ server: Actor
  ) -> EventWords {
    switch judgement.answer {
    case .allowed(let user):
      return EventWords(
        server, asker == .server ? "lets \(user) in" : "lets \(user) through",
        "The credentials are those of \(user), and \(request.line) is carried out.")
    case .forbidden(let user):
      return EventWords(
        server, "has locked the account of \(user): 403",
        "Too many passwords were wrong: no password is accepted until an administrator unlocks the account.")
    case .unauthorized(let challenges):
      let reason = judgement.findings.map(words)
      let fields = challenges.map { "\(asker.challengeField): \($0)" }
      return reason.isEmpty
        ? EventWords(
          server, "challenges the client: \(asker.code)",
          "This is the second message of NTLM: a random number with which the client proves its password. It does "
            + "not count as a failure, and the app gets no challenge.")
        : EventWords(
          server, "requests credentials: \(asker.code)",
          "\(request.line) is not carried out: \(reason.joined(separator: "; ")). It sends "
            + "\(fields.isEmpty ? "nothing" : fields.joined(separator: ", ")).")
    }
  }

  /// Returns the problem with the credentials, for a reader who does not see the rule.
  private static func words(_ finding: Finding) -> String {
    if finding.found == .absent { return "the request has no credentials" }
    return switch finding.rule {
    case .staleNonce: "the nonce \(finding.found.description) is stale"
    case .replayedNonce: "the nonce was already used with the count \(finding.found.description)"
    case .realmMismatch: "there is no realm \(finding.found.description)"
    default: finding.found.description
    }
  }
}

extension ServerEvent.Origin {
  fileprivate var words: String {
    switch self {
    case .scheme(let scheme): "the scheme \(scheme)"
    case .host(let host): "the host \(host)"
    }
  }
}

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
        server, "responds with 403: it received no certificate",
        "The server does not carry out \(request.line): no renegotiation took place in which the client could present "
          + "a certificate.")
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
        "More than \(limit) Pings arrived on this connection. TrustLab sets this limit; RFC 6455 does not.")
    }
  }

  private static func renegotiates(
    _ request: HTTPRequest, _ authentication: ClientAuthentication, _ server: Actor
  ) -> EventWords {
    EventWords(
      server, "starts another handshake before it responds to \(request.line)",
      authentication == .none
        ? "The server requires new keys before it responds."
        : "The path requires a client certificate, which the server could not know before the request. The response "
          + "waits for the handshake. The client's certificate is encrypted with the keys of the first handshake.")
  }

  /// Returns the fields that a server reads in a client's certificate, as openssl_x509_parse shows them.
  private static func registered(
    _ certificate: Certificate?, _ isKnown: Bool, _ request: HTTPRequest, _ server: Actor
  ) -> EventWords {
    let name = certificate?.displayName ?? "a client without a certificate"
    guard let certificate else {
      return EventWords(
        server, "responds with 403: it does not know \(name)", "The server does not carry out \(request.line).")
    }
    let purposes =
      certificate.extendedKeyUsage.map { "; purposes \($0.purposes.map(\.name).joined(separator: ", "))" } ?? ""
    let fields =
      "name \(certificate.subject); issuer \(certificate.issuer); version \(certificate.version - 1); serialNumberHex "
      + "\(Hex.string(certificate.serialNumber)); validFrom \(certificate.notBefore); validTo \(certificate.notAfter); "
      + "signatureTypeLN \(certificate.signatureAlgorithm)\(purposes)"
    return EventWords(
      server, isKnown ? "knows \(name)" : "responds with 403: it does not know \(name)",
      "The server reads these fields of the certificate: \(fields). The fields prove nothing: the handshake has "
        + "verified the path and the key. "
        + (isKnown ? "The certificate is on the server's list." : "The certificate is not on the server's list."))
  }

  private static func pinChecked(_ isRight: Bool, _ name: String, _ server: Actor) -> EventWords {
    isRight
      ? EventWords(
        server, "receives the PIN of \(name)",
        "The client sends the PIN that was agreed outside this connection. The PIN is not sent again: from now on, "
          + "the key identifies the client.")
      : EventWords(
        server, "responds with 403 and issues nothing",
        "The client does not send the PIN that was agreed outside this connection. A name alone is not enough to "
          + "obtain an identity.")
  }

  private static func admission(
    _ judgement: HTTPAuthenticator.Judgement, _ request: HTTPRequest, _ asker: HTTPAsker, _ server: Actor
  ) -> EventWords {
    switch judgement.answer {
    case .allowed(let user):
      return EventWords(
        server, asker == .server ? "grants access to \(user)" : "lets \(user) through",
        "The credentials are those of \(user), so \(request.line) is carried out.")
    case .forbidden(let user):
      return EventWords(
        server, "responds with 403: the account of \(user) is locked",
        "Too many passwords were wrong. No password is accepted until an administrator unlocks the account.")
    case .unauthorized(let challenges):
      let reason = judgement.findings.map(words)
      let fields = challenges.map { "\(asker.challengeField): \($0)" }
      return reason.isEmpty
        ? EventWords(
          server, "challenges the client: \(asker.code)",
          "This is the second message of NTLM: a random number with which the client proves its password. The response "
            + "does not count as a failure, and the app gets no challenge.")
        : EventWords(
          server, "requests credentials: \(asker.code)",
          "\(request.line) is not carried out: \(reason.joined(separator: "; ")). The response contains "
            + "\(fields.isEmpty ? "no challenge" : fields.joined(separator: ", ")).")
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

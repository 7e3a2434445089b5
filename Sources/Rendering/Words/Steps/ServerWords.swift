import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

extension ServerEvent {
  /// The words for a decision of a server; `server` is the name of the endpoint that decides.
  func words(server: Actor) -> EventWords {
    switch self {
    case .failed(let failure):
      EventWords(server, "gives up: \(failure.alert)", failure.finding.rule.statement)
    case .renegotiates(let request, let authentication): Self.renegotiates(request, authentication, server)
    case .certificateMissing(let request):
      EventWords(
        server, "has seen no certificate: 403",
        "\(request.line) is not carried out: there was no other handshake in which the client could show one.")
    case .registered(let certificate, let isKnown, let request):
      Self.registered(certificate, isKnown, request, server)
    case .pinChecked(let isRight, let name): Self.pinChecked(isRight, name, server)
    case .admission(let judgement, let request, let asker):
      Self.admission(judgement, request, asker, asker == .server ? server : Actor(the: .proxy))
    case .misdirected(let request, let origin):
      EventWords(
        server, "answers 421 Misdirected Request",
        "\(request) is for \(origin.words): RFC 9110 section 7.4 has a server on TLS refuse that.")
    case .requestRejected(let fault): EventWords(server, "answers \(fault.status)", fault.statement)
    case .carriedOut(let request, let party):
      EventWords(
        Actor(named: party), "carries out \(request.line)",
        "The server does what the request asks: \(request.description).")
    case .frameRejected(let fault): EventWords(server, "closes the WebSocket", fault.statement)
    case .tooManyPings(let limit):
      EventWords(
        server, "closes the WebSocket",
        "More than \(limit) Pings have come: how many are taken on one connection is a bound of this "
          + "program, and not of RFC 6455.")
    }
  }

  private static func renegotiates(
    _ request: HTTPRequest, _ authentication: ClientAuthentication, _ server: Actor
  ) -> EventWords {
    EventWords(
      server, "begins another handshake before it answers \(request.line)",
      authentication == .none
        ? "It wants new keys first. The answer waits."
        : "Only now it knows that the path is for those alone who show a certificate. The answer waits; the client's "
          + "certificate travels under the keys of the first handshake.")
  }

  /// The fields that a server reads in a client's certificate, as openssl_x509_parse shows them.
  private static func registered(
    _ certificate: Certificate?, _ isKnown: Bool, _ request: HTTPRequest, _ server: Actor
  ) -> EventWords {
    let name = certificate?.displayName ?? "a client without certificate"
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
      "Of the certificate it reads: \(fields). Reading proves nothing: that the path and the key are right the "
        + "handshake has shown. " + (isKnown ? "It is on its list." : "The certificate is not on its list."))
  }

  private static func pinChecked(_ isRight: Bool, _ name: String, _ server: Actor) -> EventWords {
    isRight
      ? EventWords(
        server, "hears the PIN of \(name)",
        "Whoever asks says what was agreed on another way. It is not said again: from now on the key speaks.")
      : EventWords(
        server, "issues nothing: 403",
        "Whoever asks does not say what was agreed on another way: nobody is given an identity for a name alone.")
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
        "Passwords were wrong too often: until somebody unlocks the account no password helps.")
    case .unauthorized(let challenges):
      let reason = judgement.findings.map(words)
      let fields = challenges.map { "\(asker.challengeField): \($0)" }
      return reason.isEmpty
        ? EventWords(
          server, "challenges the client: \(asker.code)",
          "This is the second message of NTLM, a random number that the client proves its password with. It counts as no "
            + "failure, and nobody is asked.")
        : EventWords(
          server, "asks who the client is: \(asker.code)",
          "\(request.line) is not carried out: \(reason.joined(separator: "; ")). It answers "
            + "\(fields.isEmpty ? "nothing" : fields.joined(separator: ", ")).")
    }
  }

  /// What is wrong with the credentials, for a reader who does not see the rule.
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

extension ServerEvent.Origin {
  fileprivate var words: String {
    switch self {
    case .scheme(let scheme): "the scheme \(scheme)"
    case .host(let host): "the host \(host)"
    }
  }
}

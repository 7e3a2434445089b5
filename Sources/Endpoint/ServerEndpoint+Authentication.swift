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
    let decision = EndpointEffect.decided(
      Decision(.server(.admission(judgement, request, by: .server)), judgement.findings))
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
    let decision = EndpointEffect.decided(
      Decision(.server(.registered(clientCertificate, isKnown: !finding.refuses, request)), [finding]))
    guard finding.refuses else { return Admission(isAdmitted: true, effects: [decision]) }
    isRefused = true
    return Admission(isAdmitted: false, effects: [decision] + respond(with: HTTP.forbidden))
  }
}

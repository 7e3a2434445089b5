import Explanation
import PKIX
import URLLoading

/// A decision on whether a server processes a request, with its effects.
struct Admission {
  /// Whether the server processes the request.
  let isAdmitted: Bool
  /// The decisions, and the response if the request is refused.
  let effects: [EndpointEffect]

  /// Combines this decision with a later one.
  func and(_ next: Admission) -> Admission {
    Admission(isAdmitted: isAdmitted && next.isAdmitted, effects: effects + next.effects)
  }
}

extension ServerEndpoint {
  /// Authenticates the client. The server responds with 401 until the client sends valid credentials (RFC 9110 section
  /// 11.6).
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
      // A client that closes the connection retries on another connection: RFC 9112 section 9.3.
      let isLast = message.values(of: "connection").contains { $0.lowercased() == "close" }
      let closes = isLast || responses >= Self.mostExchanges
      isRefused = closes
      let response = HTTP.unauthorized(challenges, authenticator.policy.body, closes: closes)
      return Admission(
        isAdmitted: false, effects: registered.effects + [decision] + respond(with: response))
    }
  }

  /// Checks whether the client's certificate is registered, after its CA and signature were verified.
  ///
  /// If there is no certificate, a server with an authenticator checks user name and password instead.
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

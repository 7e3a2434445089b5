import Explanation
import TLS

/// The requests before whose response a server renegotiates.
public enum RenegotiationOccasion: Sendable, Hashable {
  /// The server never renegotiates.
  case never
  /// The server renegotiates before every response.
  case everyRequest
  /// The server renegotiates if the request's path equals one of these paths or is below one.
  case paths([String])

  /// Whether the server renegotiates before it responds to `path`. The query is ignored (RFC 9112 section 3.2.1).
  func includes(_ path: String) -> Bool {
    let own = path.prefix { $0 != "?" }
    return switch self {
    case .never: false
    case .everyRequest: true
    case .paths(let paths):
      paths.lazy.map { HTTPRequest(path: $0).path }.contains {
        own == $0 || own.hasPrefix($0.hasSuffix("/") ? $0 : "\($0)/")
      }
    }
  }
}

/// Renegotiation by a server that requests a client certificate only for some requests (RFC 5246 section 7.4.1.1, RFC
/// 5746).
extension ServerEndpoint {
  /// Postpones the request and renegotiates; nil if the server does not renegotiate.
  mutating func renegotiate(before message: HTTPMessage, _ request: HTTPRequest) -> [EndpointEffect]? {
    guard wouldRenegotiate(before: request) else { return nil }
    (hasRenegotiated, isResumed, postponed) = (true, false, message)
    let asks = configuration.tls.renegotiatedClientAuthentication ?? configuration.tls.clientAuthentication
    let decision = Decision(.server(.renegotiates(before: request, asks)))
    return [.decided(decision)] + effects(of: connection?.renegotiate() ?? [])
  }

  /// Whether the request must wait for a renegotiation.
  func wouldRenegotiate(before request: HTTPRequest) -> Bool {
    configuration.renegotiates.includes(request.path) && !hasRenegotiated && connection?.mayRenegotiate == true
  }

  /// Whether the server may send data, which is not allowed during a handshake, except in response to early data.
  var mayAnswer: Bool { connection?.maySend ?? true }

  /// The maximum number of bytes that wait for the end of a handshake: 64 full records. They are parsed again for each
  /// request.
  static let mostUnread = 1 << 20

  /// Closes the connection of a client that exceeds this limit.
  mutating func boundUnread() -> [EndpointEffect] {
    guard unread.count > Self.mostUnread else { return [] }
    (unread, postponed, isRefused, hasEnded) = ([], nil, true, true)
    return effects(of: connection?.close() ?? [])
  }

  /// Responds to the postponed request after the renegotiation, or after the client declined it.
  mutating func goOn() -> [EndpointEffect] {
    guard mayAnswer, let message = postponed, let request = message.ownRequest else { return [] }
    postponed = nil
    return answer(request, message)
  }

  /// Refuses a request if the renegotiation did not provide the required certificate; otherwise nil.
  ///
  /// After a no_renegotiation alert, RFC 5246 section 7.2.2 lets the server decide whether to continue.
  mutating func demandCertificate(_ request: HTTPRequest) -> [EndpointEffect]? {
    guard connection != nil, configuration.tls.renegotiatedClientAuthentication == .required, clientCertificate == nil,
      configuration.renegotiates.includes(request.path)
    else { return nil }
    let isTLS13 = parameters?.version == .tls13
    let ability = isTLS13 ? "offer post_handshake_auth" : "support RFC 5746"
    let required = Rule.clientCertificateRequired
    let rule = (isTLS13 ? required.citing(.rfc(8446, "4.6.2")) : required).fixed(
      by: "Make the client \(ability) and send an identity, or request the certificate in the first handshake.")
    let finding = configuration.tls.enforcement.check(
      rule, on: .message(.httpRequest), false, required: .atLeast(.number(1)),
      found: .number(0))
    let decision = Decision(.server(.certificateMissing(request)), [finding])
    guard finding.refuses else { return nil }
    isRefused = true
    return [.decided(decision)] + respond(with: HTTP.forbidden)
  }
}

import Explanation
import TLS

/// Before which answers a server begins another handshake on the connection.
public enum RenegotiationOccasion: Sendable, Hashable {
  /// Before none.
  case never
  /// Before every one.
  case everyRequest
  /// Where the path is one of these, or below one.
  case paths([String])

  /// Whether the answer to a request of `path` is such a one; what stands behind `?` is no part of it (RFC 9112 section
  /// 3.2.1).
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

/// A server that finds out only by the request what it wants of the client: RFC 5246 section 7.4.1.1, RFC 5746.
extension ServerEndpoint {
  /// The request waits until another handshake is over; nil where there is to be none.
  mutating func renegotiate(before message: HTTPMessage, _ request: HTTPRequest) -> [EndpointEffect]? {
    guard wouldRenegotiate(before: request) else { return nil }
    (hasRenegotiated, isResumed, postponed) = (true, false, message)
    let asks = configuration.tls.renegotiatedClientAuthentication ?? configuration.tls.clientAuthentication
    let decision = Decision(.server(.renegotiates(before: request, asks)))
    return [.decided(decision)] + effects(of: connection?.renegotiate() ?? [])
  }

  /// Whether the request is to wait until another handshake is over.
  func wouldRenegotiate(before request: HTTPRequest) -> Bool {
    configuration.renegotiates.includes(request.path) && !hasRenegotiated && connection?.mayRenegotiate == true
  }

  /// Whether what is said now is heard: under way, a handshake lets this side send nothing.
  var mayAnswer: Bool { connection?.isConnected ?? true }

  /// The most bytes that wait for the end of a handshake, 64 full records: they are gone through anew for each request.
  static let mostUnread = 1 << 20

  /// Whoever says more than that is not heard out.
  mutating func boundUnread() -> [EndpointEffect] {
    guard unread.count > Self.mostUnread else { return [] }
    (unread, postponed, isRefused, hasEnded) = ([], nil, true, true)
    return effects(of: connection?.close() ?? [])
  }

  /// The other handshake is over, or was declined: the request is answered.
  mutating func goOn() -> [EndpointEffect] {
    guard mayAnswer, let message = postponed, let request = message.ownRequest else { return [] }
    postponed = nil
    return answer(request, message)
  }

  /// Whoever asked for the certificate in another handshake alone, and came to none, does not answer: RFC 5246 section
  /// 7.2.2 leaves it to who asked whether the connection goes on after a no_renegotiation. Nil where nothing is missing.
  mutating func demandCertificate(_ request: HTTPRequest) -> [EndpointEffect]? {
    guard connection != nil, configuration.tls.renegotiatedClientAuthentication == .required, clientCertificate == nil,
      configuration.renegotiates.includes(request.path)
    else { return nil }
    let rule = Rule.clientCertificateRequired.fixed(
      by: "Let the client renegotiate as RFC 5746 says and answer with an identity, or ask for the certificate in the "
        + "first handshake.")
    let finding = configuration.tls.enforcement.check(
      rule, on: .message(.httpRequest), false, required: .atLeast(.number(1)),
      found: .number(0))
    let decision = Decision(.server(.certificateMissing(request)), [finding])
    guard finding.refuses else { return nil }
    isRefused = true
    return [.decided(decision)] + respond(with: HTTP.forbidden)
  }
}

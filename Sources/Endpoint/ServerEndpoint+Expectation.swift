import Explanation
import URLLoading

/// A client that waits with the content of its request until it hears whether that is wanted: RFC 9110 section 10.1.1.
extension ServerEndpoint {
  /// What such a client hears at once: why its request is not carried out, where that does not take the content to know,
  /// else 100 (Continue).
  mutating func answerExpectation() -> [EndpointEffect] {
    guard let head = reader.expectation(), let request = head.ownRequest else { return [] }
    // What is counted on the way, as the use of a nonce, counts only where it was the last word.
    var other = self
    if let refusal = other.refuseBeforehand(request, head) {
      self = other
      return refusal
    }
    guard connection == nil else { return effects(of: connection?.send(HTTP.goOn) ?? []) }
    responses += 1
    return unprotected(HTTP.goOn)
  }

  /// The last word on a request whose content nobody has seen; nil where it takes that, or is carried out. The connection
  /// ends with it: what comes of the content nonetheless is not taken for another request.
  private mutating func refuseBeforehand(_ request: HTTPRequest, _ head: HTTPMessage) -> [EndpointEffect]? {
    asked = request.line
    if let elsewhere = answerMisdirected(head.closing) { return elsewhere }
    // Another handshake may show who asks, and a scheme that is bound to the connection needs it to stay open.
    if wouldRenegotiate(before: request) || authenticator?.policy.schemes.contains(.ntlm) == true { return nil }
    if let refusal = demandCertificate(request) { return refusal }
    let admission = admit(request, head.closing)
    guard admission.isAdmitted else { return admission.effects }
    guard case .own(let content) = configuration.answers, request.answer(in: content) == nil else { return nil }
    isRefused = true
    let response = HTTP.refusal(of: request, in: content)
    return admission.effects + respond(with: request.method == "HEAD" ? HTTP.head(of: response) : response)
  }
}

extension HTTPMessage {
  /// The same message of somebody who would have the connection closed after it.
  fileprivate var closing: HTTPMessage {
    var message = self
    message.fields.append(.close)
    return message
  }
}

import Explanation
import URLLoading

/// Handles a client that waits for a 100 response before it sends its content (RFC 9110 section 10.1.1).
extension ServerEndpoint {
  /// The immediate response to a client that waits for a 100 response.
  ///
  /// If the server can refuse the request without its content, the response states the reason. Otherwise it is 100
  /// (Continue).
  mutating func answerExpectation() -> [EndpointEffect] {
    guard let head = reader.expectation(), let request = head.ownRequest else { return [] }
    // A side effect, such as the use of a nonce, is kept only if the request is refused here.
    var other = self
    if let refusal = other.refuseBeforehand(request, head) {
      self = other
      return refusal
    }
    guard connection == nil else { return effects(of: connection?.send(HTTP.goOn) ?? []) }
    responses += 1
    return unprotected(HTTP.goOn)
  }

  /// Refuses a request before its content arrives; nil if the content is needed or the request is accepted.
  ///
  /// The connection ends with the response, so that late content is not mistaken for another request.
  private mutating func refuseBeforehand(_ request: HTTPRequest, _ head: HTTPMessage) -> [EndpointEffect]? {
    asked = request.line
    if let elsewhere = answerMisdirected(head.closing) { return elsewhere }
    // A renegotiation may authenticate the client. A scheme that is bound to the connection requires the connection to
    // stay open.
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
  /// The same message, with a request to close the connection after the response.
  fileprivate var closing: HTTPMessage {
    var message = self
    message.fields.append(.close)
    return message
  }
}

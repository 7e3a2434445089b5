import Explanation
import URLLoading

extension ClientEndpoint {
  /// A response that wants to know who the client is (401), or will not say more to whom it knows (403); nil for others.
  mutating func authenticate(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard let status = message.status, [401, 403].contains(status) else { return nil }
    // Who passes a response on answers nothing itself, and may be asked to pass on the next request.
    guard configuration.followsRedirects else { return status == 401 && configuration.keepsAlive ? keep(message) : nil }
    if status == 403 { return deliver("403 Forbidden", []) }
    var authorization =
      self.authorization
      ?? HTTPAuthorization(date: trust.date, random: configuration.tls.random.stream("cnonce"))
    let values = message.fields.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value)
    let outcome = authorization.receive(values, configuration.tls.enforcement)
    defer { self.authorization = authorization }
    while conversation.failures < authorization.failures { conversation.recordFailure() }
    return goOn(outcome, &authorization)
  }

  /// What is to be done about a 401: nothing more, the request again, or a question to the app.
  private mutating func goOn(
    _ outcome: HTTPAuthorization.Outcome, _ authorization: inout HTTPAuthorization
  ) -> [EndpointEffect] {
    switch outcome.step {
    case .delivers: return deliver("401 Unauthorized", outcome.findings)
    case .resends: return found(outcome.findings) + sendAgain(&authorization)
    case .asks(let question):
      guard configuration.keepsAlive else { return deliver("401 Unauthorized", outcome.findings) }
      return ask(question, outcome.findings, &authorization)
    }
  }

  /// The response is there, and the connection stays for `ask`.
  private mutating func keep(_ message: HTTPMessage) -> [EndpointEffect] {
    isAnswered = true
    content = message.content
    return []
  }

  /// Another request on the connection that was kept; nil where there is none.
  public mutating func ask(_ request: HTTPRequest) -> [EndpointEffect]? {
    guard configuration.keepsAlive, isAnswered, connection?.isOver != true else { return nil }
    isAnswered = false
    content = nil
    reader = HTTPReader(.response(method: request.method))
    return send(HTTP.bytes(of: request, host: url.authority, keepsAlive: true))
  }

  /// The app is asked for user and password, by the scheme that the server offers.
  private mutating func ask(
    _ question: HTTPAuthorization.Question, _ findings: [Finding], _ authorization: inout HTTPAuthorization
  ) -> [EndpointEffect] {
    let space = ProtectionSpace(of: url, .init(question.scheme), realm: question.realm)
    let exchange = conversation.exchange(on: space, response: 401)
    conversation.record(exchange)
    guard conversation.failures < Self.maximumFailures else { return giveUp(exchange) }
    var story = ChallengeStory(exchange).decisions(conduct: exchange.findings)
    if story.isEmpty {
      story = [
        Decision(
          title: "nobody is asked for user and password",
          narration: exchange.challenge.proposedCredential.map { "There is one already: \($0.description)." }
            ?? "Default handling of \(space.method.constant) without a credential hands the response to the app.",
          findings: exchange.findings)
      ]
    }
    let decided = found(findings) + story.map(EndpointEffect.decided)
    switch exchange.answer {
    case .unanswered: return decided
    case .cancelled, .exception: return decided + cancel(exchange)
    case .credential(let credential): return decided + use(credential, &authorization)
    case .defaultHandling where conversation.failures == 0:
      return decided
        + (exchange.challenge.proposedCredential.map { use($0, &authorization) } ?? deliver("401 Unauthorized", []))
    case .noCredential, .defaultHandling: return decided + deliver("401 Unauthorized", [])
    case .rejected: return decided + goOn(authorization.reject(configuration.tls.enforcement), &authorization)
    }
  }

  private mutating func use(_ credential: Credential, _ authorization: inout HTTPAuthorization) -> [EndpointEffect] {
    guard case .password(let user, let password) = credential.kind else { return deliver("401 Unauthorized", []) }
    conversation.recordUse(of: credential)
    authorization.use(UserPassword(user: user, password: password))
    return found(authorization.findings(isSecure: url.isSecure, configuration.tls.enforcement))
      + sendAgain(&authorization)
  }

  /// The load is given up; after a password that the server did not take, that is why.
  private mutating func cancel(_ exchange: ChallengeExchange) -> [EndpointEffect] {
    isAnswered = true
    let reason = configuration.tls.enforcement.check(
      .unauthorized, on: .message("HTTP response"), false, found: .word("401 Unauthorized"))
    let hasFailed = conversation.failures > 0 && exchange.answer == .cancelled
    return (hasFailed ? [.found([reason])] : []) + effects(of: connection?.close() ?? [])
  }

  /// The most passwords of one load that are played: who has sent so many in vain looks at no count, and never ends.
  static let maximumFailures = 12

  private mutating func giveUp(_ exchange: ChallengeExchange) -> [EndpointEffect] {
    isAnswered = true
    let finding = configuration.tls.enforcement.check(
      .failuresIgnored, on: .message(exchange.challenge.method.constant), false,
      found: .word("previousFailureCount \(conversation.failures)"))
    return [
      .decided(
        Decision(
          title: "the delegate would go on like this for ever", narration: finding.rule.statement, findings: [finding]))
    ]
  }

  private func found(_ findings: [Finding]) -> [EndpointEffect] { findings.isEmpty ? [] : [.found(findings)] }

  /// The app gets the response as it is, without an error; what it wanted it does not get.
  private mutating func deliver(_ status: String, _ findings: [Finding]) -> [EndpointEffect] {
    isAnswered = true
    let refused = configuration.tls.enforcement.check(
      .unauthorized, on: .message("HTTP response"), false, found: .word(status))
    let all = status.hasPrefix("401") && !findings.refuses ? findings + [refused] : findings
    return [
      .decided(
        Decision(
          title: "the app receives \(status)",
          narration: "The response is handed to the app as it is. What was asked for is not in it.", findings: all))
    ] + effects(of: connection?.close() ?? [])
  }

  /// The request once more on the same connection, with what says who the client is.
  private mutating func sendAgain(_ authorization: inout HTTPAuthorization) -> [EndpointEffect] {
    reader = HTTPReader(.response(method: configuration.request.method))
    let field = authorization.authorization(method: configuration.request.method, uri: configuration.request.path)
    return send(
      HTTP.bytes(
        of: configuration.request, host: url.authority, authorization: field, keepsAlive: configuration.keepsAlive))
  }
}

extension AuthenticationMethod {
  /// What a scheme of HTTP asks for.
  fileprivate init(_ scheme: HTTPAuthenticationScheme) {
    switch scheme {
    case .basic: self = .httpBasic
    case .digest: self = .httpDigest
    case .ntlm: self = .ntlm
    case .negotiate: self = .negotiate
    }
  }
}

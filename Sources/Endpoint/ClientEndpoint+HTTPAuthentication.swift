import Explanation
import URLLoading

extension ClientEndpoint {
  /// Handles a response with the status 401, 403, or 407 from a proxy.
  ///
  /// 401 and 407 require authentication, and 403 denies access. Nil for any other response.
  mutating func authenticate(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard let status = message.status, [401, 403, 407].contains(status) else { return nil }
    // A client that forwards responses does not authenticate, but may have to forward the next request.
    guard configuration.followsRedirects else { return status == 401 && configuration.keepsAlive ? keep(message) : nil }
    if status == 403 { return deliver("403 Forbidden", []) }
    // RFC 9110 section 15.5.8: without a proxy, a 407 response is invalid.
    if status == 407, configuration.proxy == nil { return nil }
    return authenticate(message, for: status == 407 ? .proxy : .server)
  }

  /// Handles a 401 or 407 response.
  mutating func authenticate(_ message: HTTPMessage, for asker: HTTPAsker) -> [EndpointEffect] {
    var authorization = self[asker] ?? newAuthorization(for: asker)
    let values = message.fields.filter { $0.name.lowercased() == asker.challengeField.lowercased() }.map(\.value)
    let failures = authorization.failures
    let outcome = authorization.receive(values, configuration.tls.enforcement)
    self[asker] = authorization
    if authorization.failures > failures { conversation.recordFailure() }
    return goOn(outcome, for: asker)
  }

  private func newAuthorization(for asker: HTTPAsker) -> HTTPAuthorization {
    HTTPAuthorization(
      to: asker == .server ? .server : url.isSecure ? .tunnel : .proxy, date: trust.requirements.date,
      random: configuration.tls.random.stream(asker == .server ? "cnonce" : "proxy_cnonce"))
  }

  /// The client's authorization for the server or for the proxy.
  subscript(asker: HTTPAsker) -> HTTPAuthorization? {
    get { asker == .server ? authorization : proxyAuthorization }
    set { if asker == .server { authorization = newValue } else { proxyAuthorization = newValue } }
  }

  /// Continues after a response: delivers it to the app, repeats the request, or challenges the app.
  private mutating func goOn(_ outcome: HTTPAuthorization.Outcome, for asker: HTTPAsker) -> [EndpointEffect] {
    switch outcome.step {
    case .delivers: return deliver(asker.status, outcome.findings, from: asker)
    case .resends: return found(outcome.findings) + sendAgain(to: asker)
    case .asks(let question):
      guard configuration.keepsAlive else { return deliver(asker.status, outcome.findings, from: asker) }
      return ask(question, outcome.findings, for: asker)
    }
  }

  /// Keeps the connection open after a response, so that `ask` can send another request.
  private mutating func keep(_ message: HTTPMessage) -> [EndpointEffect] {
    isAnswered = true
    content = message.content
    return []
  }

  /// Sends another request on the open connection; nil if the connection is closed.
  public mutating func ask(_ request: HTTPRequest) -> [EndpointEffect]? {
    guard configuration.keepsAlive, isAnswered, connection.map({ !$0.isOver && !$0.peerHasClosed }) ?? true
    else { return nil }
    isAnswered = false
    content = nil
    reader = HTTPReader(.response(method: request.method))
    return send(HTTP.bytes(of: request, host: url.authority, keepsAlive: true))
  }

  /// Challenges the app for user name and password, with the scheme that the server offers.
  private mutating func ask(
    _ question: HTTPAuthorization.Question, _ findings: [Finding], for asker: HTTPAsker
  ) -> [EndpointEffect] {
    let exchange = conversation.exchange(on: space(of: question, for: asker), response: asker.code)
    conversation.record(exchange)
    guard conversation.failures < Self.maximumFailures else { return giveUp(exchange) }
    var decisions = ChallengeDecisions(exchange).all(conduct: exchange.findings)
    if decisions.isEmpty {
      let isTunnel = asker == .proxy && url.isSecure
      decisions = [
        Decision(.challenge(.passwordNotAsked(exchange.challenge, opensNoTunnel: isTunnel)), exchange.findings)
      ]
    }
    let decided = found(findings) + decisions.map(EndpointEffect.decided)
    switch exchange.answer {
    case .unanswered: return decided
    case .cancelled, .exception: return decided + cancel(exchange, for: asker)
    case .credential(let credential): return decided + use(credential, for: asker)
    case .defaultHandling where self[asker]?.failures == 0:
      return decided
        + (exchange.challenge.proposedCredential.map { use($0, for: asker) }
          ?? deliver(asker.status, [], from: asker))
    case .noCredential, .defaultHandling: return decided + deliver(asker.status, [], from: asker)
    case .rejected:
      let enforcement = configuration.tls.enforcement
      guard let outcome = self[asker]?.reject(enforcement) else { return decided }
      return decided + goOn(outcome, for: asker)
    }
  }

  /// The protection space of a challenge. A proxy has its own protection space without a protocol.
  private func space(of question: HTTPAuthorization.Question, for asker: HTTPAsker) -> ProtectionSpace {
    guard asker == .proxy, let proxy = configuration.proxy else {
      return ProtectionSpace(of: url, .init(question.scheme), realm: question.realm)
    }
    return ProtectionSpace(
      host: proxy.host, port: proxy.port, protocol: nil, realm: question.realm, method: .init(question.scheme),
      proxyType: url.isSecure ? .https : .http)
  }

  private mutating func use(_ credential: Credential, for asker: HTTPAsker) -> [EndpointEffect] {
    guard case .password(let user, let password) = credential.kind else {
      return deliver(asker.status, [], from: asker)
    }
    conversation.recordUse(of: credential, toProxy: asker == .proxy)
    self[asker]?.use(UserPassword(user: user, password: password))
    // The credentials for a proxy travel outside of the tunnel.
    let isSecure = url.isSecure && asker == .server
    return found(self[asker]?.findings(isSecure: isSecure, configuration.tls.enforcement) ?? [])
      + sendAgain(to: asker)
  }

  /// Cancels the load. If the server rejected an earlier password, the rejection is the reason.
  private mutating func cancel(_ exchange: ChallengeExchange, for asker: HTTPAsker) -> [EndpointEffect] {
    isAnswered = true
    let subject = asker == .proxy && url.isSecure ? MessageName.connectResponse : .httpResponse
    let reason = configuration.tls.enforcement.check(
      asker.rule, on: .message(subject), false, found: .word(asker.status))
    let hasFailed = conversation.failures > 0 && exchange.answer == .cancelled
    return (hasFailed ? [.found([reason])] : []) + effects(of: connection?.close() ?? [])
  }

  /// The maximum number of passwords in a load. An app that sent this many never checks its failure count.
  static let maximumFailures = 12

  private mutating func giveUp(_ exchange: ChallengeExchange) -> [EndpointEffect] {
    isAnswered = true
    let finding = configuration.tls.enforcement.check(
      .failuresIgnored, on: .message(exchange.challenge.method.constant), false,
      found: .word("previousFailureCount \(conversation.failures)"))
    return [.decided(Decision(.challenge(.neverEnds(finding.rule)), [finding]))]
  }

  private func found(_ findings: [Finding]) -> [EndpointEffect] { findings.isEmpty ? [] : [.found(findings)] }

  /// Delivers the response to the app without an error, in place of the requested content. If there is no tunnel, there
  /// is no response to deliver.
  private mutating func deliver(
    _ status: String, _ findings: [Finding], from asker: HTTPAsker = .server
  ) -> [EndpointEffect] {
    if asker == .proxy, url.isSecure { return noTunnel(status, findings) }
    isAnswered = true
    refusal = status == asker.status ? asker.code : 403
    let refused = configuration.tls.enforcement.check(
      asker.rule, on: .message(.httpResponse), false, found: .word(status))
    let all = status == asker.status && !findings.refuses ? findings + [refused] : findings
    return [.decided(Decision(.load(.responseDelivered(status: status)), all))] + effects(of: connection?.close() ?? [])
  }

  /// Sends the request again with credentials, on the same connection.
  private mutating func sendAgain(to asker: HTTPAsker) -> [EndpointEffect] {
    if asker == .proxy, url.isSecure { return connect() }
    reader = HTTPReader(.response(method: configuration.request.method))
    return sendRequest()
  }

  /// Sends the first request, with credentials from an earlier load in the process.
  ///
  /// On the first contact, the system never sends credentials. On later contacts, the CFNetwork of 2005 did. Nothing is
  /// known that suggests otherwise for current systems.
  mutating func firstRequest() -> [EndpointEffect] {
    let request = configuration.request
    let known = configuration.known.last { $0.covers(url) }
    if let known {
      authorization = known.authorization
      conversation.recordUse(of: known.credential)
    }
    let sent = sendRequest()
    if let known {
      return [.decided(Decision(.challenge(.sentAtOnce(known))))] + sent
    }
    guard let own = request.authorization, configuration.followsRedirects else { return sent }
    let isReadable = own.lowercased().hasPrefix("basic ") && !url.isSecure
    let findings =
      [
        configuration.tls.enforcement.check(
          .reservedField, on: .message(.httpRequest), false, found: .word(String(own.prefix { $0 != " " })))
      ]
      + (isReadable
        ? [
          configuration.tls.enforcement.check(
            .cleartextPassword, on: .message(.httpRequest), false, found: .word("http"))
        ] : [])
    return [.decided(Decision(.challenge(.ownAuthorization), findings))] + sent
  }

  /// Sends the request with credentials for the server, and for a proxy that can read the request.
  mutating func sendRequest() -> [EndpointEffect] { send(requestBytes()) }

  /// The bytes of the request.
  mutating func requestBytes() -> [UInt8] {
    var request = configuration.request
    request.webSocketKey = webSocketKey
    let field = authorization?.authorization(method: request.method, uri: request.path)
    let isPassedOn = configuration.proxy != nil && !url.isSecure
    let target = "http://\(url.authority)\(request.path)"
    let proxyField = isPassedOn ? proxyAuthorization?.authorization(method: request.method, uri: target) : nil
    return HTTP.bytes(
      of: request, host: url.authority, authorization: field, keepsAlive: configuration.keepsAlive,
      throughProxy: isPassedOn, proxyAuthorization: proxyField)
  }
}

/// The credentials that a load used successfully, for later loads in the same protection space.
public struct KnownAuthorization: Sendable {
  /// The URL of the challenge.
  public let url: LoadURL
  /// The credential that the server accepted.
  public let credential: Credential
  /// The authorization that uses the credential.
  public let authorization: HTTPAuthorization

  /// Copies the accepted credentials of `client`; nil if there was no challenge or the credentials are not kept.
  public init?(of client: ClientEndpoint) {
    guard client.content != nil, let credential = client.conversation.kept, let again = client.authorization?.again
    else { return nil }
    url = client.url
    self.credential = credential
    authorization = again
  }

  /// Whether `other` is in the same protection space, as far as the client can determine without a challenge.
  func covers(_ other: LoadURL) -> Bool {
    url.scheme == other.scheme && url.host == other.host && url.port == other.port
      && authorization.covers(other.path, learntAt: url.path)
  }
}

extension AuthenticationMethod {
  /// Creates the authentication method for an HTTP scheme.
  fileprivate init(_ scheme: HTTPAuthenticationScheme) {
    switch scheme {
    case .basic: self = .httpBasic
    case .digest: self = .httpDigest
    case .ntlm: self = .ntlm
    case .negotiate: self = .negotiate
    }
  }
}

import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A complete server with its responses, using TLS or plain HTTP. It performs no I/O.
public struct ServerEndpoint: Sendable {
  /// The settings of a server.
  public struct Configuration: Sendable {
    /// The TLS configuration.
    public var tls: ServerConfiguration
    /// The certificates in the server's Certificate message, as public values.
    public var certificates: [Value]
    /// The source of the server's responses.
    public var answers: Answers
    /// The evaluator of client certificates. If nil, the server trusts none.
    public var clientTrust: TrustEvaluator?
    /// The registered client certificates; nil if the server has no registry.
    public var knownClients: [Certificate]?
    /// The HTTP authenticator; nil if the server requires no authentication.
    public var authenticator: HTTPAuthenticator?
    /// The requests before which the server renegotiates.
    public var renegotiates = RenegotiationOccasion.never
    /// The sides that update their keys before a response (RFC 8446 section 4.6.3); nil for neither.
    public var updatesKeys: ClientEndpoint.KeyUpdatePolicy?
    /// Whether the connection stays open for another request if the client asks for it (RFC 9112 section 9.3).
    public var keepsAlive = false
    /// The names and addresses that the server serves with TLS, in addition to those in its certificates.
    ///
    /// A request for any other host is misdirected (RFC 9110 section 7.4). If nil, the server accepts every host.
    public var names: [String]?
    /// Whether the server opens a WebSocket if a client requests it (RFC 6455 section 4.2.2).
    public var opensWebSockets = true

    /// Creates the settings of a server that presents `certificates` and has these responses.
    public init(tls: ServerConfiguration, certificates: [Value], answers: Answers, clientTrust: TrustEvaluator? = nil) {
      self.tls = tls
      self.certificates = certificates
      self.answers = answers
      self.clientTrust = clientTrust
    }
  }

  /// The source of a server's responses.
  public enum Answers: Sendable, Hashable {
    /// The server's own responses by request line, such as `GET /`.
    case own([String: HTTPAnswer])
    /// The caller obtains the response from another server, and calls `respond(with:)`.
    case elsewhere
  }

  /// The server's configuration.
  public var configuration: Configuration { _read { yield boxed.value } }
  private let boxed: Boxed<Configuration>
  var connection: Connection?
  /// The sessions that later connections may resume; nil if the server stores none.
  public private(set) var sessions: SessionCache?
  /// The changes to the sessions that `drainSessionChanges()` has not returned yet.
  private var sessionChanges: [SessionCache.Change] = []
  /// The session of this connection, whether new or resumed.
  public private(set) var established: Session?
  /// The authenticator and its state, which later connections continue.
  public internal(set) var authenticator: HTTPAuthenticator?
  var reader = HTTPReader(.request)
  /// The reader of the client's frames on an open WebSocket.
  var webSocket: WebSocketReader?
  /// The number of Pings received on the WebSocket.
  var pings = 0
  /// The request that the server is processing.
  public private(set) var request: HTTPRequest?

  /// Creates a server that waits for a client. If `isSecure` is false, it uses plain HTTP.
  public init(_ configuration: Configuration, isSecure: Bool) {
    boxed = Boxed(configuration)
    connection = isSecure ? Connection(configuration.tls) : nil
    sessions = configuration.tls.sessions
    authenticator = configuration.authenticator
    authenticator?.beginConnection()
  }

  /// The response that was sent; nil if none was sent.
  public private(set) var response: [UInt8]?
  /// Whether a request has arrived whose response was not sent.
  public private(set) var isAnswering = false
  /// Whether the server has refused the request and stopped reading.
  var isRefused = false
  /// The client's certificate, if the server trusts it.
  public private(set) var clientCertificate: Certificate?
  /// The server's own certificate in DER, once it was presented; nil in a resumed session.
  private(set) var shownLeaf: [UInt8]?
  /// Whether the connection resumes a session, whose full handshake authenticated the client.
  var isResumed = false
  /// The request that waits for a renegotiation; nil if there is none.
  var postponed: HTTPMessage?
  /// Whether the server has renegotiated.
  var hasRenegotiated = false
  /// The number of responses that were sent.
  var responses = 0
  /// The request lines that received a response, and the status of each response.
  public private(set) var exchanges: [(request: String, status: String)] = []
  /// The request line of the current request; empty if it is malformed.
  var asked = ""
  /// The maximum number of requests on a connection.
  static let mostExchanges = 1000
  /// The bytes that wait until the server has responded to the current request.
  var unread: [UInt8] = []
  /// Whether the last response was sent, after which the transport is closed.
  public internal(set) var hasEnded = false
  /// Whether the client has sent close_notify, and still waits for responses.
  private var clientHasClosed = false
  /// Whether the server has stopped reading.
  public private(set) var isOver = false
  /// The negotiated parameters; nil until the handshake is complete. They remain if the connection fails later.
  public private(set) var parameters: ConnectionParameters?

  /// The number of complete items from the client: the first handshake, requests with a response, and frames.
  public internal(set) var receivedCount = 0

  /// Processes bytes from the client.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard connection != nil else {
      unread += bytes
      return answerUnread()
    }
    // TLS processes the bytes first, because it encrypts the response afterwards.
    let taken = effects(of: connection?.receive(bytes) ?? [])
    return taken + answerUnread() + boundUnread() + closeAfterClient()
  }

  /// Closes the connection after the client did, but not before the response to its last request.
  private mutating func closeAfterClient() -> [EndpointEffect] {
    clientHasClosed && !isAnswering ? effects(of: connection?.close() ?? []) : []
  }

  /// Handles the end of the transport, after which the client sends nothing more.
  public mutating func transportClosed() -> [EndpointEffect] {
    effects(of: connection?.transportClosed() ?? [])
  }

  /// Sends close_notify, as RFC 5246 section 7.2.1 requires. Sends nothing before the handshake is complete.
  public mutating func close() -> [EndpointEffect] {
    guard parameters != nil else { return [] }
    return effects(of: connection?.close() ?? [])
  }

  mutating func effects(of tls: [ConnectionEffect]) -> [EndpointEffect] {
    var effects: [EndpointEffect] = []
    for effect in tls {
      switch effect {
      case .send(let message):
        effects += show(message).map(EndpointEffect.derived)
        effects.append(.send(Transmission(message)))
      case .derived(let value): effects.append(.derived(value))
      case .found(let finding): effects.append(.found([finding]))
      case .applicationData(let bytes): unread += bytes
      case .failed(let failure): effects += failed(failure)
      case .evaluateCertificate(let credentials): effects += evaluate(credentials)
      case .established(let session):
        established = session
        change(.established(session))
      case .resumed(let session): (established, isResumed) = (session, true)
      case .spent(let ticket): change(.spent(ticket))
      case .received(let message) where message.content == .alert(Alert(.warning, .noRenegotiation)):
        effects += goOn()
      case .connected(let agreed):
        if parameters == nil { receivedCount += 1 }
        parameters = agreed
        effects += goOn()
      case .peerClosed: clientHasClosed = true
      case .closed: isOver = true
      case .received, .chooseIdentity, .answeredEarlyData: break
      }
    }
    return effects
  }

  private mutating func change(_ change: SessionCache.Change) {
    guard sessions != nil else { return }
    sessions?.apply(change)
    sessionChanges.append(change)
  }

  /// Returns the changes to the sessions since the last call, which connections with another copy must know.
  public mutating func drainSessionChanges() -> [SessionCache.Change] {
    defer { sessionChanges = [] }
    return sessionChanges
  }

  /// The values of the certificates in a message.
  private mutating func show(_ message: ProtocolMessage) -> [Value] {
    let certificates = message.certificates
    guard let leaf = certificates.first else { return [] }
    shownLeaf = leaf
    return configuration.certificates.filter { certificates.contains($0.bytes) }.map(message.carrying)
  }

  /// Reports the server's failure as a decision. An alert from the client is a decision of the client instead.
  private mutating func failed(_ failure: HandshakeFailure) -> [EndpointEffect] {
    isOver = true
    if let established, failure.endsSession { change(.removed(established)) }
    guard failure.isOwn else { return [.found([failure.finding])] }
    return [.decided(Decision(.server(.failed(failure)), [failure.finding]))]
  }

  /// Responds to the buffered requests in order. No request is processed while a renegotiation is due or in progress.
  private mutating func answerUnread() -> [EndpointEffect] {
    var effects: [EndpointEffect] = []
    while !unread.isEmpty, mayAnswer, postponed == nil {
      let next = unread
      unread = []
      effects += answerOne(next)
    }
    return effects
  }

  private mutating func answerOne(_ bytes: [UInt8]) -> [EndpointEffect] {
    if webSocket != nil { return answerFrames(bytes) }
    guard request == nil, !isRefused else { return [] }
    let message: HTTPMessage
    do throws(HTTPFault) {
      guard let whole = try reader.append(bytes) else { return answerExpectation() }
      message = whole
    } catch {
      return refuse(error)
    }
    guard let request = message.ownRequest else { return [] }
    asked = request.line
    if let elsewhere = answerMisdirected(message) { return elsewhere }
    return renegotiate(before: message, request) ?? answer(request, message)
  }

  /// Whether the connection stays open after the response to `message`.
  func mayPersist(after message: HTTPMessage) -> Bool {
    configuration.keepsAlive && message.persists && responses < Self.mostExchanges
  }

  /// Responds to a request after its origin was checked and any renegotiation has ended.
  mutating func answer(_ request: HTTPRequest, _ message: HTTPMessage) -> [EndpointEffect] {
    if let refusal = demandCertificate(request) { return refusal }
    var admission = admit(request, message)
    if admission.isAdmitted { admission = admission.and(demandPIN(request)) }
    guard admission.isAdmitted else { return admission.effects }
    if configuration.opensWebSockets, let fault = message.webSocketFault { return admission.effects + refuse(fault) }
    self.request = request
    isAnswering = true
    switch configuration.answers {
    case .elsewhere: return admission.effects + [.requested(request)]
    case .own(let content):
      if let opening = opening(request, content) { return admission.effects + respond(with: opening) }
      let whole =
        request.answer(in: content).map {
          HTTP.portions(message.takesTransferCodings ? $0 : $0.withoutTransferCoding)
        } ?? [HTTP.refusal(of: request, in: content)]
      let persists = mayPersist(after: message)
      let portions = persists ? HTTP.persisting(whole) : whole
      if request.method == "HEAD" {
        return admission.effects + carryOut(request) + respond(in: [HTTP.head(of: portions.flatMap(\.self))])
      }
      let sent = respond(in: portions)
      return admission.effects + carryOut(request) + issued(content[request.line], in: sent) + sent
    }
  }

  /// Checks the PIN in a request for an identity, if the identity requires one.
  private mutating func demandPIN(_ request: HTTPRequest) -> Admission {
    guard case .own(let content) = configuration.answers, case .identity(let identity)? = content[request.line],
      let finding = identity.finding(on: request, configuration.tls.enforcement)
    else { return Admission(isAdmitted: true, effects: []) }
    let decision = EndpointEffect.decided(
      Decision(.server(.pinChecked(isRight: !finding.refuses, name: identity.name)), [finding]))
    guard finding.refuses else { return Admission(isAdmitted: true, effects: [decision]) }
    isRefused = true
    return Admission(isAdmitted: false, effects: [decision] + respond(with: IssuedIdentity.refusal))
  }

  /// Refuses a malformed request.
  private mutating func refuse(_ fault: HTTPFault) -> [EndpointEffect] {
    let finding = configuration.tls.enforcement.check(
      fault.rule, on: .message(.httpRequest), false, found: .word(fault.found))
    isRefused = true
    let decision = Decision(.server(.requestRejected(fault)), [finding])
    return [.decided(decision)] + respond(with: HTTP.response(to: fault))
  }

  /// Reports a request that changes the server's state (RFC 9110 section 9.2.1) as a decision. Other requests are not
  /// reported.
  private func carryOut(_ request: HTTPRequest) -> [EndpointEffect] {
    if ["GET", "HEAD"].contains(request.method) { return [] }
    return [.decided(Decision(.server(.carriedOut(request, by: configuration.tls.party))))]
  }

  /// Adds the value of the issued file, which every party that reads the response can derive.
  private func issued(_ answer: HTTPAnswer?, in sent: [EndpointEffect]) -> [EndpointEffect] {
    guard case .identity(let identity) = answer, let response else { return [] }
    let content = sent.lazy.compactMap { effect -> Value.ID? in
      if case .derived(let value) = effect, value.bytes == response { value.id } else { nil }
    }.first
    let file = Value(identity.fileName, identity.file, .generated(by: configuration.tls.party))
    return [.derived(content.map { file.adding(.computed(.contentDecoding, from: [$0])) } ?? file)]
  }

  /// Sends a complete response, and closes the connection unless the response keeps it open.
  public mutating func respond(with response: [UInt8]) -> [EndpointEffect] { respond(in: [response]) }

  /// Sends a complete response in these parts, and closes the connection unless the response keeps it open.
  private mutating func respond(in portions: [[UInt8]]) -> [EndpointEffect] {
    isAnswering = false
    responses += 1
    let response = portions.flatMap(\.self)
    self.response = response
    exchanges.append((asked, String(decoding: response.dropFirst("HTTP/1.1 ".utf8.count).prefix(3), as: UTF8.self)))
    receivedCount += 1
    asked = ""
    // After the opening handshake of a WebSocket, the client sends frames: RFC 6455 section 4.2.2.
    let opens = request?.webSocketKey != nil && exchanges.last?.status == "101"
    let closes = !opens && HTTP.closes(response)
    if opens {
      (webSocket, unread) = (WebSocketReader(framesOf: .client), reader.rest + unread)
    } else if closes {
      hasEnded = true
    } else {
      (request, unread, reader) = (nil, reader.rest + unread, HTTPReader(.request))
    }
    guard connection != nil else { return unprotected(response) }
    let update = parameters?.version == .tls13 ? configuration.updatesKeys : nil
    let updating = update.map { connection?.updateKeys(requestsPeer: $0 == .both) ?? [] } ?? []
    let sent = updating + portions.flatMap { connection?.send($0) ?? [] }
    let closed = closes ? connection?.close() ?? [] : []
    return effects(of: sent + closed) + closeAfterClient()
  }

  /// Sends a response over plain HTTP.
  func unprotected(_ response: [UInt8]) -> [EndpointEffect] {
    unprotected(Transmission(http: response, name: .httpResponse))
  }

  /// Sends an unprotected message, whose bytes are public.
  func unprotected(_ transmission: Transmission) -> [EndpointEffect] {
    let value = Value(
      configuration.tls.valueScope.name(.applicationData, of: .server, number: responses), transmission.bytes,
      .published, .generated(by: configuration.tls.party))
    return [.derived(value), .send(transmission)]
  }
}

extension ServerEndpoint {
  /// Evaluates the client's certificate according to RFC 5280, as RFC 5246 section 7.4.6 requires. No rules of a system
  /// apply.
  mutating func evaluate(_ credentials: PeerCredentials) -> [EndpointEffect] {
    let (leaf, chain): (Certificate, [Certificate])
    do throws(UnreadableCertificate) { (leaf, chain) = try credentials.chain() } catch {
      return answer(.refused(.badCertificate), decision(on: error))
    }
    // A server without a configured CA trusts no client.
    let evaluator =
      configuration.clientTrust
      ?? TrustEvaluator(TrustRequirements(os: nil, date: configuration.tls.now, store: TrustStore()))
    let evaluation = evaluator.evaluate(chain, host: nil)
    let findings = evaluation.findings.settled.compactMap { finding in
      finding.aboutClient(configuration.tls.enforcement).map { (ofPath: finding, ofClient: $0) }
    }
    let violated = findings.filter(\.ofClient.refuses).map(\.ofPath.rule)
    if violated.isEmpty { clientCertificate = leaf }
    return answer(
      violated.isEmpty
        ? .accepted(leaf.publicKey, for: leaf.keyPurposes) : .refused(AlertDescription(refusing: violated)),
      Decision(
        .trust(
          .clientEvaluated(
            name: evaluator.diagnostics.names(leaf), violated: findings.map(\.ofClient).deciding)),
        findings.map(\.ofClient)))
  }

  private mutating func answer(_ answer: CertificateAnswer, _ decision: Decision) -> [EndpointEffect] {
    [.decided(decision)] + effects(of: connection?.certificateEvaluated(answer) ?? [])
  }

  private func decision(on unreadable: UnreadableCertificate) -> Decision {
    Decision(
      .trust(.unreadable(unreadable, by: .server)),
      [unreadable.finding(.unreadableClientCertificate, configuration.tls.enforcement)])
  }
}

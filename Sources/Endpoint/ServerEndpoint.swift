import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A server whole: its TLS machine, or none for plain HTTP, and its answers. A value without I/O.
public struct ServerEndpoint: Sendable {
  /// What a server is and has.
  public struct Configuration: Sendable {
    /// Its part of TLS.
    public var tls: ServerConfiguration
    /// What travels in its Certificate message, as values that everyone sees.
    public var certificates: [Value]
    /// Where its answers come from.
    public var answers: Answers
    /// How it evaluates the certificates of clients; nil trusts none.
    public var clientTrust: TrustEvaluator?
    /// The certificates of clients that are registered; nil where the server has no list of them.
    public var knownClients: [Certificate]?
    /// Who may ask for its answers, over HTTP; nil where everyone may.
    public var authenticator: HTTPAuthenticator?
    /// Before which answers it begins another handshake on the connection.
    public var renegotiates = RenegotiationOccasion.never
    /// Whether the connection stays open for another request where the client would have it so: RFC 9112 section 9.3.
    public var keepsAlive = false
    /// The names and the addresses under which it is asked on TLS beside those of its certificates: a request for another
    /// host is none of its own (RFC 9110 section 7.4). Nil answers whatever host is asked for.
    public var names: [String]?
    /// Whether it opens a WebSocket where a request asks for one: RFC 6455 section 4.2.2.
    public var opensWebSockets = true

    /// A server that shows `certificates` and has these answers.
    public init(tls: ServerConfiguration, certificates: [Value], answers: Answers, clientTrust: TrustEvaluator? = nil) {
      self.tls = tls
      self.certificates = certificates
      self.answers = answers
      self.clientTrust = clientTrust
    }
  }

  /// Where a server's answers come from.
  public enum Answers: Sendable, Hashable {
    /// Its own, by request line: `GET /`.
    case own([String: HTTPAnswer])
    /// Whoever runs it asks elsewhere, and calls `respond(with:)`.
    case elsewhere
  }

  /// What the server is and has.
  public var configuration: Configuration { _read { yield boxed.value } }
  private let boxed: Boxed<Configuration>
  var connection: Connection?
  /// The sessions that later connections may go on with; nil where none are remembered.
  public private(set) var sessions: SessionCache?
  /// The session of this connection, new or resumed.
  public private(set) var established: Session?
  /// Whom it has let in over HTTP, and what it has counted: a later connection goes on with it.
  public internal(set) var authenticator: HTTPAuthenticator?
  var reader = HTTPReader(.request)
  /// Reads the client's frames once a WebSocket is open.
  var webSocket: WebSocketReader?
  /// How many Pings have come on it.
  var pings = 0
  /// The request that came, and that the server carries out.
  public private(set) var request: HTTPRequest?

  /// A server that waits for a client; without `isSecure` it speaks plain HTTP.
  public init(_ configuration: Configuration, isSecure: Bool) {
    boxed = Boxed(configuration)
    connection = isSecure ? Connection(configuration.tls) : nil
    sessions = configuration.tls.sessions
    authenticator = configuration.authenticator
    authenticator?.beginConnection()
  }

  /// The response that was sent; nil before there was one.
  public private(set) var response: [UInt8]?
  /// Whether a request has come and was not answered.
  public private(set) var isAnswering = false
  /// Whether what came is not carried out, and nothing more is read.
  var isRefused = false
  /// The certificate that the client has shown, and that the server trusts.
  public private(set) var clientCertificate: Certificate?
  /// The server's own certificate as it was shown, in DER; nil before, and where a session goes on without.
  private(set) var shownLeaf: [UInt8]?
  /// Whether the connection goes on with a session in which that was settled.
  var isResumed = false
  /// The request that waits until another handshake is over; nil where none does.
  var postponed: HTTPMessage?
  /// Whether the server has begun another handshake.
  var hasRenegotiated = false
  /// How many responses were sent.
  var responses = 0
  /// The requests that were answered, by their lines, and the status of each answer.
  public private(set) var exchanges: [(request: String, status: String)] = []
  /// The line of the request that is being answered; empty for what is none.
  var asked = ""
  /// The most requests that a connection stays open for.
  static let mostExchanges = 1000
  /// What has come, and is read once what came before is answered.
  var unread: [UInt8] = []
  /// Whether the last response was sent, after which the transport is closed.
  public internal(set) var hasEnded = false
  /// Whether nothing is read any more.
  public private(set) var isOver = false
  /// What the two ends have agreed on, once they have; it stays when the connection fails.
  public private(set) var parameters: ConnectionParameters?

  /// How many things the client has said whole: its first handshake, requests that were answered, and frames.
  public internal(set) var receivedCount = 0

  /// Bytes have come from the client.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard connection != nil else {
      unread += bytes
      return answerUnread()
    }
    // What TLS has to say about it goes first: an answer is sealed after that.
    let taken = effects(of: connection?.receive(bytes) ?? [])
    return taken + answerUnread() + boundUnread()
  }

  /// The transport has ended: nothing more comes from the client.
  public mutating func transportClosed() -> [EndpointEffect] {
    effects(of: connection?.transportClosed() ?? [])
  }

  /// Says that it says no more: RFC 5246 section 7.2.1 asks for close_notify. Nothing while the handshake is not complete.
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
        sessions?.store(session)
      case .resumed(let session): (established, isResumed) = (session, true)
      case .received(let message) where message.content == .alert(Alert(.warning, .noRenegotiation)):
        effects += goOn()
      case .connected(let agreed):
        if parameters == nil { receivedCount += 1 }
        parameters = agreed
        effects += goOn()
      case .closed: isOver = true
      case .received, .chooseIdentity: break
      }
    }
    return effects
  }

  /// The values of the certificates in a message.
  private mutating func show(_ message: ProtocolMessage) -> [Value] {
    let certificates = message.certificates
    guard let leaf = certificates.first else { return [] }
    shownLeaf = leaf
    return configuration.certificates.filter { certificates.contains($0.bytes) }.map(message.carrying)
  }

  /// A failure of the server's own is a decision worth a step; an alert of the client's was one over there.
  private mutating func failed(_ failure: HandshakeFailure) -> [EndpointEffect] {
    isOver = true
    if let established, failure.endsSession { sessions?.remove(established) }
    guard failure.isOwn else { return [.found([failure.finding])] }
    return [.decided(Decision(.server(.failed(failure)), [failure.finding]))]
  }

  /// Answers the requests in what has come, one after the other; none while another handshake is to come, or under way.
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

  /// Whether the connection stays open for more once `message` is answered.
  func mayPersist(after message: HTTPMessage) -> Bool {
    configuration.keepsAlive && message.persists && responses < Self.mostExchanges
  }

  /// What the request comes to, once nothing else is to be settled before.
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

  /// Whether whoever asks for an identity knows its PIN, where there is one.
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

  /// What is no request is answered and not carried out.
  private mutating func refuse(_ fault: HTTPFault) -> [EndpointEffect] {
    let finding = configuration.tls.enforcement.check(
      fault.rule, on: .message(.httpRequest), false, found: .word(fault.found))
    isRefused = true
    let decision = Decision(.server(.requestRejected(fault)), [finding])
    return [.decided(decision)] + respond(with: HTTP.response(to: fault))
  }

  /// A request that changes something (RFC 9110 section 9.2.1) is worth a step; one that only reads is not.
  private func carryOut(_ request: HTTPRequest) -> [EndpointEffect] {
    if ["GET", "HEAD"].contains(request.method) { return [] }
    return [.decided(Decision(.server(.carriedOut(request, by: configuration.tls.party))))]
  }

  /// The file that the server has made, which everyone has who reads what is `sent`.
  private func issued(_ answer: HTTPAnswer?, in sent: [EndpointEffect]) -> [EndpointEffect] {
    guard case .identity(let identity) = answer, let response else { return [] }
    let content = sent.lazy.compactMap { effect -> Value.ID? in
      if case .derived(let value) = effect, value.bytes == response { value.id } else { nil }
    }.first
    let file = Value(identity.fileName, identity.file, .generated(by: configuration.tls.party))
    return [.derived(content.map { file.adding(.computed(.contentDecoding, from: [$0])) } ?? file)]
  }

  /// Sends a whole response and closes the connection, unless the response keeps it for another request.
  public mutating func respond(with response: [UInt8]) -> [EndpointEffect] { respond(in: [response]) }

  /// Sends a whole response in these portions and closes the connection, unless another request is to come on it.
  private mutating func respond(in portions: [[UInt8]]) -> [EndpointEffect] {
    isAnswering = false
    responses += 1
    let response = portions.flatMap(\.self)
    self.response = response
    exchanges.append((asked, String(decoding: response.dropFirst("HTTP/1.1 ".utf8.count).prefix(3), as: UTF8.self)))
    receivedCount += 1
    asked = ""
    // What comes behind the request for a WebSocket is frames: RFC 6455 section 4.2.2.
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
    let sent = portions.flatMap { connection?.send($0) ?? [] }
    let closed = closes ? connection?.close() ?? [] : []
    return effects(of: sent + closed)
  }

  /// A response as it is, over plain HTTP.
  func unprotected(_ response: [UInt8]) -> [EndpointEffect] {
    unprotected(Transmission(http: response, name: .httpResponse))
  }

  /// What everyone on the network reads.
  func unprotected(_ transmission: Transmission) -> [EndpointEffect] {
    let value = Value(
      configuration.tls.valueScope.name(.applicationData, of: .server, number: responses), transmission.bytes,
      .published, .generated(by: configuration.tls.party))
    return [.derived(value), .send(transmission)]
  }
}

extension ServerEndpoint {
  /// Do I trust this client? RFC 5246 section 7.4.6 asks, RFC 5280 answers: a server follows no system's own rules.
  mutating func evaluate(_ credentials: PeerCredentials) -> [EndpointEffect] {
    let (leaf, chain): (Certificate, [Certificate])
    do throws(UnreadableCertificate) { (leaf, chain) = try credentials.chain() } catch {
      return answer(.refused(.badCertificate), decision(on: error))
    }
    // Who was told of no authority trusts nobody.
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

import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A complete client with App Transport Security, TLS, trust evaluation and HTTP. It performs no I/O.
public struct ClientEndpoint: Sendable {
  /// The client's settings, after the decision of App Transport Security.
  public let configuration: Configuration
  /// The decision of App Transport Security about the load.
  public let decision: AppTransportSecurity.Decision
  /// The negotiated parameters; nil until the handshake is complete.
  public private(set) var parameters: ConnectionParameters?
  /// The trust decision about the server; nil until it is made.
  public internal(set) var challenge: ServerTrustChallenge?
  /// The requirements of the CertificateRequest that the app's identity does not meet; nil if it meets all.
  public internal(set) var identityMisfit: IdentityMisfit?
  /// The challenges to the app and its responses.
  public internal(set) var conversation: ChallengeConversation
  /// The evaluation of the server's certificates; nil until it is made.
  public var evaluation: TrustEvaluation? { challenge?.evaluation }
  /// The ClientHello that was sent.
  public private(set) var hello: ClientHello?
  /// The certificates that the client presented in DER, starting with its own; empty if it presented none.
  public private(set) var shownCertificates: [[UInt8]] = []
  /// The session that a later connection may resume.
  public private(set) var session: Session?
  /// The session that a fatal alert invalidated, so that no connection may resume it.
  public private(set) var forgotten: Session?
  /// The response body that the app received.
  public internal(set) var content: [UInt8]?
  /// The status of the error response that the app received: 401, 403, or 407 from a proxy.
  public internal(set) var refusal: Int?
  /// Whether an exception stopped the app before it loaded anything.
  public private(set) var hasRaised = false
  /// The redirect that the client follows; nil if there is none.
  public internal(set) var redirection: Redirection?
  /// The redirect that the client does not follow; nil if there is none or the client follows redirects.
  public internal(set) var unfollowedRedirection: Redirection?
  /// The target of a redirect whose scheme is neither http nor https; otherwise nil.
  public internal(set) var foreignRedirection: LoadURL?
  /// The bytes of the response; nil until the app has received the content.
  public var response: [UInt8]? { content == nil ? nil : http2Response ?? reader.bytes }
  /// The response over HTTP/2 in the form of HTTP/1.1; nil until it is complete.
  var http2Response: [UInt8]?
  /// The HTTP/2 frames that the caller has not read yet.
  var frames: [UInt8] = []
  /// The fatal alert that ended the handshake, and the side that sent it.
  public private(set) var alert: AppError.FatalAlert?
  /// Whether the server accepted the request that the client sent as early data; nil if it sent none.
  public private(set) var earlyDataIsAccepted: Bool?
  var connection: Connection?
  /// The trust evaluator, with the configured and the fetched data.
  var trust: TrustEvaluator
  /// The chain that the server presented, and the fetch that its evaluation waits for.
  var pending: (chain: [Certificate], fetch: TrustFetch?, isStapled: Bool) = ([], nil, false)
  var reader: HTTPReader
  /// The reader of the server's frames on an open WebSocket.
  var webSocket: WebSocketReader?
  /// The authorization for the server; nil until the server challenges the client.
  public internal(set) var authorization: HTTPAuthorization?
  /// The authorization for the proxy; nil until the proxy challenges the client.
  public internal(set) var proxyAuthorization: HTTPAuthorization?
  /// The bytes that arrived during a renegotiation. They are read when it ends.
  private var unread: [UInt8] = []
  /// The number of requests for a tunnel.
  var tunnelRequests = 0
  /// The number of requests sent over plain HTTP.
  private var requests = 0

  /// Creates a client that has not started.
  public init(_ configuration: Configuration) {
    var configuration = configuration
    decision = configuration.decide()
    self.configuration = configuration
    trust = configuration.trust
    conversation = ChallengeConversation(configuration.challenges)
    reader = HTTPReader(.response(method: configuration.request.method))
  }

  /// Whether the client has stopped reading.
  public var isOver: Bool { connection?.isOver ?? isAnswered }

  /// Whether the server selected an application protocol that the client does not support, so that it sends no request.
  public var stopsAfterHandshake: Bool {
    parameters?.applicationProtocol.map { $0 != .http11 && !usesHTTP2 } ?? false
  }

  /// Whether the load has ended: the response has arrived, or will never arrive.
  public var hasEnded: Bool { isAnswered }

  /// Whether a response has started but is incomplete.
  public var isReading: Bool { !isAnswered && !reader.bytes.isEmpty }

  /// Whether the server sent data that does not begin like an HTTP/1.1 response.
  public var hasForeignAnswer: Bool { !reader.bytes.isEmpty && !reader.bytes.starts(with: "HTTP/".utf8) }

  /// Whether the handshake has started but is incomplete.
  public var isInHandshake: Bool { connection.map { !$0.handshake.isConnected } ?? false }

  /// The messages that the client waits for: handshake messages or the response.
  public var awaited: [String] {
    if conversation.exchanges.last?.answer == .unanswered { return ["the delegate's response"] }
    if isInHandshake { return connection?.handshake.expected.map(\.description) ?? [] }
    return [(awaitsTunnel ? MessageName.connectResponse : .httpResponse).description]
  }

  /// Whether the load has ended, with any status.
  var isAnswered = false

  var url: LoadURL { configuration.load.url }

  /// Starts the load. App Transport Security decides before any byte is sent.
  public mutating func start() -> [EndpointEffect] {
    let load = configuration.load
    guard load.loader.isAvailable(on: load.os) else {
      return [.decided(Decision(.load(.loaderUnavailable(load.loader, load.os))))]
    }
    if let failure = setUpFailure {
      (isAnswered, hasRaised) = (true, true)
      return [.decided(Decision(.library(failure), failure.findings))]
    }
    let permission = EndpointEffect.decided(Decision(.load(.transportSecurity(decision)), decision.findings))
    let upgrade = before.map(EndpointEffect.decided)
    guard decision.verdict != .blocked else { return upgrade + [permission] }
    if let refusal = refusalOfNamedOffer { return upgrade + [permission, .decided(refusal)] }
    let start = url.isSecure ? (configuration.proxy == nil ? startTLS() : connect()) : firstRequest()
    return upgrade + [permission] + start
  }

  /// The exception that a library throws during setup because it rejects its configuration; nil if there is none.
  private var setUpFailure: LibraryStep? {
    configuration.challenges.delegate?.rules.lazy.compactMap(\.library)
      .compactMap { $0.failure(loading: url.host, trust.diagnostics.enforcement) }.first
  }

  /// The decisions that precede that of App Transport Security.
  private var before: [Decision] {
    let imported = configuration.identityImport.map { Decision(.load(.identityImported($0)), $0.findings) }
    let upgraded = configuration.upgradedFrom.map { Decision(.load(.upgraded(from: $0, to: url))) }
    return [imported, upgraded].compactMap(\.self)
  }

  /// The decision about the app's own offer if App Transport Security allows no part of it; otherwise nil.
  private var refusalOfNamedOffer: Decision? {
    let enforcement = configuration.tls.enforcement
    guard let named = configuration.namedOffer, decision.narrowing(named, enforcement: enforcement) == nil
    else { return nil }
    return Decision(
      .load(.nothingOffered(named)), decision.findings(onNothingLeftOf: named, enforcement: enforcement))
  }

  private var sendsEarlyData: Bool {
    switch configuration.earlyRequests {
    case .none: false
    case .safe: configuration.request.isSafe && configuration.proxy == nil
    case .all: configuration.proxy == nil
    }
  }

  /// Starts the handshake with the server.
  mutating func startTLS() -> [EndpointEffect] {
    var tls = configuration.tls
    if sendsEarlyData { tls.earlyData = requestBytes() }
    var connection = Connection(tls)
    let started = connection.start()
    self.connection = connection
    return effects(of: started)
  }

  /// Processes bytes from the server.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard connection != nil else { return read(bytes) }
    return effects(of: connection?.receive(bytes) ?? [])
  }

  /// Handles the end of the transport, after which the server sends nothing more.
  public mutating func transportClosed() -> [EndpointEffect] {
    guard connection != nil else { return ended() }
    return effects(of: connection?.transportClosed() ?? [])
  }

  mutating func effects(of tls: [ConnectionEffect]) -> [EndpointEffect] {
    tls.flatMap { effect -> [EndpointEffect] in
      switch effect {
      case .send(let message):
        if case .handshake(let handshake) = message.content, case .clientHello(let hello) = handshake.body {
          self.hello = self.hello ?? hello
        }
        if !message.certificates.isEmpty { shownCertificates = message.certificates }
        let shown = configuration.identity.filter { message.certificates.contains($0.bytes) }.map(message.carrying)
        return shown.map(EndpointEffect.derived) + [.send(Transmission(message))]
      case .derived(let value): return [.derived(value)]
      case .found(let finding): return [.found([finding])]
      case .evaluateCertificate(let credentials): return evaluate(credentials)
      case .chooseIdentity(let request): return choose(request)
      case .established(let session), .resumed(let session):
        self.session = session
        return []
      case .answeredEarlyData(let isAccepted):
        earlyDataIsAccepted = isAccepted
        return []
      case .spent: return []
      case .connected(let parameters): return connected(parameters)
      case .applicationData(let bytes):
        unread += bytes
        return mayAnswer || unread.count > Self.mostUnread ? readUnread() : []
      case .failed(let failure): return readUnread() + failed(failure)
      case .peerClosed: return effects(of: connection?.close() ?? [])
      case .closed: return readUnread() + ended()
      case .received(let message): return [.received(message)] + (mayAnswer ? readUnread() : [])
      }
    }
  }

  /// Whether the client may send data, which is not allowed during a handshake.
  private var mayAnswer: Bool { connection?.isConnected ?? true }

  /// The maximum number of bytes that wait for the end of a handshake. If more arrive, they are read at once.
  static let mostUnread = 1 << 20

  private mutating func readUnread() -> [EndpointEffect] {
    guard !unread.isEmpty else { return [] }
    let bytes = unread
    unread = []
    return read(bytes)
  }

  private mutating func connected(_ parameters: ConnectionParameters) -> [EndpointEffect] {
    // A renegotiation does not repeat the request.
    if self.parameters != nil { return readUnread() }
    self.parameters = parameters
    let findings = decision.findings(
      on: .init(version: parameters.version, cipherSuite: parameters.cipherSuite),
      enforcement: configuration.tls.enforcement)
    guard configuration.asksForContent, !stopsAfterHandshake else {
      (isAnswered, content) = (true, [])
      return [.found(findings)] + effects(of: connection?.close() ?? [])
    }
    if earlyDataIsAccepted == true || usesHTTP2 { return [.found(findings)] }
    let update = parameters.version == .tls13 ? configuration.updatesKeys : nil
    let updating = update.map { effects(of: connection?.updateKeys(requestsPeer: $0 == .both) ?? []) } ?? []
    return [.found(findings)] + updating + firstRequest()
  }

  /// Sends a complete request or a WebSocket frame, protected or in the clear.
  mutating func send(_ request: [UInt8], as frame: WebSocketFrame? = nil) -> [EndpointEffect] {
    guard connection == nil else { return effects(of: connection?.send(request) ?? []) }
    requests += 1
    let value = Value(
      configuration.tls.valueScope.name(.applicationData, of: .client, number: requests), request, .published,
      .generated(by: configuration.tls.party))
    let transmission =
      frame.map { Transmission($0, request) } ?? Transmission(http: request, name: .httpRequest)
    return [.derived(value), .send(transmission)]
  }

  private mutating func failed(_ failure: HandshakeFailure) -> [EndpointEffect] {
    if let session, failure.endsSession {
      forgotten = session
      self.session = nil
    }
    alert = AppError.FatalAlert(
      failure.alert, isFromServer: !failure.isOwn,
      followsCertificate: !shownCertificates.isEmpty && mayAwaitJudgement)
    guard failure.finding.weight == .decides else { return [.found([failure.finding])] }
    if failure.finding.rule == .truncatedConnection {
      return [.decided(cutOff(failure.finding))]
    }
    return [.decided(Decision(.load(.failed(failure)), [failure.finding]))]
  }

  /// Whether the server may not have judged the client's certificate yet. In TLS 1.3, it does so after the client's own
  /// handshake is complete (RFC 8446 section 4.4.2.4).
  private var mayAwaitJudgement: Bool {
    guard let parameters else { return true }
    return parameters.version == .tls13 && reader.bytes.isEmpty
  }

  /// The decision about a transport that ended without close_notify.
  private mutating func cutOff(_ finding: Finding) -> Decision {
    guard parameters == nil else {
      return Decision(.load(.connectionLost(inHandshake: false)), [finding] + cutShort())
    }
    return Decision(.load(.connectionLost(inHandshake: true)), [finding])
  }
}

import Cryptography
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// A client whole: App Transport Security, its TLS machine, its trust decision and its request. A value without I/O.
public struct ClientEndpoint: Sendable {
  /// What the client is and wants, under the decision of App Transport Security.
  public let configuration: Configuration
  /// What App Transport Security has decided about the load.
  public let decision: AppTransportSecurity.Decision
  /// What the TLS machines agreed on, once they have.
  public private(set) var parameters: ConnectionParameters?
  /// How the question whether to trust the server was settled, once it was.
  public internal(set) var challenge: ServerTrustChallenge?
  /// The parts of the CertificateRequest that the app's identity does not fit; nil if it fits, or the app chose none.
  public internal(set) var identityMisfit: IdentityMisfit?
  /// What the app was asked on the way, and what it answered.
  public internal(set) var conversation: ChallengeConversation
  /// What the evaluation of the server's certificates came to, once it was made.
  public var evaluation: TrustEvaluation? { challenge?.evaluation }
  /// The ClientHello that was sent.
  public private(set) var hello: ClientHello?
  /// The certificates in DER by which it has said who it is, its own first; none where it has not.
  public private(set) var shownCertificates: [[UInt8]] = []
  /// The session that a later connection may go on with.
  public private(set) var session: Session?
  /// The session that ended with a fatal alert, so that no connection goes on with it any more.
  public private(set) var forgotten: Session?
  /// The body the app received.
  public internal(set) var content: [UInt8]?
  /// The status of the response that the app was handed in the place of what it asked for: 401, 403 or a proxy's 407.
  public internal(set) var refusal: Int?
  /// Whether an exception has ended the app before it loaded anything.
  public private(set) var hasRaised = false
  /// Where the server sends the client on to, when it does.
  public internal(set) var redirection: Redirection?
  /// Where the response would send on a client that follows redirects; nil where it would not, and of one that does.
  public internal(set) var unfollowedRedirection: Redirection?
  /// Where the response leads, if that is no URL of HTTP; nil where it leads to one, or nowhere.
  public internal(set) var foreignRedirection: LoadURL?
  /// The whole response, once it has come.
  public var response: [UInt8]? { content == nil ? nil : reader.bytes }
  /// The alert that ended the handshake, and whether it came from the server.
  public private(set) var alert: AppError.FatalAlert?
  var connection: Connection?
  /// How it evaluates: what it was configured with, and what it has fetched since.
  var trust: TrustEvaluator
  /// The chain that the server presented, and the issuer that is being fetched for it.
  var pending: (chain: [Certificate], fetch: TrustFetch?, isStapled: Bool) = ([], nil, false)
  var reader: HTTPReader
  /// Reads the server's frames once a WebSocket is open.
  var webSocket: WebSocketReader?
  /// What it says about who it is, once a server has asked.
  public internal(set) var authorization: HTTPAuthorization?
  /// The same to a proxy before it.
  public internal(set) var proxyAuthorization: HTTPAuthorization?
  /// What has come while another handshake is under way, and is read once that is over.
  private var unread: [UInt8] = []
  /// How many times a proxy was asked for a tunnel.
  var tunnelRequests = 0
  /// How many requests were sent over plain HTTP.
  private var requests = 0

  /// A client that has not begun.
  public init(_ configuration: Configuration) {
    var configuration = configuration
    decision = configuration.decide()
    self.configuration = configuration
    trust = configuration.trust
    conversation = ChallengeConversation(configuration.challenges)
    reader = HTTPReader(.response(method: configuration.request.method))
  }

  /// Whether nothing is read any more.
  public var isOver: Bool { connection?.isOver ?? isAnswered }

  /// Whether it wants nothing more: the response has come, or will not.
  public var hasEnded: Bool { isAnswered }

  /// Whether a response has begun and its end has not come.
  public var isReading: Bool { !isAnswered && !reader.bytes.isEmpty }

  /// Whether something has come in place of a response that does not begin as one of HTTP/1.1 does.
  public var hasForeignAnswer: Bool { !reader.bytes.isEmpty && !reader.bytes.starts(with: "HTTP/".utf8) }

  /// Whether the handshake has begun and is not complete.
  public var isInHandshake: Bool { connection.map { !$0.handshake.isConnected } ?? false }

  /// What it waits for: messages of the handshake, or the response.
  public var awaited: [String] {
    if conversation.exchanges.last?.answer == .unanswered { return ["the delegate's answer"] }
    if isInHandshake { return connection?.handshake.expected.map(\.description) ?? [] }
    return [(awaitsTunnel ? MessageName.connectResponse : .httpResponse).description]
  }

  /// Whether the response has come, whatever it says.
  var isAnswered = false

  var url: LoadURL { configuration.load.url }

  /// Begins to load: App Transport Security decides first, before a single byte is sent.
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

  /// The exception of a library that does not take its configuration: it is thrown where the app sets the library up.
  private var setUpFailure: LibraryStep? {
    configuration.challenges.delegate?.rules.lazy.compactMap(\.library)
      .compactMap { $0.failure(loading: url.host, trust.diagnostics.enforcement) }.first
  }

  /// What the client decides before App Transport Security does.
  private var before: [Decision] {
    let imported = configuration.identityImport.map { Decision(.load(.identityImported($0)), $0.findings) }
    let upgraded = configuration.upgradedFrom.map { Decision(.load(.upgraded(from: $0, to: url))) }
    return [imported, upgraded].compactMap(\.self)
  }

  /// What App Transport Security says of an offer of the app's own of which it leaves nothing.
  private var refusalOfNamedOffer: Decision? {
    let enforcement = configuration.tls.enforcement
    guard let named = configuration.namedOffer, decision.narrowing(named, enforcement: enforcement) == nil
    else { return nil }
    return Decision(
      .load(.nothingOffered(named)), decision.findings(onNothingLeftOf: named, enforcement: enforcement))
  }

  /// Begins the handshake with the server.
  mutating func startTLS() -> [EndpointEffect] {
    var connection = Connection(configuration.tls)
    let started = connection.start()
    self.connection = connection
    return effects(of: started)
  }

  /// Bytes have come from the server.
  public mutating func receive(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard connection != nil else { return read(bytes) }
    return effects(of: connection?.receive(bytes) ?? [])
  }

  /// The transport has ended: nothing more comes from the server.
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
      case .connected(let parameters): return connected(parameters)
      case .applicationData(let bytes):
        unread += bytes
        return mayAnswer || unread.count > Self.mostUnread ? readUnread() : []
      case .failed(let failure): return readUnread() + failed(failure)
      case .closed: return readUnread() + ended()
      case .received(let message): return [.received(message)] + (mayAnswer ? readUnread() : [])
      }
    }
  }

  /// Whether what the client says now is heard: under way, a handshake lets this side send nothing.
  private var mayAnswer: Bool { connection?.isConnected ?? true }

  /// The most bytes that wait for the end of a handshake; whatever is longer is read as it comes.
  static let mostUnread = 1 << 20

  private mutating func readUnread() -> [EndpointEffect] {
    guard !unread.isEmpty else { return [] }
    let bytes = unread
    unread = []
    return read(bytes)
  }

  private mutating func connected(_ parameters: ConnectionParameters) -> [EndpointEffect] {
    // Another handshake on the same connection asks nothing again.
    if self.parameters != nil { return readUnread() }
    self.parameters = parameters
    let findings = decision.findings(
      on: .init(version: parameters.version, cipherSuite: parameters.cipherSuite),
      enforcement: configuration.tls.enforcement)
    guard configuration.asksForContent else {
      (isAnswered, content) = (true, [])
      return [.found(findings)] + effects(of: connection?.close() ?? [])
    }
    return [.found(findings)] + firstRequest()
  }

  /// Sends a whole request or a frame of a WebSocket, protected or as it is.
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
      failure.alert, isFromServer: !failure.isOwn, followsCertificate: !shownCertificates.isEmpty && parameters == nil)
    guard failure.finding.weight == .decides else { return [.found([failure.finding])] }
    if failure.finding.rule == .truncatedConnection {
      return [.decided(cutOff(failure.finding))]
    }
    return [.decided(Decision(.load(.failed(failure)), [failure.finding]))]
  }

  /// The transport has ended, and nobody said that it would.
  private mutating func cutOff(_ finding: Finding) -> Decision {
    guard parameters == nil else {
      return Decision(.load(.connectionLost(inHandshake: false)), [finding] + cutShort())
    }
    return Decision(.load(.connectionLost(inHandshake: true)), [finding])
  }
}

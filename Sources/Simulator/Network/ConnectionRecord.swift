import Endpoint
import Explanation
import TLS
import URLLoading

/// A connection of a run, with the current state of its endpoints and all findings.
public struct ConnectionRecord: Sendable {
  private let boxedPlan: Boxed<World.Plan>
  /// The plan before the client's decisions, and before the endpoints remembered earlier connections.
  let planned: World.Plan
  private var ends: Ends
  private var found: [(end: End, finding: Finding)] = []
  /// The client's messages, grouped by flight.
  var recording = RecordedFlights()
  /// The number of recorded flights that were replayed.
  var playedFlights = 0
  /// Whether a message was changed in transit.
  var wasInterferedWith = false
  /// The endpoints whose messages no longer arrive, because an attacker has cut or taken over the connection.
  var cutOff: Set<End> = []
  /// The endpoints that have agreed on TLS 1.3, and a client that sends early data.
  private(set) var endsInTLS13: Set<End> = []
  /// The unprotected handshake messages that the endpoints have sent.
  private(set) var clearMessages = ClearMessages()
  /// The number of messages that each attack has matched.
  private var meetings: [Attack: Int] = [:]
  /// Whether the server is a real server, which the server of the plan only represents.
  var isLive = false
  var isConcluded = false
  /// Whether the client followed the redirect in the response.
  var isFollowed = false
  /// The result of querying the server about the premaster secret; nil if no attacker queried it.
  var oracleAttack: OracleAttack?
  /// The result of replacing the padding with other blocks; nil if no attacker did so.
  public internal(set) var paddingAttack: BlockPaddingAttack?

  /// Creates the connection of `plan`. `planned` is its plan before the client's decisions.
  init(_ plan: World.Plan, planned: World.Plan? = nil) {
    self.planned = planned ?? plan
    var plan = plan
    plan.client.decide()
    boxedPlan = Boxed(plan)
    ends = Ends(plan)
  }

  /// The plan after the client's decisions.
  public var plan: World.Plan { _read { yield boxedPlan.value } }

  /// The current state of the client.
  public internal(set) var client: ClientEndpoint {
    _read { yield ends.client.value }
    _modify { yield &ends.client.value }
  }

  /// The current state of the server.
  public internal(set) var server: ServerEndpoint {
    _read { yield ends.server.value }
    _modify { yield &ends.server.value }
  }

  /// The interceptor's server, which the client connects to; nil without an interceptor.
  private(set) var front: ServerEndpoint? {
    _read { yield ends.front.value }
    _modify { yield &ends.front.value }
  }

  /// The interceptor's client, which connects to the server; nil without an interceptor.
  private var back: ClientEndpoint? {
    _read { yield ends.back.value }
    _modify { yield &ends.back.value }
  }

  /// The current state of the proxy; nil without a proxy.
  private(set) var proxy: ProxyEndpoint? {
    _read { yield ends.proxy.value }
    _modify { yield &ends.proxy.value }
  }

  /// The client before the first record of application data, and the data that then arrived.
  private(set) var beforeResponse: Checkpoint? {
    _read { yield ends.beforeResponse }
    _modify { yield &ends.beforeResponse }
  }

  /// All findings of both sides about the client's peer, in order.
  ///
  /// A failure has one reason: if App Transport Security or another rule refuses the connection, the resulting
  /// handshake failure or alert only advises.
  public var findings: [Finding] {
    let all = findings(of: front == nil ? [.client, .server, .proxy] : [.client, .front, .proxy])
    let refusing = all.filter(\.refuses)
    let blamesATS = refusing.contains { $0.rule.layer == .ats }
    let isOpen = all.contains(where: \.saysUnknown)
    // A failed import refuses the connection only if the server does not continue without a client certificate.
    let blamesImport = refusing.contains { $0.rule.layer == .pkcs12 }
    return all.settled.map { finding in
      guard finding.refuses else { return finding }
      // A server's reaction to a hello without TLS 1.3 or h2 says nothing about its reaction to a hello with them.
      if isOpen, [.handshake, .record].contains(finding.rule.layer) { return finding.advising }
      if finding.rule.layer == .pkcs12, client.content != nil { return finding.advising }
      if blamesImport, finding.rule == .clientCertificateRequired { return finding.advising }
      if Rule.passingOn.contains(finding.rule) {
        return refusing.contains { !Rule.passingOn.contains($0.rule) } ? finding.advising : finding
      }
      let isNegotiation = [Rule.noCommonSuite, .noCommonVersion, .versionNotImplemented].contains(finding.rule)
      return blamesATS && isNegotiation ? finding.advising : finding
    }
  }

  /// The client's verdict, or the server's if an attacker replays a recording in place of the client.
  public var verdict: Verdict { verdict(on: findings) }

  /// Returns the verdict for `findings`, which were already collected.
  func verdict(on findings: [Finding]) -> Verdict {
    // A finding that refuses the connection decides, regardless of the unknown part.
    if !isLoadable || findings.contains(where: \.saysUnknown) && !findings.refuses { return .notApplicable }
    return plan.replayed == nil
      ? Verdict(
        findings, hasContent: client.content != nil || client.redirection != nil,
        waiting: client.isInHandshake ? .handshake : .application)
      : serverVerdict
  }

  /// The verdict about a request: whether the server processed it, and if not, the reason.
  ///
  /// A real server shows only its response.
  public var serverVerdict: Verdict {
    if isLive { return Verdict([], hasContent: client.content != nil) }
    return Verdict(findings(of: [.server]).settled, hasContent: server.request != nil)
  }

  /// Whether a request reached the server; nil if unknown.
  var hasReachedServer: Bool? {
    guard isLive, executed.isEmpty else { return !executed.isEmpty || !server.exchanges.isEmpty }
    return client.parameters != nil && client.configuration.asksForContent ? nil : false
  }

  /// The requests that the server has processed.
  var executed: [String] {
    if isLive { return client.response?.isEmpty == false ? [client.configuration.request.description] : [] }
    return server.request.map { [$0.description] } ?? []
  }

  /// Whether the client's system has the loading API of the app.
  var isLoadable: Bool {
    let load = plan.client.decision.load
    return plan.replayed != nil || load.loader.isAvailable(on: load.os)
  }

  /// Whether any message was sent.
  var hasBegun: Bool { client.hello != nil || front?.request != nil || server.request != nil }

  /// Whether an endpoint has noticed a violation of a rule.
  var isNoticed: Bool { !noticed.isEmpty }

  /// The violated rules that an endpoint has noticed, each listed once.
  var noticed: [Rule] {
    var rules: [Rule] = []
    for (end, finding) in found where finding.refuses && end != .front && end != .back && !rules.contains(finding.rule)
    {
      rules.append(finding.rule)
    }
    let own = rules.filter { !Rule.passingOn.contains($0) }
    return own.isEmpty ? rules : own
  }

  /// The rules that stopped an attacker that impersonates the server, if the client itself found no violation.
  var impostorsFailures: [Rule] {
    found.filter { $0.end == .front && $0.finding.refuses }.map(\.finding.rule)
  }

  /// Returns the errors that the app receives; empty if the load was accepted.
  func errors(under verdict: Verdict) -> [AppError] {
    guard plan.replayed == nil, verdict.word != .accepted else { return [] }
    if verdict.word == .hangs { return AppError.timedOut }
    // A limit of the simulation causes no error in an app.
    if isLive, verdict.isLimit { return [] }
    // A response is not an error, whatever its status: the load has succeeded. Without a delegate, the app gets no 401
    // or 407 response.
    if let status = client.refusal {
      return status != 403 && plan.client.challenges.interface.hasNoDelegate ? AppError.passwordRefused : []
    }
    let isCancelled = client.conversation.exchanges.contains { $0.answer == .cancelled }
    // Without a tunnel there is no response for the app.
    if verdict.layer == .httpAuth, !isCancelled, proxy?.isTunnel == false, plan.url.isSecure {
      return AppError.withoutTunnel
    }
    let answers = client.conversation.exchanges.map(\.answer)
    if client.hasRaised || answers.contains(.exception) { return [] }
    if answers.contains(.cancelled) {
      let own = client.challenge?.exchange.report?.library?.error.map { [$0] }
      // No source documents whether App Transport Security refuses before a library is asked, so either error can
      // appear.
      let isEither = client.challenge?.isRefusedByAll == true && plan.client.decision.isRequired
      return (own ?? AppError.cancelledChallenge(by: plan.client.decision.load.loader).errors)
        + (isEither ? AppError.trustUnderATS : [])
    }
    // The app may offer versions that the simulation lacks. In that case, it receives no such alert.
    let isOpen = found.contains { $0.finding.saysUnknown }
    return AppError.surfacing(
      verdict.because, atsInForce: plan.client.decision.isRequired, os: plan.client.decision.load.os,
      alert: isOpen ? nil : client.alert
    ).errors
  }

  private func findings(of ends: Set<End>) -> [Finding] {
    var seen = Set<Finding>(minimumCapacity: found.count)
    return found.lazy.filter { ends.contains($0.end) }.map(\.finding).filter { seen.insert($0).inserted }
  }

  /// Notes the findings of an endpoint. A server that fails after its complete response no longer affects the load.
  mutating func note(_ findings: [Finding], by end: End) {
    let isLate = end != .client && client.content != nil
    found += findings.map { finding in
      let isIdle = isLate && finding.refuses && [.record, .handshake].contains(finding.rule.layer)
      return (end, isIdle ? finding.advising : finding)
    }
  }
}

extension ConnectionRecord {
  /// Records the client's messages by flight, except its messages to a proxy about a tunnel.
  mutating func record(_ transmission: Transmission, from end: End) {
    if plan.url.isSecure, proxy?.isTunnel == false { return }
    clearMessages.record(transmission)
    if transmission.choosesTLS13 { endsInTLS13.formUnion([end, peer(of: end)]) }
    if transmission.sendsEarlyData { endsInTLS13.insert(end) }
    if end == .client { recording.record(transmission) } else { recording.turn() }
  }

  /// The proxy whose tunnel contains the connection; nil without a proxy, or if the proxy reads the messages.
  var carrier: Party? { plan.url.isSecure && proxy?.isTunnel == true ? plan.proxy?.party : nil }

  /// Returns whether an attack applies to this message, given the message's number.
  mutating func isDue(_ attack: Attack) -> Bool {
    meetings[attack, default: 0] += 1
    return attack.number.map { $0 == meetings[attack] } ?? true
  }

  /// Records application data that is about to reach the client.
  mutating func noteArrival(_ bytes: [UInt8]) {
    if beforeResponse == nil { beforeResponse = Checkpoint(client: client) }
    beforeResponse?.arrivals.append(bytes)
  }

  /// Closes a plain HTTP connection after the response. This ends a response without an announced length.
  mutating func hangUp() -> [EndpointEffect] {
    plan.url.isSecure || !client.isReading ? [] : client.transportClosed()
  }

  /// Closes the transport of `end`.
  mutating func transportClosed(to end: End) -> [EndpointEffect] {
    switch end {
    case .client: plan.replayed == nil ? client.transportClosed() : []
    case .server: server.transportClosed()
    case .front: front?.transportClosed() ?? []
    case .back: back?.transportClosed() ?? []
    case .proxy, .relay: []
    }
  }

  /// Whether an endpoint accepted data that its peer did not send, or accepted data twice that its peer sent once.
  var tookFalse: Bool {
    if plan.replayed != nil { return server.request != nil }
    if let response = client.response, response != server.response { return true }
    return server.request.map { $0.line != plan.client.request.line } ?? false
  }

  /// Whether the client received a response, although the server has sent none.
  var isAnsweredByAttacker: Bool { plan.replayed == nil && client.response != nil && server.response == nil }

  /// Returns the endpoint that receives the messages of `end`.
  func peer(of end: End) -> End {
    switch end {
    // Through a tunnel, the client and the server communicate directly.
    case .client where proxy?.isTunnel == false: .proxy
    case .client, .relay: front == nil ? .server : .front
    // The interceptor of a load over http is behind the proxy.
    case .front where proxy?.isTunnel == false: .relay
    case .front, .proxy: .client
    case .back: .server
    case .server where back != nil: .back
    case .server where proxy?.isTunnel == false: .relay
    case .server: .client
    }
  }

  /// Returns the party of an endpoint.
  func party(of end: End) -> Party {
    switch end {
    case .client where plan.replayed != nil: .interceptor
    case .client: plan.client.tls.party
    case .server: plan.server.tls.party
    case .front, .back: .interceptor
    case .proxy, .relay: plan.proxy?.party ?? .server
    }
  }

  /// Returns the first message of an endpoint, and everything that precedes it.
  mutating func start(_ end: End) -> [EndpointEffect] {
    end == .back ? back?.start() ?? [] : client.start()
  }

  mutating func deliver(_ bytes: [UInt8], to end: End) -> [EndpointEffect] {
    switch end {
    case .client: plan.replayed == nil ? client.receive(bytes) : []
    case .server: server.receive(bytes)
    case .front: front?.receive(bytes) ?? []
    case .back: back?.receive(bytes) ?? []
    case .proxy: proxy?.receive(bytes) ?? []
    case .relay: handToProxy(bytes)
    }
  }

  private mutating func handToProxy(_ bytes: [UInt8]) -> [EndpointEffect] {
    proxy?.receive(fromServer: bytes)
    return []
  }

  /// Returns the data that a proxy has to forward, and the side that sends it; nil for none.
  mutating func passThroughProxy() -> (effects: [EndpointEffect], end: End)? {
    if let effects = proxy?.forward() { return (effects, .relay) }
    return proxy?.handBack().map { ($0, .proxy) }
  }

  /// Delivers the data that a client fetched from an issuer. `content` is nil if there was no response.
  mutating func fetched(_ content: [UInt8]?, by end: End) -> [EndpointEffect] {
    end == .back ? back?.fetched(content) ?? [] : client.fetched(content)
  }

  /// Forwards a request from the interceptor to the server.
  mutating func ask(_ request: HTTPRequest) -> [EndpointEffect] {
    if var asking = back, let effects = asking.ask(request) {
      back = asking
      return effects
    }
    guard var configuration = plan.interceptor?.back else { return [] }
    configuration.request = request
    var asking = ClientEndpoint(configuration)
    let effects = asking.start()
    back = asking
    return effects
  }

  /// Sends the interceptor's response to the client after the server has responded.
  mutating func passOn() -> (before: [UInt8], after: [UInt8], effects: [EndpointEffect])? {
    guard let response = back?.response, let interceptor = plan.interceptor, var answering = front,
      answering.isAnswering
    else {
      return nil
    }
    let answer = HTTP.replacing(interceptor.replacements, in: response)
    if answer != response { wasInterferedWith = true }
    let effects = answering.respond(with: answer)
    front = answering
    return (response, answer, effects)
  }

  func isOver(_ end: End) -> Bool {
    switch end {
    case .client: plan.replayed == nil && client.isOver
    case .server: server.isOver
    case .front: front?.isOver ?? true
    case .back: back?.isOver ?? true
    case .proxy, .relay: false
    }
  }
}

extension Finding {
  /// Whether the result of the finding is unknown because the version or protocol is not simulated.
  fileprivate var saysUnknown: Bool {
    [.versionNotImplemented, .noApplicationProtocol].contains(rule) && outcome == .unknown
  }
}

import Endpoint
import Explanation
import TLS
import URLLoading

/// One connection of a run: its endpoints as they stand, and everything that was found.
public struct ConnectionAccount: Sendable {
  private let boxedPlan: Boxed<World.Plan>
  /// The connection before its client decided, and its ends remembered, anything.
  let planned: World.Plan
  private var ends: Ends
  private var found: [(end: End, finding: Finding)] = []
  /// What the client said, by flight.
  var recording = RecordedFlights()
  /// How many flights of a recording were played.
  var playedFlights = 0
  /// Whether bytes arrived other than they were sent.
  var wasInterferedWith = false
  /// The ends of which nothing arrives any more, because somebody has cut the connection.
  var cutOff: Set<End> = []
  /// How many messages each attack has met.
  private var meetings: [Attack: Int] = [:]
  /// Whether the client has spoken with a real server, for which the one of the plan stands.
  var isLive = false
  var isConcluded = false
  /// Whether the redirect that came of it was followed.
  var isFollowed = false
  /// What came of asking the server about the premaster secret; nil when nobody did.
  var oracleAttack: OracleAttack?
  /// What came of putting blocks in the place of the padding; nil when nobody did.
  public internal(set) var paddingAttack: BlockPaddingAttack?

  /// The connection of `plan`, which was `planned` like that.
  init(_ plan: World.Plan, planned: World.Plan? = nil) {
    self.planned = planned ?? plan
    var plan = plan
    plan.client.decide()
    boxedPlan = Boxed(plan)
    ends = Ends(plan)
  }

  /// The connection, as its client has decided.
  public var plan: World.Plan { _read { yield boxedPlan.value } }

  /// The client as it stands.
  public internal(set) var client: ClientEndpoint {
    _read { yield ends.client.value }
    _modify { yield &ends.client.value }
  }

  /// The server as it stands.
  public internal(set) var server: ServerEndpoint {
    _read { yield ends.server.value }
    _modify { yield &ends.server.value }
  }

  /// The interceptor's end towards the client; nil where nobody intercepts.
  private(set) var front: ServerEndpoint? {
    _read { yield ends.front.value }
    _modify { yield &ends.front.value }
  }

  /// The interceptor's end towards the server; nil where nobody intercepts.
  private var back: ClientEndpoint? {
    _read { yield ends.back.value }
    _modify { yield &ends.back.value }
  }

  /// The proxy before the server as it stands; nil where there is none.
  private(set) var proxy: ProxyEndpoint? {
    _read { yield ends.proxy.value }
    _modify { yield &ends.proxy.value }
  }

  /// The client as it was before the first record of application data reached it, and what reached it then.
  private(set) var beforeResponse: Juncture? {
    _read { yield ends.beforeResponse }
    _modify { yield &ends.beforeResponse }
  }

  /// Everything that was found about what the client met, by either side, in order.
  ///
  /// One reason stands for one failure: where App Transport Security is to blame, or another violation, the handshake
  /// failure or the peer's alert that followed from it only advises.
  public var findings: [Finding] {
    let all = findings(of: front == nil ? [.client, .server, .proxy] : [.client, .front, .proxy])
    let refusing = all.filter(\.refuses)
    let blamesATS = refusing.contains { $0.rule.layer == .ats }
    let isOpen = all.contains(where: \.saysUnknown)
    // A file that was not imported refuses nothing where the server goes on without; where it does not, it is the reason.
    let blamesImport = refusing.contains { $0.rule.layer == .pkcs12 }
    return all.settled.map { finding in
      guard finding.refuses else { return finding }
      // What a hello without TLS 1.3 meets, or without h2, says nothing of one with it.
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

  /// What the client decided; where an attacker plays a recording in its place, what the server did.
  public var verdict: Verdict { verdict(on: findings) }

  /// The same, where `findings` were gathered already.
  func verdict(on findings: [Finding]) -> Verdict {
    // What refuses whatever the unknown comes to is enough.
    if !isLoadable || findings.contains(where: \.saysUnknown) && !findings.refuses { return .notApplicable }
    return plan.replayed == nil
      ? Verdict(
        findings, hasContent: client.content != nil || client.redirection != nil,
        waiting: client.isInHandshake ? .handshake : .application)
      : serverVerdict
  }

  /// Whether the server carried a request out, and if not, why.
  ///
  /// Of a real server is known what it answered.
  public var serverVerdict: Verdict {
    if isLive { return Verdict([], hasContent: client.content != nil) }
    return Verdict(findings(of: [.server]).settled, hasContent: server.request != nil)
  }

  /// Whether a request reached the server; nil where nobody knows.
  var hasReachedServer: Bool? {
    guard isLive, executed.isEmpty else { return !executed.isEmpty || !server.exchanges.isEmpty }
    return client.parameters != nil && client.configuration.asksForContent ? nil : false
  }

  /// The requests that the server has carried out.
  var executed: [String] {
    if isLive { return client.response?.isEmpty == false ? [client.configuration.request.description] : [] }
    return server.request.map { [$0.description] } ?? []
  }

  /// Whether the client's system has what the app would load with.
  var isLoadable: Bool {
    let load = plan.client.decision.load
    return plan.replayed != nil || load.loader.isAvailable(on: load.os)
  }

  /// Whether anything was sent.
  var hasBegun: Bool { client.hello != nil || front?.request != nil || server.request != nil }

  /// Whether an endpoint has noticed that something is wrong.
  var isNoticed: Bool { !noticed.isEmpty }

  /// The violated rules by which an endpoint has noticed it, each once.
  var noticed: [Rule] {
    var rules: [Rule] = []
    for (end, finding) in found where finding.refuses && end != .front && end != .back && !rules.contains(finding.rule)
    {
      rules.append(finding.rule)
    }
    let own = rules.filter { !Rule.passingOn.contains($0) }
    return own.isEmpty ? rules : own
  }

  /// What stopped whoever stands in for the server, where it was nothing that the client found.
  var impostorsFailures: [Rule] {
    found.filter { $0.end == .front && $0.finding.refuses }.map(\.finding.rule)
  }

  /// What the app sees; empty when the load was accepted.
  func errors(under verdict: Verdict) -> [AppError] {
    guard plan.replayed == nil, verdict.word != .accepted else { return [] }
    if verdict.word == .hangs { return AppError.timedOut }
    // What is not played here fails in no app.
    if isLive, verdict.isLimit { return [] }
    // A response is no error, whatever it says: the load has succeeded. Whoever has no delegate gets none of a 401 or 407.
    if let status = client.refusal {
      return status != 403 && plan.client.challenges.interface.hasNoDelegate ? AppError.passwordRefused : []
    }
    let isCancelled = client.conversation.exchanges.contains { $0.answer == .cancelled }
    // Without a tunnel there is no response to hand to anybody.
    if verdict.layer == .httpAuth, !isCancelled, proxy?.isTunnel == false, plan.url.isSecure {
      return AppError.withoutTunnel
    }
    let answers = client.conversation.exchanges.map(\.answer)
    if client.hasRaised || answers.contains(.exception) { return [] }
    if answers.contains(.cancelled) {
      let own = client.challenge?.exchange.report?.library?.error.map { [$0] }
      // Whether a library is asked before App Transport Security refuses is not settled: either error is seen.
      let isEither = client.challenge?.isRefusedByAll == true && plan.client.decision.isRequired
      return (own ?? AppError.cancelledChallenge(by: plan.client.decision.load.loader).errors)
        + (isEither ? AppError.trustUnderATS : [])
    }
    // What the app would offer more than is played here meets no such alert.
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

  mutating func note(_ findings: [Finding], by end: End) {
    found += findings.map { (end, $0) }
  }
}

extension ConnectionAccount {
  /// What the client says is recorded by flight; what it says to a proxy about a tunnel is no part of the connection in it.
  mutating func record(_ transmission: Transmission, from end: End) {
    if plan.url.isSecure, proxy?.isTunnel == false { return }
    if end == .client { recording.record(transmission) } else { recording.turn() }
  }

  /// The proxy through whose tunnel everything travels; nil where there is none, or it reads what it passes on.
  var carrier: Party? { plan.url.isSecure && proxy?.isTunnel == true ? plan.proxy?.party : nil }

  /// Whether it is this message of those it is meant for that an attack is done to.
  mutating func isDue(_ attack: Attack) -> Bool {
    meetings[attack, default: 0] += 1
    return attack.number.map { $0 == meetings[attack] } ?? true
  }

  /// Application data is about to reach the client.
  mutating func noteArrival(_ bytes: [UInt8]) {
    if beforeResponse == nil { beforeResponse = Juncture(client: client) }
    beforeResponse?.arrivals.append(bytes)
  }

  /// A server of plain HTTP closes the connection after its response, which ends one of no announced length.
  mutating func hangUp() -> [EndpointEffect] {
    plan.url.isSecure || !client.isReading ? [] : client.transportClosed()
  }

  /// The transport of `end` has ended.
  mutating func transportClosed(to end: End) -> [EndpointEffect] {
    switch end {
    case .client: plan.replayed == nil ? client.transportClosed() : []
    case .server: server.transportClosed()
    case .front: front?.transportClosed() ?? []
    case .back: back?.transportClosed() ?? []
    case .proxy, .relay: []
    }
  }

  /// Whether one end took as the other's what that one did not send, or sent once and was taken twice.
  var tookFalse: Bool {
    if plan.replayed != nil { return server.request != nil }
    if let response = client.response, response != server.response { return true }
    return server.request.map { $0.line != plan.client.request.line } ?? false
  }

  /// Who hears what `end` says.
  func peer(of end: End) -> End {
    switch end {
    // Through a tunnel the two ends speak with each other.
    case .client where proxy?.isTunnel == false: .proxy
    case .client, .relay: front == nil ? .server : .front
    // Whoever intercepts a load over http stands behind the proxy.
    case .front where proxy?.isTunnel == false: .relay
    case .front, .proxy: .client
    case .back: .server
    case .server where back != nil: .back
    case .server where proxy?.isTunnel == false: .relay
    case .server: .client
    }
  }

  /// Whose end it is.
  func party(of end: End) -> Party {
    switch end {
    case .client where plan.replayed != nil: .interceptor
    case .client: plan.client.tls.party
    case .server: plan.server.tls.party
    case .front, .back: .interceptor
    case .proxy, .relay: plan.proxy?.party ?? .server
    }
  }

  /// The first message, and what goes before it.
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

  /// What a proxy has to pass on, and as which of its sides; nil where nothing waits for that.
  mutating func passThroughProxy() -> (effects: [EndpointEffect], end: End)? {
    if let effects = proxy?.forward() { return (effects, .relay) }
    return proxy?.handBack().map { ($0, .proxy) }
  }

  /// What a client has fetched of an issuer; nil where no answer came.
  mutating func fetched(_ content: [UInt8]?, by end: End) -> [EndpointEffect] {
    end == .back ? back?.fetched(content) ?? [] : client.fetched(content)
  }

  /// A request has reached the interceptor, which asks on.
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

  /// The interceptor's answer to its client, once it has the server's.
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
  /// Whether it says that what comes of a version or a protocol which is not played is not known.
  fileprivate var saysUnknown: Bool {
    [.versionNotImplemented, .noApplicationProtocol].contains(rule) && outcome == .unknown
  }
}

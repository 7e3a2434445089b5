import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

/// The triple handshake: K. Bhargavan and others, IEEE S&P 2014; RFC 7627 section 1. Played for its end alone.
///
/// 1. An attacker that the client accepts as its server makes a session with each side. Both sessions have the same hello
///    randoms and the same premaster secret, and so the same master secret.
/// 2. The attacker passes on the handshake that resumes them. Client and server compute the same `verify_data`, so that
///    renegotiation_info (RFC 5746) does not separate them.
/// 3. A request of the attacker's makes the server ask for a certificate. The client authenticates for that request.
struct TripleHandshake {
  private let plan: World.Plan
  private var request: HTTPRequest?
  private var findings: [Finding] = []
  private var hasCertificate = false

  /// The most messages of a connection: more than any that ends.
  private static let limit = 500

  /// Whether the connection has all that the attack needs: a client that shows a certificate in a renegotiation and resumes
  /// a session by its id, and RSA key exchange at both ends.
  static func isPossible(_ plan: World.Plan) -> Bool {
    let (client, server) = (plan.client, plan.server.tls)
    return client.tls.identity != nil && client.resumesSessions && server.sessions != nil
      && client.tls.renegotiation != .refused && server.renegotiatedClientAuthentication != nil
      && plan.replayed == nil && plan.interceptor == nil && plan.proxy == nil && suite(of: plan) != nil
  }

  /// The first suite with RSA key exchange that both ends accept.
  private static func suite(of plan: World.Plan) -> CipherSuite? {
    plan.client.tls.cipherSuites.first { suite in
      suite.keyExchange == .rsa && suite.isImplemented && plan.server.tls.cipherSuites.contains(suite)
    }
  }

  /// Tries it on the connection of `plan`; in `met` the client accepts an attacker in the server's place.
  init(_ plan: World.Plan, met: World.Plan) {
    self.plan = plan
    guard let suite = Self.suite(of: plan), let first = Self.secrets(met.with(suite, [:])),
      let (sessions, overrides) = serverSession(suite, first),
      let session = Self.session(met.with(suite, overrides))
    else { return }
    resume(session, sessions)
  }

  /// The outcome: the server carries out the attacker's request for a client that has shown its certificate.
  var result: Attempt.Result {
    if hasCertificate, request?.line == Self.line(of: plan.client.request) { return .succeeded }
    let rules = findings.deciding
    return rules.isEmpty ? .unanswered : .stopped(rules)
  }

  private static func line(of request: HTTPRequest) -> String {
    "GET \(request.path.prefix { $0 != "?" })?said-by=somebody-else"
  }
}

// The two sessions with one master secret.
extension TripleHandshake {
  /// The values of the client's handshake with the attacker.
  private static func secrets(_ met: World.Plan) -> (random: [UInt8], premaster: [UInt8])? {
    var simulation = Simulation(
      World(clock: met.clock, plans: [met], leaks: [], held: [], names: met.client.trust.names))
    simulation.run()
    let values = simulation.trace.values
    guard let random = values[met.prefix + "client_random"]?.bytes,
      let premaster = values[met.prefix + "premaster_secret"]?.bytes
    else { return nil }
    return (random, premaster)
  }

  /// The session that the client keeps of its handshake with the attacker.
  private static func session(_ met: World.Plan) -> Session? { Rehearsal(met).account.client.session }

  /// The attacker's own handshake with the server, with the client's values; its session, and the values that the attacker
  /// repeats to the client.
  private mutating func serverSession(
    _ suite: CipherSuite, _ secrets: (random: [UInt8], premaster: [UInt8])
  ) -> (SessionCache, [Value.ID: RandomStreams.Override])? {
    var tls = plan.client.tls
    (tls.identity, tls.otherIdentities, tls.choosesIdentity, tls.session) = (nil, [], false, nil)
    (tls.cipherSuites, tls.party) = ([suite], .interceptor)
    tls.setExtendedMasterSecret(false)
    tls.random.overrides["client_random"] = .drawn(secrets.random)
    tls.random.overrides["premaster_secret"] = .drawn(Array(secrets.premaster.dropFirst(2)))
    var configuration = plan.server
    configuration.tls.narrates = true
    var own = Connection(tls)
    var server = ServerEndpoint(configuration, isSecure: true)
    var values: [Value] = []
    meet(own.start(), &own, &server, &values)
    guard own.isConnected, let sessions = server.sessions,
      let random = values.first(where: { $0.id == configuration.tls.valuePrefix + "server_random" })?.bytes
    else { return nil }
    let id = configuration.tls.random.bytes(for: "session_id", count: 32)
    return (sessions, ["server_random": .drawn(random), "session_id": .drawn(id)])
  }

  /// Passes on the messages between the attacker's own client and the server.
  private mutating func meet(
    _ effects: [ConnectionEffect], _ own: inout Connection, _ server: inout ServerEndpoint, _ values: inout [Value]
  ) {
    for effect in effects {
      switch effect {
      case .send(let message):
        let answers = server.receive(message.bytes)
        findings += answers.findings
        for answer in answers {
          if case .derived(let value) = answer { values.append(value) }
          if case .send(let transmission) = answer { meet(own.receive(transmission.bytes), &own, &server, &values) }
        }
      case .evaluateCertificate(let credentials):
        // The attacker accepts the server, whatever it presents.
        guard let leaf = credentials.certificates.first.flatMap({ try? Certificate(der: $0) }) else { return }
        meet(own.certificateEvaluated(.accepted(leaf.publicKey)), &own, &server, &values)
      default: break
      }
    }
  }
}

// The resumption, and the handshake after it.
extension TripleHandshake {
  /// The client and the server resume, and a request of the attacker's takes the place of the client's.
  private mutating func resume(_ session: Session, _ sessions: SessionCache) {
    var plan = plan
    (plan.client.tls.session, plan.server.tls.sessions) = (session, sessions)
    (plan.client.tls.random, plan.server.tls.random) = (plan.client.tls.random.another, plan.server.tls.random.another)
    (plan.client.tls.narrates, plan.server.tls.narrates) = (false, false)
    var account = ConnectionAccount(plan)
    // The attacker has the master secret, and computes what the client computes.
    var own = Connection(plan.client.tls)
    _ = own.start()
    var (isResumed, hasSpoken) = (false, false)
    var queue = take(account.start(.client), of: .client, in: &account)
    var count = 0
    while !queue.isEmpty, count < Self.limit {
      count += 1
      var (bytes, end) = queue.removeFirst()
      let receiver = account.peer(of: end)
      if end == .server, !own.isConnected {
        for case .connected(let parameters) in own.receive(bytes) { isResumed = parameters.isResumed }
      }
      if end == .client, isResumed, !hasSpoken, bytes.first == ContentType.applicationData.rawValue {
        hasSpoken = true
        bytes = own.send(Array("\(Self.line(of: plan.client.request)) HTTP/1.1\r\nHost: \(plan.url.host)\r\n\r\n".utf8))
          .flatMap { effect -> [UInt8] in if case .send(let message) = effect { message.bytes } else { [] } }
      }
      if !account.isOver(receiver) { queue += take(account.deliver(bytes, to: receiver), of: receiver, in: &account) }
    }
    (request, hasCertificate) = (account.server.request, account.server.clientCertificate != nil)
  }

  private mutating func take(
    _ effects: [EndpointEffect], of end: End, in account: inout ConnectionAccount
  ) -> [(bytes: [UInt8], from: End)] {
    findings += effects.findings
    return effects.flatMap { effect -> [(bytes: [UInt8], from: End)] in
      switch effect {
      case .send(let transmission): return [(transmission.bytes, end)]
      case .fetch(let fetch):
        let answer = account.plan.answer(to: fetch)
        return take(account.fetched(answer, by: end), of: end, in: &account)
      case .received, .derived, .requested, .found, .decided: return []
      }
    }
  }
}

extension World.Plan {
  /// The same client, met by the same attacker with this suite and these random values.
  fileprivate func with(_ suite: CipherSuite, _ overrides: [Value.ID: RandomStreams.Override]) -> World.Plan {
    guard var front = interceptor?.front else { return self }
    (front.tls.cipherSuites, front.tls.extendedMasterSecret) = ([suite], false)
    front.tls.sessions = SessionCache()
    front.tls.random.overrides.merge(overrides) { _, new in new }
    var plan = self
    plan.way.interceptor = Interceptor(front: front, back: nil, replacements: [:], holds: [])
    plan.client.tls.session = nil
    return plan
  }
}

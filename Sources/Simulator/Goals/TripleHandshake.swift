import Endpoint
import Explanation
import PKIX
import TLS
import URLLoading

/// The triple handshake: K. Bhargavan and others, IEEE S&P 2014; RFC 7627 section 1.
///
/// The connections are simulated only for their result.
///
/// 1. An attacker that the client accepts as its server sets up a session with each side. Both sessions have the same
/// hello randoms and the same premaster secret, so they have the same master secret. 2. The attacker relays the
/// handshake that resumes the sessions. Client and server compute the same `verify_data`, so renegotiation_info (RFC
/// 5746) does not distinguish the two connections. 3. The attacker sends a request that makes the server request a
/// certificate. The client authenticates for that request.
struct TripleHandshake {
  private let plan: World.Plan
  private var request: HTTPRequest?
  private var findings: [Finding] = []
  private var hasCertificate = false

  /// Returns whether the connection meets the preconditions of the attack.
  ///
  /// The client presents a certificate in a renegotiation and resumes a session by its id, and both endpoints use RSA
  /// key exchange.
  static func isPossible(_ plan: World.Plan) -> Bool {
    let (client, server) = (plan.client, plan.server.tls)
    return client.tls.identity != nil && client.resumesSessions && server.sessions != nil
      && client.tls.renegotiation != .refused && server.renegotiatedClientAuthentication != nil
      && plan.replayed == nil && plan.interceptor == nil && plan.proxy == nil && suite(of: plan) != nil
  }

  /// Returns the first suite with RSA key exchange that both endpoints accept.
  private static func suite(of plan: World.Plan) -> CipherSuite? {
    plan.client.tls.cipherSuites.first { suite in
      suite.keyExchange == .rsa && suite.isImplemented && plan.server.tls.cipherSuites.contains(suite)
    }
  }

  /// Tries the attack on the connection of `plan`. In `met`, the client accepts an attacker in place of the server.
  init(_ plan: World.Plan, met: World.Plan) {
    self.plan = plan
    guard let suite = Self.suite(of: plan), let first = Self.secrets(met.with(suite, [:])),
      let (sessions, overrides) = serverSession(suite, first),
      let session = Self.session(met.with(suite, overrides))
    else { return }
    resume(session, sessions)
  }

  /// The result of the attack. It succeeds if the server processes the attacker's request after the client presents its
  /// certificate.
  var result: Attempt.Result {
    if hasCertificate, request?.line == plan.client.request.attackersLine { return .succeeded }
    let rules = findings.deciding
    return rules.isEmpty ? .unanswered : .stopped(rules)
  }
}

// The two sessions that share one master secret.
extension TripleHandshake {
  /// Returns the values of the client's handshake with the attacker.
  private static func secrets(_ met: World.Plan) -> (random: [UInt8], premaster: [UInt8])? {
    var simulation = Simulation(
      World(clock: met.clock, plans: [met], leaks: [], held: [], names: met.client.trust.diagnostics.names))
    simulation.run()
    let values = simulation.trace.values
    guard let random = values[met.scope.name(.random, of: .client)]?.bytes,
      let premaster = values[met.scope.name(.premasterSecret)]?.bytes
    else { return nil }
    return (random, premaster)
  }

  private static let serverRandom = ValueName(.random, of: .server)

  /// Returns the session of the client's handshake with the attacker.
  private static func session(_ met: World.Plan) -> Session? { TrialConnection(met).account.client.session }

  /// Runs the attacker's own handshake with the server, with the client's values.
  ///
  /// - Returns: the session, and the values that the attacker repeats to the client.
  private mutating func serverSession(
    _ suite: CipherSuite, _ secrets: (random: [UInt8], premaster: [UInt8])
  ) -> (SessionCache, [Value.ID: RandomStreams.Override])? {
    var tls = plan.client.tls
    tls.cipherSuites = [suite]
    tls.setExtendedMasterSecret(false)
    tls.random.overrides[ValueName(.random, of: .client)] = .drawn(secrets.random)
    tls.random.overrides[ValueName(.premasterSecret)] = .drawn(Array(secrets.premaster.dropFirst(2)))
    var configuration = plan.server
    configuration.tls.recordsTrace = true
    var own = AttackersClient(tls)
    var server = ServerEndpoint(configuration, isSecure: true)
    own.start(with: &server)
    findings += own.findings
    guard own.connection.isConnected, let sessions = server.sessions,
      let random = own.values.first(where: { $0.id == configuration.tls.valueScope.name(Self.serverRandom) })?.bytes
    else { return nil }
    let sessionID = ValueName(.sessionID)
    let id = configuration.tls.random.bytes(for: sessionID, count: 32)
    return (sessions, [Self.serverRandom: .drawn(random), sessionID: .drawn(id)])
  }
}

// The resumption, and the handshake after it.
extension TripleHandshake {
  /// Lets the client and the server resume, and replaces the client's request by one from the attacker.
  private mutating func resume(_ session: Session, _ sessions: SessionCache) {
    var plan = plan
    (plan.client.tls.session, plan.server.tls.sessions) = (session, sessions)
    (plan.client.tls.random, plan.server.tls.random) = (plan.client.tls.random.another, plan.server.tls.random.another)
    var rehearsal = TrialConnection(preparing: plan)
    // The attacker has the master secret, and computes the same values as the client.
    var own = Connection(rehearsal.account.plan.client.tls)
    _ = own.start()
    var (isResumed, hasSpoken) = (false, false)
    let request = Array("\(plan.client.request.attackersLine) HTTP/1.1\r\nHost: \(plan.url.host)\r\n\r\n".utf8)
    rehearsal.play { bytes, end in
      if end == .server, !own.isConnected {
        for case .connected(let parameters) in own.receive(bytes) { isResumed = parameters.isResumed }
      }
      guard end == .client, isResumed, !hasSpoken, bytes.first == ContentType.applicationData.rawValue else {
        return bytes
      }
      hasSpoken = true
      return own.send(request).flatMap { effect -> [UInt8] in
        if case .send(let message) = effect { message.bytes } else { [] }
      }
    }
    let server = rehearsal.account.server
    findings += rehearsal.findings
    (self.request, hasCertificate) = (server.request, server.clientCertificate != nil)
  }
}

extension World.Plan {
  /// Returns this client, connected to the same attacker with this suite and these random values.
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

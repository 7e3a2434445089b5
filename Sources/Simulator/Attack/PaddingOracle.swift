import Cryptography
import Endpoint
import Explanation
import PKIX
import TLS

/// A server that waits for a ClientKeyExchange and can be queried any number of times.
///
/// Every query uses a copy of this value.
struct PaddingOracle {
  private let waiting: Handshake
  /// The public key in the server's certificate.
  let key: RSAPublicKey

  /// A server's reaction to a ClientKeyExchange.
  struct Answer: Hashable {
    /// The alert with which the server aborts the handshake; nil if the handshake continues.
    let alert: AlertDescription?
    /// The server's findings, which are visible to the user of the server but not to its peer.
    let findings: [Finding]
  }

  /// Makes the server of `configuration` wait for a ClientKeyExchange; nil if it has no RSA key exchange.
  init?(_ configuration: ServerConfiguration) {
    guard let leaf = configuration.certificates.first, case .rsa(let key)? = try? Certificate(der: leaf).publicKey,
      let hello = try? HandshakeMessage(.clientHello(Self.hello(configuration)))
    else { return nil }
    var server = Handshake(configuration)
    _ = server.handle(.received(hello))
    guard server.negotiated?.suite.keyExchange == .rsa else { return nil }
    waiting = server
    self.key = key
  }

  private static func hello(_ configuration: ServerConfiguration) -> ClientHello {
    ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 0, count: 32),
      cipherSuites: configuration.cipherSuites.filter { $0.keyExchange == .rsa } + [.emptyRenegotiationInfo])
  }

  /// Returns the server's reaction to `encrypted` as EncryptedPreMasterSecret.
  func answer(to encrypted: [UInt8]) -> Answer {
    let body = HandshakeMessage.Body.clientKeyExchange(.rsa(encryptedPremasterSecret: encrypted))
    guard let message = try? HandshakeMessage(body, under: waiting.negotiated) else {
      return Answer(alert: nil, findings: [])
    }
    var asked = waiting
    var alert: AlertDescription?
    var findings: [Finding] = []
    for effect in asked.handle(.received(message)) {
      if case .failed(let failure) = effect { alert = failure.alert }
      if case .found(let finding) = effect { findings.append(finding) }
    }
    return Answer(alert: alert, findings: findings)
  }

  /// Returns the reaction to a block of zeros, if it differs from the reaction to correct padding.
  ///
  /// The result is nil if the server reacts to both in the same way, as RFC 5246 section 7.4.7.1 requires.
  func telltale() -> Answer? {
    var padding = DeterministicRandom(seed: .number(0), label: "oracle/probe")
    let premaster = [3, 3] + [UInt8](repeating: 0, count: KeySchedule12.masterSecretLength - 2)
    guard let right = try? key.encryptPKCS1v15(premaster, random: &padding) else { return nil }
    let wrong = answer(to: [UInt8](repeating: 0, count: key.byteCount))
    return wrong.alert == answer(to: right).alert ? nil : wrong
  }

  /// The number of queries that `telltale` makes.
  static let probes = 2
}

/// The outcome of querying a server about the premaster secret of a recorded connection.
public struct OracleAttack: Sendable {
  /// The premaster secret; nil if the server's reactions do not reveal it.
  public let premasterSecret: [UInt8]?
  /// The number of queries that the attack needed.
  public let questions: Int
  /// The findings that the reactions revealed.
  public let findings: [Finding]

  /// Queries the server of `configuration` about `encrypted`, an EncryptedPreMasterSecret.
  public init(_ encrypted: [UInt8], _ configuration: ServerConfiguration) {
    guard let oracle = PaddingOracle(configuration), let telltale = oracle.telltale() else {
      premasterSecret = nil
      questions = PaddingOracle.probes
      findings = []
      return
    }
    var attack = Bleichenbacher(encrypted, encryptedWith: oracle.key) {
      oracle.answer(to: $0).alert != telltale.alert
    }
    let block = (try? attack.run()).flatMap(\.self)
    premasterSecret = block.map { Array($0.suffix(KeySchedule12.masterSecretLength)) }
    questions = PaddingOracle.probes + attack.questions
    findings = telltale.findings.filter { $0.rule == .paddingOracle }
  }
}

extension Application {
  /// Repeats the attack on the same server.
  func paddingOracle() throws(Obstacle) -> Computation {
    guard let server = run.server(of: value.scope) else { throw .failed("the server no longer exists") }
    let attack = OracleAttack(try input(0), server)
    guard let secret = attack.premasterSecret else { throw .failed("the server's responses do not reveal the secret") }
    return Computation(secret, trials: attack.questions, remark: "\(attack.questions) queries to the server")
  }
}

extension Simulation {
  /// Runs the attack after the recorded connection: an attacker connects again and again, and queries the server.
  mutating func askOracle(_ index: Int) {
    let plan = accounts[index].plan
    let ciphertext = plan.scope.name(.encryptedPremasterSecret)
    guard let encrypted = trace.values[ciphertext]?.bytes,
      let certificate = plan.server.certificates.first?.id
    else { return }
    let attack = OracleAttack(encrypted, plan.server.tls)
    accounts[index].oracleAttack = attack
    let how = Value.Derivation.computed(
      .paddingOracle, from: [ciphertext, certificate])
    let values = attack.premasterSecret.map { [Value(plan.scope.name(.premasterSecret), $0, how)] } ?? []
    var step = Step(.oracleAsked(attack), at: clock, from: .interceptor, to: plan.server.tls.party)
    step.connection = plan.name
    step.values = values
    step.findings = attack.findings
    trace.record(step)
    accounts[index].note(attack.findings, by: .server)
    let learnt = Knowledge(of: .interceptor, in: trace).values.compactMap { trace.values[$0] }
    let secrets = learnt.filter { plan.scope.contains($0.id.scope) && !$0.derivations.contains(.published) }
    if attack.premasterSecret != nil { conclude(secrets.filter { value in !values.contains { $0.id == value.id } }) }
  }
}

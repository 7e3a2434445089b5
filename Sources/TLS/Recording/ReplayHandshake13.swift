import Cryptography
import Explanation

/// A handshake of TLS 1.3 as a passive observer of both directions sees it (RFC 8446 section 2).
///
/// ```
/// ClientHello                  -------->
///                                                 ServerHello
///                                       {EncryptedExtensions}
///                                       {CertificateRequest*}
///                                              {Certificate*}
///                                        {CertificateVerify*}
///                              <--------           {Finished}
/// {Certificate*}
/// {CertificateVerify*}
/// {Finished}                   -------->
/// ```
///
/// The replay checks the messages of each side against the rules that the other side must enforce. It knows only the
/// traffic secrets, and not the secrets from which these follow.
struct ReplayHandshake13: Sendable {
  let configuration: ReplayConfiguration
  var order = MessageOrder13()
  var transcript = Transcript()
  var log: EffectLog
  let names: ValueScope
  /// The version and suite; the suite that the recording's ServerHello selects is known from the beginning.
  let negotiated: Negotiated?
  /// The group of the recording's ServerHello; nil after a HelloRetryRequest, which names the group itself.
  private let firstGroup: NamedGroup?
  /// The form of the messages, which a suite that is not modelled does not change, except for Finished.
  let form: Negotiated?
  private(set) var isClosed = false
  var offer: ClientHello?
  /// The first ClientHello, if the server requested another one.
  var firstOffer: ClientHello?
  var retry: ServerHello?
  var answer: ServerHello?
  var encryptedExtensions: [Extension] = []
  var publicKeys: [Side: PublicKey] = [:]
  /// The schemes that each side accepts in CertificateVerify of its peer.
  var acceptedSchemes: [Side: [SignatureAndHashAlgorithm]] = [:]
  var acceptedCompression: [Side: [CertificateCompression]] = [:]
  /// The context of the CertificateRequest that the client answers.
  var requestContext: [UInt8] = []
  var signatureAlgorithm: SignatureAndHashAlgorithm?
  var hasClientCertificate = false
  /// The traffic secret of each side that Finished and KeyUpdate depend on; nil if it is unknown.
  var trafficSecrets: [Side: (epoch: TrafficEpoch, secret: [UInt8])] = [:]
  /// The messages up to the client's Finished, after which each later authentication starts.
  var mainTranscript: Transcript?
  var ticketNonces: [[UInt8]] = []
  private var derived: [ReplayEffect] = []
  /// The changes of protection that the last message caused.
  private(set) var changes: [(side: Side, change: Change)] = []

  /// A change of the protection of one side's records.
  enum Change: Sendable {
    case protect(RecordReceiver13.Protection)
    case await(RecordReceiver13.Protection)
    case next
  }

  /// Creates a handshake that has not started. `hello` is the recording's ServerHello or HelloRetryRequest.
  init(_ configuration: ReplayConfiguration, answer hello: ServerHello) {
    self.configuration = configuration
    negotiated = Negotiated(hello)
    firstGroup = hello.extensions?.keyShare?.group
    form = negotiated ?? .form13
    log = EffectLog(configuration.enforcement)
    log.version = .tls13
    names = configuration.valueScope
  }

  /// The group of the key exchange; nil if it is not known yet, or if there is none.
  var group: NamedGroup? {
    guard let retry else { return firstGroup }
    return retry.extensions?.selectedGroup ?? answer?.extensions?.keyShare?.group
  }

  /// The hash of the suite; nil for a suite that is not modelled.
  var hash: Hash? { negotiated?.suite.hash13 }

  /// Handles a message from `side` as an event of the other side.
  mutating func handle(_ event: Event, from side: Side) -> [ReplayEffect] {
    if isClosed { return [] }
    changes = []
    var failure: HandshakeFailure?
    do throws(HandshakeFailure) {
      try transition(event, side)
    } catch {
      failure = inconclusive(error, of: side) ?? error
      isClosed = true
    }
    defer { derived = [] }
    return derived + log.drainEffects().compactMap { ReplayHandshake12.report($0, by: side.peer) }
      + [failure.map { .failed($0, at: side.peer) }].compactMap(\.self)
  }

  /// The failure that ends the replay if the recording lacks bytes; nil if a side caused it.
  private func inconclusive(_ failure: HandshakeFailure, of side: Side) -> HandshakeFailure? {
    let rules: [Rule] = [.unexpectedMessage, .decodeError, .unexpectedRecordType, .recordVersion]
    guard rules.contains(failure.finding.rule),
      let reason = configuration.incomplete[side.peer] ?? configuration.incomplete[side]
    else { return nil }
    return ReplayHandshake12.failure(
      configuration.enforcement.note(
        Rule.truncatedConnection.fixed(by: "Capture both directions, with every packet complete."),
        on: failure.finding.subject, .unknown, required: .word("every byte"), found: .word(reason),
        confidence: .unknown("the content after the bytes that the recording lacks")))
  }

  private mutating func transition(_ event: Event, _ side: Side) throws(HandshakeFailure) {
    switch event {
    // After its own Finished, a side may close its direction before the other side has sent Finished (section 6.1).
    case .alert(let alert):
      try log.receive13(alert, isConnected: Side.allCases.contains(where: order.isComplete) || isConnected)
    case .recordFailed(let failure): throw failure
    case .changeCipherSpec: break
    case .malformed(let type, let error) where order.expected(from: side).contains(type):
      try log.refuse(
        Rule.decodeError.tls13("6.2"), on: .handshake(type), .decodeError, found: .word(error.description))
    case .handshake(_, let message) where isUnrequested(message.type, side): break
    case .handshake(let body, let message) where order.advance(past: message.type, from: side):
      try receive(body, message, side)
    default:
      let expected = order.expected(from: side).map { "\($0) of the \(side)" }
      try log.refuse(
        Rule.unexpectedMessage.tls13("4"), on: .event(event.kind), .unexpectedMessage, required: .anyOf(expected),
        found: .word("\(event.kind)"))
    }
  }

  /// Whether the message may answer a CertificateRequest that could not be decrypted.
  private func isUnrequested(_ type: HandshakeType, _ side: Side) -> Bool {
    side == .client && mainTranscript != nil && trafficSecrets[.server] == nil
      && order.terms.contains(.postHandshakeAuthentication)
      && [.certificate, .compressedCertificate, .certificateVerify, .finished].contains(type)
  }

  /// Handles a message that is expected. Finished and CertificateVerify join the transcript after their own check.
  private mutating func receive(
    _ body: HandshakeMessage.Body, _ message: HandshakeMessage, _ side: Side
  ) throws(HandshakeFailure) {
    switch body {
    case .clientHello(let hello): try take(hello, message)
    case .serverHello(let hello) where hello.isRetryRequest: try requestRetry(hello, message)
    case .serverHello(let hello): try accept(hello, message)
    case .encryptedExtensions(let extensions): try take(extensions, message)
    case .certificateRequest13(let request): try take(request, message)
    case .certificate(let certificate): try take(certificate, message, side)
    case .compressedCertificate(let certificate): try take(certificate, message, side)
    case .certificateVerify(let verify): try check(verify, message, side)
    case .finished(let finished): try check(finished, message, side)
    case .endOfEarlyData:
      transcript.append(message)
      changes.append((.client, .next))
    case .newSessionTicket13(let ticket): try take(ticket)
    case .keyUpdate(let update): try take(update, side)
    default: break
    }
  }

  /// Records values that `side` computed or received.
  mutating func derive(_ values: [Value], by side: Side) { derived += values.map { .derived($0, by: side) } }

  /// Records values that both sides computed.
  mutating func derive(_ values: [Value]) { for side in Side.allCases { derive(values, by: side) } }

  mutating func change(_ side: Side, _ change: Change) { changes.append((side, change)) }

  /// Records a rule that could not be checked.
  mutating func note(_ rule: Rule, on message: HandshakeType, required: String) {
    log.add(
      .found(
        configuration.enforcement.note(
          rule, on: .handshake(message), .notEvaluated, required: .word(required), found: .absent)))
  }

  /// The secret in the key log; nil if it is absent or has the wrong length for the suite.
  func recorded(_ secret: ScheduledSecret) -> [UInt8]? {
    guard let hash, let offer, let bytes = configuration.secrets.keyLog.trafficSecrets[offer.random]?[secret] else {
      return nil
    }
    return bytes.count == hash.digestSize ? bytes : nil
  }

  /// The protection by a traffic secret, and the values that it results in.
  mutating func protection(_ epoch: TrafficEpoch, _ secret: [UInt8]?) -> RecordReceiver13.Protection {
    guard let secret, let hash, let negotiated else { return .unknown(epoch) }
    let keys = ExpandLabel(hash).recordKeys(secret, negotiated.suite, epoch)
    derive(names.values(epoch, keys))
    let random = RandomStreams(seed: .number(0), party: "replay").stream(ValueName(.recordIV, of: epoch.side))
    return .keys(RecordProtection(keys: keys, random: random), epoch)
  }

  /// Whether both sides have sent Finished.
  var isConnected: Bool { Side.allCases.allSatisfy(order.isComplete) || mainTranscript != nil }

  /// Whether `side` may send application data: after its own Finished, or as early data.
  func takesData(from side: Side) -> Bool {
    order.isComplete(side) || mainTranscript != nil || order.hidden.contains(side)
      || side == .client && firstOffer == nil && offer?.extensions?.contains(.earlyData) == true
  }

  /// Whether a ChangeCipherSpec of `side` is allowed: between the first ClientHello and the side's Finished (section 5).
  func takesChangeCipherSpec(from side: Side) -> Bool { offer != nil && !order.isComplete(side) }

  /// The parameters that the messages so far show.
  var parameters: ConnectionParameters? {
    guard let offer, let answer else { return nil }
    return ConnectionParameters(
      offer, answer, encryptedExtensions, signatureAlgorithm, hasClientCertificate: hasClientCertificate)
  }
}

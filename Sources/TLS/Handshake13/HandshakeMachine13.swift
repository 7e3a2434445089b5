import Cryptography
import Explanation

/// The common parts of the client's and the server's state machines in TLS 1.3.
protocol HandshakeMachine13: HandshakeMachine {
  var transcript: Transcript { get set }
  var order: MessageOrder13 { get set }
  var names: ValueScope { get }
  var keys: TrafficKeys { get set }
}

extension HandshakeMachine13 {
  var negotiated: Negotiated? { keys.negotiated }
  /// The hash of the suite.
  var hash: Hash { keys.functions.hash }

  /// Sends a message and adds it to the transcript.
  mutating func send(_ body: HandshakeMessage.Body) throws(HandshakeFailure) {
    let message = try log.send(body, under: negotiated ?? .form13)
    if !message.type.followsHandshake { transcript.append(message) }
    _ = order.advance(past: message.type, from: Self.side)
  }

  /// Computes a secret of the key schedule over the messages so far.
  mutating func derive(_ secret: ScheduledSecret) {
    let digest = transcript.digest(hash)
    guard let bytes = keys.schedule(secret, transcriptHash: digest) else { return }
    let names = names
    log.derive(names.values(secret, bytes, transcriptHash: digest))
  }

  /// Protects the records of `side` with the keys of this phase from now on.
  mutating func protect(_ side: Side, _ phase: TrafficEpoch.Phase) {
    let (epoch, names) = (TrafficEpoch(side, phase), names)
    guard let records = keys.start(epoch) else { return }
    log.derive(names.values(epoch, records))
    log.add(side == Self.side ? .protectWriting(records) : .protectReading(records))
  }

  /// The values of a Finished of `side` over the messages so far.
  private mutating func verifyData(of side: Side) -> [UInt8] {
    guard let (epoch, secret) = keys.current[side] else { return [] }
    let (functions, names) = (keys.functions, names)
    let proof = functions.verifyData(secret, transcriptHash: transcript.digest(hash))
    log.derive(names.finished(epoch, finishedKey: functions.finishedKey(secret), verifyData: proof))
    return proof
  }

  /// Sends Finished (RFC 8446 section 4.4.4).
  mutating func sendFinished() throws(HandshakeFailure) {
    try send(.finished(Finished(verifyData: verifyData(of: Self.side))))
  }

  /// Checks that the peer's Finished covers the messages before it.
  mutating func verify(_ finished: Finished, _ message: HandshakeMessage) throws(HandshakeFailure) {
    let expected = verifyData(of: Self.side.peer)
    try log.checkFinished13(finished, expected)
    transcript.append(message)
  }

  /// Checks the peer's CertificateVerify over the messages before it.
  mutating func verify(
    _ proof: CertificateVerify, _ message: HandshakeMessage, by key: PublicKey,
    accepting schemes: [SignatureAndHashAlgorithm]
  ) throws(HandshakeFailure) {
    try log.checkCertificateVerify13(
      proof.signed, by: Self.side.peer, key, accepting: schemes, transcriptHash: transcript.digest(hash))
    transcript.append(message)
  }

  /// Sends the certificates of this side, compressed if the peer accepts that, and proves that it has the private key.
  mutating func authenticate(
    _ certificate: CertificateMessage, _ key: PrivateKey, _ keyName: Value.ID, _ scheme: SignatureScheme,
    random: RandomStreams, compresses: Bool = false
  ) throws(HandshakeFailure) {
    let message = try log.representable { () throws -> HandshakeMessage.Body in
      compresses ? .compressedCertificate(try CompressedCertificate(certificate)) : .certificate(certificate)
    }
    try send(message)
    let content = CertificateVerify.signedContent13(by: Self.side, transcriptHash: transcript.digest(hash))
    var stream = random.stream("signature")
    let signature = try log.representable { () throws in try key.sign(content, scheme, random: &stream) }
    if Self.side == .client {
      let names = names
      log.derive([
        names.value(
          .certificateVerifySignature, signature, .published,
          .computed(.signature(scheme: scheme.name), from: [keyName] + names.randoms))
      ])
    }
    try send(
      .certificateVerify(
        CertificateVerify(DigitallySigned(algorithm: SignatureAndHashAlgorithm(scheme), signature: signature))))
  }

  /// The certificate in a message, after the check of its compression (RFC 8879 section 4); nil for any other message.
  mutating func certificate(
    in body: HandshakeMessage.Body, accepting algorithms: [CertificateCompression]
  ) throws(HandshakeFailure) -> CertificateMessage? {
    switch body {
    case .certificate(let message): return message
    case .compressedCertificate(let compressed): return try log.decompress(compressed, accepting: algorithms)
    default: return nil
    }
  }

  /// Switches to the peer's next traffic secret, and answers a request to do the same (RFC 8446 section 4.6.3).
  mutating func take(_ update: KeyUpdate) throws(HandshakeFailure) {
    try log.require13(
      update.request <= 1, "4.6.3", on: .keyUpdate, required: .anyOf(["0", "1"]), found: .number(Int(update.request)))
    updateSecret(of: Self.side.peer)
    if update == .requested { try sendKeyUpdate(.notRequested) }
  }

  /// Sends KeyUpdate under the current keys, and switches to the next traffic secret.
  mutating func sendKeyUpdate(_ update: KeyUpdate) throws(HandshakeFailure) {
    try send(.keyUpdate(update))
    updateSecret(of: Self.side)
  }

  private mutating func updateSecret(of side: Side) {
    let names = names
    guard let before = keys.current[side]?.epoch, let next = keys.update(side) else { return }
    log.derive([names.nextTrafficSecret(after: before, next.secret)].compactMap(\.self))
    log.derive(names.values(next.epoch, next.records))
    log.add(side == Self.side ? .protectWriting(next.records) : .protectReading(next.records))
  }

  /// Handles an event that the machine does not expect in its current state.
  mutating func handleUnexpected13(_ event: Event) throws(HandshakeFailure) {
    let isConnected = state.phase.parameters != nil
    if case .alert(let alert) = event { return try log.receive13(alert, isConnected: isConnected) }
    if case .malformed(let type, let error) = event, expected.contains(event.kind) {
      return try log.refuse(
        Rule.decodeError.tls13("6.2"), on: .handshake(type), .decodeError, found: .word(error.description))
    }
    try log.refuse(
      Rule.unexpectedMessage.tls13("4"), on: .event(event.kind), .unexpectedMessage,
      required: .anyOf(expected.map(\.description)), found: .word("\(event.kind)"))
  }
}

/// The key schedule of a connection, and the traffic secrets that are in use (RFC 8446 section 7).
struct TrafficKeys: Sendable {
  /// The version and suite; nil until the hello messages select them.
  private(set) var negotiated: Negotiated?
  private(set) var functions = ExpandLabel(.sha256)
  private var secrets = KeySchedule13(.sha256)
  private var scheduled: [ScheduledSecret: [UInt8]] = [:]
  /// The traffic secret of each side that protects its records.
  private(set) var current: [Side: (epoch: TrafficEpoch, secret: [UInt8])] = [:]

  /// The schedule with its three secrets.
  var schedule: KeySchedule13 { secrets }

  /// Starts the schedule with the hash of the suite.
  mutating func select(_ suite: CipherSuite.Registration, _ hash: Hash) {
    negotiated = Negotiated(version: .tls13, suite: suite)
    functions = ExpandLabel(hash)
  }

  /// Computes the early, handshake and master secret.
  mutating func extract(psk: [UInt8]?, sharedSecret: [UInt8]?) {
    secrets = KeySchedule13(functions.hash, psk: psk)
    secrets.addSharedSecret(sharedSecret)
  }

  /// Computes and keeps a secret of the schedule.
  mutating func schedule(_ secret: ScheduledSecret, transcriptHash: [UInt8]) -> [UInt8]? {
    scheduled[secret] = secrets.secret(secret, transcriptHash: transcriptHash)
    return scheduled[secret]
  }

  /// A secret that was computed before.
  subscript(_ secret: ScheduledSecret) -> [UInt8]? { scheduled[secret] }

  /// The keys that protect the records of a side from now on; nil if the epoch's secret was not computed.
  mutating func start(_ epoch: TrafficEpoch) -> RecordKeys? {
    guard let secret = scheduled[epoch.scheduled], let suite = negotiated?.suite else { return nil }
    current[epoch.side] = (epoch, secret)
    return functions.recordKeys(secret, suite, epoch)
  }

  /// Switches to the next traffic secret of a side (RFC 8446 section 7.2); nil before the application phase.
  mutating func update(_ side: Side) -> (epoch: TrafficEpoch, secret: [UInt8], records: RecordKeys)? {
    guard let (epoch, secret) = current[side], let next = epoch.next, let suite = negotiated?.suite else { return nil }
    let bytes = functions.nextTrafficSecret(secret)
    current[side] = (next, bytes)
    return (next, bytes, functions.recordKeys(bytes, suite, next))
  }
}

/// The keys of early data, before the server has selected a suite (RFC 8446 section 2.3).
struct EarlyKeys: Sendable {
  let secret: [UInt8]
  let exporterSecret: [UInt8]
  let records: RecordKeys
  private let transcriptHash: [UInt8]
  private let schedule: KeySchedule13

  /// Creates the keys from a pre-shared key, the suite of its session, and the hash of ClientHello.
  init(_ psk: PreSharedKey, _ suite: CipherSuite.Registration, transcriptHash: [UInt8]) {
    schedule = KeySchedule13(psk.hash, psk: psk.key)
    self.transcriptHash = transcriptHash
    secret = schedule.secret(.clientEarlyTraffic, transcriptHash: transcriptHash) ?? []
    exporterSecret = schedule.secret(.earlyExporter, transcriptHash: transcriptHash) ?? []
    records = schedule.functions.recordKeys(secret, suite, TrafficEpoch(.client, .early))
  }

  /// The secrets and the keys as values.
  func values(_ names: ValueScope) -> [Value] {
    [names.earlySecret(schedule, psk: names.name(.psk))] + secrets(names)
      + names.values(TrafficEpoch(.client, .early), records)
  }

  /// The secrets that a key log contains, as values.
  func secrets(_ names: ValueScope) -> [Value] {
    names.values(.clientEarlyTraffic, secret, transcriptHash: transcriptHash)
      + names.values(.earlyExporter, exporterSecret, transcriptHash: transcriptHash)
  }
}

extension ValueScope {
  /// The `psk` of this handshake, which is the key of a ticket or an external one.
  func preSharedKey(_ key: PreSharedKey, party: Party) -> [Value] {
    let own = value(.psk, key.key, .computed(.resumedSession, from: [key.name]))
    let agreed: [Value.Derivation] = key.isResumption ? [] : [.generated(by: party)]
    return [own, Value(key.name, key.key, derivations: [.computed(.resumingSession, from: [own.id])] + agreed)]
  }

  /// The secrets that HKDF-Extract computes from the pre-shared key and the result of (EC)DHE.
  func extractedSecrets(
    _ schedule: KeySchedule13, psk: ValueName?, sharedSecret: ValueName?, afterEarlyData: Bool
  ) -> [Value] {
    let early = earlySecret(schedule, psk: psk, afterEarlyData: afterEarlyData)
    return [early] + extractedSecrets(schedule, early: early, sharedSecret: sharedSecret)
  }
}

extension HandshakeType {
  /// Whether the message is sent after the handshake and joins no transcript (RFC 8446 section 4.4.1).
  var followsHandshake: Bool { [.newSessionTicket, .keyUpdate].contains(self) }
}

extension EffectLog {
  /// Decompresses a certificate (RFC 8879 section 4).
  mutating func decompress(
    _ message: CompressedCertificate, accepting algorithms: [CertificateCompression]
  ) throws(HandshakeFailure) -> CertificateMessage {
    try check(
      Rule.illegalParameter.citing(.rfc(8879, "4")), on: .handshake(.compressedCertificate),
      algorithms.contains(message.algorithm), .illegalParameter, required: .anyOf(algorithms.map(\.description)),
      found: .word(message.algorithm.description))
    guard let certificate = message.certificate else {
      throw failure(
        .decodeError.citing(.rfc(8879, "4")), on: .handshake(.compressedCertificate), .badCertificate,
        required: .word("a Certificate message of \(message.uncompressedLength) bytes"),
        found: .word("other content"))
    }
    return certificate
  }

  /// Checks that the server's random value does not say that it supports a newer version (RFC 8446 section 4.1.3).
  mutating func checkDowngrade(
    _ hello: ServerHello, to version: ProtocolVersion, offering versions: [ProtocolVersion]
  ) throws(HandshakeFailure) {
    guard versions.contains(.tls13), version < .tls13 else { return }
    let end = Array(hello.random.suffix(DowngradeSentinel.length))
    try check(
      .downgrade, on: .handshake(.serverHello), !DowngradeSentinel.all.contains(end), .illegalParameter,
      required: .word("no downgrade sentinel"), found: .bytes(end))
  }
}

/// The ends of `server_random` with which a server that supports a newer version selects an older one (RFC 8446 section
/// 4.1.3).
enum DowngradeSentinel {
  static let length = 8
  /// `DOWNGRD` and 01: the server selects TLS 1.2, and supports TLS 1.3.
  static let tls12 = Array("DOWNGRD".utf8) + [1]
  /// `DOWNGRD` and 00: the server selects TLS 1.1 or older, and supports a newer version.
  static let older = Array("DOWNGRD".utf8) + [0]
  static let all = [tls12, older]
}

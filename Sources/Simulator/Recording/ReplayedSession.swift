import Captures
import Endpoint
import Explanation
import PKIX
import TLS

/// A recorded session that is replayed.
///
/// Its trace has the steps of a run, and the eavesdropper knows the values that the secrets decrypt.
public struct ReplayedSession: TracedRun {
  /// The recording that is replayed.
  public let recording: Flow
  /// The steps of the recording.
  public private(set) var trace: Trace
  /// The findings from all checks that the endpoints must have made on the messages that they received.
  public private(set) var findings: [Finding] = []
  /// The parameters that both sides agreed on, if the handshake is complete.
  public private(set) var parameters: ConnectionParameters?
  /// Whether the server selected TLS 1.3.
  public private(set) var isTLS13 = false
  /// The parameters in the hellos of TLS 1.3, even if the rest of the handshake is encrypted.
  public private(set) var selected: ConnectionParameters?
  /// The secrets of TLS 1.3 that the key log lacks, in the order in which records need them.
  public private(set) var lackingSecrets: [ScheduledSecret] = []
  /// The alert with which an endpoint aborted the handshake, or should have aborted it.
  public private(set) var failure: HandshakeFailure?
  /// The number of protected messages and undecrypted records.
  public private(set) var protectedCount = 0
  /// The parts of the session that are in the clear in TLS 1.3; empty for earlier versions.
  public private(set) var clearParts = ClearParts()
  /// The number of protected messages that were decrypted.
  public private(set) var openedCount = 0
  private var clock: Instant
  private var sent: [Side: [UInt8]] = [:]
  private var open: MessageStep?
  private var known: [Side: Set<Value.ID>] = [:]

  /// The time of a recording that contains no times: 1970-01-01T00:00:00Z.
  public static let unknownTime = Instant(secondsSince1970: 0)

  /// The `client_random` of the session whose secret is wrong; nil if every secret is right.
  public private(set) var misfit: [UInt8]?

  /// Replays `recording` from its first byte to its last. A secret that decrypts nothing belongs to another session,
  /// and is ignored.
  public init(_ recording: Flow, enforcement: Enforcement = .standard) {
    self.init(replaying: recording, enforcement)
    guard let random = misfit else { return }
    for secrets in recording.secrets.others(for: random) {
      var other = recording
      other.secrets = secrets
      let attempt = Self(replaying: other, enforcement)
      if attempt.misfit == nil, attempt.openedCount > 0 {
        self = attempt
        return
      }
    }
    var bare = recording
    bare.secrets = recording.secrets.without(random)
    self.init(replaying: bare, enforcement)
    misfit = random
    let finding = enforcement.note(
      .recordedSecret, on: .connection, .unknown, required: .word("a secret that decrypts the first protected record"),
      found: .word("a secret that decrypts no record: it belongs to another session, or records were altered"),
      confidence: .unknown("the content of the protected records"))
    findings.append(finding.ofRealPeers)
    trace.attach([finding.ofRealPeers])
  }

  private init(replaying recording: Flow, _ enforcement: Enforcement) {
    self.recording = recording
    clock = recording.portions.first?.at ?? Self.unknownTime
    trace = Trace(held: [Value(recording.secrets.serverKeyName, [], .generated(by: .server))])
    var configuration = ReplayConfiguration(
      secrets: recording.secrets, publicKey: { try? Certificate(der: $0).publicKey }, enforcement: enforcement)
    configuration.incomplete = recording.incomplete
    configuration.doubtsSecrets = true
    let answer = recording.portions.lazy.filter { $0.side == .server }.flatMap(\.bytes)
    let newer = Replay13(configuration, answer: Array(answer.prefix(Self.helloLength)))
    isTLS13 = newer != nil
    var replay: any SessionReplay = newer ?? Replay(configuration)
    for portion in recording.portions {
      clock = portion.at ?? clock
      take(replay.receive(portion.bytes, from: portion.side))
    }
    take(replay.end(unfinished: recording.unfinished))
    misfit = replay.misfit
    flush()
    disclose()
  }

  /// The number of the server's first bytes that contain its hello, and therefore show the version.
  private static let helloLength = 1 << 17

  /// The parties of the session: the client, the server, and the holder of the recording.
  public var parties: [Party] { [.client, .server, .eavesdropper] }

  /// The verdict: accepted if every record was decrypted and every check passed, or not applicable if secrets are
  /// missing.
  public var verdict: Verdict {
    let verdict = Verdict(findings, hasContent: true)
    guard verdict.word == .accepted else { return verdict }
    let isKnown = !findings.contains {
      $0.rule == .truncatedConnection && $0.outcome == .unknown
        || $0.rule == .finishedMismatch && $0.outcome == .notEvaluated
        || $0.rule == .recordedSecret && $0.outcome == .unknown
    }
    return parameters != nil && openedCount == protectedCount && isKnown ? verdict : .notApplicable
  }

  /// Whether the provided private key does not belong to the server's certificate.
  public var hasForeignKey: Bool { findings.contains { $0.rule == .foreignKey && $0.outcome == .violated } }

  /// Whether the negotiated suite does not encrypt (RFC 5246 section 6.2.3.1).
  public var isClear: Bool { parameters?.cipherSuite.registration?.cipher == .null }

  /// The server name that the client requested.
  public var serverName: String? { (parameters ?? selected)?.serverName }

  /// Returns the data that `side` sent inside the tunnel.
  public func applicationData(of side: Side) -> [UInt8] { sent[side] ?? [] }

  /// A message with its values and findings, which are collected before the step is recorded.
  private struct MessageStep {
    let message: ProtocolMessage
    let side: Side
    var values: [Value] = []
    var secrets: [Side: [Value]] = [:]
    var findings: [Finding] = []
  }

  private mutating func take(_ effects: [ReplayEffect]) {
    for effect in effects {
      switch effect {
      case .message(let message, let side):
        flush()
        count(message, side)
        open = MessageStep(message: message, side: side)
      case .derived(let value, let side): add(value, side)
      case .found(let found, _):
        let finding = found.ofRealPeers
        findings.append(finding)
        if open != nil { open?.findings.append(finding) } else { trace.attach([finding]) }
      case .selected(let parameters): selected = parameters
      case .lacking(let secrets): lackingSecrets = secrets
      case .connected(let parameters): self.parameters = parameters
      case .failed(let failure, let side): fail(failure, side)
      }
    }
  }

  private mutating func count(_ message: ProtocolMessage, _ side: Side) {
    clearParts.add(message, from: side)
    if case .applicationData(let bytes) = message.content { sent[side, default: []] += bytes }
    guard message.isProtected else { return }
    protectedCount += 1
    if case .encrypted = message.content { return }
    openedCount += 1
  }

  private mutating func add(_ value: Value, _ side: Side) {
    let isShown = value.derivations.contains(.published) || value.id == open?.message.valueID
    if isShown {
      if open?.values.contains(value) == false { open?.values.append(value) }
    } else if known[side, default: []].insert(value.id).inserted {
      open?.secrets[side, default: []].append(value)
    }
  }

  /// Records the collected message as a step, between the computations of its sender and of its receiver.
  private mutating func flush() {
    guard let told = open else { return }
    open = nil
    derive(told.secrets[told.side] ?? [], by: told.side.party)
    let transmission = Transmission(told.message)
    var step = Step(
      .sent(transmission, SentMessage(told.side, isTLS13: isTLS13)), at: clock, from: told.side.party,
      to: told.side.peer.party)
    step.carry(transmission)
    step.values = told.values + certificates(in: told.message, from: told.side)
    step.findings = told.findings
    trace.record(step)
    derive(told.secrets[told.side.peer] ?? [], by: told.side.peer.party)
  }

  private func certificates(in message: ProtocolMessage, from side: Side) -> [Value] {
    message.certificates.enumerated().map { index, der in
      let kind = index == 0 ? ValueKind.certificate : ValueKind("\(ValueKind.certificate.word)_\(index + 1)")
      let value = Value(ValueScope(side.rawValue).name(kind), der, .published)
      // In TLS 1.3, only a party that decrypts the message obtains the certificate.
      return isTLS13 ? message.carrying(value).adding(.generated(by: side.party)) : value
    }
  }

  private mutating func derive(_ values: [Value], by party: Party) {
    guard !values.isEmpty else { return }
    var step = Step(.computed(values), at: clock, from: party)
    step.values = values
    trace.record(step)
  }

  private mutating func fail(_ failure: HandshakeFailure, _ side: Side) {
    self.failure = failure
    let finding = failure.finding.ofRealPeers
    findings.append(finding)
    flush()
    var step = Step(.recordingEnded(failure, side, finding), at: clock, from: side.party)
    step.findings = [finding]
    trace.record(step)
  }

  /// Discloses to the recording's holder the secrets that decrypt it, unless they follow from other secrets.
  ///
  /// The eavesdropper's knowledge is derived from them.
  private mutating func disclose() {
    let secrets = recording.secrets
    var given: [Value.ID] = secrets.serverKey == nil || hasForeignKey ? [] : [secrets.serverKeyName]
    if secrets.premasterSecret != nil { given.append(ValueName(.premasterSecret)) }
    let masters = trace.valueNames.filter { $0.kind == .masterSecret && trace.values[$0]?.bytes.isEmpty == false }
    let traffic = ScheduledSecret.allCases.map { ValueName($0.kind, of: $0.side) }
      .filter { isTLS13 && trace.values[$0]?.bytes.isEmpty == false }
    for name in given + masters + traffic {
      guard trace.values[name] != nil, !knowledge(of: .eavesdropper).knows(name) else { continue }
      leak(name)
    }
  }

  private mutating func leak(_ secret: Value.ID) {
    var knowledge = knowledge(of: .eavesdropper)
    var step = Step(.disclosed(secret), at: clock, from: .eavesdropper)
    step.leaked = [.secret(secret)]
    trace.record(step)
    let learnt = knowledge.update(trace, disclosed: disclosed(to: .eavesdropper)).filter { $0 != secret }
    derive(learnt.compactMap { trace.values[$0] }, by: .eavesdropper)
  }
}

extension Side {
  fileprivate var party: Party { self == .client ? .client : .server }
}

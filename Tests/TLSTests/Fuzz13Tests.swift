import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import TLS

/// Changes one message of a conversation of TLS 1.3, for a receiver that has read the messages before it.
struct Fuzzer13: Sendable {
  /// One direction of a conversation, with the receiver and the sender's keys before each message.
  struct Tape: Sendable {
    let messages: [ProtocolMessage]
    let answer: CertificateAnswer
    var receivers: [Connection] = []
    var forgers: [RecordForger] = []
    /// Whether all keys are known: those of early data are not.
    let canForge: Bool
  }

  let tapes: [Tape]

  /// The conversations that are changed: plain, with a retry and a client certificate, and with early data.
  static func conversations() throws -> [(conversation: Conversation, canForge: Bool)] {
    let key = SessionTicketKey("session_ticket_key", [UInt8](repeating: 7, count: 64))
    let rich = Handshake13Tests.conversation { client, server in
      client.groups = [.x25519, .secp256r1]
      (server.groups, server.sendsCookie) = ([.secp256r1], true)
      server.ticketKeys = [key].compactMap(\.self)
      server.clientAuthentication = .required
      client.identity = ClientIdentity(
        certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "alice.key")
    }
    let early = try Resumption13Tests.connections(
      .cache, { _, server in server.earlyData = EarlyDataPolicy() },
      next: { client, server in
        (client.earlyData, server.earlyData) = ([1, 2, 3], EarlyDataPolicy())
      }
    ).second
    return [(Handshake13Tests.conversation(), true), (rich, true), (early, false)]
  }

  init() throws {
    tapes = try Self.conversations().flatMap { fresh, canForge in
      var fresh = fresh
      fresh.clientAnswer = .accepted(Conversation.ecKey.publicKey)
      var played = fresh.ran()
      for side in Side.allCases {
        played.send([1, 2, 3], from: side)
        played.close(side)
      }
      return Side.allCases.map { Self.tape(to: $0, fresh, played, canForge: canForge) }
    }
  }

  private static func tape(
    to side: Side, _ fresh: Conversation, _ played: Conversation, canForge: Bool
  ) -> Tape {
    var tape = Tape(
      messages: played.sent(by: side.peer), answer: side == .client ? fresh.answer : fresh.clientAnswer,
      canForge: canForge)
    var receiver = side == .client ? fresh.client : fresh.server
    var forger = RecordForger(side.peer, played.values(of: side.peer))
    _ = receiver.start()
    for message in tape.messages {
      tape.receivers.append(receiver)
      tape.forgers.append(forger)
      _ = forger.bytes(message)
      _ = receive(message.bytes, &receiver, tape.answer)
    }
    return tape
  }

  /// Delivers bytes, and replies to the request to evaluate a certificate.
  private static func receive(
    _ bytes: [UInt8], _ receiver: inout Connection, _ answer: CertificateAnswer
  ) -> HandshakeFailure? {
    var effects = receiver.receive(bytes)
    var failure: HandshakeFailure?
    while let effect = effects.first {
      effects.removeFirst()
      switch effect {
      case .failed(let found): failure = found
      case .evaluateCertificate: effects += receiver.certificateEvaluated(answer)
      default: break
      }
    }
    return failure
  }

  /// Plays the input with this number; returns the receiver's failure.
  func play(_ number: Int) -> HandshakeFailure? {
    let tape = tapes[number % tapes.count]
    var random = DeterministicRandom(seed: .number(UInt64(number)), label: "fuzz")
    let place = random.below(tape.messages.count)
    var receiver = tape.receivers[place]
    var bytes: [UInt8]
    let message = tape.messages[place]
    if tape.canForge, message.isProtected, random.below(3) > 0 {
      var forger = tape.forgers[place]
      let content = random.mutated(message.plaintext, with: random.pick(tape.messages).plaintext)
      bytes = forger.bytes(message, replacedBy: [.sealed(message.contentType, content)])
    } else {
      bytes = random.mutated(message.bytes, with: random.pick(tape.messages).bytes)
    }
    bytes += tape.messages[(place + 1)...].flatMap(\.bytes)
    // The bytes arrive in two chunks.
    let cut = random.below(bytes.count + 1)
    let first = Self.receive(Array(bytes[..<cut]), &receiver, tape.answer)
    return Self.receive(Array(bytes[cut...]), &receiver, tape.answer) ?? first
  }
}

extension DeterministicRandom {
  /// A number below `bound`, which is at most 2^16.
  fileprivate mutating func below(_ bound: Int) -> Int {
    let draw = bytes(2)
    return (Int(draw[0]) << 8 | Int(draw[1])) % max(1, bound)
  }

  fileprivate mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

  /// The bytes with one change: flipped, cut, extended, repeated, or joined to a part of others.
  fileprivate mutating func mutated(_ bytes: [UInt8], with others: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return others }
    var changed = bytes
    let (place, other) = (below(bytes.count), below(others.count + 1))
    switch below(8) {
    case 0, 1: changed[place] ^= 1 << UInt8(below(8))
    // The headers of records and messages are at the beginning.
    case 2: changed[min(place, below(10))] = UInt8(below(256))
    case 3: changed = Array(bytes[..<place])
    case 4: changed.insert(contentsOf: others[other...], at: place)
    case 5: changed = bytes + bytes
    case 6: changed = Array(bytes[..<place] + others[other...])
    default: changed.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
    }
    return changed
  }
}

@Suite("Changed conversations of TLS 1.3")
struct Fuzz13Tests {
  /// Plays all inputs with these numbers.
  static func play(_ numbers: some Sequence<Int>) throws {
    let fuzzer = try Fuzzer13()
    var failures = 0
    for number in numbers {
      guard let failure = fuzzer.play(number) else { continue }
      failures += 1
      if failure.alert == .internalError, failure.isOwn { Issue.record("input \(number): \(failure.finding)") }
    }
    #expect(failures > 0)
  }

  @Test("no change of a message stops a client or a server, and none causes an internal error")
  func endpoints() throws { try Self.play(0..<3_000) }

  @Test("without a change, each receiver takes all messages")
  func unchanged() throws {
    for tape in try Fuzzer13().tapes { #expect(tape.receivers.count == tape.messages.count) }
    for tape in try Fuzzer13().tapes { #expect(tape.receivers.dropLast().allSatisfy { !$0.isOver }) }
  }

  @Test("no change of a recording stops its replay", .needsData(Sessions13.file))
  func recordings() throws {
    for (number, session) in Sessions13.all.enumerated() { try Self.replay(session, number, count: 20) }
  }

  /// Replays a recording with one changed record, `count` times.
  static func replay(_ session: Sessions13.Session, _ number: Int, count: Int) throws {
    var secrets = SessionSecrets()
    for (label, values) in session.key_log {
      guard let secret = ScheduledSecret(keyLogLabel: label) else { continue }
      secrets.keyLog.trafficSecrets[session.client_random.bytes, default: [:]][secret] = values.first?.bytes
    }
    let configuration = ReplayConfiguration(secrets: secrets)
    let records = session.records.map { (side: $0.dir == "client" ? Side.client : .server, bytes: $0.hex.bytes) }
    let answer = records.filter { $0.side == .server }.flatMap(\.bytes)
    var replay = try #require(Replay13(configuration, answer: answer))
    var replays: [Replay13] = []
    for (side, bytes) in records {
      replays.append(replay)
      _ = replay.receive(bytes, from: side)
    }
    var random = DeterministicRandom(seed: .number(UInt64(number)), label: "recordings")
    for _ in 0..<count {
      let place = random.below(records.count)
      var changed = replays[place]
      _ = changed.receive(
        random.mutated(records[place].bytes, with: random.pick(records).bytes), from: records[place].side)
      for (side, bytes) in records[(place + 1)...] { _ = changed.receive(bytes, from: side) }
      _ = changed.end(unfinished: [:])
    }
  }
}

/// A million inputs, or their share.
@Suite("A million changed conversations of TLS 1.3")
struct Fuzz13Sweep {
  @Test("no change of a message stops a client or a server, and none causes an internal error", arguments: 0..<100)
  func endpoints(_ part: Int) throws {
    try Fuzz13Tests.play(stride(from: part * 10_000, to: (part + 1) * 10_000, by: Sweep.every))
  }

  @Test("no change of a recording stops its replay", .needsData(Sessions13.file), arguments: 0..<100)
  func recordings(_ part: Int) throws {
    for (number, session) in Sessions13.all.enumerated() {
      try Fuzz13Tests.replay(session, 1_000 * part + number, count: 200 / Sweep.every)
    }
  }
}

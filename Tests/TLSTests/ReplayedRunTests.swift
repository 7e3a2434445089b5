import Cryptography
import Explanation
import Testing

@testable import TLS

/// Replays the bytes that these endpoints sent in every suite and version.
@Suite("Recordings of every suite in every version")
struct ReplayedRunTests {
  typealias Chunk = (side: Side, bytes: [UInt8])

  /// A connection with data in both directions, and how it ends.
  private func recorded(_ run: Conversation.Run, isExtended: Bool = false) -> (Conversation, [Chunk]) {
    let plain = Conversation(run)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.extendedMasterSecret, server.extendedMasterSecret) = (isExtended, isExtended)
    (client.encryptThenMAC, server.encryptThenMAC) = (isExtended, isExtended)
    var conversation = Conversation(client, server).ran()
    conversation.send(Array("GET /".utf8), from: .client)
    conversation.send(Array("hello".utf8), from: .server)
    conversation.close(.server)
    let portions = conversation.log.compactMap { entry -> Chunk? in
      if case .send(let message) = entry.effect { (entry.side, message.bytes) } else { nil }
    }
    return (conversation, portions)
  }

  private func replay(_ portions: [Chunk], _ secrets: SessionSecrets, _ key: PublicKey) -> [ReplayEffect] {
    var replay = Replay(ReplayConfiguration(secrets: secrets, publicKey: { _ in key }))
    return portions.flatMap { replay.receive($0.bytes, from: $0.side) } + replay.end()
  }

  private func data(_ effects: [ReplayEffect], _ side: Side) -> [UInt8] {
    effects.flatMap { effect -> [UInt8] in
      guard case .message(let message, side) = effect, case .applicationData(let bytes) = message.content else {
        return []
      }
      return bytes
    }
  }

  private func failures(_ effects: [ReplayEffect]) -> [HandshakeFailure] {
    effects.compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }
  }

  @Test(
    "the master secret, the premaster secret or the server's RSA key opens the recording",
    arguments: Conversation.Run.all, [false, true])
  func opened(_ run: Conversation.Run, _ isExtended: Bool) throws {
    let (conversation, portions) = recorded(run, isExtended: isExtended)
    let values = conversation.values(of: .client)
    let key = conversation.serverSettings.privateKey
    var ways = [
      SessionSecrets(masterSecret: try #require(values["master_secret"]).bytes),
      SessionSecrets(premasterSecret: try #require(values["premaster_secret"]).bytes),
    ]
    if run.suite.hasPrefix("TLS_RSA") { ways.append(SessionSecrets(serverKey: key)) }
    for secrets in ways {
      let effects = replay(portions, secrets, key.publicKey)
      #expect(failures(effects).isEmpty, "\(run): \(failures(effects).map(\.finding.rule.id))")
      #expect(data(effects, .client) == Array("GET /".utf8) && data(effects, .server) == Array("hello".utf8))
      let parameters = effects.compactMap { if case .connected(let found) = $0 { found } else { nil } }
      #expect(parameters.map(\.version) == [run.version] && parameters.map(\.cipherSuite.name) == [run.suite])
      // Only the rules about obsolete features are violated, as advice.
      for case .found(let finding, _) in effects where ![Rule.ssl3, .rc4, .shortBlocks].contains(finding.rule) {
        #expect(finding.outcome == .satisfied, "\(finding.rule.id)")
      }
      for case .derived(let value, _) in effects where !value.bytes.isEmpty {
        if let own = values[value.id] { #expect(own.bytes == value.bytes, "\(run): \(value.id)") }
      }
    }
  }

  @Test("the signature of a server with an Ed25519 key is verified like any other")
  func ed25519() throws {
    var random = DeterministicRandom(seed: .number(1), label: "Ed25519")
    let key = PrivateKey.ed25519(Ed25519PrivateKey.generate(random: &random))
    let plain = Conversation("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    server.privateKey = key
    (client.signatureSchemes, server.signatureSchemes) = ([.ed25519], [.ed25519])
    var conversation = Conversation(client, server).ran()
    conversation.send([1, 2, 3], from: .client)
    conversation.close(.server)
    let portions = conversation.log.compactMap { entry -> Chunk? in
      if case .send(let message) = entry.effect { (entry.side, message.bytes) } else { nil }
    }
    let secrets = SessionSecrets(masterSecret: try #require(conversation.values(of: .client)["master_secret"]).bytes)
    let effects = replay(portions, secrets, key.publicKey)
    #expect(failures(effects).isEmpty && data(effects, .client) == [1, 2, 3])
    let held = effects.contains { effect in
      if case .found(let finding, _) = effect {
        finding.rule == .badSignature && finding.outcome == .satisfied
      } else {
        false
      }
    }
    #expect(held)
    let other = PublicKey.ed25519(Ed25519PrivateKey.generate(random: &random).publicKey)
    #expect(failures(replay(portions, secrets, other)).map(\.finding.rule) == [.badSignature])
  }

  @Test("without a secret, or with that of another session, nothing is read", arguments: Conversation.Run.few)
  func closed(_ run: Conversation.Run) {
    let (conversation, portions) = recorded(run)
    let key = conversation.serverSettings.privateKey.publicKey
    let nothing = replay(portions, SessionSecrets(), key)
    // Records that are not encrypted can be read without a secret (RFC 5246 section 6.2.3.1).
    let isClear = "\(run)".contains("WITH_NULL")
    #expect(failures(nothing).isEmpty && data(nothing, .client).isEmpty != isClear)
    #expect(data(nothing, .server).isEmpty != isClear)
    let wrong = replay(portions, SessionSecrets(masterSecret: [UInt8](repeating: 7, count: 48)), key)
    #expect(failures(wrong).map(\.finding.rule) == [.badMAC] && data(wrong, .client).isEmpty)
  }

  @Test("every flipped bit, missing record and repeated record is detected", arguments: Conversation.Run.few)
  func damaged(_ run: Conversation.Run) throws {
    let (conversation, portions) = recorded(run)
    let key = conversation.serverSettings.privateKey.publicKey
    let secrets = SessionSecrets(masterSecret: try #require(conversation.values(of: .client)["master_secret"]).bytes)
    let protected = portions.indices.filter { index in
      portions[..<index].contains { $0.side == portions[index].side && $0.bytes.first == 20 }
    }
    var random = DeterministicRandom(seed: .number(9), label: run.description)
    func isWhole(_ damaged: [Chunk]) -> Bool {
      let effects = replay(damaged, secrets, key)
      let found = effects.contains { if case .found(let finding, _) = $0 { finding.refuses } else { false } }
      return failures(effects).isEmpty && !found
    }
    #expect(isWhole(portions))
    for index in portions.indices {
      for _ in 0..<6 {
        let draw = random.bytes(3).map(Int.init)
        let position = (draw[0] << 8 | draw[1]) % portions[index].bytes.count
        // Nothing protects the minor version of an unprotected record.
        if !protected.contains(index), position == 2 { continue }
        var damaged = portions
        damaged[index].bytes[position] ^= 1 << UInt8(draw[2] & 7)
        #expect(!isWhole(damaged), "\(run): record \(index) byte \(position) bit \(draw[2] & 7)")
      }
      var missing = portions
      missing.remove(at: index)
      #expect(!isWhole(missing), "\(run): without \(index)")
      var twice = portions
      twice.insert(portions[index], at: index)
      #expect(!isWhole(twice), "\(run): \(index) twice")
    }
  }

  @Test(
    "data during renegotiation is read up to ChangeCipherSpec, and not before Finished",
    arguments: [false, true])
  func interleaved(_ isLate: Bool) {
    let plain = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256")
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.renegotiation, server.renegotiation) = (.secure, .secure)
    var conversation = Conversation(client, server).ran()
    var portions = conversation.log.compactMap { entry -> Chunk? in
      if case .send(let message) = entry.effect { (entry.side, message.bytes) } else { nil }
    }
    let hello = conversation.client.renegotiate().sentBytes
    portions.append((.client, hello))
    let offered = conversation.server.receive(hello).sentBytes
    if !isLate { portions.append((.client, conversation.client.outgoing.applicationData([1]).effects.sentBytes)) }
    portions.append((.server, offered))
    _ = conversation.client.receive(offered)
    if isLate {
      let flight = conversation.client.certificateEvaluated(conversation.answer).filter { effect in
        if case .send(let message) = effect { message.name != .handshake(.finished) } else { false }
      }
      let late = conversation.client.outgoing.applicationData([1]).effects
      portions.append((.client, (flight + late).sentBytes))
    }
    // Without Finished the record has the wrong sequence number, which this test does not check.
    let enforcement = Enforcement.standard.overriding(Rule.badMAC.id, by: .mutant)
    let key = server.privateKey
    var replay = Replay(
      ReplayConfiguration(
        secrets: SessionSecrets(serverKey: key), publicKey: { _ in key.publicKey }, enforcement: enforcement))
    let effects = portions.flatMap { replay.receive($0.bytes, from: $0.side) }
    #expect(failures(effects).map(\.finding.rule) == (isLate ? [.unexpectedRecordType] : []))
    #expect(data(effects, .client) == (isLate ? [] : [1]))
  }
}

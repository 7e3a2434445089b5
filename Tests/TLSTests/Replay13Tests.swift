import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

@Suite("Replays of recorded sessions of TLS 1.3")
struct Replay13Tests {
  private typealias Session = Sessions13.Session

  private func configuration(
    _ session: Sessions13.Session, without lacking: Set<ScheduledSecret> = []
  ) -> ReplayConfiguration {
    var secrets = SessionSecrets()
    for (label, values) in session.key_log {
      guard let secret = ScheduledSecret(keyLogLabel: label), !lacking.contains(secret) else { continue }
      secrets.keyLog.trafficSecrets[session.client_random.bytes, default: [:]][secret] = values.first?.bytes
    }
    return ReplayConfiguration(secrets: secrets)
  }

  private func effects(
    _ records: [Sessions13.Record], _ configuration: ReplayConfiguration
  ) throws -> (effects: [ReplayEffect], misfit: [UInt8]?) {
    let answer = records.filter { $0.dir == "server" }.flatMap(\.hex.bytes)
    var replay = try #require(Replay13(configuration, answer: answer))
    var effects: [ReplayEffect] = []
    for record in records {
      effects += replay.receive(record.hex.bytes, from: record.dir == "client" ? .client : .server)
    }
    return (effects + replay.end(unfinished: [:]), replay.misfit)
  }

  private func failure(_ effects: [ReplayEffect]) -> HandshakeFailure? {
    effects.lazy.compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }.first
  }

  private func data(_ effects: [ReplayEffect], of side: Side) -> [UInt8] {
    effects.flatMap { effect -> [UInt8] in
      guard case .message(let message, let sender) = effect, sender == side,
        case .applicationData(let bytes) = message.content
      else { return [] }
      return bytes
    }
  }

  /// Whether the client's public key, if any, is reported before the ServerHello.
  private func isInOrder(_ effects: [ReplayEffect]) -> Bool {
    func isKey(_ effect: ReplayEffect) -> Bool {
      guard case .derived(let value, _) = effect else { return false }
      return value.id.kind == .ecdhPublic && value.id.side == .client
    }
    guard let key = effects.firstIndex(where: isKey) else { return true }
    return !effects.prefix(key).contains { effect in
      if case .message(let message, _) = effect { message.handshakeType == .serverHello } else { false }
    }
  }

  private static let names: [String: HandshakeType] = [
    "client_hello": .clientHello, "server_hello": .serverHello, "hello_retry_request": .helloRetryRequest,
    "encrypted_extensions": .encryptedExtensions, "certificate": .certificate,
    "compressed_certificate": .compressedCertificate, "certificate_verify": .certificateVerify, "finished": .finished,
    "certificate_request": .certificateRequest, "end_of_early_data": .endOfEarlyData, "key_update": .keyUpdate,
    "new_session_ticket": .newSessionTicket,
  ]

  @Test("every recorded session opens as a whole", .needsData(Sessions13.file), arguments: Sessions13.all)
  func sessions(_ session: Sessions13.Session) throws {
    let effects = try effects(session.records, configuration(session)).effects
    let messages = effects.compactMap { effect -> HandshakeType? in
      guard case .message(let message, _) = effect else { return nil }
      return message.handshakeType
    }
    #expect(messages == session.expected.handshake_message_order.map { Self.names[$0[1]] })
    for side in Side.allCases where session.expected.early_data != "rejected" {
      #expect(data(effects, of: side) == session.expected.application_data["\(side)"]?.bytes ?? [])
    }
    let parameters = effects.lazy.compactMap { if case .connected(let shown) = $0 { shown } else { nil } }.first
    #expect((parameters != nil) == session.expected.complete)
    #expect(parameters?.cipherSuite.name == session.expected.cipher_suite)
    #expect(parameters?.applicationProtocol?.description == session.expected.alpn)
    let checks = effects.compactMap { effect -> Finding? in
      if case .found(let finding, _) = effect { finding } else { nil }
    }
    #expect(checks.count { $0.rule == .finishedMismatch && $0.outcome == .satisfied } >= 2)
    if let failure = failure(effects) { #expect(failure.finding.rule == .fatalAlert, "\(failure.finding)") }
    #expect(checks.allSatisfy { $0.outcome != .violated || $0.rule == .truncatedConnection })
    #expect(isInOrder(effects), "the client's key is not in its ClientHello")
    for (name, secret) in session.expected.updated_secrets {
      let value = effects.lazy.compactMap { effect -> Value? in
        guard case .derived(let value, _) = effect, value.id.description == name else { return nil }
        return value
      }.first
      #expect(value?.bytes == secret.bytes, "\(name)")
    }
  }

  @Test(
    "without a secret, its records stay closed, and neither side is blamed", .needsData(Sessions13.file),
    arguments: Sessions13.all)
  func lacking(_ session: Sessions13.Session) throws {
    let all = Set(session.key_log.keys.compactMap { ScheduledSecret(keyLogLabel: $0) })
    for lacking in all.map({ [$0] }) + [Array(all)] {
      let effects = try effects(session.records, configuration(session, without: Set(lacking))).effects
      if let rule = failure(effects)?.finding.rule { #expect(rule == .fatalAlert, "\(lacking) \(rule.id)") }
      for case .found(let finding, _) in effects where finding.outcome == .violated {
        #expect(finding.rule == .truncatedConnection, "\(lacking) \(finding)")
      }
      guard let traffic = lacking.first, traffic.side != nil, failure(effects) == nil else { continue }
      let reported = effects.flatMap { effect -> [ScheduledSecret] in
        if case .lacking(let secrets) = effect { secrets } else { [] }
      }
      #expect(reported.contains(traffic) || lacking.count > 1, "\(lacking)")
    }
  }

  @Test("secrets of another session open nothing, and neither side is blamed", .needsData(Sessions13.file))
  func foreign() throws {
    let session = try #require(Sessions13.all.first { $0.id == "openssl-alpn-h2" })
    var configuration = configuration(session)
    configuration.doubtsSecrets = true
    let random = session.client_random.bytes
    configuration.secrets.keyLog.trafficSecrets[random] = configuration.secrets.keyLog.trafficSecrets[random]?
      .mapValues { $0.map { $0 ^ 1 } }
    let (effects, misfit) = try effects(session.records, configuration)
    #expect(misfit == random && failure(effects) == nil)
  }

  @Test("any changed record of a session ends it with a fault", .needsData(Sessions13.file))
  func changed() throws {
    let session = try #require(Sessions13.all.first { $0.id == "openssl-client-auth-clientrsa" })
    for index in session.records.indices where session.records[index].hex.bytes[0] != 20 {
      var records = session.records
      var bytes = records[index].hex.bytes
      bytes[bytes.count - 1] ^= 1
      records[index] = Sessions13.Record(dir: records[index].dir, hex: HexBytes(bytes))
      #expect(failure(try effects(records, configuration(session)).effects) != nil, "record \(index)")
    }
  }

  @Test("no changed byte and no cut of a session stops the program", .needsData(Sessions13.file))
  func mutated() throws {
    for session in Sessions13.all.prefix(3) {
      for index in session.records.indices {
        for place in session.records[index].hex.bytes.indices.prefix(40) {
          var records = session.records
          var bytes = records[index].hex.bytes
          bytes[place] ^= 0xff
          records[index] = Sessions13.Record(dir: records[index].dir, hex: HexBytes(bytes))
          let answer = records.filter { $0.dir == "server" }.flatMap(\.hex.bytes)
          guard Replay13(configuration(session), answer: answer) != nil else { continue }
          _ = try effects(records, configuration(session))
        }
      }
    }
  }

  @Test(
    "ClientHello, HelloRetryRequest and cookie of RFC 8448 are followed", .needsData(Traces13.file),
    arguments: Traces13.all)
  func traces(_ trace: Traces13.Trace) throws {
    let hello = try #require(trace.steps.first?.messages?.first?.bytes.bytes)
    let random = Array(hello[6..<38])
    var secrets = SessionSecrets()
    for secret in ScheduledSecret.allCases {
      guard let row = trace.secrets.first(where: { $0.label == secret.label.rawValue }) else { continue }
      secrets.keyLog.trafficSecrets[random, default: [:]][secret] = row.value.bytes
    }
    let records = trace.steps.map { Sessions13.Record(dir: $0.from, hex: $0.record) }
    let effects = try effects(records, ReplayConfiguration(secrets: secrets)).effects
    #expect(failure(effects) == nil, "\(String(describing: failure(effects)?.finding))")
    for case .found(let finding, _) in effects { #expect(finding.outcome != .violated, "\(finding)") }
  }
}

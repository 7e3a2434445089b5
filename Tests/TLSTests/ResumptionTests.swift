import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Session resumption")
struct ResumptionTests {
  /// A change of the second connection's client and server.
  typealias Change = @Sendable (inout ClientConfiguration, inout ServerConfiguration) -> Void

  /// A connection whose server stores sessions, and the next one between the same endpoints.
  private func connections(
    _ suite: String = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", isExtended: Bool = false, _ change: Change = { _, _ in }
  ) throws -> (first: Conversation, second: Conversation) {
    let plain = Conversation(suite)
    var client = plain.clientSettings
    var server = plain.serverSettings
    server.sessions = SessionCache()
    (client.extendedMasterSecret, server.extendedMasterSecret) = (isExtended, isExtended)
    (client.valueScope, server.valueScope) = ("first", "first")
    let first = Conversation(client, server).ran()
    client.session = first.session(of: .client)
    server.sessions?.store(try #require(first.session(of: .server)))
    (client.random, server.random) = (
      RandomStreams(seed: .number(2), party: "client"), RandomStreams(seed: .number(2), party: "server")
    )
    (client.valueScope, server.valueScope) = ("second", "second")
    change(&client, &server)
    return (first, Conversation(client, server))
  }

  @Test(
    "a resumed connection has the same master secret, other keys, and fewer messages",
    arguments: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256"], [true, false])
  func resumed(_ suite: String, _ isExtended: Bool) throws {
    var (first, second) = try connections(suite, isExtended: isExtended)
    second.run()
    #expect(second.isConnected && second.parameters.allSatisfy { $0?.isResumed == true })
    #expect(second.parameters.first == second.parameters.last)
    #expect(second.sent(by: .client).map(\.name.description) == ["ClientHello", "ChangeCipherSpec", "Finished"])
    #expect(second.sent(by: .server).map(\.name.description) == ["ServerHello", "ChangeCipherSpec", "Finished"])
    let (old, new) = (first.values(of: .client), second.values(of: .server))
    #expect(new["second.master_secret"]?.bytes == old["first.master_secret"]?.bytes)
    #expect(new["second.client_write_key"]?.bytes != old["first.client_write_key"]?.bytes)
    #expect(
      new["second.master_secret"]?.derivations
        == [.computed(.resumedSession, from: ["first.master_secret"])])
    #expect(second.findings(of: .client).allSatisfy { $0.outcome == .satisfied })
    second.send([1, 2, 3], from: .client)
    second.send([4, 5], from: .server)
    #expect(second.data(at: .server) == [1, 2, 3] && second.data(at: .client) == [4, 5])
  }

  @Test("both sides report which session they resumed, so that a fatal alert can end it")
  func told() throws {
    var (first, second) = try connections()
    second.run()
    for side in Side.allCases {
      let resumed = second.log.compactMap { entry -> TLS.Session? in
        if entry.side == side, case .resumed(let session) = entry.effect { session } else { nil }
      }
      #expect(resumed == [try #require(first.session(of: side))])
      #expect(second.session(of: side) == nil)
    }
  }

  @Test("a server without a session cache sends no session id")
  func notRemembered() {
    let conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    #expect(conversation.session(of: .client) == nil && conversation.session(of: .server) == nil)
  }

  static let wholeHandshakes: [(String, Change)] = [
    ("the server has forgotten", { _, server in server.sessions = SessionCache() }),
    ("the server remembers no more", { _, server in server.sessions = nil }),
    ("the client has forgotten", { client, _ in client.session = nil }),
    ("another host", { client, _ in client.host = "www.example" }),
    (
      "the server has given the suite up",
      { _, server in server.cipherSuites = server.cipherSuites.reversed().dropLast() }
    ),
    (
      "the client has given the suite up",
      { client, _ in client.cipherSuites = client.cipherSuites.reversed().dropLast() }
    ),
    (
      "the secret can be bound to the handshake now",
      { client, server in
        client.extendedMasterSecret = true
        server.extendedMasterSecret = true
      }
    ),
    (
      "the client was never asked who it is, and must say so now",
      { client, server in
        client.identity = ClientAuthenticationTests.identity(Conversation.rsaKey)
        server.clientAuthentication = .required
      }
    ),
  ]

  @Test("in every other case the complete handshake is played", arguments: wholeHandshakes.indices)
  func whole(_ index: Int) throws {
    let change = Self.wholeHandshakes[index].1
    var (_, second) = try connections { client, server in
      let other = [CipherSuite(name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")].compactMap(\.self)
      client.cipherSuites += other
      server.cipherSuites += other
      change(&client, &server)
    }
    second.clientAnswer = .accepted(Conversation.rsaKey.publicKey)
    second.run()
    #expect(second.isConnected, "\(Self.wholeHandshakes[index].0)")
    #expect(second.parameters.allSatisfy { $0?.isResumed == false }, "\(Self.wholeHandshakes[index].0)")
  }

  @Test("a session with an extended master secret is not resumed without the extension")
  func unbound() throws {
    var (_, second) = try connections(isExtended: true) { client, _ in client.extendedMasterSecret = false }
    second.run()
    #expect(second.failure(of: .server)?.alert == .handshakeFailure)
    #expect(second.failure(of: .server)?.finding.rule == .illegalParameter)
  }

  @Test("the client's session id in the ServerHello of a complete handshake is detected at once")
  func forgedID() throws {
    var (first, second) = try connections { _, server in server.sessions = SessionCache() }
    let id = try #require(first.session(of: .client)?.id)
    second.alter = { message, _ in
      // The id follows the headers of record and message, version, random and its own length.
      message.name == .handshake(.serverHello) ? Array(message.bytes[..<44]) + id + message.bytes[76...] : message.bytes
    }
    second.run()
    #expect(second.failure(of: .client)?.finding.rule == .unexpectedMessage)
    #expect(second.failure(of: .client)?.finding.subject == .message("Certificate"))
  }

  @Test("in every state of the abbreviated handshake, every other message is unexpected")
  func everyOtherEvent() throws {
    let good = try connections().second.ran()
    let second = try connections().second
    check(second.client.handshake, good.events(of: .client))
    check(second.server.handshake, good.events(of: .server))
  }

  private func check(_ machine: Handshake, _ events: [Event]) {
    var machine = machine
    for event in events {
      #expect(machine.expected == [event.kind])
      for other in events where other.kind != event.kind {
        var copy = machine
        #expect(copy.handle(other).failure?.finding.rule == .unexpectedMessage, "\(other.kind)")
      }
      #expect(machine.handle(event).failure == nil)
    }
    #expect(machine.parameters?.isResumed == true)
  }

  @Test("a replay learns both ends' parameters, from complete and abbreviated handshakes")
  func replayedParameters() throws {
    let plain = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    client.identity = ClientIdentity(certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "k")
    (server.clientAuthentication, server.sessions) = (.required, SessionCache())
    (client.applicationProtocols, server.applicationProtocols) = ([.http2, .http11], [.http11])
    var full = Conversation(client, server)
    full.clientAnswer = .accepted(Conversation.ecKey.publicKey)
    full.run()
    #expect(full.isConnected && full.parameters.first == full.parameters.last)
    #expect(full.replayedParameters == full.parameters.first)
    #expect(full.replayedParameters?.hasClientCertificate == true)
    let (_, abbreviated) = try connections { client, server in
      (client.applicationProtocols, server.applicationProtocols) = ([.http2, .http11], [.http11])
    }
    let resumed = abbreviated.ran()
    #expect(resumed.parameters.first??.isResumed == true)
    #expect(resumed.parameters.first??.applicationProtocol == .http11)
    #expect(resumed.replayedParameters == resumed.parameters.first)
  }

  @Test("the master secret of the first recorded connection opens the second one too")
  func replayed() throws {
    var (first, second) = try connections()
    let secret = try #require(first.values(of: .client)["first.master_secret"]?.bytes)
    second.run()
    second.send(Array("GET /".utf8), from: .client)
    for (secrets, isRead) in [(SessionSecrets(masterSecret: secret), true), (SessionSecrets(), false)] {
      var replay = Replay(ReplayConfiguration(secrets: secrets))
      var effects: [ReplayEffect] = []
      for entry in second.log {
        guard case .send(let message) = entry.effect else { continue }
        effects += replay.receive(message.bytes, from: entry.side)
      }
      #expect(replay.handshake.parameters != nil)
      let read = effects.contains { effect in
        if case .derived(let value, _) = effect { value.bytes == Array("GET /".utf8) } else { false }
      }
      #expect(read == isRead)
      #expect(!effects.contains { if case .failed = $0 { true } else { false } })
    }
  }
}

extension Conversation {
  /// The parameters that a replay without secrets learns from the bytes of both ends.
  fileprivate var replayedParameters: ConnectionParameters? {
    var replay = Replay(ReplayConfiguration())
    for entry in log {
      if case .send(let message) = entry.effect { _ = replay.receive(message.bytes, from: entry.side) }
    }
    return replay.handshake.parameters
  }

  /// The session that was established at this end.
  func session(of side: Side) -> TLS.Session? {
    for entry in log where entry.side == side {
      if case .established(let session) = entry.effect { return session }
    }
    return nil
  }
}

import Cryptography
import Explanation
import Testing
import Wire

@testable import TLS

@Suite("Session tickets")
struct TicketTests {
  typealias Change = @Sendable (inout ClientConfiguration, inout ServerConfiguration) -> Void

  static func key(_ label: String) -> SessionTicketKey? {
    var random = DeterministicRandom(seed: .number(5), label: label)
    return SessionTicketKey("session_ticket_key", random.bytes(SessionTicketKey.count))
  }

  /// A connection in which the server issues a ticket, and the next one between the same endpoints.
  private func connections(
    _ suite: String = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", in version: ProtocolVersion = .tls12,
    isExtended: Bool = true, _ change: Change = { _, _ in }
  ) throws -> (first: Conversation, second: Conversation) {
    let plain = Conversation(suite, in: version)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    server.ticketKeys = [try #require(Self.key("one"))]
    client.offersTickets = true
    (client.extendedMasterSecret, server.extendedMasterSecret) = (isExtended, isExtended)
    (client.valueScope, server.valueScope) = ("first", "first")
    let first = Conversation(client, server).ran()
    client.session = first.session(of: .client)
    (client.random, server.random) = (
      RandomStreams(seed: .number(2), party: "client"), RandomStreams(seed: .number(2), party: "server")
    )
    (client.valueScope, server.valueScope) = ("second", "second")
    change(&client, &server)
    return (first, Conversation(client, server))
  }

  @Test(
    "the server stores nothing, and resumes with the state in its ticket",
    arguments: ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA256"], [true, false])
  func resumed(_ suite: String, _ isExtended: Bool) throws {
    var (first, second) = try connections(suite, isExtended: isExtended)
    #expect(
      first.sent(by: .server).map(\.name.description).suffix(3) == ["NewSessionTicket", "ChangeCipherSpec", "Finished"])
    #expect(first.session(of: .server) == nil)
    second.run()
    #expect(second.isConnected && second.parameters.allSatisfy { $0?.isResumed == true })
    #expect(second.parameters.first == second.parameters.last)
    #expect(second.sent(by: .client).map(\.name.description) == ["ClientHello", "ChangeCipherSpec", "Finished"])
    #expect(second.sent(by: .server).map(\.name.description) == ["ServerHello", "ChangeCipherSpec", "Finished"])
    let (old, new) = (first.values(of: .client), second.values(of: .server))
    #expect(new["second.master_secret"]?.bytes == old["first.master_secret"]?.bytes)
    #expect(
      second.values(of: .client)["second.offered_session_ticket"]?.bytes == old["first.session_ticket"]?.bytes)
    #expect(
      new["second.master_secret"]?.derivations
        == [.computed(.ticketOpening, from: ["session_ticket_key", "second.offered_session_ticket"])])
    second.send([1, 2, 3], from: .client)
    second.send([4, 5], from: .server)
    #expect(second.data(at: .server) == [1, 2, 3] && second.data(at: .client) == [4, 5])
  }

  @Test("older versions have tickets too, and a ticket keeps its version", arguments: [ProtocolVersion.tls10, .tls11])
  func versions(_ version: ProtocolVersion) throws {
    let second = try connections("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", in: version).second.ran()
    #expect(second.isConnected && second.parameters.allSatisfy { $0?.isResumed == true && $0?.version == version })
    let newer = try connections("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", in: version) { client, server in
      (client.versions, server.versions) = (.tls10 ... .tls12, .tls10 ... .tls12)
    }.second.ran()
    #expect(newer.isConnected && newer.parameters.allSatisfy { $0?.isResumed == false && $0?.version == .tls12 })
  }

  @Test("without the client's extension, or the server's ticket key, there are no tickets", arguments: [true, false])
  func none(_ isServers: Bool) throws {
    let (_, plain) = try connections { client, server in
      client.session = nil
      if isServers { server.ticketKeys = [] } else { client.offersTickets = false }
    }
    let conversation = plain.ran()
    #expect(
      conversation.isConnected && !conversation.sent(by: .server).map(\.name.description).contains("NewSessionTicket"))
    #expect(conversation.session(of: .client) == nil)
  }

  static let wholeHandshakes: [(String, Change)] = [
    ("another key", { _, server in server.ticketKeys = [TicketTests.key("two")].compactMap(\.self) }),
    ("no key any more", { _, server in server.ticketKeys = [] }),
    ("another host", { client, _ in client.host = "www.example" }),
    (
      "the suite was given up",
      { client, server in
        let other = [CipherSuite(name: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")].compactMap(\.self)
        client.cipherSuites += other
        server.cipherSuites = other
      }
    ),
    (
      "the session is too old for the server",
      { client, server in
        client.now = client.now.adding(seconds: 61)
        server.now = client.now
        server.sessionLifetime = 60
      }
    ),
    (
      "the session is too old for the client",
      { client, server in
        client.now = client.now.adding(seconds: TLS.Session.lifetime + 1)
        server.now = client.now
      }
    ),
  ]

  @Test("a ticket that cannot be opened leads to a complete handshake, without an error", arguments: 0..<6)
  func whole(_ index: Int) throws {
    let (name, change) = Self.wholeHandshakes[index]
    let second = try connections("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", change).second.ran()
    #expect(second.isConnected && second.parameters.allSatisfy { $0?.isResumed == false }, "\(name)")
    #expect(
      second.sent(by: .server).map(\.name.description).contains("NewSessionTicket") == (name != "no key any more"))
  }

  @Test("a ticket is renewed after half the session's lifetime, or if its key is old", arguments: 0..<3)
  func renewed(_ index: Int) throws {
    let (first, second) = try connections { client, server in
      client.now = client.now.adding(seconds: index == 0 ? 100 : index == 1 ? TLS.Session.lifetime / 2 + 1 : 0)
      server.now = client.now
      if index == 2 { server.ticketKeys = [TicketTests.key("new")].compactMap(\.self) + server.ticketKeys }
    }
    let conversation = second.ran()
    #expect(conversation.isConnected && conversation.parameters.allSatisfy { $0?.isResumed == true })
    let isRenewed = conversation.sent(by: .server).map(\.name.description).contains("NewSessionTicket")
    #expect(isRenewed == (index > 0))
    let kept = conversation.session(of: .client)
    #expect((kept != nil) == isRenewed)
    // The session's lifetime does not begin again.
    if let kept { #expect(kept.established == first.clientSettings.now && kept.lifetime <= TLS.Session.lifetime) }
  }

  @Test("a session with an extended master secret is not resumed without the extension")
  func unbound() throws {
    let second = try connections { client, _ in client.extendedMasterSecret = false }.second.ran()
    #expect(second.failure(of: .server)?.alert == .handshakeFailure)
  }

  @Test("no altered ticket opens", arguments: stride(from: 0, to: 200, by: 7).map(\.self))
  func altered(_ position: Int) throws {
    let first = try connections().first
    let ticket = try #require(first.values(of: .client)["first.session_ticket"]?.bytes)
    let key = try #require(Self.key("one"))
    #expect(key.secret(in: ticket) == first.values(of: .server)["first.master_secret"]?.bytes)
    var changed = ticket
    changed[position % ticket.count] ^= 1
    #expect(key.secret(in: changed) == nil && key.secret(in: ticket.dropLast(position % 90 + 1)) == nil)
    #expect(Self.key("two")?.secret(in: ticket) == nil)
  }

  @Test("a NewSessionTicket is accepted only if and when it was announced")
  func order() throws {
    let announced = try connections().first
    let ticket = try HandshakeMessage(.newSessionTicket(NewSessionTicket(lifetimeHint: 0, ticket: [1])))
    let record = Record(type: .handshake, version: .tls12, fragment: ticket.bytes).bytes
    var missing = Conversation(announced.clientSettings, announced.serverSettings)
    missing.alter = { message, _ in message.name == .handshake(.newSessionTicket) ? [] : message.bytes }
    #expect(missing.ran().failure(of: .client)?.finding.rule == .unexpectedMessage)
    var client = announced.clientSettings
    client.offersTickets = false
    var unannounced = Conversation(client, announced.serverSettings)
    unannounced.alter = { message, side in
      (side == .server && message.name == .changeCipherSpec ? record : []) + message.bytes
    }
    #expect(unannounced.ran().failure(of: .client)?.finding.found == .word("NewSessionTicket"))
    var twice = Conversation(announced.clientSettings, announced.serverSettings)
    twice.alter = { message, _ in (message.name == .handshake(.newSessionTicket) ? record : []) + message.bytes }
    #expect(twice.ran().failure(of: .client)?.finding.rule == .unexpectedMessage)
  }

  @Test("an altered ticket is detected when the server sends Finished", arguments: [5, 9, 11, 15, 40, 120])
  func alteredOnTheWay(_ position: Int) throws {
    let announced = try connections().first
    var conversation = Conversation(announced.clientSettings, announced.serverSettings)
    conversation.alter = { message, _ in
      var bytes = message.bytes
      // Changing the type and length of the message would only make it another message.
      if message.name == .handshake(.newSessionTicket) { bytes[position < 9 ? 9 : position] ^= 1 }
      return bytes
    }
    let failure = conversation.ran().failure(of: .client)
    #expect([.finishedMismatch, .decodeError].contains(failure?.finding.rule))
  }

  @Test("an announced ticket may be empty, and then there is no session")
  func empty() throws {
    let announced = try connections().first
    let nothing = try HandshakeMessage(.newSessionTicket(NewSessionTicket(lifetimeHint: 0, ticket: [])))
    var client = announced.client.handshake
    client = Handshake(announced.clientSettings)
    for entry in announced.log where entry.side == .client {
      switch entry.effect {
      case .received(let message):
        guard case .handshake(let handshake) = message.content else { continue }
        let event = handshake.type == .newSessionTicket ? nothing : handshake
        #expect(client.handle(.received(event)).failure == nil)
        if handshake.type == .newSessionTicket {
          #expect(client.expected == [.changeCipherSpec])
          return
        }
      case .evaluateCertificate: _ = client.handle(.certificateEvaluated(announced.answer))
      case .send(let message) where message.name == .handshake(.clientHello): _ = client.handle(.start)
      default: break
      }
    }
    Issue.record("no ticket came")
  }

  @Test("the ticket key opens the recordings of both connections")
  func replayed() throws {
    var (first, second) = try connections()
    first.send(Array("GET /1".utf8), from: .client)
    second.run()
    second.send(Array("GET /2".utf8), from: .client)
    let key = try #require(Self.key("one"))
    for (conversation, name) in [(first, "first.session_ticket"), (second, "second.offered_session_ticket")] {
      let ticket = try #require(conversation.values(of: .client)[ValueName(name)]?.bytes)
      var replay = Replay(ReplayConfiguration(secrets: SessionSecrets(masterSecret: key.secret(in: ticket))))
      var effects: [ReplayEffect] = []
      for entry in conversation.log {
        if case .send(let message) = entry.effect { effects += replay.receive(message.bytes, from: entry.side) }
      }
      let read = effects.contains { effect in
        if case .derived(let value, _) = effect { value.bytes.starts(with: Array("GET /".utf8)) } else { false }
      }
      #expect(read && !effects.contains { if case .failed = $0 { true } else { false } })
    }
  }

  @Test("the message has the form of RFC 5077")
  func message() throws {
    let message = try HandshakeMessage(
      .newSessionTicket(NewSessionTicket(lifetimeHint: 7200, ticket: [0xab, 0xcd])))
    #expect(message.bytes == [4, 0, 0, 8, 0, 0, 0x1c, 0x20, 0, 2, 0xab, 0xcd])
    #expect(try HandshakeMessage(decoding: message.bytes, under: nil) == message)
    #expect(throws: WireError.self) { try HandshakeMessage(decoding: [4, 0, 0, 5, 0, 0, 0x1c, 0x20, 0], under: nil) }
  }
}

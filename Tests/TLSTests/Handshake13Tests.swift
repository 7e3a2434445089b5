import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import TLS

@Suite("Handshake of TLS 1.3")
struct Handshake13Tests {
  typealias Change = (inout ClientConfiguration, inout ServerConfiguration) -> Void

  /// A client and a server of TLS 1.3 in memory.
  static func conversation(
    _ suite: CipherSuite = .aes128GCMSHA256, group: NamedGroup = .x25519, key: PrivateKey = Conversation.ecKey,
    seed: Seed = .number(1), _ change: Change = { _, _ in }
  ) -> Conversation {
    var client = Conversation.clientConfiguration(seed: seed)
    var server = Conversation.serverConfiguration(seed: seed)
    (client.versions, server.versions) = (.tls12 ... .tls13, .tls12 ... .tls13)
    (client.cipherSuites, server.cipherSuites) = ([suite], [suite])
    (client.groups, server.groups) = ([group], [group])
    client.signatureSchemes = SignatureScheme.defaults13
    server.signatureSchemes = SignatureScheme.defaults13
    server.privateKey = key
    change(&client, &server)
    return Conversation(client, server)
  }

  private func names(_ conversation: Conversation, _ side: Side) -> [String] {
    conversation.sent(by: side).map { "\($0.name)" }
  }

  /// The keys of server certificates. An RSA key has 1,024 bits, and therefore signs only with SHA-256.
  static let serverKeys: [(String, PrivateKey)] = [
    ("RSA", Conversation.rsaKey), ("P-256", Conversation.ecKey),
    ("P-384", .ec(KeyStore.ecKey(owner: "tests", curve: .p384))),
    ("P-521", .ec(KeyStore.ecKey(owner: "tests", curve: .p521))),
  ]

  @Test("a server compresses its certificates only for a client that accepts it", arguments: [true, false])
  func compression(_ accepts: Bool) {
    var conversation = Self.conversation { client, server in
      client.certificateCompression = accepts ? [.zlib] : []
      server.compressesCertificates = true
    }
    conversation.run()
    #expect(conversation.isConnected)
    #expect(names(conversation, .server).contains(accepts ? "CompressedCertificate" : "Certificate"))
  }

  @Test("close_notify closes one direction: the server still responds to earlier requests (RFC 8446 section 6.1)")
  func halfClose() {
    var conversation = Self.conversation()
    conversation.closesAfterPeer = false
    conversation.run()
    conversation.send([1], from: .client)
    conversation.close(.client)
    conversation.send([2], from: .server)
    #expect(conversation.data(at: .client) == [2])
    #expect(!conversation.client.isOver && !conversation.server.isOver)
    conversation.send([3], from: .client)
    conversation.receive(conversation.sent(by: .client)[0].bytes, at: .server)
    #expect(conversation.data(at: .server) == [1], "data after close_notify is ignored")
    conversation.close(.server)
    #expect(conversation.client.isOver && conversation.server.isOver)
    #expect(conversation.failure(of: .client) == nil && conversation.failure(of: .server) == nil)
  }

  @Test("in TLS 1.2, close_notify closes both directions at once (RFC 5246 section 7.2.1)")
  func closeOf12() {
    var conversation = Conversation()
    conversation.closesAfterPeer = false
    conversation.run()
    conversation.close(.client)
    #expect(conversation.client.isOver && conversation.server.isOver)
  }

  @Test(
    "every suite and group leads to a connection that carries data both ways",
    arguments: CipherSuite.implemented13, NamedGroup.implemented13 + [.ffdhe2048])
  func complete(_ suite: CipherSuite, _ group: NamedGroup) {
    var conversation = Self.conversation(suite, group: group)
    conversation.run()
    #expect(conversation.isConnected)
    #expect(conversation.failure(of: .client) == nil && conversation.failure(of: .server) == nil)
    #expect(conversation.parameters.first == conversation.parameters.last)
    #expect(conversation.client.handshake.parameters?.version == .tls13)
    #expect(conversation.client.handshake.parameters?.group == group)
    #expect(names(conversation, .client) == ["ClientHello", "ChangeCipherSpec", "Finished"])
    #expect(
      names(conversation, .server) == [
        "ServerHello", "ChangeCipherSpec", "EncryptedExtensions", "Certificate", "CertificateVerify", "Finished",
      ])
    conversation.send([1, 2, 3], from: .client)
    conversation.send([UInt8](repeating: 4, count: 40_000), from: .server)
    #expect(conversation.data(at: .server) == [1, 2, 3] && conversation.data(at: .client).count == 40_000)
    conversation.close(.client)
    #expect(conversation.client.isOver && conversation.server.isOver)
  }

  @Test("the certificate's key decides the scheme of CertificateVerify, and its curve the hash", arguments: serverKeys)
  func schemes(_ name: String, _ key: PrivateKey) {
    let conversation = Self.conversation(key: key).ran()
    let scheme = conversation.client.handshake.parameters?.signatureAlgorithm?.description
    let expected = [
      "RSA": "rsa_pss_rsae_sha256", "P-256": "ecdsa_secp256r1_sha256", "P-384": "ecdsa_secp384r1_sha384",
      "P-521": "ecdsa_secp521r1_sha512",
    ]
    #expect(scheme == expected[name])
  }

  @Test("both sides compute the same secrets, and those of the two directions differ")
  func secrets() throws {
    let conversation = Self.conversation().ran()
    let (client, server) = (conversation.values(of: .client), conversation.values(of: .server))
    for secret in ScheduledSecret.allCases {
      let name = ValueName(secret.kind, of: secret.side)
      if [.externalBinderKey, .resumptionBinderKey, .clientEarlyTraffic, .earlyExporter].contains(secret) {
        #expect(client[name] == nil)
      } else {
        #expect(try #require(client[name]).bytes == server[name]?.bytes)
      }
    }
    #expect(client["client_handshake_traffic_secret"]?.bytes != client["server_handshake_traffic_secret"]?.bytes)
  }

  @Test("a server must not answer an extension of an older version, although the client offers it")
  func olderExtension() {
    var conversation = Self.conversation { client, _ in client.setExtendedMasterSecret(true) }
    conversation.alter = { message, _ in
      guard message.name == .handshake(.serverHello) else { return message.bytes }
      var bytes = message.bytes + [0, 23, 0, 0]
      // The lengths of the record, of the message and of the extensions, after a session ID of 32 bytes.
      for place in [4, 8, 80] { bytes[place] += 4 }
      return bytes
    }
    let failure = conversation.run().failure(of: .client)
    #expect(failure?.finding.rule.id == "handshake.illegal-parameter" && failure?.alert == .illegalParameter)
  }

  @Test("a server of TLS 1.2 must not repeat the session ID of a client that resumes no session")
  func echoedSessionID() {
    let conversation = Self.conversation(key: Conversation.rsaKey) { client, server in
      client.cipherSuites = CipherSuite.implemented13 + CipherSuite.defaults
      server.cipherSuites = CipherSuite.defaults
      (server.versions, server.sessions) = (.tls12 ... .tls12, SessionCache())
      client.random.overrides[ValueName(.legacySessionID)] = .fixed([7])
      server.random.overrides[ValueName(.sessionID)] = .fixed([7])
    }.ran()
    #expect(conversation.failure(of: .client)?.alert == .illegalParameter)
  }

  @Test("a group without a share leads to a HelloRetryRequest, and then to a connection")
  func retry() {
    var conversation = Self.conversation { client, server in
      client.groups = [.x25519, .secp256r1]
      server.groups = [.secp256r1]
    }
    conversation.run()
    #expect(conversation.isConnected && conversation.client.handshake.parameters?.group == .secp256r1)
    #expect(
      names(conversation, .client) == ["ClientHello", "ChangeCipherSpec", "ClientHello", "Finished"])
    #expect(names(conversation, .server).prefix(3) == ["HelloRetryRequest", "ChangeCipherSpec", "ServerHello"])
    conversation.send([1], from: .client)
    #expect(conversation.data(at: .server) == [1])
  }

  @Test("the second ClientHello repeats the cookie of a HelloRetryRequest")
  func cookie() {
    let conversation = Self.conversation { _, server in server.sendsCookie = true }.ran()
    #expect(conversation.isConnected)
    let hellos = conversation.sent(by: .client).compactMap { message -> ClientHello? in
      guard case .handshake(let message) = message.content, case .clientHello(let hello) = message.body else {
        return nil
      }
      return hello
    }
    #expect(hellos.count == 2 && hellos.last?.extensions?.cookie?.count == 32)
    #expect(hellos.first?.extensions?.keyShares == hellos.last?.extensions?.keyShares)
  }

  @Test("without a common group, suite or scheme, the server sends handshake_failure")
  func nothingInCommon() {
    let cases: [(change: Change, rule: String)] = [
      ({ client, server in (client.groups, server.groups) = ([.x25519], [.secp256r1]) }, "handshake.no-common-group"),
      ({ _, server in server.cipherSuites = [.aes256GCMSHA384] }, "handshake.no-common-suite"),
      ({ client, _ in client.signatureSchemes = [.rsaPSSSHA256] }, "handshake.no-common-signature-scheme"),
    ]
    for (change, rule) in cases {
      let conversation = Self.conversation(.aes128GCMSHA256, change).ran()
      #expect(conversation.failure(of: .server)?.finding.rule.id == rule)
      #expect(conversation.failure(of: .server)?.alert == .handshakeFailure)
    }
  }

  @Test("a client proves its certificate, and one without a certificate is refused after its own handshake")
  func clientCertificate() {
    let identity = ClientIdentity(
      certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "alice.key")
    for hasIdentity in [true, false] {
      var conversation = Self.conversation { client, server in
        server.clientAuthentication = .required
        if hasIdentity { client.identity = identity }
      }
      conversation.clientAnswer = .accepted(Conversation.ecKey.publicKey)
      conversation.run()
      #expect(conversation.client.handshake.parameters?.hasClientCertificate == (hasIdentity ? true : nil))
      #expect(conversation.isConnected == hasIdentity)
      let refusal = conversation.failure(of: .server)
      #expect(refusal?.alert == (hasIdentity ? nil : .certificateRequired))
      #expect(refusal?.finding.rule.id == (hasIdentity ? nil : "client-auth.certificate-required"))
      #expect(conversation.failure(of: .client)?.isOwn == (hasIdentity ? nil : false))
    }
  }

  @Test("a client of TLS 1.3 refuses a certificate before it sends its own flight, under the handshake's keys")
  func refusedCertificate() {
    var conversation = Self.conversation()
    conversation.answer = .refused(.unknownCA)
    conversation.run()
    #expect(conversation.failure(of: .client)?.alert == .unknownCA)
    #expect(conversation.failure(of: .server)?.alert == .unknownCA)
    #expect(conversation.sent(by: .client).last?.isProtected == true)
  }

  @Test("a changed signature, Finished or message ends the handshake with its reason")
  func changed() {
    let cases: [(HandshakeType, String)] = [
      (.encryptedExtensions, "record.bad-mac"), (.finished, "record.bad-mac"), (.serverHello, "record.bad-mac"),
    ]
    for (type, rule) in cases {
      var conversation = Self.conversation()
      conversation.alter = { message, _ in
        var bytes = message.bytes
        guard message.name == .handshake(type) else { return bytes }
        // In a ServerHello, this changes the last byte of the key share or of the versions.
        bytes[bytes.count - 1] ^= 1
        return bytes
      }
      conversation.run()
      #expect(!conversation.isConnected)
      let rules = Side.allCases.compactMap { conversation.failure(of: $0)?.finding.rule.id }
      #expect(rules.contains(rule) || type == .serverHello)
    }
  }
}

@Suite("Resumption in TLS 1.3")
struct Resumption13Tests {
  /// How the server keeps its sessions.
  enum Store: CaseIterable { case tickets, cache }

  /// A connection with tickets, and the next one between the same endpoints.
  static func connections(
    _ store: Store, _ change: Handshake13Tests.Change = { _, _ in }, next: Handshake13Tests.Change = { _, _ in }
  ) throws -> (first: Conversation, second: Conversation) {
    let first = Handshake13Tests.conversation { client, server in
      if store == .tickets {
        server.ticketKeys = [SessionTicketKey("session_ticket_key", [UInt8](repeating: 7, count: 64))]
          .compactMap(\.self)
      } else {
        server.sessions = SessionCache()
      }
      (client.valueScope, server.valueScope) = ("first", "first")
      change(&client, &server)
    }.ran()
    var (client, server) = (first.clientSettings, first.serverSettings)
    client.session = first.session(of: .client)
    if store == .cache { server.sessions?.store(try #require(first.session(of: .server))) }
    (client.random, server.random) = (
      RandomStreams(seed: .number(2), party: "client"), RandomStreams(seed: .number(2), party: "server")
    )
    (client.valueScope, server.valueScope) = ("second", "second")
    next(&client, &server)
    return (first, Conversation(client, server))
  }

  @Test(
    "a ticket resumes the session without a certificate, with or without (EC)DHE", arguments: Store.allCases, [0, 1])
  func resumed(_ store: Store, _ mode: UInt8) throws {
    var (first, second) = try Self.connections(store) { client, server in
      (client.pskModes, server.pskModes) = ([mode], [mode])
    }
    #expect(first.sent(by: .server).last?.name == .handshake(.newSessionTicket))
    second.run()
    #expect(second.isConnected && second.parameters.allSatisfy { $0?.isResumed == true })
    #expect(second.client.handshake.parameters?.group == (mode == 1 ? .x25519 : nil))
    #expect(!second.sent(by: .server).contains { $0.name == .handshake(.certificate) })
    let (old, new) = (first.values(of: .client), second.values(of: .client))
    #expect(try #require(new["second.psk"]).bytes == old["first.psk.1"]?.bytes)
    #expect(second.values(of: .server)["second.early_secret"]?.bytes == new["second.early_secret"]?.bytes)
    second.send([1, 2], from: .client)
    #expect(second.data(at: .server) == [1, 2])
  }

  @Test("a HelloRetryRequest does not prevent a resumption")
  func retry() throws {
    let (_, second) = try Self.connections(
      .tickets,
      next: { client, server in
        client.groups = [.x25519, .secp256r1]
        server.groups = [.secp256r1]
      })
    let played = second.ran()
    #expect(played.isConnected && played.client.handshake.parameters?.isResumed == true)
  }

  @Test("a ticket for another host, or one that the server cannot open, leads to a full handshake")
  func fullHandshake() throws {
    let changes: [Handshake13Tests.Change] = [
      { _, server in server.ticketKeys = [] },
      { _, server in server.now = server.now.adding(seconds: 8 * 24 * 60 * 60) },
    ]
    for change in changes {
      let (_, second) = try Self.connections(.tickets, next: change)
      let played = second.ran()
      #expect(played.isConnected && played.client.handshake.parameters?.isResumed == false)
    }
  }

  @Test("an external key authenticates both sides, and a wrong key is refused by its binder")
  func external() {
    let key = ExternalPSK(identity: Array("sensor".utf8), key: [UInt8](repeating: 9, count: 32))
    for isRight in [true, false] {
      let conversation = Handshake13Tests.conversation { client, server in
        client.externalPSK = key
        var other = key
        if !isRight { other.key = [1, 2, 3] }
        server.externalPSKs = [other]
      }.ran()
      #expect(conversation.isConnected == isRight)
      #expect(conversation.failure(of: .server)?.alert == (isRight ? nil : .decryptError))
      #expect(conversation.failure(of: .server)?.finding.rule.id == (isRight ? nil : "handshake.finished-mismatch"))
    }
  }

  /// A request that the client sends before the handshake is complete.
  private static let request = Array("GET / HTTP/1.1".utf8)

  private static func early(
    _ protection: EarlyDataPolicy.ReplayProtection? = .singleUse, next: Handshake13Tests.Change = { _, _ in }
  ) throws -> Conversation {
    try connections(
      .cache, { _, server in server.earlyData = EarlyDataPolicy(replayProtection: .singleUse) },
      next: { client, server in
        client.earlyData = request
        server.earlyData = protection.map { EarlyDataPolicy(replayProtection: $0) }
        next(&client, &server)
      }
    ).second.ran()
  }

  private func answer(_ conversation: Conversation) -> Bool? {
    conversation.log.lazy.compactMap { if case .answeredEarlyData(let answer) = $0.effect { answer } else { nil } }
      .first
  }

  @Test("early data arrives before the client's Finished")
  func earlyData() throws {
    let played = try Self.early()
    #expect(played.isConnected && answer(played) == true)
    #expect(played.data(at: .server) == Self.request)
    #expect(
      played.sent(by: .client).map { "\($0.name)" } == [
        "ClientHello", "ChangeCipherSpec", "ApplicationData", "EndOfEarlyData", "Finished",
      ])
  }

  @Test("a server refuses more early data than its ticket permits", arguments: [true, false])
  func excessiveEarlyData(_ isExcessive: Bool) throws {
    let request = [UInt8](repeating: 1, count: isExcessive ? 101 : 100)
    let played = try Self.connections(
      .cache, { _, server in server.earlyData = EarlyDataPolicy(maximum: 100) },
      next: { client, _ in
        client.session = client.session?.changed(maximum: 1_000)
        client.earlyData = request
      }
    ).second.ran()
    #expect(played.isConnected != isExcessive)
    #expect(played.failure(of: .server)?.alert == (isExcessive ? .unexpectedMessage : nil))
  }

  @Test("the server must keep the suite, the protocol and the version of the session with early data")
  func strangeEarlyData() throws {
    let changes: [Handshake13Tests.Change] = [
      { client, _ in
        client.cipherSuites.append(.chacha20Poly1305SHA256)
        client.session = client.session?.changed(suite: .chacha20Poly1305SHA256)
      },
      { client, _ in client.session = client.session?.changed(protocol: "h2") },
      { client, server in
        client.cipherSuites += CipherSuite.defaults
        client.groups.append(.secp256r1)
        (server.versions, server.cipherSuites) = (.tls12 ... .tls12, CipherSuite.defaults)
      },
    ]
    let alerts = try changes.map { try Self.early(next: $0).failure(of: .client)?.alert }
    #expect(alerts == [.illegalParameter, .illegalParameter, .protocolVersion])
  }

  @Test("a server that rejects early data skips it, also after a HelloRetryRequest")
  func rejectedEarlyData() throws {
    let changes: [Handshake13Tests.Change] = [
      { _, server in server.earlyData = nil },
      { client, server in
        client.groups = [.x25519, .secp256r1]
        server.groups = [.secp256r1]
      },
      { client, server in server.sessions?.spend(client.session?.id ?? []) },
      { _, server in server.now = server.now.adding(seconds: 60) },
    ]
    for change in changes {
      var played = try Self.early(next: change)
      #expect(played.isConnected && answer(played) == false)
      #expect(played.data(at: .server) == [])
      played.send([5], from: .client)
      #expect(played.data(at: .server) == [5])
    }
  }
}

extension TLS.Session {
  /// The same session of TLS 1.3, but not as the server knows it.
  fileprivate func changed(
    suite: CipherSuite? = nil, protocol name: String? = nil, maximum: UInt32? = nil
  ) -> TLS.Session? {
    guard case .tls13(let session) = self else { return nil }
    let old = session.parameters
    let parameters = ConnectionParameters(
      version: .tls13, cipherSuite: suite ?? old.cipherSuite, group: old.group,
      signatureAlgorithm: old.signatureAlgorithm, serverName: old.serverName, hasSecureRenegotiation: true,
      hasExtendedMasterSecret: true, applicationProtocol: name.map(ApplicationProtocol.init) ?? old.applicationProtocol,
      hasClientCertificate: false, isResumed: false)
    return .tls13(
      Session13(
        id: session.id, psk: session.psk, pskName: session.pskName, parameters: parameters,
        established: session.established, lifetime: session.lifetime, ageAdd: session.ageAdd,
        maximumEarlyData: maximum ?? session.maximumEarlyData))
  }
}

@Suite("Messages after the handshake in TLS 1.3")
struct AfterHandshake13Tests {
  @Test("application data between the fragments of a handshake message is refused")
  func interleaved() {
    var conversation = Handshake13Tests.conversation().ran()
    let parts: [(ContentType, [UInt8])] = [(.handshake, [24]), (.applicationData, [1])]
    let bytes = parts.flatMap { type, content in
      conversation.server.wrap(Record(type: type, version: .tls12, fragment: content)).bytes
    }
    conversation.receive(bytes, at: .client)
    #expect(conversation.failure(of: .client)?.alert == .unexpectedMessage)
  }

  @Test("a peer that sends KeyUpdate or ChangeCipherSpec without end is cut off")
  func stalling() {
    var conversation = Handshake13Tests.conversation().ran()
    for _ in 0...UselessMessageLimits.maximumKeyUpdates { conversation.updateKeys(.server, requestsPeer: false) }
    #expect(conversation.failure(of: .client)?.finding.rule == .stalling)
    var fresh = Handshake13Tests.conversation()
    let hello = fresh.client.start().flatMap { effect -> [UInt8] in
      if case .send(let message) = effect { message.bytes } else { [] }
    }
    _ = fresh.server.receive(hello)
    let changes = Array([[UInt8]](repeating: [20, 3, 3, 0, 1, 1], count: 33).joined())
    let failures = fresh.server.receive(changes).compactMap { effect -> HandshakeFailure? in
      if case .failed(let failure) = effect { failure } else { nil }
    }
    #expect(failures.map(\.finding.rule) == [.stalling])
  }

  @Test("KeyUpdate changes the keys of its sender, and on request those of the peer", arguments: [true, false])
  func keyUpdate(_ requestsPeer: Bool) {
    var conversation = Handshake13Tests.conversation().ran()
    conversation.updateKeys(.client, requestsPeer: requestsPeer)
    for _ in 0..<3 {
      conversation.send([1], from: .client)
      conversation.send([2], from: .server)
      conversation.updateKeys(.server, requestsPeer: false)
    }
    #expect(conversation.data(at: .server) == [1, 1, 1] && conversation.data(at: .client) == [2, 2, 2])
    let values = conversation.values(of: .client)
    #expect(values["client_application_traffic_secret_1"] != nil)
    #expect((values["server_application_traffic_secret_4"] != nil) == requestsPeer)
  }

  @Test("a client that allows it authenticates after the handshake; another client sends unexpected_message")
  func laterAuthentication() {
    let identity = ClientIdentity(
      certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "alice.key")
    for offers in [true, false] {
      var conversation = Handshake13Tests.conversation { client, _ in
        client.authenticatesLater = offers
        client.identity = identity
      }
      conversation.clientAnswer = .accepted(Conversation.ecKey.publicKey)
      conversation.run()
      #expect(conversation.server.mayRenegotiate == offers)
      conversation.renegotiate(.server)
      #expect(conversation.server.handshake.parameters?.hasClientCertificate == offers)
      conversation.send([1], from: .client)
      #expect(conversation.data(at: .server) == [1])
    }
  }

  @Test("padding and the limit of record sizes change the records, not the content")
  func records() {
    var conversation = Handshake13Tests.conversation { client, server in
      (client.recordPadding, server.recordPadding) = (100, 100)
      (client.recordSizeLimit, server.recordSizeLimit) = (1_000, 2_000)
    }
    conversation.run()
    let content = [UInt8](repeating: 3, count: 5_000)
    conversation.send(content, from: .server)
    conversation.send(content, from: .client)
    #expect(conversation.data(at: .client) == content && conversation.data(at: .server) == content)
    // Content, type and padding have at most the peer's limit; 16 bytes of tag and 5 of header follow.
    let sizes = Side.allCases.map { side in
      conversation.sent(by: side).filter(\.isProtected).flatMap(\.records).map(\.bytes.count).max() ?? 0
    }
    #expect(sizes == [2_021, 1_021])
  }

  @Test("a server that supports TLS 1.3 marks an older version, and a client that offered it refuses the mark")
  func downgrade() {
    for offers in [true, false] {
      var conversation = Handshake13Tests.conversation(key: Conversation.rsaKey) { client, server in
        client.cipherSuites = CipherSuite.implemented13 + CipherSuite.defaults
        server.cipherSuites = client.cipherSuites
        client.versions = .tls12...(offers ? .tls13 : .tls12)
      }
      conversation.alter = { message, _ in
        // The attacker replaces TLS 1.3 in supported_versions by an unknown version.
        var bytes = message.bytes
        guard message.name == .handshake(.clientHello),
          let place = bytes.indices.first(where: { bytes[$0...].starts(with: [0, 43, 0, 5, 4, 3, 4]) })
        else { return bytes }
        bytes[place + 6] = 9
        return bytes
      }
      conversation.run()
      #expect(conversation.failure(of: .client)?.finding.rule.id == (offers ? "handshake.downgrade" : nil))
      #expect(conversation.failure(of: .client)?.alert == (offers ? .illegalParameter : nil))
    }
  }
}

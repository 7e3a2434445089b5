import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("TLS 1.0 and 1.1")
struct OldVersionTests {
  private func hex(_ text: String) throws -> [UInt8] { try #require(Hex.bytes(text)) }

  private func suites(_ names: String...) -> [CipherSuite] { names.compactMap { CipherSuite(name: $0) } }

  /// A handshake between endpoints that a test has changed.
  private func conversation(
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void
  ) -> Conversation {
    var client = Conversation.clientConfiguration()
    var server = Conversation.serverConfiguration()
    change(&client, &server)
    return Conversation(client, server)
  }

  @Test("the PRF of MD5 and SHA-1 matches a NIST CAVS vector and OpenSSL's TLS1-PRF")
  func pseudoRandom() throws {
    let secret = try hex(
      "bded7fa5c1699c010be23dd06ada3a48349f21e5f86263d512c0c5cc379f0e780ec55d9844b2f1db02a96453513568d0")
    let seed = try hex(
      "e5acaf549cd25c22d964c0d930fa4b5261d2507fad84c33715b7b9a864020693135e4d557fdf3aa6406d82975d5c606a"
        + "9734c9334b42136e96990fbd5358cdb2")
    let master = try hex(
      "2f6962dfbc744c4b2138bb6b3d33054c5ecc14f24851d9896395a44ab3964efc2090c5bf51a0891209f46c1e1e998f62")
    #expect(PRF10.output(secret: secret, label: "master secret", seed: seed, count: 48) == master)
    #expect(CipherSuite.PRF.md5SHA1.output(secret: secret, label: "master secret", seed: seed, count: 48) == master)
  }

  @Test("for a secret of odd length, both halves contain the middle byte")
  func oddSecret() {
    let (seed, label) = ([UInt8](0..<8), "label")
    let md5 = PRF12.output(.md5, secret: [1, 2], label: label, seed: seed, count: 20)
    let sha1 = PRF12.output(.sha1, secret: [2, 3], label: label, seed: seed, count: 20)
    #expect(PRF10.output(secret: [1, 2, 3], label: label, seed: seed, count: 20) == zip(md5, sha1).map { $0 ^ $1 })
  }

  @Test(
    "the newest common version is negotiated, if there is one",
    arguments: [
      (.tls10 ... .tls12, .tls10 ... .tls12, .tls12), (.tls10 ... .tls12, .tls10 ... .tls11, .tls11),
      (.tls10 ... .tls12, .sslv3 ... .tls10, .tls10), (.tls10 ... .tls10, .tls10 ... .tls12, .tls10),
      (.tls11 ... .tls11, .tls10 ... .tls12, .tls11), (.tls11 ... .tls12, .tls10 ... .tls10, nil),
      (.tls10 ... .tls11, .tls12 ... .tls12, nil), (.tls10 ... .tls12, .sslv3 ... .sslv3, nil),
    ] as [(ClosedRange<ProtocolVersion>, ClosedRange<ProtocolVersion>, ProtocolVersion?)])
  func versions(
    _ client: ClosedRange<ProtocolVersion>, _ server: ClosedRange<ProtocolVersion>, _ version: ProtocolVersion?
  ) {
    let played = conversation { one, other in (one.versions, other.versions) = (client, server) }.ran()
    #expect(played.parameters.allSatisfy { $0?.version == version })
    let rules = Side.allCases.compactMap { played.failure(of: $0)?.finding.rule }
    #expect(version != nil ? rules.isEmpty : rules.contains(.noCommonVersion))
  }

  @Test("a client of TLS 1.1 offers nothing that TLS 1.2 introduced")
  func offer() {
    var client = Conversation.clientConfiguration()
    client.versions = .tls10 ... .tls11
    let old = client.clientHello(random: [UInt8](repeating: 1, count: 32))
    #expect(old.clientVersion == .tls11 && old.extensions?.signatureAlgorithms == nil)
    #expect(old.cipherSuites.allSatisfy { $0.isUsable(in: .tls11) } && !old.cipherSuites.isEmpty)
    client.versions = .tls10 ... .tls12
    let new = client.clientHello(random: [UInt8](repeating: 1, count: 32))
    #expect(new.clientVersion == .tls12 && new.extensions?.signatureAlgorithms != nil)
    #expect(new.cipherSuites == client.cipherSuites)
  }

  @Test("a server selects no suite of TLS 1.2 for an older version")
  func serverSelection() {
    let both = suites("TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA")
    for (version, suite) in [(ProtocolVersion.tls12, both[0]), (.tls11, both[1]), (.tls10, both[1])] {
      let played = conversation { client, server in
        (client.versions, server.versions) = (.tls10 ... .tls12, version...version)
        (client.cipherSuites, server.cipherSuites) = (both, both)
      }.ran()
      #expect(played.parameters.first??.cipherSuite == suite)
    }
    let none = conversation { client, server in
      (client.versions, server.versions) = (.tls10 ... .tls12, .tls11 ... .tls11)
      (client.cipherSuites, server.cipherSuites) = (both, [both[0]])
    }.ran()
    #expect(none.failure(of: .server)?.finding.rule == .noCommonSuite)
    #expect(none.failure(of: .server)?.alert == .handshakeFailure)
  }

  @Test("a client refuses a suite of TLS 1.2 in an older version, with the finding")
  func clientSelection() {
    let both = suites("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA256")
    for (suite, rule) in [(both[1], Rule.suiteOfOtherVersion), (both[0], .finishedMismatch)] {
      var played = conversation { client, server in
        (client.versions, server.versions) = (.tls10 ... .tls12, .tls11 ... .tls11)
        (client.cipherSuites, server.cipherSuites) = (both, both)
      }
      played.choose(suite)
      played.run()
      if rule == .finishedMismatch {
        #expect(played.isConnected)
      } else {
        #expect(played.failure(of: .client)?.finding.rule == rule)
        #expect(played.failure(of: .client)?.alert == .illegalParameter)
        #expect(played.failure(of: .client)?.finding.found == .word(suite.name))
      }
    }
  }

  @Test("a premaster secret begins with the offered version, not the negotiated one")
  func premasterVersion() {
    let played = conversation { client, server in
      (client.versions, server.versions) = (.tls10 ... .tls12, .tls10 ... .tls10)
      client.cipherSuites = suites("TLS_RSA_WITH_AES_128_CBC_SHA")
    }.ran()
    #expect(played.isConnected)
    #expect(played.values(of: .client)["premaster_secret"]?.bytes.prefix(2) == [3, 3])
  }

  @Test(
    "signatures have no algorithm field: MD5 and SHA-1 with RSA, SHA-1 with ECDSA",
    arguments: [ProtocolVersion.tls10, .tls11],
    ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_DHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"])
  func signatures(_ version: ProtocolVersion, _ suite: String) throws {
    let played = Conversation(suite, in: version).ran()
    #expect(played.isConnected && played.parameters.allSatisfy { $0?.signatureAlgorithm == nil })
    let messages = played.sent(by: .server).compactMap { message -> ServerKeyExchange? in
      guard case .handshake(let message) = message.content, case .serverKeyExchange(let exchange) = message.body
      else { return nil }
      return exchange
    }
    guard case .ephemeral(let signed)? = messages.first, let signature = signed.signature else {
      Issue.record("no signed parameters")
      return
    }
    #expect(signature.algorithm == nil)
    let values = played.values(of: .client)
    let content = try signed.parameters.signedContent(
      clientRandom: try #require(values["client_random"]).bytes,
      serverRandom: try #require(values["server_random"]).bytes)
    let key = played.serverSettings.privateKey.publicKey
    try key.verify(signature.signature, over: content, suite.contains("ECDSA") ? .ecdsaSHA1 : .rsaPKCS1MD5SHA1)
  }

  @Test("a signature with another hash is refused", arguments: [ProtocolVersion.tls10, .tls11])
  func badSignature(_ version: ProtocolVersion) {
    for suite in ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"] {
      var played = Conversation(suite, in: version)
      played.alter = { message, _ in
        message.name == .handshake(.serverKeyExchange)
          ? message.bytes.dropLast() + [(message.bytes.last ?? 0) ^ 1] : message.bytes
      }
      played.run()
      #expect(played.failure(of: .client)?.finding.rule == .badSignature)
      #expect(played.failure(of: .client)?.alert == .decryptError)
    }
  }

  @Test("Ed25519 and RSASSA-PSS keys, introduced with TLS 1.2, are not used in older versions")
  func newKeys() throws {
    var random = DeterministicRandom(seed: .number(1), label: "Ed25519")
    let ed25519 = PrivateKey.ed25519(Ed25519PrivateKey.generate(random: &random))
    for (version, rule) in [(ProtocolVersion.tls12, nil), (.tls11, Rule.noCommonSuite), (.tls10, .noCommonSuite)] {
      let played = conversation { client, server in
        (client.versions, server.versions) = (.tls10 ... .tls12, version...version)
        client.cipherSuites = suites(
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA")
        server.cipherSuites = client.cipherSuites
        server.privateKey = ed25519
        (client.signatureSchemes, server.signatureSchemes) = ([.ecdsaSHA256, .ed25519], [.ed25519])
      }.ran()
      #expect(played.failure(of: .server)?.finding.rule == rule)
      #expect(played.parameters.first??.signatureAlgorithm?.scheme == (rule == nil ? .ed25519 : nil))
    }
  }

  @Test(
    "a client authenticates without a signature algorithm field", arguments: [ProtocolVersion.tls10, .tls11],
    [Conversation.rsaKey, Conversation.ecKey])
  func clientAuthentication(_ version: ProtocolVersion, _ key: PrivateKey) {
    let plain = Conversation("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", in: version)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    client.identity = ClientAuthenticationTests.identity(key)
    server.clientAuthentication = .required
    var played = Conversation(client, server)
    played.clientAnswer = .accepted(key.publicKey)
    played.run()
    #expect(played.isConnected && played.parameters.allSatisfy { $0?.hasClientCertificate == true })
    var forged = Conversation(client, server)
    forged.clientAnswer = .accepted(key.publicKey)
    forged.alter = { message, _ in
      message.name == .handshake(.certificateVerify)
        ? message.bytes.dropLast() + [(message.bytes.last ?? 0) ^ 1] : message.bytes
    }
    forged.run()
    #expect(forged.failure(of: .server)?.finding.rule == .badCertificateVerify)
  }

  @Test("a session is resumed only in its own version")
  func resumption() throws {
    let plain = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA", in: .tls11)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    server.sessions = SessionCache()
    let first = Conversation(client, server).ran()
    let session = try #require(first.session(of: .server))
    client.session = first.session(of: .client)
    server.sessions?.store(session)
    let second = Conversation(client, server).ran()
    #expect(second.parameters.allSatisfy { $0?.isResumed == true && $0?.version == .tls11 })
    (client.versions, server.versions) = (.tls10 ... .tls12, .tls10 ... .tls12)
    server.random = RandomStreams(seed: .number(2), party: "server")
    let newer = Conversation(client, server).ran()
    #expect(newer.parameters.allSatisfy { $0?.isResumed == false && $0?.version == .tls12 })
  }

  @Test(
    "renegotiation makes new keys, in every version and kind of suite",
    arguments: Conversation.Run.few)
  func renegotiation(_ run: Conversation.Run) {
    let plain = Conversation(run)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.renegotiation, server.renegotiation) = (.secure, .secure)
    var played = Conversation(client, server).ran()
    played.send([1], from: .client)
    for side in Side.allCases {
      played.renegotiate(side)
      played.send([2, 3], from: .client)
      played.send([4], from: .server)
    }
    #expect(played.isConnected && played.parameters.allSatisfy { $0?.version == run.version })
    #expect(played.data(at: .server) == [1, 2, 3, 2, 3] && played.data(at: .client) == [4, 4])
    let values = played.values(of: .client)
    #expect(values["master_secret"]?.bytes != values["renegotiated.master_secret"]?.bytes)
  }

  @Test(
    "a ticket resumes in every version that has extensions, and kind of suite",
    arguments: Conversation.Run.few.filter { $0.version > .sslv3 })
  func tickets(_ run: Conversation.Run) throws {
    var random = DeterministicRandom(seed: .number(5), label: "ticket")
    let plain = Conversation(run)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    server.ticketKeys = [
      try #require(SessionTicketKey("session_ticket_key", random.bytes(SessionTicketKey.count)))
    ]
    client.offersTickets = true
    client.session = Conversation(client, server).ran().session(of: .client)
    (client.random, server.random) = (
      RandomStreams(seed: .number(2), party: "client"), RandomStreams(seed: .number(2), party: "server")
    )
    var second = Conversation(client, server).ran()
    #expect(second.parameters.allSatisfy { $0?.isResumed == true && $0?.version == run.version })
    second.send([1, 2], from: .client)
    second.send([3], from: .server)
    #expect(second.data(at: .server) == [1, 2] && second.data(at: .client) == [3])
  }
}

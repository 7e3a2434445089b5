import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import TLS

@Suite("Negotiation between client and server")
struct NegotiationTests {
  /// The failures of a client and a server with these changed settings.
  private func failures(
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void
  ) -> (client: HandshakeFailure?, server: HandshakeFailure?) {
    var client = Conversation.clientConfiguration()
    var server = Conversation.serverConfiguration()
    change(&client, &server)
    let conversation = Conversation(client, server).ran()
    if conversation.isConnected { return (nil, nil) }
    return (conversation.failure(of: .client), conversation.failure(of: .server))
  }

  private func suites(_ names: String...) -> [CipherSuite] { names.compactMap(CipherSuite.init(name:)) }

  @Test("valid configurations agree")
  func good() {
    let (client, server) = failures { _, _ in }
    #expect(client == nil && server == nil)
  }

  @Test("without a common suite, the finding lists the offered and the supported suites")
  func noCommonSuite() {
    let (client, server) = failures { client, server in
      client.cipherSuites = suites("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256")
      server.cipherSuites = suites("TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_3DES_EDE_CBC_SHA")
    }
    #expect(server?.alert == .handshakeFailure)
    #expect(server?.finding.rule == .noCommonSuite)
    #expect(
      server?.finding.found == .words(["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"]))
    #expect(
      server?.finding.required == .anyOf(["TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_3DES_EDE_CBC_SHA"]))
    #expect(client?.isOwn == false)
    #expect(client?.finding.rule == .fatalAlert)
    #expect(client?.alert == .handshakeFailure)
  }

  @Test("an ECDSA suite is not available to a server with an RSA key")
  func ecdsaNeedsAnotherKey() {
    let (_, server) = failures { client, server in
      client.cipherSuites = suites("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
      server.cipherSuites = client.cipherSuites
    }
    #expect(server?.finding.rule == .noCommonSuite)
  }

  @Test(
    "choosing an unsupported suite is a clear failure",
    arguments: ["TLS_NULL_WITH_NULL_NULL"])
  func notImplemented(_ name: String) {
    let (_, server) = failures { client, server in
      server.cipherSuites = suites(name) + server.cipherSuites
      client.cipherSuites += suites(name)
    }
    #expect(server?.finding.rule == .suiteNotImplemented)
    #expect(server?.finding.found == .word(name))
    let (client, none) = failures { _, server in server.cipherSuites = suites(name) + server.cipherSuites }
    #expect(client == nil && none == nil)
  }

  @Test("the server's suite order counts, unless it lets the client choose")
  func preference() {
    var client = Conversation.clientConfiguration()
    var server = Conversation.serverConfiguration()
    client.cipherSuites = suites("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
    server.cipherSuites = client.cipherSuites.reversed()
    #expect(Conversation(client, server).ran().parameters.first??.cipherSuite == client.cipherSuites.last)
    server.preference = .client
    #expect(Conversation(client, server).ran().parameters.first??.cipherSuite == client.cipherSuites.first)
  }

  @Test("without a common group or signature scheme, the finding lists both sides", arguments: [true, false])
  func groupsAndSchemes(_ group: Bool) {
    let (_, server) = failures { client, server in
      client.cipherSuites = suites("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
      if group { client.groups = [.x448] } else { client.signatureSchemes = [.ecdsaSHA256] }
    }
    #expect(server?.alert == .handshakeFailure)
    #expect(server?.finding.rule == (group ? .noCommonGroup : .noCommonSignatureScheme))
    let (client, none) = failures { client, _ in
      client.cipherSuites = suites("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_GCM_SHA256")
      if group { client.groups = [.x448] } else { client.signatureSchemes = [.ecdsaSHA256] }
    }
    #expect(client == nil && none == nil)
  }

  @Test(
    "the server selects the first of its protocols that the client offers",
    arguments: [
      (["h2", "http/1.1"], ["http/1.1", "h2"], "http/1.1"), (["h2", "http/1.1"], ["h2"], "h2"),
      (["h2"], [], nil), ([], ["h2"], nil), (["http/1.1"], ["http/1.1"], "http/1.1"),
    ] as [([String], [String], String?)])
  func applicationProtocols(_ offered: [String], _ own: [String], _ chosen: String?) {
    var client = Conversation.clientConfiguration()
    var server = Conversation.serverConfiguration()
    client.applicationProtocols = offered.map(ApplicationProtocol.init)
    server.applicationProtocols = own.map(ApplicationProtocol.init)
    let conversation = Conversation(client, server).ran()
    #expect(conversation.isConnected)
    for parameters in conversation.parameters {
      #expect(parameters?.applicationProtocol == chosen.map { ApplicationProtocol($0) })
    }
  }

  @Test("without a common protocol, the server sends no_application_protocol")
  func noApplicationProtocol() {
    let (client, server) = failures { client, server in
      client.applicationProtocols = [.http11]
      server.applicationProtocols = [.http2]
    }
    #expect(server?.alert == .noApplicationProtocol && client?.alert == .noApplicationProtocol)
    #expect(server?.finding.rule == .noApplicationProtocol && server?.finding.required == .anyOf(["h2"]))
    #expect(server?.finding.found == .words(["http/1.1"]))
  }

  @Test(
    "a server may select only one protocol, from the offer",
    arguments: [["h2"], ["http/1.1", "http/1.1"], ["http/1.1"]])
  func chosenProtocol(_ names: [String]) throws {
    let protocols = names.map(ApplicationProtocol.init)
    let suite = try #require(CipherSuite.implemented.first)
    let offer = ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 1, count: 32), cipherSuites: [suite],
      extensions: [.applicationProtocols([.http11]), .renegotiationInfo([])])
    let hello = ServerHello(
      serverVersion: .tls12, random: [UInt8](repeating: 2, count: 32), cipherSuite: suite,
      extensions: [.applicationProtocols(protocols), .renegotiationInfo([])])
    var log = EffectLog(.standard)
    var failure: HandshakeFailure?
    do throws(HandshakeFailure) { try log.checkChoice(hello, of: offer) } catch { failure = error }
    #expect(failure?.finding.rule == (names == ["http/1.1"] ? nil : .illegalParameter))
    #expect(failure?.alert == (names == ["http/1.1"] ? nil : .illegalParameter))
  }

  @Test(
    "a server signs with PSS if both sides prefer it",
    arguments: ["rsa_pss_rsae_sha256", "rsa_pss_rsae_sha512", "rsa_pkcs1_sha384"])
  func signatures(_ name: String) throws {
    let scheme = try #require(SignatureScheme(name: name))
    var client = Conversation.clientConfiguration()
    var server = Conversation.serverConfiguration()
    server.privateKey = .rsa(try KeyStore.tests.rsaKey(owner: "tests", bits: 2048))
    client.signatureSchemes = [scheme]
    client.cipherSuites = suites("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    var conversation = Conversation(client, server)
    conversation.run()
    #expect(conversation.parameters.map { $0?.signatureAlgorithm?.scheme } == [scheme, scheme])
    server.signatureSchemes = [.rsaPKCS1SHA256]
    let failed = Conversation(client, server).ran()
    #expect(failed.failure(of: .server)?.finding.rule == .noCommonSignatureScheme)
  }

  @Test("an RSASSA-PSS key serves neither RSA key exchange nor the schemes of other keys")
  func keysForPSS() throws {
    guard case .rsa(let key) = Conversation.rsaKey.publicKey else { return }
    let spki = PublicKey.rsa(key).subjectPublicKeyInfo
    let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00]
    let pss: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]
    // The identifier changes, its parameters are removed, and two lengths shrink by two.
    let start = try #require(spki.indices.first { spki[$0...].starts(with: rsaEncryption) })
    var changed = Array(spki[..<start]) + pss + spki[(start + rsaEncryption.count)...]
    changed[start - 1] -= 2
    changed[start - 3] -= 2
    let restricted = try PublicKey(subjectPublicKeyInfo: changed)
    #expect(restricted.algorithmName == "RSASSA-PSS")
    for (suite, rule) in [
      ("TLS_RSA_WITH_AES_128_GCM_SHA256", Rule.keyTypeMismatch),
      ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .badSignature),
    ] {
      var conversation = Conversation(suite)
      #expect(conversation.ran().failure(of: .client) == nil)
      conversation.answer = .accepted(restricted)
      #expect(conversation.ran().failure(of: .client)?.finding.rule == rule)
    }
  }

  @Test("a client must support the certificate's curve, independently of the key exchange group")
  func curveOfTheKey() {
    for groups in [[NamedGroup.x25519], [.x25519, .secp256r1]] {
      let (_, server) = failures { client, server in
        server.privateKey = Conversation.ecKey
        client.groups = groups
        client.cipherSuites = suites("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
      }
      #expect(server?.finding.rule == (groups.count == 1 ? .noCommonGroup : nil))
      if groups.count == 1 { #expect(server?.finding.required == .anyOf(["secp256r1"])) }
    }
  }

  @Test(
    "the certificate's keyUsage must allow the use that the suite makes of the key",
    arguments: [
      ("TLS_RSA_WITH_AES_128_GCM_SHA256", .signing, false), ("TLS_RSA_WITH_AES_128_GCM_SHA256", .decryption, true),
      ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .signing, true),
      ("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", .decryption, false),
      ("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", .decryption, false), ("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", [], false),
      ("TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", .all, true),
    ] as [(String, KeyPurposes, Bool)])
  func keyPurpose(_ suite: String, _ purposes: KeyPurposes, _ isAllowed: Bool) {
    var conversation = Conversation(suite)
    conversation.answer = .accepted(conversation.serverSettings.privateKey.publicKey, for: purposes)
    conversation.run()
    #expect(conversation.isConnected == isAllowed)
    let failure = conversation.failure(of: .client)
    #expect(failure?.finding.rule == (isAllowed ? nil : .keyPurpose))
    #expect(failure?.alert == (isAllowed ? nil : .unsupportedCertificate))
    let needed = suite.contains("TLS_RSA") ? "keyEncipherment" : "digitalSignature"
    if !isAllowed { #expect(failure?.finding.required == .words([needed])) }
  }

  @Test("without a common version, the side that detects it sends protocol_version")
  func versions() {
    let (_, newServer) = failures { _, server in server.versions = .tls13 ... .tls13 }
    #expect(newServer?.alert == .protocolVersion)
    #expect(newServer?.finding.rule == .noCommonVersion)
    let (_, oldServer) = failures { client, _ in client.versions = .tls13 ... .tls13 }
    #expect(oldServer?.finding.rule == .noCommonVersion)
    #expect(oldServer?.finding.found == .words(["TLSv1.3"]))
    // A hello without supported_versions says its highest alone: RFC 5246 section E.1.
    let (_, newerServer) = failures { client, server in
      (client.versions, server.versions) = (.tls10 ... .tls11, .tls12 ... .tls12)
    }
    #expect(newerServer?.finding.found == .atMost(.word("TLSv1.1")))
    let (strictClient, _) = failures { _, server in server.versions = .tls10 ... .tls11 }
    #expect(strictClient?.alert == .protocolVersion)
    #expect(strictClient?.finding.rule == .noCommonVersion)
    #expect(strictClient?.finding.found == .word("TLSv1.1"))
    #expect(strictClient?.isOwn == true)
    let (looseClient, oldest) = failures { client, server in
      client.versions = .sslv3 ... .tls12
      server.versions = .sslv3 ... .sslv3
    }
    #expect(looseClient == nil && oldest == nil)
    let (client, server) = failures { client, server in
      client.versions = .tls10 ... .tls13
      server.versions = .sslv3 ... .tls13
    }
    #expect(client == nil && server == nil)
  }

  @Test("a version that the server leaves out is skipped, and the client may refuse another")
  func versionsLeftOut() {
    func played(_ versions: ClosedRange<ProtocolVersion>, leavingOut: Set<ProtocolVersion>) -> Conversation {
      var (client, server) = (Conversation.clientConfiguration(), Conversation.serverConfiguration())
      (client.versions, server.versions) = (versions, .tls10 ... .tls12)
      server.versionsLeftOut = leavingOut
      return Conversation(client, server).ran()
    }
    for (versions, whole, gap) in [
      (.tls10 ... .tls12, .tls12, .tls12), (.tls10 ... .tls11, .tls11, .tls10), (.tls11 ... .tls12, .tls12, .tls12),
      (.tls10 ... .tls10, .tls10, .tls10),
    ] as [(ClosedRange<ProtocolVersion>, ProtocolVersion, ProtocolVersion)] {
      #expect(played(versions, leavingOut: []).parameters.map { $0?.version } == [whole, whole])
      #expect(played(versions, leavingOut: [.tls11]).parameters.map { $0?.version } == [gap, gap])
    }
    #expect(played(.tls11 ... .tls11, leavingOut: []).isConnected)
    let refused = played(.tls11 ... .tls11, leavingOut: [.tls11]).failure(of: .client)
    #expect(refused?.finding.rule == .noCommonVersion && refused?.alert == .protocolVersion && refused?.isOwn == true)
    #expect(refused?.finding.found == .word("TLSv1.0"))
    let nothing = played(.tls10 ... .tls11, leavingOut: [.tls10, .tls11]).failure(of: .server)
    #expect(nothing?.finding.rule == .noCommonVersion && nothing?.alert == .protocolVersion)
    #expect(nothing?.finding.required == .anyOf(["TLSv1.2"]))
  }

  // RFC 8446 section 4.1.3.
  @Test(
    "a TLS 1.2 server that negotiates an older version sends the downgrade sentinel",
    arguments: [
      (ProtocolVersion.tls11, ProtocolVersion.tls12, true), (.tls10, .tls12, true), (.tls12, .tls12, false),
      (.tls11, .tls11, false),
    ])
  func downgradeSentinel(_ offered: ProtocolVersion, _ newest: ProtocolVersion, _ isMarked: Bool) throws {
    var configuration = Conversation.serverConfiguration()
    configuration.versions = .tls10...newest
    let hello = ClientHello(
      clientVersion: offered, random: [UInt8](repeating: 7, count: 32),
      cipherSuites: suites("TLS_RSA_WITH_AES_128_CBC_SHA") + [.emptyRenegotiationInfo])
    var server = Handshake(configuration)
    let answer = try #require(server.handle(.received(try HandshakeMessage(.clientHello(hello)))).hello)
    #expect(answer.serverVersion == offered && answer.random.count == 32)
    #expect((Array(answer.random.suffix(8)) == Array("DOWNGRD".utf8) + [0]) == isMarked)
  }

  // RFC 5746 section 3.4: the client did not signal secure renegotiation, so the server may not either.
  @Test("a missing renegotiation_info is not reported if the client's hello did not signal support")
  func silentClient() {
    for (isAsked, rule) in [(false, []), (true, [.insecureRenegotiation])] as [(Bool, [Rule])] {
      var client = Conversation.clientConfiguration()
      if !isAsked { client.layout.extensions.removeAll { $0.type == .renegotiationInfo } }
      var server = Conversation.serverConfiguration()
      server.renegotiation = .insecure
      var conversation = Conversation(client, server)
      conversation.run()
      #expect(conversation.isConnected)
      let violated = conversation.log.compactMap { entry -> Rule? in
        guard entry.side == .client, case .found(let finding) = entry.effect, finding.outcome == .violated else {
          return nil
        }
        return finding.rule
      }
      #expect(violated == rule)
    }
  }

  @Test("both signals of secure renegotiation are understood, and their absence is reported")
  func renegotiation() throws {
    var server = Handshake(Conversation.serverConfiguration())
    var hello = ClientHello(
      clientVersion: .tls12, random: [UInt8](repeating: 7, count: 32),
      cipherSuites: suites("TLS_RSA_WITH_AES_128_GCM_SHA256"))
    let silent = server.handle(.received(try HandshakeMessage(.clientHello(hello))))
    #expect(silent.violated == [.insecureRenegotiation])
    #expect(silent.hello?.extensions == nil)
    server = Handshake(Conversation.serverConfiguration())
    hello.cipherSuites.append(.emptyRenegotiationInfo)
    let signalled = server.handle(.received(try HandshakeMessage(.clientHello(hello))))
    #expect(signalled.violated.isEmpty)
    #expect(signalled.hello?.extensions == [.renegotiationInfo([])])
  }

  @Test("an unnecessary fallback is refused")
  func fallback() throws {
    var configuration = Conversation.serverConfiguration()
    configuration.versions = .tls10 ... .tls12
    var hello = ClientHello(
      clientVersion: .tls11, random: [UInt8](repeating: 7, count: 32),
      cipherSuites: suites("TLS_RSA_WITH_AES_128_GCM_SHA256") + [.fallback])
    var server = Handshake(configuration)
    #expect(
      server.handle(.received(try HandshakeMessage(.clientHello(hello)))).failure?.alert == .inappropriateFallback)
    hello.clientVersion = .tls12
    server = Handshake(configuration)
    #expect(server.handle(.received(try HandshakeMessage(.clientHello(hello)))).failure == nil)
    // RFC 7507 section 3 compares with the highest version that the server supports. A gap below that version changes
    // nothing; without that version the next lower one is the highest.
    hello.cipherSuites = suites("TLS_RSA_WITH_AES_128_CBC_SHA") + [.fallback]
    for (left, isRefused) in [(ProtocolVersion.tls11, true), (.tls12, false)] {
      configuration.versionsLeftOut = [left]
      hello.clientVersion = .tls11
      server = Handshake(configuration)
      let failure = server.handle(.received(try HandshakeMessage(.clientHello(hello)))).failure
      #expect(failure?.alert == (isRefused ? .inappropriateFallback : nil))
      #expect(failure?.finding.required == (isRefused ? .atLeast(.word("TLSv1.2")) : nil))
    }
  }

  @Test(
    "an IP address is not sent as server_name, and a trailing dot is removed",
    arguments: [
      ("api.example", "api.example"), ("api.example.", "api.example"), ("127.0.0.1", nil), ("::1", nil), ("", nil),
    ])
  func serverName(_ host: String, _ name: String?) {
    #expect(ServerName.hostName(host) == name)
  }

  @Test("a server may select neither a GREASE value nor an SCSV, even if offered")
  func reserved() throws {
    // RFC 8701 section 3.1; RFC 5746 section 3.3.
    var settings = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA").clientSettings
    settings.layout.hasGrease = true
    settings.cipherSuites.append(.emptyRenegotiationInfo)
    let offered = settings.clientHello(random: []).cipherSuites
    let reserved = try #require(offered.first)
    #expect(reserved.rawValue.isGrease && offered.contains(.emptyRenegotiationInfo))
    #expect(Conversation(settings).ran().isConnected)
    for suite in [reserved, .emptyRenegotiationInfo] {
      var played = Conversation(settings)
      played.choose(suite)
      played.run()
      #expect(played.failure(of: .client)?.finding.rule == .suiteNotOffered, "\(suite)")
      #expect(played.failure(of: .client)?.alert == .illegalParameter, "\(suite)")
      // The required value does not include the values that the rule refuses.
      let required = played.failure(of: .client)?.finding.required
      #expect(required == .anyOf(["TLS_RSA_WITH_AES_128_CBC_SHA"]), "\(suite)")
    }
  }

  @Test("TLS 1.3 is selected by supported_versions; server_version stays at TLS 1.2")
  func newest() {
    func hello(_ version: ProtocolVersion, _ extensions: [Extension]?) -> ServerHello {
      ServerHello(
        serverVersion: version, random: [], cipherSuite: CipherSuite(rawValue: 0x1301), extensions: extensions)
    }
    #expect(hello(.tls12, [.supportedVersions([.tls13])]).choosesTLS13)
    #expect(!hello(.tls13, nil).choosesTLS13 && hello(.tls13, nil).selectedVersion == .tls13)
    #expect(!hello(.tls12, nil).choosesTLS13 && !hello(.tls12, [.supportedVersions([.tls12])]).choosesTLS13)
  }
}

extension [Effect] {
  var violated: [Rule] {
    compactMap { if case .found(let finding) = $0, finding.outcome == .violated { finding.rule } else { nil } }
  }
  var failure: HandshakeFailure? {
    for case .failed(let failure) in self { return failure }
    return nil
  }
  var hello: ServerHello? {
    for case .send(let message) in self { if case .serverHello(let hello) = message.body { return hello } }
    return nil
  }
}

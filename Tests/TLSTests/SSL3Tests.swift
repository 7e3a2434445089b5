import Cryptography
import Explanation
import Testing

@testable import TLS

/// The peculiarities of SSL 3.0 (RFC 6101).
///
/// tshark checks records and keys for every suite, because OpenSSL and GnuTLS are built without this version.
@Suite("SSL 3.0")
struct SSL3Tests {
  private let master = [UInt8](0..<48)
  private let randoms = (client: [UInt8](repeating: 0xc0, count: 32), server: [UInt8](repeating: 0x5e, count: 32))

  private func hex(_ text: String) throws -> [UInt8] { try #require(Hex.bytes(text)) }

  private func conversation(
    _ suite: String = "TLS_RSA_WITH_AES_128_CBC_SHA", in version: ProtocolVersion = .sslv3,
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void = { _, _ in }
  ) -> Conversation {
    let plain = Conversation(suite, in: version)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    change(&client, &server)
    return Conversation(client, server)
  }

  @Test("secrets, MACs and Finished match the RFC's formulas as computed with Python's hashlib")
  func functions() throws {
    let row = try #require(CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA")?.registration)
    let negotiated = Negotiated(version: .sslv3, suite: row)
    let schedule = KeySchedule12(
      negotiated, premasterSecret: master, clientRandom: randoms.client, serverRandom: randoms.server)
    #expect(
      try schedule.masterSecret
        == hex(
          "4a42668a8548c038c8713c578b7655a67796b7b8adb466e1f4d352d0d1064b730426aba1e0f3911c442fbaaa09797f50"))
    let block = KeySchedule12(negotiated, masterSecret: master)
      .keyBlock(clientRandom: randoms.client, serverRandom: randoms.server)
    #expect(
      try block.bytes
        == hex(
          "0801ec649214c619461e817d44776af92582528c072060103040f93ac8a181abbf381d50a63251b98c0180e533882da6098e3945780d90"
            + "257fea77b053b986d3b52fddf21134fab146f2c0f9dfa1cb6de6623d7686d728b0481a6bb9e7de5a4e3ef7e1838ca33559"))
    let header: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 7, 23, 0, 5]
    #expect(
      try SSL3.code(.sha1, key: Array(1...20), header, Array("hello".utf8))
        == hex("8eaf5b0a8ffe4e2f7b497bcc5fce035483847104"))
    #expect(
      try SSL3.code(.md5, key: Array(1...16), header, Array("hello".utf8))
        == hex("12a533125ff8678ddf8a3344578e6edb"))
    for isRunning in [false, true] {
      var transcript = Transcript()
      if isRunning { transcript.settle(.ssl3) }
      transcript.append(try HandshakeMessage(.helloRequest))
      let known = KeySchedule12(negotiated, masterSecret: master)
      #expect(
        try known.verifyData(of: .client, transcript)
          == hex("6039d7b951f9e4968a25fdcd7500b8752cd86a11c5104cfd38f9b2dd70af7ba2c6a98771"))
      #expect(
        try known.verifyData(of: .server, transcript)
          == hex("fd917ff45bc8aed0b64cfea8d30202475dbacf4f5b8f5c819aa55cd8bf23999f014ce272"))
    }
  }

  @Test("only SSL 3.0 allows arbitrary padding bytes, always less than a block")
  func padding() throws {
    for version in ProtocolVersion.implemented {
      let row = try #require(CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA")?.registration)
      let keys = KeySchedule12(Negotiated(version: version, suite: row), masterSecret: master)
        .keyBlock(clientRandom: randoms.client, serverRandom: randoms.server).client
      let iv = [UInt8](repeating: 9, count: 16)
      func header(_ count: Int) -> [UInt8] { [UInt8(count)] }
      func opened(_ padding: [UInt8]) throws -> OpenedContent {
        let content: [UInt8] = [1, 2, 3]
        let blocks = content + keys.code(.sha1, header(3), content) + padding
        let sealed = try AESCBC.encrypt(blocks, key: keys.key, iv: iv)
        return CBCProtection(keys, .standard).open(
          keys.hasExplicitIV ? iv + sealed : sealed, after: keys.hasExplicitIV ? [] : iv, header)
      }
      // Three bytes and a MAC of twenty leave nine for the padding and its length.
      #expect(try opened([UInt8](repeating: 8, count: 9)).alert == nil)
      let isFree = version == .sslv3
      #expect(try opened([7, 0, 99, 1, 2, 3, 4, 5, 8]).alert == (isFree ? nil : .badRecordMAC), "\(version)")
      #expect(try opened([8, 8, 8, 8, 8, 8, 8, 8, 24]).alert == .badRecordMAC)
      #expect(try opened([UInt8](repeating: 24, count: 25)).alert == (isFree ? .badRecordMAC : nil), "\(version)")
    }
  }

  @Test("an SSL 3.0 hello has only renegotiation_info, and the encrypted premaster secret no length")
  func shapes() throws {
    let played = conversation { client, server in
      (client.versions, client.offersTickets) = (.sslv3 ... .tls12, true)
      server.sessions = SessionCache()
    }.ran()
    #expect(played.isConnected && played.parameters.allSatisfy { $0?.version == .sslv3 })
    let sent = Side.allCases.flatMap { played.sent(by: $0) }
    for message in sent {
      guard case .handshake(let handshake) = message.content else { continue }
      switch handshake.body {
      case .clientHello(let hello): #expect(hello.clientVersion == .tls12 && (hello.extensions?.count ?? 0) > 1)
      case .serverHello(let hello): #expect(hello.extensions == [.renegotiationInfo([])] && !hello.sessionID.isEmpty)
      case .clientKeyExchange: #expect(handshake.bytes.count == 4 + 128)
      case .finished: #expect(handshake.bytes.count == 4 + 36)
      default: break
      }
      if handshake.type != .clientHello { #expect(message.records.allSatisfy { $0.version == .sslv3 }) }
    }
    let old = conversation().ran()
    guard case .handshake(let first)? = old.sent(by: .client).first?.content, case .clientHello(let hello) = first.body
    else { throw KeyError.label("ClientHello") }
    #expect(hello.clientVersion == .sslv3 && hello.extensions == nil)
    #expect(hello.cipherSuites.contains(.emptyRenegotiationInfo))
  }

  @Test("an SSL 3.0 server shares no suite that needs curves or TLS 1.2")
  func suites() {
    for (suite, isUsable) in [
      ("TLS_RSA_WITH_RC4_128_MD5", true), ("TLS_DHE_RSA_WITH_AES_128_CBC_SHA", true),
      ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", false), ("TLS_RSA_WITH_AES_128_GCM_SHA256", false),
    ] {
      let played = conversation(suite) { client, _ in client.versions = .sslv3 ... .tls12 }.ran()
      #expect(played.isConnected == isUsable)
      #expect(played.failure(of: .server)?.finding.rule == (isUsable ? nil : .noCommonSuite))
    }
  }

  @Test("newer alerts are replaced with the nearest alert of SSL 3.0")
  func alerts() {
    for (version, alert) in [(ProtocolVersion.sslv3, AlertDescription.badCertificate), (.tls10, .unknownCA)] {
      var refused = conversation(in: version)
      refused.answer = .refused(.unknownCA)
      refused.run()
      #expect(refused.failure(of: .client)?.alert == .unknownCA && refused.failure(of: .server)?.alert == alert)
    }
    #expect(AlertDescription.recordOverflow.said(in: .sslv3) == .badRecordMAC)
    #expect(AlertDescription.decodeError.said(in: .sslv3) == .handshakeFailure)
    #expect(AlertDescription.inappropriateFallback.said(in: .sslv3) == .inappropriateFallback)
    #expect(AlertDescription.protocolVersion.said(in: .sslv3) == .protocolVersion)
    #expect(AlertDescription.decodeError.said(in: .tls10) == .decodeError)
  }

  @Test("a server that requests certificates rejects SSL 3.0; without one a client sends no_certificate")
  func clientAuthentication() throws {
    for (versions, isOffered) in [(ProtocolVersion.sslv3 ... .tls12, true), (.sslv3 ... .sslv3, false)] {
      let played = conversation { client, server in
        (client.versions, server.versions, server.clientAuthentication) = (versions, versions, .optional)
      }.ran()
      #expect(played.isConnected == isOffered)
      #expect(played.failure(of: .server)?.finding.rule == (isOffered ? nil : .noCommonVersion))
    }
    let request = try HandshakeMessage(
      .certificateRequest(CertificateRequestMessage(certificateTypes: [1], supportedSignatureAlgorithms: nil)))
    let record = Record(type: .handshake, version: .sslv3, fragment: request.bytes)
    var asked = conversation()
    asked.alter = { message, _ in
      message.name == .handshake(.serverHelloDone) ? record.bytes + message.bytes : message.bytes
    }
    asked.run()
    let alerts = asked.sent(by: .client).compactMap { if case .alert(let alert) = $0.content { alert } else { nil } }
    #expect(alerts.first == Alert(.warning, .noCertificateReserved))
  }

  @Test("declining renegotiation has no warning, and ends the connection")
  func renegotiation() {
    for version in [ProtocolVersion.sslv3, .tls10] {
      var played = conversation(in: version) { client, _ in client.renegotiation = .secure }.ran()
      played.renegotiate(.client)
      #expect((played.failure(of: .server)?.alert == .handshakeFailure) == (version == .sslv3))
      #expect((played.failure(of: .client)?.alert == .handshakeFailure) == (version == .sslv3))
      played.send([1], from: .client)
      #expect(played.data(at: .server) == (version == .sslv3 ? [] : [1]))
    }
  }
}

import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import TLS

@Suite("Client authentication")
struct ClientAuthenticationTests {
  static let certificate: [UInt8] = [0x30, 1, 7]
  static let authority: [UInt8] = [0x30, 2, 0x31, 0]

  static func identity(_ key: PrivateKey) -> ClientIdentity {
    ClientIdentity(
      certificates: [certificate], privateKey: key, privateKeyName: "alice.key", issuers: [authority])
  }

  /// A server that requests a certificate, and a client that has `key`.
  private func conversation(
    _ way: ClientAuthentication, _ key: PrivateKey?, suite: String = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    change: (inout ClientConfiguration, inout ServerConfiguration) -> Void = { _, _ in }
  ) -> Conversation {
    let plain = Conversation(suite)
    var client = plain.clientSettings
    var server = plain.serverSettings
    client.identity = key.map(Self.identity)
    server.clientAuthentication = way
    server.acceptedCAs = [Self.authority]
    change(&client, &server)
    var conversation = Conversation(client, server)
    if let key { conversation.clientAnswer = .accepted(key.publicKey) }
    return conversation
  }

  @Test(
    "client and server connect with every key and signature of the client",
    arguments: [
      (Conversation.rsaKey, .rsaPKCS1SHA256), (Conversation.rsaKey, .rsaPSSSHA256),
      (Conversation.rsaKey, .rsaPKCS1SHA1), (Conversation.ecKey, .ecdsaSHA256), (Conversation.ecKey, .ecdsaSHA1),
    ] as [(PrivateKey, SignatureScheme)],
    ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA"])
  func everyKey(_ identity: (PrivateKey, SignatureScheme), _ suite: String) {
    var conversation = conversation(.required, identity.0, suite: suite) { client, server in
      client.signatureSchemes = [identity.1] + SignatureScheme.defaults
      client.extendedMasterSecret = true
      server.extendedMasterSecret = true
    }
    conversation.run()
    #expect(conversation.isConnected)
    #expect(conversation.parameters.allSatisfy { $0?.hasClientCertificate == true })
    let proofs = conversation.sent(by: .client).compactMap { message -> CertificateVerify? in
      guard case .handshake(let message) = message.content, case .certificateVerify(let proof) = message.body else {
        return nil
      }
      return proof
    }
    #expect(proofs.map(\.signed.algorithm?.scheme) == [identity.1])
    #expect(conversation.findings(of: .server).allSatisfy { $0.outcome == .satisfied })
    #expect(conversation.values(of: .client)["certificate_verify_signature"]?.derivations.contains(.published) == true)
  }

  @Test("the messages are in the order of figure 1")
  func order() {
    let conversation = conversation(.required, Conversation.rsaKey).ran()
    #expect(
      conversation.sent(by: .server).map(\.name.description).prefix(5)
        == ["ServerHello", "Certificate", "ServerKeyExchange", "CertificateRequest", "ServerHelloDone"])
    #expect(
      conversation.sent(by: .client).map(\.name.description)
        == ["ClientHello", "Certificate", "ClientKeyExchange", "CertificateVerify", "ChangeCipherSpec", "Finished"])
  }

  @Test("a client without a certificate is refused only if one is required")
  func required() {
    let refused = conversation(.required, nil).ran()
    #expect(refused.failure(of: .server)?.finding.rule == .clientCertificateRequired)
    #expect(refused.failure(of: .server)?.alert == .handshakeFailure)
    #expect(refused.failure(of: .client)?.isOwn == false)
    let accepted = conversation(.optional, nil).ran()
    #expect(accepted.isConnected && accepted.parameters.allSatisfy { $0?.hasClientCertificate == false })
    #expect(!accepted.sent(by: .client).contains { $0.name == .handshake(.certificateVerify) })
  }

  @Test("a certificate is sent only if its key and signature match the server's request")
  func suitability() {
    let none = conversation(.optional, Conversation.ecKey) { _, server in
      server.signatureSchemes = [.rsaPKCS1SHA256]
    }
    #expect(none.ran().parameters.allSatisfy { $0?.hasClientCertificate == false })
    let some = conversation(.optional, Conversation.rsaKey) { _, server in
      server.signatureSchemes = [.rsaPKCS1SHA256]
    }
    #expect(some.ran().parameters.allSatisfy { $0?.hasClientCertificate == true })
  }

  @Test("the server's certificate_authorities are advisory: another certificate is sent too, with advice")
  func authorities() {
    let listed = conversation(.required, Conversation.rsaKey).ran()
    #expect(listed.findings(of: .client).allSatisfy { $0.outcome == .satisfied })
    let other = conversation(.required, Conversation.rsaKey) { _, server in
      server.acceptedCAs = [[0x30, 2, 0x31, 1]]
    }
    .ran()
    #expect(other.isConnected)
    #expect(other.findings(of: .client).filter { $0.outcome == .violated }.map(\.rule) == [.authorityNotListed])
  }

  @Test("an untrusted client certificate ends the connection with the alert for its defect")
  func refusal() {
    var conversation = conversation(.required, Conversation.rsaKey)
    conversation.clientAnswer = .refused(.certificateExpired)
    conversation.run()
    #expect(conversation.failure(of: .server)?.finding.rule == .certificateRefused)
    #expect(conversation.failure(of: .client)?.alert == .certificateExpired)
  }

  @Test("a client that has the certificate but not its key is refused with decrypt_error")
  func otherKey() throws {
    var conversation = conversation(.required, Conversation.rsaKey)
    let other = PrivateKey.rsa(try KeyStore.tests.rsaKey(owner: "another client", bits: 1024))
    conversation.clientAnswer = .accepted(other.publicKey)
    conversation.run()
    #expect(conversation.failure(of: .server)?.finding.rule == .badCertificateVerify)
    #expect(conversation.failure(of: .server)?.alert == .decryptError)
  }

  @Test("CertificateVerify is valid for one handshake: with another server_random it fails")
  func otherHandshake() throws {
    func machines(_ seed: UInt64) -> Conversation {
      conversation(.required, Conversation.rsaKey) { _, server in
        server.random = RandomStreams(seed: .number(seed), party: "server")
      }
    }
    let recorded = machines(1).ran().sent(by: .client)
    let proof = try #require(recorded.first { $0.name == .handshake(.certificateVerify) })
    for (seed, rule) in [(UInt64(1), nil), (2, Rule.badCertificateVerify)] {
      var conversation = machines(seed)
      conversation.alter = { message, _ in message.name == proof.name ? proof.bytes : message.bytes }
      conversation.run()
      #expect(conversation.failure(of: .server)?.finding.rule == rule)
    }
  }

  @Test("a signature scheme that was not requested is illegal_parameter")
  func unaskedAlgorithm() throws {
    var conversation = conversation(.required, Conversation.rsaKey) { client, server in
      client.signatureSchemes = [.rsaPKCS1SHA512, .rsaPKCS1SHA256]
      server.signatureSchemes = [.rsaPKCS1SHA256, .rsaPKCS1SHA512]
    }
    conversation.alter = { message, _ in
      var bytes = message.bytes
      if message.name == .handshake(.certificateVerify) { bytes[9] = 0x02 }  // rsa_pkcs1_sha1
      return bytes
    }
    conversation.run()
    #expect(conversation.failure(of: .server)?.finding.rule == .illegalParameter)
    #expect(conversation.failure(of: .server)?.finding.subject == .message("CertificateVerify"))
  }

  @Test("in every state of the server, every other message is unexpected")
  func everyOtherEvent() {
    let good = conversation(.required, Conversation.rsaKey).ran()
    let events = good.events(of: .server)
    #expect(
      events.map(\.kind.description) == [
        "ClientHello", "Certificate", "certificate evaluation", "ClientKeyExchange", "CertificateVerify",
        "ChangeCipherSpec", "Finished",
      ])
    var server = conversation(.required, Conversation.rsaKey).server.handshake
    for event in events {
      #expect(server.expected == [event.kind])
      for other in events where other.kind != event.kind {
        var machine = server
        #expect(machine.handle(other).failure?.finding.rule == .unexpectedMessage, "\(other.kind)")
      }
      #expect(server.handle(event).failure == nil)
    }
    #expect(server.isConnected)
  }
}

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Several certificates on one server")
struct ServerCredentialsTests {
  private func credentials(_ name: String, _ key: PrivateKey, for names: String...) -> ServerCredentials {
    ServerCredentials(
      certificates: [Array(name.utf8)], privateKey: key, privateKeyName: "\(name).key", names: names)
  }

  /// The certificate that a server with four of them sends to a client with this change.
  private func shown(
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void = { _, _ in }
  ) -> (conversation: Conversation, certificate: String?) {
    var (client, server) = (Conversation.clientConfiguration(), Conversation.serverConfiguration())
    server.credentials = credentials("rsa", Conversation.rsaKey, for: "api.example")
    server.otherCredentials = [
      credentials("ec", Conversation.ecKey, for: "API.example"),
      credentials("shop", Conversation.ecKey, for: "*.shop.example", "shop.example"),
    ]
    server.cipherSuites = [
      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
      "TLS_RSA_WITH_AES_128_GCM_SHA256",
    ].compactMap(CipherSuite.init(name:))
    client.cipherSuites = server.cipherSuites
    change(&client, &server)
    var conversation = Conversation(client, server)
    conversation.answer = .accepted(Conversation.ecKey.publicKey)
    for key in [Conversation.rsaKey, Conversation.ecKey] {
      conversation.answer = .accepted(key.publicKey)
      if conversation.ran().isConnected { break }
    }
    conversation.run()
    let certificate = conversation.sent(by: .server).first { !$0.certificates.isEmpty }?.certificates.first
    return (conversation, certificate.map { String(decoding: $0, as: UTF8.self) })
  }

  @Test("if several certificates match the name, the first suite decides")
  func suites() {
    let first = shown()
    #expect(first.certificate == "ec" && first.conversation.isConnected)
    let reversed = shown { _, server in server.cipherSuites.reverse() }
    #expect(reversed.certificate == "rsa" && reversed.conversation.isConnected)
    let clients = shown { client, server in
      server.preference = .client
      client.cipherSuites.reverse()
    }
    #expect(clients.certificate == "rsa" && clients.conversation.isConnected)
  }

  @Test("the certificate is one that the client can verify")
  func algorithms() {
    let rsa = shown { client, _ in client.signatureSchemes = [.rsaPKCS1SHA256] }
    #expect(rsa.certificate == "rsa" && rsa.conversation.isConnected)
    let curve = shown { client, _ in client.groups = [.x25519] }
    #expect(curve.certificate == "rsa" && curve.conversation.isConnected)
    let ecdsa = shown { client, _ in client.signatureSchemes = [.ecdsaSHA256] }
    #expect(ecdsa.certificate == "ec" && ecdsa.conversation.isConnected)
  }

  @Test("the client refuses a certificate whose key is on a curve that it does not offer (RFC 8422 section 5.3)")
  func curveOfCertificate() {
    var (client, server) = (Conversation.clientConfiguration(), Conversation.serverConfiguration())
    client.cipherSuites = ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"].compactMap(CipherSuite.init(name:))
    (client.groups, server.privateKey) = ([.x25519, .secp384r1], Conversation.ecKey)
    var conversation = Conversation(client, server)
    conversation.alter = { message, side in
      // The server receives secp256r1 in place of secp384r1.
      guard side == .client,
        let place = message.bytes.indices.first(where: { place in
          message.bytes[place...].starts(with: [0, 0x1D, 0, 0x18])
        })
      else { return message.bytes }
      var bytes = message.bytes
      bytes[place + 3] = 0x17
      return bytes
    }
    let failure = conversation.run().failure(of: .client)
    #expect(failure?.finding.rule == .keyTypeMismatch && failure?.alert == .unsupportedCertificate)
  }

  @Test("a key signs only with its own schemes, in their order")
  func schemesOfKey() {
    let ordered = shown { _, server in
      server.otherCredentials = []
      server.credentials.signatureSchemes = [.rsaPSSSHA384, .rsaPKCS1SHA256]
    }.conversation
    #expect(ordered.parameters.map { $0?.signatureAlgorithm?.scheme } == [.rsaPSSSHA384, .rsaPSSSHA384])
    let unfit = shown { _, server in
      server.otherCredentials = []
      server.credentials.signatureSchemes = [.ecdsaSHA256]
    }.conversation
    #expect(unfit.parameters.first??.cipherSuite.keyExchange == .rsa)
  }

  @Test(
    "a wildcard matches one label, case is ignored, and the default needs no name",
    arguments: [
      ("www.shop.example", "shop"), ("WWW.SHOP.example", "shop"), ("shop.example", "shop"), ("a.b.shop.example", "ec"),
      ("other.example", "ec"), ("192.0.2.1", "ec"),
    ])
  func names(_ host: String, _ certificate: String) {
    let found = shown { client, _ in client.host = host }
    #expect(found.certificate == certificate && found.conversation.isConnected)
  }

  @Test("an unknown name ends the connection, results in a warning, or is ignored")
  func unrecognized() {
    for way in UnrecognizedName.allCases {
      for host in ["other.example", "api.example"] {
        let conversation = shown { client, server in
          client.host = host
          server.unrecognizedName = way
        }.conversation
        let isKnown = host == "api.example"
        let alerts = conversation.sent(by: .server).compactMap { message -> Alert? in
          if case .alert(let alert) = message.content { alert } else { nil }
        }
        let findings = conversation.findings(of: .server).filter { $0.rule == .unrecognizedName && !$0.holds }
        switch way {
        case .fatal where !isKnown:
          #expect(alerts == [Alert(.fatal, .unrecognizedName)] && !conversation.isConnected)
          #expect(conversation.failure(of: .server)?.finding.rule == .unrecognizedName)
          #expect(conversation.failure(of: .client)?.alert == .unrecognizedName)
        case .warning where !isKnown:
          #expect(alerts == [Alert(.warning, .unrecognizedName)] && conversation.isConnected)
          #expect(findings.count == 1 && findings.allSatisfy { !$0.refuses })
        default: #expect(alerts.isEmpty && findings.isEmpty && conversation.isConnected)
        }
      }
    }
  }

  @Test("the agreement considers all certificates, and a missing common suite is reported as usual")
  func agreement() throws {
    let conversation = shown().conversation
    let offer = conversation.clientSettings.clientHello(random: [UInt8](repeating: 0, count: 32))
    #expect(
      conversation.serverSettings.agreement(with: offer)?.cipherSuite.name == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
    let nothing = shown { client, _ in
      client.cipherSuites = ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"].compactMap(CipherSuite.init(name:))
    }
    #expect(nothing.conversation.failure(of: .server)?.finding.rule == .noCommonSuite)
  }
}

extension Finding {
  fileprivate var holds: Bool { outcome == .satisfied }
}

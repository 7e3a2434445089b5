#if os(Linux)
  import Cryptography
  import Explanation
  import Oracles
  import Testing

  @testable import TLS

  @Suite("Handshakes with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLTests {
    static let suites = CipherSuite.defaults.map(\.name)
    /// Whether each suite is tested with extensions. It alternates, and this server's tests use the reverse.
    private static let extended = suites.indices.map { $0.isMultiple(of: 2) }

    @Test("this client connects with s_server, in every suite", arguments: zip(suites, extended))
    func client(_ suite: String, _ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(isEC: suite.contains("ECDSA"))
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-tls1_2", "-cipher", OpenSSL.cipher(suite),
        "-key", identity.keyFile, "-cert", identity.certificateFile, "-max_send_frag", "512",
      ])
      defer { server.process.endAtOnce() }
      var configuration = Conversation(suite, group: .x25519).clientSettings
      configuration.extendedMasterSecret = withExtensions
      configuration.encryptThenMAC = withExtensions
      var pump = Pump(Connection(configuration), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil }
      #expect(pump.credentials?.certificates == [identity.certificate])
      try pump.trust(identity)
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.cipherSuite.name == suite)
      #expect(pump.connection.handshake.parameters?.hasExtendedMasterSecret == withExtensions)
      pump.perform(pump.connection.send(Array("trust\n".utf8)))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("tsurt\n".utf8))
    }

    @Test("s_client connects with this server, in every suite", arguments: zip(suites, extended.map { !$0 }))
    func server(_ suite: String, _ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(isEC: suite.contains("ECDSA"))
      var configuration = Conversation(suite, group: .secp256r1).serverSettings
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      configuration.extendedMasterSecret = withExtensions
      configuration.encryptThenMAC = withExtensions
      let listener = try Socket.listening()
      let client = try OpenSSL.start([
        "s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-cipher", OpenSSL.cipher(suite),
        "-max_send_frag", "512", "-servername", "api.example", "-quiet",
      ])
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.serverName == "api.example")
      #expect(pump.connection.handshake.parameters?.hasExtendedMasterSecret == withExtensions)
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8))
      pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
      #expect(client.text(until: "goodbye\n") == "goodbye\n")
    }

    @Test(
      "every key and signature of s_server is verified",
      arguments: [
        (.rsa, "rsa_pss_rsae_sha256"), (.rsa, "rsa_pss_rsae_sha384"), (.rsa, "rsa_pss_rsae_sha512"),
        (.rsa, "rsa_pkcs1_sha512"), (.pss, "rsa_pss_pss_sha256"), (.pss, "rsa_pss_pss_sha512"),
        (.p256, "ecdsa_secp256r1_sha256"), (.p384, "ecdsa_secp384r1_sha384"), (.p521, "ecdsa_secp521r1_sha512"),
        (.p521, "ecdsa_secp256r1_sha256"),
      ] as [(OpenSSL.Kind, String)])
    func signatures(_ kind: OpenSSL.Kind, _ name: String) throws {
      let identity = try OpenSSL.identity(kind)
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-tls1_2", "-cipher", "ALL:@SECLEVEL=0",
        "-key", identity.keyFile, "-cert", identity.certificateFile, "-alpn", "h2,http/1.1",
      ])
      defer { server.process.endAtOnce() }
      var configuration = Conversation.clientConfiguration()
      let scheme = try #require(SignatureScheme(name: name))
      // The offered schemes also decide whether the certificate's own signature is accepted.
      configuration.signatureSchemes = [scheme] + SignatureScheme.defaults.filter { $0 != scheme }
      configuration.cipherSuites = configuration.cipherSuites.filter(\.hasForwardSecrecy)
      configuration.applicationProtocols = [.http11]
      var pump = Pump(Connection(configuration), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil }
      try pump.trust(identity)
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.signatureAlgorithm?.scheme == scheme)
      #expect(pump.connection.handshake.parameters?.applicationProtocol == .http11)
    }

    @Test(
      "every group and signature that s_client requests is supported",
      arguments: [
        ("P-384", "rsa_pss_rsae_sha256"), ("P-521", "rsa_pss_rsae_sha512"), ("X25519", "rsa_pkcs1_sha384"),
        ("P-256", "rsa_pss_rsae_sha384"),
      ])
    func groups(_ group: String, _ scheme: String) throws {
      let identity = try OpenSSL.identity(.rsa)
      var configuration = Conversation.serverConfiguration()
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      configuration.applicationProtocols = [.http11]
      let listener = try Socket.listening()
      let client = try OpenSSL.start([
        "s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-cipher", "ALL:@SECLEVEL=0", "-groups", group,
        "-sigalgs", scheme, "-alpn", "h2,http/1.1", "-quiet",
      ])
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      let parameters = pump.connection.handshake.parameters
      #expect(parameters?.signatureAlgorithm?.scheme?.name == scheme)
      #expect(parameters?.group?.curve?.rawValue == group)
      #expect(parameters?.applicationProtocol == .http11)
    }

    @Test(
      "gnutls-cli connects with this server", .needs(.gnuTLS),
      arguments: ["CHACHA20-POLY1305", "AES-256-GCM", "AES-128-CBC"])
    func gnuTLS(_ cipher: String) throws {
      let identity = try OpenSSL.identity(.p256)
      var configuration = Conversation.serverConfiguration()
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      configuration.extendedMasterSecret = true
      configuration.encryptThenMAC = true
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        [
          "--insecure", "--logfile", "/dev/null", "--priority",
          "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:+\(cipher)", "-p", "\(listener.port)", "127.0.0.1",
        ], tool: "/usr/bin/gnutls-cli")
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8))
      pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
      #expect(client.text(until: "goodbye\n").hasSuffix("goodbye\n"))
    }
  }
#endif

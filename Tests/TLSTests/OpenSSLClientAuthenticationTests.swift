#if os(Linux)
  import Cryptography
  import Oracles
  import Testing

  @testable import TLS

  @Suite("Client authentication with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLClientAuthenticationTests {
    @Test("s_server accepts our client's signature", arguments: [.rsa, .p256, .p384] as [OpenSSL.Kind], [true, false])
    func client(_ kind: OpenSSL.Kind, _ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(.rsa)
      let mine = try OpenSSL.identity(kind)
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-tls1_2", "-Verify", "2",
        "-verify_return_error", "-CAfile", mine.certificateFile, "-key", identity.keyFile, "-cert",
        identity.certificateFile,
      ])
      defer { server.process.endAtOnce() }
      var configuration = Conversation.clientConfiguration()
      configuration.cipherSuites = configuration.cipherSuites.filter(\.hasForwardSecrecy)
      configuration.extendedMasterSecret = withExtensions
      configuration.identity = ClientIdentity(
        certificates: [mine.certificate], privateKey: try #require(mine.key), privateKeyName: "mine.key")
      var pump = Pump(Connection(configuration), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil }
      try pump.trust(identity)
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.hasClientCertificate == true)
      pump.perform(pump.connection.send(Array("trust\n".utf8)))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("tsurt\n".utf8))
    }

    @Test("s_server refuses this client without a certificate, with an alert")
    func without() throws {
      let identity = try OpenSSL.identity(.rsa)
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-tls1_2", "-Verify", "2", "-key",
        identity.keyFile, "-cert", identity.certificateFile,
      ])
      defer { server.process.endAtOnce() }
      var pump = Pump(
        Connection(Conversation.clientConfiguration()), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil }
      try pump.trust(identity)
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure?.alert == .handshakeFailure)
      #expect(pump.failure?.isOwn == false)
    }

    @Test("this server accepts s_client's certificate and signature", arguments: [.rsa, .pss, .p256] as [OpenSSL.Kind])
    func server(_ kind: OpenSSL.Kind) throws {
      let pump = try serve([
        "-cert", try OpenSSL.identity(kind).certificateFile, "-key", try OpenSSL.identity(kind).keyFile,
      ]) {
        $0 != nil ? try OpenSSL.identity(kind) : nil
      }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.hasClientCertificate == true)
      #expect(pump.credentials?.certificates == [try OpenSSL.identity(kind).certificate])
      #expect(pump.credentials?.host == nil)
    }

    @Test("this server refuses s_client without a certificate")
    func serverWithout() throws {
      let pump = try serve([]) { _ in nil }
      #expect(pump.failure?.finding.rule == .clientCertificateRequired)
    }

    /// Connects s_client with this server, which requires a certificate.
    private func serve(
      _ arguments: [String], _ identity: (PeerCredentials?) throws -> OpenSSL.Identity?
    ) throws -> Pump {
      let own = try OpenSSL.identity(.rsa)
      var configuration = Conversation.serverConfiguration()
      configuration.privateKey = try #require(own.key)
      configuration.certificates = [own.certificate]
      configuration.clientAuthentication = .required
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-quiet"] + arguments)
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.credentials != nil || $0.failure != nil }
      guard let identity = try identity(pump.credentials) else { return pump }
      try pump.trust(identity)
      pump.run { $0.connection.handshake.parameters != nil }
      return pump
    }
  }
#endif

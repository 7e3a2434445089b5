#if os(Linux)
  import Cryptography
  import Explanation
  import Testing

  @testable import TLS

  @Suite("Handshakes with OpenSSL", .serialized, .enabled(if: OpenSSL.isThere, "openssl is not installed"))
  struct OpenSSLTests {
    static let suites = [
      "TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA256",
      "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384",
      "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    ]

    /// A connection on a real socket.
    struct Pump<Machine: HandshakeMachine> {
      var connection: Connection<Machine>
      let socket: Socket
      var failure: HandshakeFailure?
      var credentials: PeerCredentials?
      var data: [UInt8] = []

      init(_ connection: Connection<Machine>, _ socket: Socket) {
        self.connection = connection
        self.socket = socket
      }

      mutating func perform(_ effects: [ConnectionEffect]) {
        for effect in effects {
          switch effect {
          case .send(let message): socket.write(message.bytes)
          case .evaluateCertificate(let found): credentials = found
          case .applicationData(let bytes): data += bytes
          case .failed(let found): failure = found
          default: break
          }
        }
      }

      mutating func run(until isDone: (Self) -> Bool) {
        while !isDone(self), !connection.isOver {
          let bytes = socket.read()
          if bytes.isEmpty { return }
          perform(connection.receive(bytes))
        }
      }
    }

    @Test("our client speaks with s_server", arguments: suites, [true, false])
    func client(_ suite: String, _ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(isEC: suite.contains("ECDSA"))
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev", "-tls1_2", "-cipher", OpenSSL.cipher(suite),
        "-key", identity.keyFile, "-cert", identity.certificateFile,
      ])
      defer { server.process.terminate() }
      var configuration = Conversation(suite, group: .x25519).client.handshake.configuration
      configuration.extendedMasterSecret = withExtensions
      configuration.encryptThenMAC = withExtensions
      var pump = Pump(ClientConnection(configuration), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil }
      #expect(pump.credentials?.certificates == [identity.certificate])
      pump.perform(pump.connection.certificateEvaluated(.accepted(identity.key.publicKey)))
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.cipherSuite.name == suite)
      #expect(pump.connection.handshake.parameters?.hasExtendedMasterSecret == withExtensions)
      pump.perform(pump.connection.send(Array("trust\n".utf8)))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("tsurt\n".utf8))
    }

    @Test("s_client speaks with our server", arguments: suites, [true, false])
    func server(_ suite: String, _ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(isEC: suite.contains("ECDSA"))
      var configuration = Conversation(suite, group: .secp256r1).server.handshake.configuration
      configuration.privateKey = identity.key
      configuration.certificates = [identity.certificate]
      configuration.extendedMasterSecret = withExtensions
      configuration.encryptThenMAC = withExtensions
      let listener = try Socket.listening()
      let client = try OpenSSL.start([
        "s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-cipher", OpenSSL.cipher(suite),
        "-servername", "api.example", "-quiet",
      ])
      defer { client.process.terminate() }
      var pump = Pump(ServerConnection(configuration), try listener.accepted())
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
  }
#endif

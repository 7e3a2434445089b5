#if os(Linux)
  import Cryptography
  import Foundation
  import Oracles
  import Testing

  @testable import TLS

  @Suite(
    "Sessions and renegotiation with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLSessionTests {
    @Test("s_server lets this client resume a session", arguments: [true, false])
    func client(_ withExtensions: Bool) throws {
      let identity = try OpenSSL.identity(.rsa)
      let server = try OpenSSL.start([
        "s_server", "-accept", "127.0.0.1:0", "-naccept", "2", "-rev", "-tls1_2", "-no_ticket", "-key",
        identity.keyFile, "-cert", identity.certificateFile,
      ])
      defer { server.process.endAtOnce() }
      let port = try server.port()
      var configuration = Conversation.clientConfiguration()
      configuration.extendedMasterSecret = withExtensions
      for isResumed in [false, true] {
        var pump = Pump(Connection(configuration), try Socket(connectingTo: port))
        pump.perform(pump.connection.start())
        pump.run { $0.credentials != nil || $0.connection.handshake.parameters != nil }
        if pump.credentials != nil { try pump.trust(identity) }
        pump.run { $0.connection.handshake.parameters != nil }
        #expect(pump.failure == nil)
        #expect(pump.connection.handshake.parameters?.isResumed == isResumed)
        pump.perform(pump.connection.send(Array("trust\n".utf8)))
        pump.run { $0.data.count >= 6 }
        #expect(pump.data == Array("tsurt\n".utf8))
        pump.perform(pump.connection.close())
        if !isResumed { configuration.session = pump.session }
      }
    }

    @Test("this server lets s_client resume a session", arguments: [true, false])
    func server(_ withExtensions: Bool) throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("session-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      var configuration = try serverConfiguration()
      configuration.sessions = SessionCache()
      configuration.extendedMasterSecret = withExtensions
      for isResumed in [false, true] {
        let listener = try Socket.listening()
        let client = try OpenSSL.start([
          "s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-no_ticket", "-quiet",
          isResumed ? "-sess_in" : "-sess_out", file,
        ])
        defer { client.process.endAtOnce() }
        var pump = Pump(Connection(configuration), try listener.accepted())
        pump.run { $0.connection.handshake.parameters != nil }
        #expect(pump.failure == nil)
        #expect(pump.connection.handshake.parameters?.isResumed == isResumed)
        pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
        #expect(client.text(until: "goodbye\n") == "goodbye\n")
        pump.perform(pump.connection.close())
        client.process.waitUntilExit()
        if let session = pump.session { configuration.sessions?.store(session) }
      }
    }

    @Test("this server declines s_client's renegotiation")
    func renegotiation() throws {
      let listener = try Socket.listening()
      let client = try OpenSSL.start(["s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2"])
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(try serverConfiguration()), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      try client.input.fileHandleForWriting.write(contentsOf: Array("R\n".utf8))
      pump.run { pump in pump.findings.contains { $0.rule == .renegotiation } }
      #expect(pump.findings.filter { $0.outcome == .violated }.map(\.rule) == [.renegotiation])
    }

    private func serverConfiguration() throws -> ServerConfiguration {
      let identity = try OpenSSL.identity(.rsa)
      var configuration = Conversation.serverConfiguration()
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      return configuration
    }
  }
#endif

#if os(Linux)
  import Cryptography
  import Foundation
  import Oracles
  import Testing

  @testable import TLS

  /// Handshakes with the extensions of RFC 5077, 5746, 6066 and 7301, with OpenSSL and GnuTLS.
  @Suite("Extensions with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLExtensionTests {
    /// OCSPResponse ::= SEQUENCE { responseStatus unauthorized (6) }: RFC 6960 section 4.2.1.
    private static let unauthorized: [UInt8] = [0x30, 3, 0x0a, 1, 6]

    private func serverConfiguration(_ kind: OpenSSL.Kind = .rsa) throws -> ServerConfiguration {
      let identity = try OpenSSL.identity(kind)
      var configuration = Conversation.serverConfiguration()
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      return configuration
    }

    /// This server after its handshake with `s_client`, which gets these arguments.
    private func serving(
      _ configuration: ServerConfiguration, _ arguments: String...
    ) throws -> (pump: Pump, client: OpenSSL) {
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2"] + arguments)
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      return (pump, client)
    }

    /// This client after its handshake with `s_server`, which gets these arguments.
    private func asking(_ configuration: ClientConfiguration, _ server: OpenSSL, _ port: UInt16) throws -> Pump {
      var pump = Pump(Connection(configuration), try Socket(connectingTo: port))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil || $0.connection.handshake.parameters != nil }
      if pump.credentials != nil { try pump.trust(try OpenSSL.identity(.rsa)) }
      pump.run { $0.connection.handshake.parameters != nil }
      return pump
    }

    private func server(_ arguments: String...) throws -> OpenSSL {
      let identity = try OpenSSL.identity(.rsa)
      return try OpenSSL.start(
        ["s_server", "-accept", "127.0.0.1:0", "-tls1_2", "-key", identity.keyFile, "-cert", identity.certificateFile]
          + arguments)
    }

    @Test("s_client keeps a ticket of this server and resumes with it")
    func tickets() throws {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("ticket-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      var configuration = try serverConfiguration()
      var random = DeterministicRandom(seed: .number(3), label: "tickets")
      configuration.ticketKeys = [
        try #require(SessionTicketKey("session_ticket_key", random.bytes(SessionTicketKey.count)))
      ]
      for isResumed in [false, true] {
        var (pump, client) = try serving(configuration, "-quiet", isResumed ? "-sess_in" : "-sess_out", file)
        defer { client.process.endAtOnce() }
        #expect(pump.failure == nil)
        #expect(pump.connection.handshake.parameters?.isResumed == isResumed)
        pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
        #expect(client.text(until: "goodbye\n") == "goodbye\n")
        pump.perform(pump.connection.close())
        client.process.waitUntilExit()
      }
    }

    @Test("this client keeps a ticket of s_server and resumes with it", arguments: [true, false])
    func clientTickets(_ isExtended: Bool) throws {
      let server = try server("-naccept", "2", "-rev")
      defer { server.process.endAtOnce() }
      let port = try server.port()
      var configuration = Conversation.clientConfiguration()
      configuration.offersTickets = true
      configuration.extendedMasterSecret = isExtended
      for isResumed in [false, true] {
        var pump = try asking(configuration, server, port)
        #expect(pump.failure == nil)
        #expect(pump.connection.handshake.parameters?.isResumed == isResumed)
        pump.perform(pump.connection.send(Array("trust\n".utf8)))
        pump.run { $0.data.count >= 6 }
        #expect(pump.data == Array("tsurt\n".utf8))
        pump.perform(pump.connection.close())
        if case .tls12(let session)? = pump.session { #expect(session.ticket?.isEmpty == false) }
        if !isResumed { configuration.session = pump.session }
      }
    }

    @Test("s_client renegotiates with this server several times")
    func renegotiation() throws {
      var configuration = try serverConfiguration()
      configuration.renegotiation = .secure
      var (pump, client) = try serving(configuration)
      defer { client.process.endAtOnce() }
      for round in 2...3 {
        try client.input.fileHandleForWriting.write(contentsOf: Array("R\n".utf8))
        pump.run { $0.connectedCount == round }
        #expect(pump.failure == nil && pump.connectedCount == round)
      }
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8))
      #expect(pump.findings.allSatisfy { $0.outcome == .satisfied })
    }

    @Test("this client renegotiates with s_server, on either side's initiative", arguments: [true, false])
    func clientRenegotiation(_ isOurs: Bool) throws {
      let server = try server("-client_renegotiation", "-naccept", "1")
      defer { server.process.endAtOnce() }
      var configuration = Conversation.clientConfiguration()
      configuration.renegotiation = .secure
      var pump = try asking(configuration, server, try server.port())
      pump.credentials = nil
      if isOurs {
        pump.perform(pump.connection.renegotiate())
      } else {
        try server.input.fileHandleForWriting.write(contentsOf: Array("r\n".utf8))
      }
      pump.run { $0.credentials != nil }
      try pump.trust(try OpenSSL.identity(.rsa))
      pump.run { $0.connectedCount == 2 }
      #expect(pump.failure == nil && pump.connectedCount == 2)
      try server.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8))
    }

    @Test(
      "s_client gets the certificate that matches its server name and algorithms",
      arguments: [
        (["-servername", "ec.example"], "ecdsa_secp256r1_sha256"),
        (["-servername", "api.example", "-sigalgs", "RSA+SHA256"], "rsa_pkcs1_sha256"),
        (["-servername", "api.example", "-sigalgs", "ECDSA+SHA256"], "ecdsa_secp256r1_sha256"),
        (["-noservername", "-sigalgs", "RSA+SHA256:ECDSA+SHA256"], "rsa_pkcs1_sha256"),
      ])
    func certificates(_ arguments: [String], _ scheme: String) throws {
      var configuration = try serverConfiguration()
      let ec = try OpenSSL.identity(.p256)
      configuration.credentials.names = ["api.example"]
      configuration.otherCredentials = try ["api.example", "ec.example"].map { name in
        ServerCredentials(
          certificates: [ec.certificate], privateKey: try #require(ec.key), privateKeyName: "ec.key", names: [name])
      }
      configuration.cipherSuites = [
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
      ].compactMap(CipherSuite.init(name:))
      configuration.groups = [.secp256r1]
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-quiet"] + arguments)
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      #expect(pump.connection.handshake.parameters?.signatureAlgorithm?.scheme?.name == scheme)
    }

    @Test("s_client gets unrecognized_name for an unknown server name", arguments: UnrecognizedName.allCases)
    func unknownName(_ way: UnrecognizedName) throws {
      var configuration = try serverConfiguration()
      configuration.credentials.names = ["api.example"]
      configuration.unrecognizedName = way
      let (pump, client) = try serving(configuration, "-quiet", "-servername", "other.example")
      defer { client.process.endAtOnce() }
      #expect(pump.failure?.alert == (way == .fatal ? .unrecognizedName : nil))
      #expect((pump.connection.handshake.parameters != nil) == (way != .fatal))
    }

    @Test("without a common protocol, either server sends no_application_protocol")
    func applicationProtocols() throws {
      var configuration = try serverConfiguration()
      configuration.applicationProtocols = [.http2]
      let (refused, client) = try serving(configuration, "-quiet", "-alpn", "http/1.1")
      defer { client.process.endAtOnce() }
      #expect(refused.failure?.alert == .noApplicationProtocol)
      let (agreed, other) = try serving(configuration, "-quiet", "-alpn", "http/1.1,h2")
      defer { other.process.endAtOnce() }
      #expect(agreed.connection.handshake.parameters?.applicationProtocol == .http2)
      let server = try server("-alpn", "h2", "-naccept", "1")
      defer { server.process.endAtOnce() }
      var asked = Conversation.clientConfiguration()
      asked.applicationProtocols = [.http11]
      let pump = try asking(asked, server, try server.port())
      #expect(pump.failure?.alert == .noApplicationProtocol && pump.failure?.isOwn == false)
    }

    @Test("fragments are no longer than either side requested", arguments: MaximumFragmentLength.allCases)
    func fragments(_ length: MaximumFragmentLength) throws {
      let content = [UInt8](repeating: 0x61, count: 5000) + [10]
      var (pump, client) = try serving(try serverConfiguration(), "-quiet", "-maxfraglen", "\(length.count)")
      defer { client.process.endAtOnce() }
      #expect(pump.failure == nil)
      let sent = pump.connection.send(content)
      let sizes = sent.compactMap { effect -> Int? in
        if case .send(let message) = effect { message.plaintext.count } else { nil }
      }
      #expect(sizes.max() == length.count && sizes.reduce(0, +) == content.count)
      pump.perform(sent)
      #expect(client.text(until: "a\n").utf8.count == content.count)
      let server = try server("-rev", "-naccept", "1")
      defer { server.process.endAtOnce() }
      var asked = Conversation.clientConfiguration()
      asked.maximumFragmentLength = length
      var asking = try asking(asked, server, try server.port())
      asking.perform(asking.connection.send(content))
      asking.run { $0.data.count >= content.count }
      #expect(asking.failure == nil && asking.data == content)
    }

    @Test("a requested OCSP response is sent with the certificate", arguments: [true, false])
    func status(_ isAsked: Bool) throws {
      var configuration = try serverConfiguration()
      configuration.credentials.ocspResponse = Self.unauthorized
      let (pump, client) = try isAsked ? serving(configuration, "-status") : serving(configuration)
      defer { client.process.endAtOnce() }
      #expect(pump.failure == nil)
      if isAsked { #expect(client.text(until: "unauthorized").contains("OCSP Response Status: unauthorized (0x6)")) }
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("ocsp-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      try Data(Self.unauthorized).write(to: URL(fileURLWithPath: file))
      let server = try server("-status_file", file, "-naccept", "1")
      defer { server.process.endAtOnce() }
      var asked = Conversation.clientConfiguration()
      asked.asksForStatus = isAsked
      let asking = try asking(asked, server, try server.port())
      #expect(asking.failure == nil && asking.connection.handshake.parameters != nil)
      #expect(asking.credentials?.ocspResponse == (isAsked ? Self.unauthorized : nil))
    }

    @Test("a server that announces a status but sends none is accepted")
    func noStatus() throws {
      // s_server announces a status only if it has one, so this server omits its own after announcing it.
      var settings = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").clientSettings
      settings.asksForStatus = true
      let suites: [CipherSuite] = settings.cipherSuites
      #expect(suites.count == 1)
      var server = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").serverSettings
      server.credentials.ocspResponse = Self.unauthorized
      var client = Handshake(settings)
      let told = Conversation(settings, server).ran()
      #expect(told.isConnected && told.sent(by: .server).map(\.name.description).contains("CertificateStatus"))
      for effect in client.handle(.start) {
        if case .send(let message) = effect { #expect(message.type == .clientHello) }
      }
      for message in told.sent(by: .server) {
        guard case .handshake(let handshake) = message.content, handshake.type != .certificateStatus else { continue }
        #expect(client.handle(.received(handshake)).failure == nil)
        if client.status.awaitsEvaluation {
          #expect(handshake.type == .serverKeyExchange)
          #expect(client.handle(.certificateEvaluated(told.answer)).failure == nil)
        }
        if handshake.type == .serverHelloDone { return }
      }
    }

    @Test(
      "gnutls-cli resumes with a ticket, and renegotiates", .needs(.gnuTLS),
      arguments: ["--resume", "--rehandshake"])
    func gnuTLS(_ option: String) throws {
      var configuration = try serverConfiguration()
      configuration.renegotiation = .secure
      configuration.extendedMasterSecret = true
      var random = DeterministicRandom(seed: .number(3), label: "tickets")
      configuration.ticketKeys = [
        try #require(SessionTicketKey("session_ticket_key", random.bytes(SessionTicketKey.count)))
      ]
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        [
          "--insecure", option, "--logfile", "/dev/null", "--priority", "NORMAL:-VERS-ALL:+VERS-TLS1.2", "-p",
          "\(listener.port)", "127.0.0.1",
        ], tool: "/usr/bin/gnutls-cli")
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      #expect(pump.failure == nil)
      if option == "--rehandshake" {
        pump.run { $0.connectedCount == 2 }
        #expect(pump.failure == nil && pump.connectedCount == 2)
      } else {
        pump.run { $0.connection.isOver }
        var next = Pump(Connection(configuration), try listener.accepted())
        next.run { $0.connection.handshake.parameters != nil }
        #expect(next.connection.handshake.parameters?.isResumed == true)
      }
    }
  }
#endif

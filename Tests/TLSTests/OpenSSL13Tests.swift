#if os(Linux)
  import Cryptography
  import Explanation
  import Foundation
  import Oracles
  import Testing

  @testable import TLS

  /// A handshake of TLS 1.3 between these endpoints and OpenSSL's, with data in both directions.
  struct OpenSSL13Meeting: Sendable, CustomStringConvertible {
    var suite = CipherSuite.aes128GCMSHA256
    var group = NamedGroup.x25519
    var key = OpenSSL.Kind.p256
    /// Whether the client has no share for the group, so that the server sends a HelloRetryRequest.
    var retries = false

    var description: String { "\(suite), \(group), \(key)\(retries ? ", with HelloRetryRequest" : "")" }

    /// The client's groups. Its first one has the share.
    private var offered: [NamedGroup] {
      retries ? [group == .x25519 ? .secp256r1 : .x25519, group] : [group]
    }

    static func names(_ groups: [NamedGroup]) -> String {
      let names: [NamedGroup: String] = [
        .x25519: "X25519", .secp256r1: "P-256", .secp384r1: "P-384", .secp521r1: "P-521",
      ]
      return groups.compactMap { names[$0] }.joined(separator: ":")
    }

    private func options(_ groups: [NamedGroup]) -> [String] {
      ["-tls1_3", "-ciphersuites", "\(suite)", "-groups", Self.names(groups)]
    }

    var client: ClientConfiguration {
      var client = Handshake13Tests.conversation(suite, group: group).clientSettings
      client.groups = offered
      return client
    }

    var server: ServerConfiguration {
      get throws {
        var server = Handshake13Tests.conversation(suite, group: group).serverSettings
        let identity = try OpenSSL.identity(key)
        server.privateKey = try #require(identity.key)
        server.certificates = [identity.certificate]
        return server
      }
    }

    func startServer(_ more: [String]) throws -> OpenSSL {
      let identity = try OpenSSL.identity(key)
      return try OpenSSL.start(
        ["s_server", "-accept", "127.0.0.1:0", "-key", identity.keyFile, "-cert", identity.certificateFile]
          + options([group]) + more)
    }

    func startClient(_ port: UInt16, _ more: [String]) throws -> OpenSSL {
      try OpenSSL.start(
        ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", "api.example"] + options(offered) + more)
    }

    /// This client after its handshake with the server on `port`.
    func connected(_ client: ClientConfiguration, _ port: UInt16) throws -> Pump {
      var pump = Pump(Connection(client), try Socket(connectingTo: port))
      pump.perform(pump.connection.start())
      pump.run { $0.credentials != nil || $0.connection.isConnected }
      if let credentials = pump.credentials {
        let identity = try OpenSSL.identity(key)
        #expect(credentials.certificates == [identity.certificate], "\(self)")
        try pump.trust(identity)
      }
      pump.run { $0.connection.isConnected }
      return pump
    }

    /// Connects this client with `s_server`.
    func playClient() throws {
      let server = try startServer(["-naccept", "1", "-rev"])
      defer { server.process.endAtOnce() }
      var pump = try connected(client, try server.port())
      check(pump)
      try Self.expectReversal(&pump)
    }

    /// Sends a line that `s_server -rev` reverses.
    static func expectReversal(_ pump: inout Pump) throws {
      pump.data = []
      pump.perform(pump.connection.send(Array("forward secrecy\n".utf8)))
      pump.run { $0.data.count >= 16 }
      #expect(pump.data == Array("ycerces drawrof\n".utf8))
    }

    /// Connects `s_client` with this server.
    func playServer() throws {
      let listener = try Socket.listening()
      let client = try startClient(listener.port, ["-quiet"])
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(try server), try listener.accepted())
      pump.run { $0.connection.isConnected }
      check(pump)
      try Self.expectTalk(&pump, client)
    }

    /// Receives a line from `s_client`, and sends one.
    static func expectTalk(_ pump: inout Pump, _ client: OpenSSL) throws {
      pump.data = []
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8))
      pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
      #expect(client.text(until: "goodbye\n").hasSuffix("goodbye\n"))
    }

    private func check(_ pump: Pump) {
      let parameters = pump.connection.handshake.parameters
      #expect(pump.failure == nil, "\(self)")
      #expect(parameters?.version == .tls13 && parameters?.cipherSuite == suite, "\(self)")
      #expect(parameters?.group == group, "\(self)")
      let retried = pump.received.contains { $0 == .handshake(.helloRetryRequest) }
      if pump.connection.handshake.side == .client { #expect(retried == retries, "\(self)") }
    }

    static let groups: [NamedGroup] = [.x25519, .secp256r1, .secp384r1, .secp521r1]
    /// OpenSSL's keys that this server can use. Private keys that are for RSASSA-PSS only cannot be read here.
    static let serverKeys = OpenSSL.Kind.allCases.filter { $0 != .pss }

    /// Each suite, group and kind of key once, and each group with a HelloRetryRequest.
    static func few(_ keys: [OpenSSL.Kind]) -> [Self] {
      CipherSuite.implemented13.map { Self(suite: $0) } + groups.map { Self(group: $0, retries: true) }
        + keys.map { Self(group: .secp256r1, key: $0) }
    }

    /// Each combination of suite, group, kind of key and HelloRetryRequest.
    static func all(_ keys: [OpenSSL.Kind]) -> [Self] {
      CipherSuite.implemented13.flatMap { suite in
        groups.flatMap { group in
          keys.flatMap { key in
            [false, true].map { Self(suite: suite, group: group, key: key, retries: $0) }
          }
        }
      }
    }
  }

  @Suite("Every suite, group and key of TLS 1.3 with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSL13Sweep {
    @Test("this client connects with s_server", arguments: OpenSSL13Meeting.all(OpenSSL.Kind.allCases))
    func client(_ meeting: OpenSSL13Meeting) throws { try meeting.playClient() }

    @Test("s_client connects with this server", arguments: OpenSSL13Meeting.all(OpenSSL13Meeting.serverKeys))
    func server(_ meeting: OpenSSL13Meeting) throws { try meeting.playServer() }
  }

  @Suite("TLS 1.3 with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSL13Tests {
    private let meeting = OpenSSL13Meeting()

    @Test("this client connects with s_server", arguments: OpenSSL13Meeting.few(OpenSSL.Kind.allCases))
    func client(_ meeting: OpenSSL13Meeting) throws { try meeting.playClient() }

    @Test("s_client connects with this server", arguments: OpenSSL13Meeting.few(OpenSSL13Meeting.serverKeys))
    func server(_ meeting: OpenSSL13Meeting) throws { try meeting.playServer() }

    @Test("this client resumes a session of s_server", arguments: [CipherSuite.aes128GCMSHA256, .aes256GCMSHA384])
    func clientResumption(_ suite: CipherSuite) throws {
      let meeting = OpenSSL13Meeting(suite: suite)
      let server = try meeting.startServer(["-naccept", "2", "-rev"])
      defer { server.process.endAtOnce() }
      let port = try server.port()
      var client = meeting.client
      for isResumed in [false, true] {
        var pump = try meeting.connected(client, port)
        #expect(pump.failure == nil && pump.connection.handshake.parameters?.isResumed == isResumed)
        #expect((pump.credentials == nil) == isResumed)
        try OpenSSL13Meeting.expectReversal(&pump)
        pump.perform(pump.connection.close())
        #expect(pump.session != nil)
        client.session = pump.session
      }
    }

    /// A server with ticket keys and early data, whose sessions later connections know.
    private func resumable() throws -> ServerConfiguration {
      var server = try meeting.server
      var random = DeterministicRandom(seed: .number(3), label: "tickets")
      server.ticketKeys = [try #require(SessionTicketKey("session_ticket_key", random.bytes(SessionTicketKey.count)))]
      server.earlyData = EarlyDataPolicy()
      server.sessions = SessionCache()
      return server
    }

    @Test("s_client resumes with a ticket of this server and sends early data, which is accepted once")
    func serverResumption() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("early-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (session, early) = (folder.appendingPathComponent("session"), folder.appendingPathComponent("early"))
      try Data("early\n".utf8).write(to: early)
      var configuration = try resumable()
      let rounds = [
        ["-sess_out", session.path], ["-sess_in", session.path, "-early_data", early.path],
        ["-sess_in", session.path, "-early_data", early.path],
      ]
      for (round, options) in rounds.enumerated() {
        let listener = try Socket.listening()
        let client = try meeting.startClient(listener.port, ["-quiet"] + options)
        defer { client.process.endAtOnce() }
        var pump = Pump(Connection(configuration), try listener.accepted())
        pump.run { $0.connection.isConnected && ($0.connectedCount > 0) }
        #expect(pump.failure == nil && pump.connection.handshake.parameters?.isResumed == (round > 0), "\(round)")
        // A ticket that was shown before opens the session, but carries no data (RFC 8446 section 8.1).
        #expect(pump.data == Array(round == 1 ? "early\n".utf8 : "".utf8), "\(round)")
        for ticket in pump.spent { configuration.sessions?.spend(ticket) }
        try OpenSSL13Meeting.expectTalk(&pump, client)
        pump.perform(pump.connection.close())
        client.process.waitUntilExit()
      }
    }

    @Test("s_server accepts this client's early data")
    func clientEarlyData() throws {
      let server = try meeting.startServer(["-early_data", "-max_early_data", "1024", "-no_anti_replay"])
      defer { server.process.endAtOnce() }
      let port = try server.port()
      var client = meeting.client
      var first = try meeting.connected(client, port)
      first.run { $0.session != nil }
      first.perform(first.connection.close())
      client.session = first.session
      client.earlyData = Array("early\n".utf8)
      var second = try meeting.connected(client, port)
      #expect(second.failure == nil && second.connection.handshake.parameters?.isResumed == true)
      #expect(second.earlyDataIsAccepted == true)
      second.perform(second.connection.send(Array("late\n".utf8)))
      let text = server.text(until: "late\n")
      #expect(text.contains("early\n"), "\(text)")
    }

    @Test(
      "s_server accepts this client's certificate, in the handshake and after it",
      arguments: [.rsa, .p256, .p384, .p521, .ed25519] as [OpenSSL.Kind], [false, true])
    func clientCertificate(_ kind: OpenSSL.Kind, _ isLater: Bool) throws {
      let mine = try OpenSSL.identity(kind)
      let server = try meeting.startServer(
        ["-naccept", "1", "-verify_return_error", "-CAfile", mine.certificateFile]
          + (isLater ? ["-verify", "2"] : ["-Verify", "2", "-rev"]))
      defer { server.process.endAtOnce() }
      var client = meeting.client
      client.authenticatesLater = isLater
      client.identity = ClientIdentity(
        certificates: [mine.certificate], privateKey: try #require(mine.key), privateKeyName: "mine.key")
      var pump = try meeting.connected(client, try server.port())
      #expect(pump.failure == nil)
      guard isLater else { return try OpenSSL13Meeting.expectReversal(&pump) }
      pump.perform(pump.connection.send(Array("before\n".utf8)))
      _ = server.text(until: "before\n")
      try server.input.fileHandleForWriting.write(contentsOf: Array("c\n".utf8))
      pump.run { $0.received.contains(.handshake(.certificateRequest)) }
      pump.perform(pump.connection.send(Array("after\n".utf8)))
      let text = server.text(until: "after\n")
      #expect(text.contains("after\n") && pump.failure == nil, "\(text)")
      #expect(pump.connection.handshake.parameters?.hasClientCertificate == true)
    }

    @Test(
      "this server accepts s_client's certificate, in the handshake and after it",
      arguments: OpenSSL.Kind.allCases, [false, true])
    func serverAuthentication(_ kind: OpenSSL.Kind, _ isLater: Bool) throws {
      let theirs = try OpenSSL.identity(kind)
      var configuration = try meeting.server
      configuration.clientAuthentication = isLater ? .none : .required
      if isLater { configuration.renegotiatedClientAuthentication = .required }
      let listener = try Socket.listening()
      let client = try meeting.startClient(
        listener.port,
        ["-quiet", "-enable_pha", "-cert", theirs.certificateFile, "-key", theirs.keyFile])
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      if isLater {
        pump.run { $0.connection.isConnected }
        pump.perform(pump.connection.renegotiate())
      }
      pump.run { $0.credentials != nil }
      #expect(pump.credentials?.certificates == [theirs.certificate])
      try pump.trust(theirs)
      pump.run { $0.connection.handshake.parameters?.hasClientCertificate == true }
      #expect(pump.failure == nil && pump.connection.handshake.parameters?.hasClientCertificate == true)
      try OpenSSL13Meeting.expectTalk(&pump, client)
    }

    @Test("a client without a certificate completes its handshake, and is then refused")
    func withoutCertificate() throws {
      let server = try meeting.startServer(["-naccept", "1", "-rev", "-Verify", "2", "-verify_return_error"])
      defer { server.process.endAtOnce() }
      var pump = try meeting.connected(meeting.client, try server.port())
      #expect(pump.connectedCount == 1)
      pump.run { $0.failure != nil }
      #expect(pump.failure?.alert == .certificateRequired && pump.failure?.isOwn == false)
    }

    @Test("both sides update their keys", arguments: [false, true])
    func keyUpdate(_ requestsPeer: Bool) throws {
      let server = try meeting.startServer(["-naccept", "1", "-rev"])
      defer { server.process.endAtOnce() }
      var client = try meeting.connected(meeting.client, try server.port())
      for _ in 0..<3 {
        client.perform(client.connection.updateKeys(requestsPeer: requestsPeer))
        try OpenSSL13Meeting.expectReversal(&client)
      }
      #expect(client.received.filter { $0 == .handshake(.keyUpdate) }.count == (requestsPeer ? 3 : 0))
      let listener = try Socket.listening()
      let peer = try meeting.startClient(listener.port, [])
      defer { peer.process.endAtOnce() }
      var pump = Pump(Connection(try meeting.server), try listener.accepted())
      pump.run { $0.connection.isConnected }
      for _ in 0..<3 {
        pump.perform(pump.connection.updateKeys(requestsPeer: requestsPeer))
        try OpenSSL13Meeting.expectTalk(&pump, peer)
      }
      try peer.input.fileHandleForWriting.write(contentsOf: Array((requestsPeer ? "K\n" : "k\n").utf8))
      let count = pump.received.filter { $0 == .handshake(.keyUpdate) }.count
      pump.run { $0.received.filter { $0 == .handshake(.keyUpdate) }.count > count }
      try OpenSSL13Meeting.expectTalk(&pump, peer)
      #expect(pump.failure == nil)
    }

    @Test("an external pre-shared key replaces the certificate")
    func externalKey() throws {
      let options = ["-psk", "000102030405060708090a0b0c0d0e0f", "-psk_identity", "client"]
      let psk = ExternalPSK(identity: Array("client".utf8), key: Array(0..<16))
      let server = try meeting.startServer(["-naccept", "1", "-rev"] + options)
      defer { server.process.endAtOnce() }
      var client = meeting.client
      client.externalPSK = psk
      var pump = try meeting.connected(client, try server.port())
      #expect(pump.failure == nil && pump.credentials == nil)
      try OpenSSL13Meeting.expectReversal(&pump)
      var configuration = try meeting.server
      configuration.externalPSKs = [psk]
      let listener = try Socket.listening()
      let peer = try meeting.startClient(listener.port, ["-quiet"] + options)
      defer { peer.process.endAtOnce() }
      var serving = Pump(Connection(configuration), try listener.accepted())
      serving.run { $0.connection.isConnected }
      #expect(serving.failure == nil && !serving.sent.contains(.handshake(.certificate)))
      try OpenSSL13Meeting.expectTalk(&serving, peer)
    }
  }
#endif

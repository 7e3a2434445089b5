#if os(Linux)
  import Cryptography
  import Explanation
  import Foundation
  import Oracles
  import Testing

  @testable import TLS

  /// A handshake between these endpoints and GnuTLS, with data in both directions.
  ///
  /// GnuTLS has RC4 and 3DES, which Debian's OpenSSL has not.
  struct GnuTLSMeeting: Sendable, CustomStringConvertible {
    let run: Conversation.Run
    var isExtended = true

    var description: String { "\(run)\(isExtended ? ", extended" : "")" }

    /// The priority string for a suite name of the form `TLS_KX_WITH_CIPHER_MAC`.
    private var priority: String? {
      let exchanges = [
        "RSA": "RSA", "DHE_RSA": "DHE-RSA", "ECDHE_RSA": "ECDHE-RSA", "ECDHE_ECDSA": "ECDHE-ECDSA",
        "DH_anon": "ANON-DH",
      ]
      let ciphers = [
        CipherSuite.BulkCipher.rc4128: "ARCFOUR-128", .tripleDESCBC: "3DES-CBC", .aes128CBC: "AES-128-CBC",
        .aes256CBC: "AES-256-CBC", .aes128GCM: "AES-128-GCM", .aes256GCM: "AES-256-GCM",
        .chacha20Poly1305: "CHACHA20-POLY1305", .null: "NULL",
      ]
      let codes = [
        CipherSuite.MAC.md5: "MD5", .sha1: "SHA1", .sha256: "SHA256", .sha384: "SHA384", .aead: "AEAD",
      ]
      guard let row = CipherSuite(name: run.suite)?.registration, let exchange = exchanges[row.keyExchange.rawValue],
        let cipher = ciphers[row.cipher], let code = codes[row.mac]
      else { return nil }
      let version = run.version.description.replacing("TLSv", with: "TLS")
      return "NONE:+VERS-\(version):+\(cipher):+\(code):+\(exchange):+COMP-NULL:+SIGN-ALL:+GROUP-ALL"
        + (isExtended ? "" : ":%NO_ETM:%NO_SESSION_HASH")
    }

    private var kind: OpenSSL.Kind { run.suite.contains("ECDSA") ? .p256 : .rsa }
    private var isAnonymous: Bool { run.suite.contains("anon") }

    /// Connects this client with `gnutls-serv`.
    func playClient() throws {
      let identity = try OpenSSL.identity(kind)
      let port = try Socket.listening().port
      let server = try OpenSSL.start(
        [
          "--echo", "--port", "\(port)", "--priority", try #require(priority), "--disable-client-cert",
          "--x509keyfile", identity.keyFile, "--x509certfile", identity.certificateFile,
        ], tool: "/usr/bin/gnutls-serv")
      defer { server.process.endAtOnce() }
      var configuration = Conversation(run).clientSettings
      (configuration.extendedMasterSecret, configuration.encryptThenMAC) = (isExtended, isExtended)
      var pump = Pump(Connection(configuration), try Self.socket(to: port))
      pump.perform(pump.connection.start())
      if !isAnonymous {
        pump.run { $0.credentials != nil }
        if pump.credentials != nil { try pump.trust(identity) }
      }
      pump.run { $0.connection.handshake.parameters != nil }
      check(pump)
      pump.perform(pump.connection.send(Array("hello\n".utf8)))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8), "\(self)")
    }

    /// Connects `gnutls-cli` with this server.
    func playServer() throws {
      let identity = try OpenSSL.identity(kind)
      var configuration = Conversation(run).serverSettings
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      (configuration.extendedMasterSecret, configuration.encryptThenMAC) = (isExtended, isExtended)
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        [
          "--insecure", "--logfile", "/dev/null", "--priority", try #require(priority), "-p", "\(listener.port)",
          "127.0.0.1",
        ], tool: "/usr/bin/gnutls-cli")
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      check(pump)
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8), "\(self)")
      pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
      #expect(client.text(until: "goodbye\n").hasSuffix("goodbye\n"), "\(self)")
    }

    private func check(_ pump: Pump) {
      let parameters = pump.connection.handshake.parameters
      #expect(pump.failure == nil, "\(self)")
      #expect(parameters?.cipherSuite.name == run.suite, "\(self)")
      #expect(parameters?.version == run.version, "\(self)")
      #expect(parameters?.hasExtendedMasterSecret == isExtended, "\(self)")
    }

    /// The server prints nothing readable before it listens.
    private static func socket(to port: UInt16) throws -> Socket {
      for _ in 0..<100 {
        if let socket = try? Socket(connectingTo: port) { return socket }
        usleep(50_000)
      }
      return try Socket(connectingTo: port)
    }

    /// Every suite with RC4 or 3DES, in every version.
    static let history = Conversation.Run.all.filter { run in
      // GnuTLS is built without SSL 3.0.
      run.version > .sslv3 && (run.suite.contains("RC4") || run.suite.contains("3DES"))
    }
  }

  @Suite("RC4 and 3DES with GnuTLS", .serialized, .needs(.gnuTLS, .openssl))
  struct GnuTLSHistoryTests {
    static let meetings = [
      ("TLS_RSA_WITH_RC4_128_MD5", ProtocolVersion.tls10), ("TLS_ECDHE_RSA_WITH_RC4_128_SHA", .tls12),
      ("TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", .tls11), ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", .tls10),
    ].map { GnuTLSMeeting(run: .init(version: $1, suite: $0)) }

    @Test("this client connects with gnutls-serv", arguments: meetings)
    func client(_ meeting: GnuTLSMeeting) throws { try meeting.playClient() }

    @Test("gnutls-cli connects with this server", arguments: meetings)
    func server(_ meeting: GnuTLSMeeting) throws { try meeting.playServer() }
  }

  @Suite("Every suite of RC4 and 3DES in every version with GnuTLS", .serialized, .needs(.gnuTLS, .openssl))
  struct GnuTLSSweep {
    static let meetings = [true, false].flatMap { isExtended in
      GnuTLSMeeting.history.map { GnuTLSMeeting(run: $0, isExtended: isExtended) }
    }

    @Test("this client connects with gnutls-serv", arguments: meetings)
    func client(_ meeting: GnuTLSMeeting) throws { try meeting.playClient() }

    @Test("gnutls-cli connects with this server", arguments: meetings)
    func server(_ meeting: GnuTLSMeeting) throws { try meeting.playServer() }
  }
#endif

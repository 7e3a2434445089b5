#if os(Linux)
  import Cryptography
  import Explanation
  import Foundation
  import Oracles
  import Testing

  @testable import TLS

  /// A handshake between these endpoints and OpenSSL's, with data in both directions.
  struct OpenSSLMeeting: Sendable, CustomStringConvertible {
    var run: Conversation.Run
    var group = NamedGroup.secp256r1
    var key = OpenSSL.Kind.rsa
    /// The signature scheme in TLS 1.2, or nil for the first in common.
    var scheme: SignatureScheme?
    var hasExtensions = false

    var description: String {
      "\(run)\(run.suite.contains("ECDHE") ? ", \(group)" : "")\(scheme.map { ", \($0)" } ?? "")"
        + (hasExtensions ? ", extended" : "")
    }

    private var versionOption: String {
      ["TLSv1.0": "-tls1", "TLSv1.1": "-tls1_1"][run.version.description] ?? "-tls1_2"
    }

    /// The option that selects the group. Some versions of the command have no option for finite fields, and the curves
    /// have their SP 800-186 names.
    private var groupOption: [String] {
      let names = curves.compactMap(\.curve?.rawValue)
      return names.isEmpty ? [] : ["-groups", names.joined(separator: ":")]
    }

    private var options: [String] {
      [versionOption, "-cipher", OpenSSL.cipher(run.suite), "-max_send_frag", "512"] + groupOption
        + (scheme.map { ["-sigalgs", $0.openSSLName] } ?? [])
    }

    /// The group of the key exchange, and the curve of the certificate's key if it is another.
    private var curves: [NamedGroup] {
      let own: [OpenSSL.Kind: NamedGroup] = [.p256: .secp256r1, .p384: .secp384r1, .p521: .secp521r1]
      return [group] + [own[key]].compactMap(\.self).filter { $0 != group }
    }

    private var isAnonymous: Bool { run.suite.contains("anon") }

    /// Connects this client with `s_server`.
    func playClient() throws {
      let identity = try OpenSSL.identity(key)
      let server = try OpenSSL.start(
        ["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev"] + options
          + ["-key", identity.keyFile, "-cert", identity.certificateFile])
      defer { server.process.endAtOnce() }
      var configuration = Conversation(run.suite, in: run.version, group: group).clientSettings
      configuration.groups = curves
      (configuration.extendedMasterSecret, configuration.encryptThenMAC) = (hasExtensions, hasExtensions)
      configuration.signatureSchemes = [.ed25519] + SignatureScheme.defaults
      if let scheme { configuration.signatureSchemes = [scheme] + configuration.signatureSchemes }
      var pump = Pump(Connection(configuration), try Socket(connectingTo: try server.port()))
      pump.perform(pump.connection.start())
      if !isAnonymous {
        pump.run { $0.credentials != nil }
        #expect(pump.credentials?.certificates == [identity.certificate], "\(self)")
        if pump.credentials != nil { try pump.trust(identity) }
      }
      pump.run { $0.connection.handshake.parameters != nil }
      check(pump)
      pump.perform(pump.connection.send(Array("trust in nobody\n".utf8)))
      pump.run { $0.data.count >= 16 }
      #expect(pump.data == Array("ydobon ni tsurt\n".utf8), "\(self)")
    }

    /// Connects `s_client` with this server.
    func playServer() throws {
      let identity = try OpenSSL.identity(key)
      var configuration = Conversation(run.suite, in: run.version, group: group).serverSettings
      configuration.privateKey = try #require(identity.key)
      configuration.certificates = [identity.certificate]
      configuration.signatureSchemes = [scheme].compactMap(\.self) + [.ed25519] + SignatureScheme.defaults
      if let field = group.field { configuration.dhGroup = field }
      (configuration.extendedMasterSecret, configuration.encryptThenMAC) = (hasExtensions, hasExtensions)
      let listener = try Socket.listening()
      let client = try OpenSSL.start(
        ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-servername", "api.example", "-quiet"] + options)
      defer { client.process.endAtOnce() }
      var pump = Pump(Connection(configuration), try listener.accepted())
      pump.run { $0.connection.handshake.parameters != nil }
      check(pump)
      try client.input.fileHandleForWriting.write(contentsOf: Array("hello\n".utf8))
      pump.run { $0.data.count >= 6 }
      #expect(pump.data == Array("hello\n".utf8), "\(self)")
      pump.perform(pump.connection.send(Array("goodbye\n".utf8)))
      #expect(client.text(until: "goodbye\n") == "goodbye\n", "\(self)")
    }

    private func check(_ pump: Pump) {
      let parameters = pump.connection.handshake.parameters
      #expect(pump.failure == nil, "\(self)")
      #expect(parameters?.cipherSuite.name == run.suite, "\(self)")
      #expect(parameters?.version == run.version, "\(self)")
      #expect(parameters?.hasExtendedMasterSecret == hasExtensions, "\(self)")
      if run.suite.contains("ECDHE") { #expect(parameters?.group == group, "\(self)") }
      if let scheme, run.version >= .tls12 {
        #expect(parameters?.signatureAlgorithm == SignatureAndHashAlgorithm(scheme), "\(self)")
      }
    }

    /// Debian's OpenSSL has neither RC4 and 3DES nor SSL 3.0.
    static func has(_ run: Conversation.Run) -> Bool {
      run.version > .sslv3 && !run.suite.contains("RC4") && !run.suite.contains("3DES")
    }

    /// Every suite in every version, with and without the extensions that change keys and MACs.
    static let suites = Conversation.Run.all.filter { has($0) }.flatMap { run in
      [true, false].map { extended in
        OpenSSLMeeting(run: run, key: run.suite.contains("ECDSA") ? .p256 : .rsa, hasExtensions: extended)
      }
    }

    /// Every group, in every version, with each kind of key exchange that has it.
    static let groups = [ProtocolVersion.tls10, .tls11, .tls12].flatMap { version in
      NamedGroup.implemented.flatMap { group in
        [("RSA", OpenSSL.Kind.rsa), ("ECDSA", .p256)].map { name, key in
          OpenSSLMeeting(
            run: .init(version: version, suite: "TLS_ECDHE_\(name)_WITH_AES_128_CBC_SHA"), group: group, key: key)
        }
      }
    }

    /// Every key and signature scheme of TLS 1.2.
    static let schemes: [OpenSSLMeeting] = [
      (.rsa, .rsaPKCS1SHA1), (.rsa, .rsaPKCS1SHA224), (.rsa, .rsaPKCS1SHA256), (.rsa, .rsaPKCS1SHA384),
      (.rsa, .rsaPKCS1SHA512), (.rsa, .rsaPSSSHA256), (.rsa, .rsaPSSSHA384), (.rsa, .rsaPSSSHA512),
      (.pss, .rsaPSSKeySHA256), (.pss, .rsaPSSKeySHA384), (.pss, .rsaPSSKeySHA512), (.p256, .ecdsaSHA1),
      (.p256, .ecdsaSHA224), (.p256, .ecdsaSHA256), (.p384, .ecdsaSHA384), (.p521, .ecdsaSHA512), (.ed25519, .ed25519),
    ].flatMap { (key: OpenSSL.Kind, scheme: SignatureScheme) in
      let kinds = scheme.keyKind == .rsa ? ["ECDHE_RSA", "DHE_RSA"] : ["ECDHE_ECDSA"]
      return kinds.map { kind in
        OpenSSLMeeting(
          run: .init(version: .tls12, suite: "TLS_\(kind)_WITH_AES_128_GCM_SHA256"), key: key, scheme: scheme)
      }
    }
  }

  extension SignatureScheme {
    /// OpenSSL's name for `-sigalgs`.
    fileprivate var openSSLName: String {
      switch self {
      case .rsaPKCS1SHA224: "RSA+SHA224"
      case .ecdsaSHA1: "ECDSA+SHA1"
      case .ecdsaSHA224: "ECDSA+SHA224"
      case .rsaPKCS1SHA1: "RSA+SHA1"
      default: name
      }
    }
  }

  @Suite("Every suite, version, group and signature with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLSweep {
    @Test("this client connects with s_server: every suite in every version", arguments: OpenSSLMeeting.suites)
    func clientSuites(_ meeting: OpenSSLMeeting) throws { try meeting.playClient() }

    @Test("s_client connects with this server: every suite in every version", arguments: OpenSSLMeeting.suites)
    func serverSuites(_ meeting: OpenSSLMeeting) throws { try meeting.playServer() }

    @Test("this client connects with s_server: every group", arguments: OpenSSLMeeting.groups)
    func clientGroups(_ meeting: OpenSSLMeeting) throws { try meeting.playClient() }

    @Test("s_client connects with this server: every group", arguments: OpenSSLMeeting.groups)
    func serverGroups(_ meeting: OpenSSLMeeting) throws { try meeting.playServer() }

    @Test("this client connects with s_server: every signature", arguments: OpenSSLMeeting.schemes)
    func clientSchemes(_ meeting: OpenSSLMeeting) throws { try meeting.playClient() }

    /// Private keys that are for RSASSA-PSS only cannot be read here.
    @Test(
      "s_client connects with this server: every signature that the client can request",
      arguments: OpenSSLMeeting.schemes.filter { $0.key != .pss })
    func serverSchemes(_ meeting: OpenSSLMeeting) throws { try meeting.playServer() }

    @Test(
      "s_client connects with this server in every finite field of RFC 7919",
      arguments: [NamedGroup.ffdhe2048, .ffdhe3072, .ffdhe4096, .ffdhe6144, .ffdhe8192])
    func fields(_ group: NamedGroup) throws {
      let run = Conversation.Run(version: .tls12, suite: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")
      try OpenSSLMeeting(run: run, group: group).playServer()
    }
  }

  @Suite("TLS 1.0 and 1.1, DHE, NULL and Ed25519 with OpenSSL", .serialized, .needs(.openssl))
  struct OpenSSLHistoryTests {
    static let meetings: [OpenSSLMeeting] =
      Conversation.Run.few.filter { OpenSSLMeeting.has($0) }.map { run in
        OpenSSLMeeting(
          run: run, key: run.suite.contains("ECDSA") ? .p256 : .rsa, hasExtensions: run.version != .tls11)
      } + [
        OpenSSLMeeting(run: .init(version: .tls12, suite: "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")),
        OpenSSLMeeting(run: .init(version: .tls10, suite: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA")),
        OpenSSLMeeting(
          run: .init(version: .tls12, suite: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"), key: .ed25519, scheme: .ed25519
        ),
      ]

    @Test("this client connects with s_server", arguments: meetings)
    func client(_ meeting: OpenSSLMeeting) throws { try meeting.playClient() }

    @Test("s_client connects with this server", arguments: meetings)
    func server(_ meeting: OpenSSLMeeting) throws { try meeting.playServer() }
  }
#endif

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("DHE and anonymous key exchange")
struct DHETests {
  static let suite = "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"

  /// The modulus of 512 bits that Apache shipped for export suites (Logjam, 2015).
  static let export512 = DHGroup(
    prime: Natural(
      "9fdb8b8a004544f0045f1737d0ba2e0b274cdf1a9f588218fb435316a16e3741"
        + "71fd19d8d8f37c39bf863fd60e3e300680a3030c6e4c3757d08f70e6aa871033", radix: 16) ?? 0, generator: 2)

  private func conversation(
    _ change: (inout ClientConfiguration, inout ServerConfiguration) -> Void
  ) -> Conversation {
    let plain = Conversation(Self.suite)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    change(&client, &server)
    return Conversation(client, server)
  }

  @Test("a 512-bit modulus is refused, and a client that overrides the rule uses it")
  func logjam() {
    let refused = conversation { _, server in server.dhGroup = Self.export512 }.ran()
    let failure = refused.failure(of: .client)
    #expect(failure?.finding.rule == .shortDHGroup && failure?.alert == .insufficientSecurity)
    #expect(failure?.finding.required == .atLeast(.bits(1024)) && failure?.finding.found == .bits(512))
    let lenient = conversation { client, server in
      server.dhGroup = Self.export512
      client.minimumDHSize = 512
    }.ran()
    #expect(lenient.isConnected && lenient.parameters.allSatisfy { $0?.group == nil })
    let overridden = conversation { client, server in
      server.dhGroup = Self.export512
      client.enforcement = Enforcement.standard.overriding(Rule.shortDHGroup.id, by: .mutant)
    }.ran()
    #expect(overridden.isConnected)
    #expect(
      overridden.findings(of: .client).contains { $0.rule == .shortDHGroup && $0.weight == .overridden(by: .mutant) })
  }

  @Test("a composite modulus, and a generator with two values, are refused")
  func badGroups() {
    let good = DHGroup.ffdhe2048
    let last = (try? good.prime.subtracting(1)) ?? 0
    for (group, found) in [
      (DHGroup(prime: good.prime + 2, generator: 2), "prime"),
      (DHGroup(prime: good.prime, generator: last), "generator"),
    ] {
      let played = conversation { _, server in server.dhGroup = group }.ran()
      #expect(played.failure(of: .client)?.finding.rule == .badDHGroup)
      #expect(played.failure(of: .client)?.finding.found.description.contains(found) == true)
      #expect(played.failure(of: .client)?.alert == .illegalParameter)
    }
    #expect(conversation { _, server in server.dhGroup = good }.ran().isConnected)
  }

  @Test("a server whose parameters make no key reports that, and does not trap")
  func noKey() {
    for prime in [0, 1, 4] as [Natural] {
      let played = conversation { _, server in server.dhGroup = DHGroup(prime: prime, generator: 2) }.ran()
      #expect(played.failure(of: .server)?.alert == .internalError)
    }
  }

  @Test("public keys that reveal the secret are refused by either side")
  func badKeys() throws {
    let last = try DHGroup.ffdhe2048.prime.subtracting(1)
    for bad in [[0], [1], last.bigEndianBytes(), DHGroup.ffdhe2048.prime.bigEndianBytes()] as [[UInt8]] {
      var played = conversation { _, _ in }
      played.alter = { message, side in
        guard side == .client, message.name == .handshake(.clientKeyExchange) else { return message.bytes }
        let exchange = HandshakeMessage.Body.clientKeyExchange(.dhe(publicKey: bad))
        let bytes = (try? HandshakeMessage(exchange))?.bytes ?? []
        return Record(type: .handshake, version: .tls12, fragment: bytes).bytes
      }
      played.run()
      #expect(played.failure(of: .server)?.finding.rule == .badKeyShare)
      #expect(played.failure(of: .server)?.alert == .illegalParameter)
    }
    for bad in [[0], [1], last.bigEndianBytes()] as [[UInt8]] {
      // An anonymous server signs nothing, so that its key can be changed on the way.
      var played = Conversation("TLS_DH_anon_WITH_AES_128_CBC_SHA")
      played.alter = { message, _ in
        guard message.name == .handshake(.serverKeyExchange) else { return message.bytes }
        let parameters = ServerDHParameters(.ffdhe2048, publicKey: bad)
        let exchange = ServerKeyExchange.ephemeral(ServerKeyExchange.SignedParameters(.dh(parameters), nil))
        let bytes = (try? HandshakeMessage(.serverKeyExchange(exchange)))?.bytes ?? []
        return Record(type: .handshake, version: .tls12, fragment: bytes).bytes
      }
      played.run()
      #expect(played.failure(of: .client)?.finding.rule == .badKeyShare)
    }
  }

  @Test(
    "a client that offers finite-field groups gets one of them; others get the server's own",
    arguments: [
      ([.ffdhe3072], [.ffdhe2048, .ffdhe3072], .ffdhe3072), ([], [.ffdhe3072], .ffdhe2048),
      ([.ffdhe2048], [], .ffdhe2048), ([.ffdhe4096], [.ffdhe2048], nil), ([.secp256r1], [.ffdhe3072], .ffdhe2048),
    ] as [([NamedGroup], [NamedGroup], NamedGroup?)])
  func namedGroups(_ offered: [NamedGroup], _ spoken: [NamedGroup], _ group: NamedGroup?) {
    let played = conversation { client, server in
      client.groups = offered
      server.groups = spoken
    }.ran()
    #expect(played.parameters.allSatisfy { $0?.group == group })
    #expect(played.failure(of: .server)?.finding.rule == (group == nil ? .noCommonGroup : nil))
  }

  @Test("the premaster secret has no leading zeros, even if the agreed value has")
  func leadingZeros() {
    #expect(KeyShare.withoutLeadingZeros([0, 0, 7, 0]) == [7, 0])
    #expect(KeyShare.withoutLeadingZeros([7, 0]) == [7, 0])
    // Repeats until the agreed value of some pair of seeds begins with a zero, as one in 256 does.
    var lengths: Set<Int> = []
    for seed in 0..<400 where !lengths.contains(63) {
      let group = Self.export512
      let random = RandomStreams(seed: .number(UInt64(seed)), party: "client")
      guard let one = KeyShare(group, of: .client, random: random),
        let other = KeyShare(group, of: .server, random: random)
      else { continue }
      let names = ValueScope()
      let left = one.premasterSecret(with: other.publicKey, of: .client, names)?.bytes
      #expect(left == other.premasterSecret(with: one.publicKey, of: .server, names)?.bytes && left?.first != 0)
      lengths.insert(left?.count ?? 0)
    }
    #expect(lengths.contains(63) && lengths.contains(64))
  }

  @Test("every value of the key exchange has its derivation")
  func derivations() {
    let played = conversation { _, _ in }.ran()
    let (client, server) = (played.values(of: .client), played.values(of: .server))
    #expect(client["client_dh_private"]?.derivations == [.generated(by: .client)])
    #expect(client["server_dh_public"]?.derivations.contains(.published) == true)
    #expect(client["dh_p"]?.bytes == DHGroup.ffdhe2048.prime.bigEndianBytes())
    #expect(
      client["premaster_secret"]?.derivations
        == [.computed(.finiteFieldAgreement, from: ["client_dh_private", "server_dh_public", "dh_p"])])
    #expect(
      server["premaster_secret"]?.derivations
        == [.computed(.finiteFieldAgreement, from: ["server_dh_private", "client_dh_public", "dh_p"])])
    #expect(
      server["server_dh_public"]?.derivations == [
        .computed(.finiteFieldPublicKey, from: ["server_dh_private", "dh_p", "dh_g"]), .published,
      ])
  }

  @Test("an anonymous server sends no certificate and no signature, and requests no certificate")
  func anonymous() {
    let plain = Conversation("TLS_DH_anon_WITH_AES_128_CBC_SHA")
    var server = plain.serverSettings
    server.clientAuthentication = .required
    let played = Conversation(plain.clientSettings, server).ran()
    #expect(played.isConnected)
    #expect(
      played.sent(by: .server).map(\.name.description)
        == ["ServerHello", "ServerKeyExchange", "ServerHelloDone", "ChangeCipherSpec", "Finished"])
    #expect(!played.log.contains { if case .evaluateCertificate = $0.effect { true } else { false } })
  }

  @Test(
    "NULL and anonymous suites are not offered by default, and are refused without an offer",
    arguments: CipherSuite.registry.filter { $0.isImplemented && $0.isHistorical }.map(\.name))
  func unasked(_ name: String) throws {
    let suite = try #require(CipherSuite(name: name))
    #expect(!CipherSuite.defaults.contains(suite) && CipherSuite.implemented.contains(suite))
    var played = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA")
    played.choose(suite)
    played.run()
    #expect(played.failure(of: .client)?.finding.rule == .suiteNotOffered)
    #expect(played.failure(of: .client)?.alert == .illegalParameter)
    #expect(Conversation(name).ran().isConnected)
  }
}

import Cryptography
import Endpoint
import Explanation
import Laboratory
import Oracles
import TLS
import Testing

@testable import Simulator

@Suite("Copied blocks in the position of the padding")
struct BlockPaddingTests {
  private func attack(
    _ suite: String, in version: ProtocolVersion, cookie: String = "id=k7", splits: Bool = true,
    _ change: (inout ServerConfiguration) -> Void = { _ in }
  ) throws -> BlockPaddingAttack {
    let key = try KeyStore.tests.rsaKey(owner: "api", bits: 1024)
    let suites = [CipherSuite(name: suite)].compactMap(\.self)
    var client = ClientConfiguration(
      host: "api.example", versions: version...version, cipherSuites: suites,
      random: RandomStreams(seed: .number(1), party: "client"))
    client.splitsRecords = splits
    var server = ServerConfiguration(
      certificates: [try BleichenbacherTests.certificate(key)], privateKey: .rsa(key), privateKeyName: "api.key",
      versions: version...version,
      cipherSuites: suites, random: RandomStreams(seed: .number(1), party: "server"))
    change(&server)
    var request = HTTPRequest(path: "/account")
    request.cookie = cookie
    return BlockPaddingAttack(client, server, request, host: "api.example")
  }

  @Test(
    "in SSL 3.0 every block cipher reveals the cookie, with and without record splitting",
    arguments: [
      ("TLS_RSA_WITH_AES_128_CBC_SHA", true, "Q-8"), ("TLS_RSA_WITH_AES_256_CBC_SHA", false, "Q"),
      ("TLS_RSA_WITH_3DES_EDE_CBC_SHA", true, "8"),
    ])
  func found(_ suite: String, _ splits: Bool, _ secret: String) throws {
    let attack = try attack(suite, in: .sslv3, cookie: "session=\(secret)", splits: splits)
    #expect(attack.cookie == Array(secret.utf8))
    // Each byte takes a geometrically distributed number of connections, 256 on average.
    #expect((secret.utf8.count...secret.utf8.count * BlockPaddingAttack.limit).contains(attack.connections))
  }

  @Test("in TLS 1.2 only a server with incomplete padding checks reveals the cookie")
  func compared() throws { try compare(in: .tls12) }

  func compare(in version: ProtocolVersion) throws {
    let compared = try attack("TLS_RSA_WITH_AES_128_CBC_SHA", in: version, cookie: "id=x")
    #expect(compared.cookie == nil && compared.connections == BlockPaddingAttack.limit)
    // CVE-2014-8730: only the padding length is checked.
    let careless = try attack("TLS_RSA_WITH_AES_128_CBC_SHA", in: version, cookie: "id=x") { server in
      server.enforcement.apply(.tls { $0.paddingHolds = { _ in true } })
    }
    #expect(careless.cookie == Array("x".utf8))
  }

  @Test("without blocks, a value or a connection the attack does not begin")
  func nothing() throws {
    #expect(try attack("TLS_RSA_WITH_RC4_128_SHA", in: .sslv3).connections == 0)
    #expect(try attack("TLS_RSA_WITH_AES_128_CBC_SHA", in: .sslv3, cookie: "id=").connections == 0)
    let apart = try attack("TLS_RSA_WITH_AES_128_CBC_SHA", in: .sslv3) { $0.versions = .tls10 ... .tls12 }
    #expect(apart.connections == 0 && apart.cookie == nil)
  }
}

/// The checks of `BlockPaddingTests` for the versions before TLS 1.2.
@Suite("Padding that reveals a cookie, in every version")
struct BlockPaddingSweep {
  @Test(
    "only a server that does not check every padding byte reveals the cookie",
    arguments: [ProtocolVersion.tls10, .tls11])
  func compared(_ version: ProtocolVersion) throws { try BlockPaddingTests().compare(in: version) }
}

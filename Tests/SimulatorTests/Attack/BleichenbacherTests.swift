import Cryptography
import Explanation
import Laboratory
import Oracles
import Simulator
import TLS
import Testing

@Suite("Bleichenbacher's attack")
struct BleichenbacherTests {
  private let key: RSAPrivateKey

  init() throws { key = try KeyStore.tests.rsaKey(owner: "api", bits: 512) }

  private func ciphertext(_ message: [UInt8]) throws -> [UInt8] {
    var random = DeterministicRandom(seed: .number(79), label: "client/premaster_padding")
    return try key.publicKey.encryptPKCS1v15(message, random: &random)
  }

  private let message =
    [3, 3] + RandomStreams(seed: .number(79), party: "client").bytes(for: "premaster_secret", count: 46)

  @Test("an oracle for the beginning 00 02 reveals the message, and each query is counted")
  func decrypts() throws {
    var asked = 0
    var attack = Bleichenbacher(try ciphertext(message), encryptedWith: key.publicKey) { question in
      asked += 1
      return (try? key.decryptPKCS1v15(question, orElse: [UInt8](repeating: 0, count: 48)))?.beganRightly == true
    }
    let block = try #require(try attack.run())
    #expect(block.prefix(2) == [0, 2] && block.suffix(49) == [0] + message)
    #expect(attack.questions == asked && attack.questions < 5000)
    #expect(attack.accepted > 400)
  }

  @Test("an oracle that always says no reveals nothing, and is abandoned at the limit")
  func silent() throws {
    var attack = Bleichenbacher(try ciphertext(message), encryptedWith: key.publicKey, limit: 500) { _ in false }
    let block = try attack.run()
    #expect(block == nil)
    #expect(attack.questions == 500)
  }

  @Test("an oracle that lies causes no trap", arguments: [2, 3, 7])
  func lying(period: Int) throws {
    var asked = 0
    var attack = Bleichenbacher(try ciphertext(message), encryptedWith: key.publicKey, limit: 3000) { _ in
      asked += 1
      return asked % period == 0
    }
    let block = try? attack.run()
    #expect(block?.suffix(48) != message[...])
  }

  private func server(_ enforcement: Enforcement, _ suites: [CipherSuite]) throws -> ServerConfiguration {
    ServerConfiguration(
      certificates: [try Self.certificate(key)], privateKey: .rsa(key), privateKeyName: "api.key", cipherSuites: suites,
      enforcement: enforcement, random: RandomStreams(seed: .number(1), party: "server"))
  }

  private let rsa = [CipherSuite.defaults.first { $0.keyExchange == .rsa }].compactMap(\.self)
  private let buggy = Enforcement.standard.overriding(Rule.paddingOracle.id, by: .mutant)

  @Test("only the bug makes a server an oracle, and it is an overridden rule")
  func servers() throws {
    let encrypted = try ciphertext(message)
    let attack = OracleAttack(encrypted, try server(buggy, rsa))
    #expect(attack.premasterSecret == message)
    #expect(attack.findings.map(\.rule) == [.paddingOracle])
    #expect(attack.findings.last?.weight == .overridden(by: .mutant))
    let uniform = OracleAttack(encrypted, try server(.standard, rsa))
    #expect(uniform.premasterSecret == nil && uniform.questions == 2 && uniform.findings.isEmpty)
  }

  @Test("a server without RSA key exchange is no oracle")
  func noRSA() throws {
    let suites = CipherSuite.defaults.filter { $0.keyExchange == .ecdheRSA }
    let attack = OracleAttack(try ciphertext(message), try server(buggy, suites))
    #expect(attack.premasterSecret == nil)
  }
}

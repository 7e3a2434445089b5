import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX

/// A root, an intermediate and a server's certificate; a test may change each before it is issued.
struct Hierarchy {
  static let now = date("2016-11-01")
  static let keys = KeyStore.tests

  var root = CertificateTemplate.authority(
    DistinguishedName(commonName: "Root A", organization: "Example"), notBefore: date("2010-01-01"),
    notAfter: date("2040-01-01"))
  var issuing = CertificateTemplate.authority(
    DistinguishedName(commonName: "Issuing", organization: "Example"), notBefore: date("2015-01-01"),
    notAfter: date("2025-01-01"), pathLength: 0)
  var leaf = CertificateTemplate.server(
    DistinguishedName(commonName: "api.example"), names: [.dnsName("api.example"), .ipAddress([192, 0, 2, 1])],
    notBefore: date("2016-06-01"), notAfter: date("2017-06-01"))

  /// Returns the key of an owner.
  var kind: (String) throws -> PrivateKey = Hierarchy.key

  static func date(_ text: String) -> Instant { Instant(text) ?? Instant(secondsSince1970: 0) }

  static func key(_ owner: String) throws -> PrivateKey { .rsa(try keys.rsaKey(owner: owner, bits: 2048)) }

  /// Issues the three certificates, the leaf first.
  func issue() throws -> [Certificate] {
    let impostor = try kind("impostor")
    var random = DeterministicRandom(seed: .number(1), label: "serial numbers")
    let rootA = try CertificateAuthority(root: root, key: kind("Root A"), impostor: impostor, random: &random)
    let intermediate = try rootA.issue(
      issuing, for: kind("Issuing").publicKey, impostor: impostor, random: &random)
    let authority = CertificateAuthority(intermediate, key: try kind("Issuing"))
    let server = try authority.issue(
      leaf, for: kind("api").publicKey, impostor: impostor, random: &random)
    return [server, intermediate, rootA.certificate]
  }

  /// The rules that decide about the path from the leaf to the root as anchor.
  func deciding(at date: Instant = Hierarchy.now) throws -> [String] {
    let path = CertificatePath(try issue(), end: .anchor)
    return PathValidation(path, at: date).findings.deciding.map(\.id)
  }
}

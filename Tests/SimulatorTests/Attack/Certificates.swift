import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX

extension BleichenbacherTests {
  /// A certificate that contains the public half of `key`.
  static func certificate(_ key: RSAPrivateKey) throws -> [UInt8] {
    var random = DeterministicRandom(seed: .number(1), label: "certificate")
    let start = Instant(secondsSince1970: 0)
    let template = CertificateTemplate.authority(
      DistinguishedName(commonName: "api"), notBefore: start, notAfter: start.adding(days: 1), pathLength: nil)
    return try CertificateAuthority(
      root: template, key: .rsa(try KeyStore.tests.rsaKey(owner: "issuer", bits: 2048)), random: &random
    )
    .issue(template, for: .rsa(key.publicKey), random: &random).der
  }
}

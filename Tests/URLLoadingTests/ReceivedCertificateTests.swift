import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Testing

@testable import URLLoading

@Suite struct ReceivedCertificateTests {
  private static let keys = KeyStore.tests

  private func leaf(_ key: PrivateKey, _ scheme: SignatureScheme) throws -> Certificate {
    let start = Instant(secondsSince1970: 1_480_000_000)
    var random = DeterministicRandom(seed: .number(1), label: "certificates")
    let root = try CertificateAuthority(
      root: .authority(DistinguishedName(commonName: "Root"), notBefore: start, notAfter: start.adding(days: 365)),
      key: .rsa(try Self.keys.rsaKey(owner: "root", bits: 1024)), random: &random)
    var template = CertificateTemplate.server(
      DistinguishedName(commonName: "api"), names: [], notBefore: start, notAfter: start.adding(days: 90))
    template.signatureScheme = scheme
    return try root.issue(template, for: key.publicKey, random: &random)
  }

  @Test("a received certificate is checked against the requirements for key and hash")
  func demands() throws {
    let short = PrivateKey.rsa(try Self.keys.rsaKey(owner: "short", bits: 1024))
    let long = PrivateKey.rsa(try Self.keys.rsaKey(owner: "long", bits: 2048))
    let curve = PrivateKey.ec(KeyStore.ecKey(owner: "curve", curve: .p256))
    let decision = try decide("https://api.example/", "iOS 12")
    for (key, scheme, because) in [
      (long, SignatureScheme.rsaPKCS1SHA256, []), (curve, .rsaPKCS1SHA384, []),
      (short, .rsaPKCS1SHA256, [Rule.atsKeySize]), (long, .rsaPKCS1SHA1, [.atsLeafHash]),
      (short, .rsaPKCS1SHA1, [.atsKeySize, .atsLeafHash]),
    ] {
      let findings = decision.findings(on: ATS.ServerCertificate(try leaf(key, scheme)))
      #expect(findings.deciding == because)
      #expect(findings.map(\.subject.description) == ["certificate 0 (api)", "certificate 0 (api)"])
    }
  }
}

import Cryptography
import Explanation
import PKIX
import TLS
import Testing
import Trust

@testable import Endpoint

@Suite("The certificates that a client shows")
struct ClientCertificateTests {
  private static let keys = KeyStore()
  private static func date(_ text: String) -> Instant { Instant(text) ?? Instant(secondsSince1970: 0) }

  /// A certificate that the key of `owner` signed itself, for `name`.
  private func selfSigned(_ name: String, by owner: String, isAuthority: Bool = false) throws -> Certificate {
    var random = DeterministicRandom(seed: .number(1), label: owner)
    let subject = DistinguishedName(commonName: name)
    let (start, end) = (Self.date("2020-01-01"), Self.date("2030-01-01"))
    var template =
      isAuthority
      ? CertificateTemplate.authority(subject, notBefore: start, notAfter: end)
      : CertificateTemplate(subject: subject, notBefore: start, notAfter: end)
    template.signatureScheme = .ecdsaSHA256
    let key = PrivateKey.ec(Self.keys.ecKey(owner: owner, curve: .p256))
    return try Authority(root: template, key: key, random: &random).certificate
  }

  /// What a server that trusts `anchor` for clients finds on this chain that refuses it.
  private func refusing(_ chain: [[UInt8]], trusting anchor: Certificate) -> [Finding] {
    var configuration = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: [], privateKey: .ec(Self.keys.ecKey(owner: "server", curve: .p256)), privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server")),
      certificates: [], answers: .own([:]))
    configuration.clientTrust = TrustPolicy(
      os: nil, date: Self.date("2025-01-01"), store: TrustStore(app: [anchor]))
    var server = ServerEndpoint(configuration, isSecure: false)
    let credentials = PeerCredentials(
      certificates: chain, host: nil, cipherSuite: CipherSuite(rawValue: 0xc02b))
    return server.evaluate(credentials).flatMap { effect -> [Finding] in
      if case .decided(let decision) = effect { decision.findings.filter(\.refuses) } else { [] }
    }
  }

  @Test("one that signed itself is self-signed, also where it calls itself as the authority that the server trusts")
  func selfSigned() throws {
    let authority = try selfSigned("Members", by: "Members", isAuthority: true)
    for name in ["Members", "somebody else"] {
      let shown = try selfSigned(name, by: "mallory")
      #expect(refusing([shown.der], trusting: authority).map(\.rule.id) == ["client-auth.self-signed"], "\(name)")
      #expect(refusing([shown.der], trusting: shown).isEmpty, "\(name)")
    }
    #expect(AlertDescription(refusing: [.selfSigned]) == .unknownCA)
  }
}

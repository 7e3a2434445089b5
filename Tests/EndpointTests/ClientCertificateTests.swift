import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import TLS
import Testing
import Trust

@testable import Endpoint

@Suite("Client certificates")
struct ClientCertificateTests {
  private static func date(_ text: String) -> Instant { Instant(text) ?? Instant(secondsSince1970: 0) }

  /// A certificate for `name` that is self-signed with the key of `owner`.
  private func certificate(
    _ name: String, by owner: String, isCA: Bool = false, faults: Set<CertificateFault> = []
  ) throws
    -> Certificate
  {
    var random = DeterministicRandom(seed: .number(1), label: owner)
    let subject = DistinguishedName(commonName: name)
    let (start, end) = (Self.date("2020-01-01"), Self.date("2030-01-01"))
    var template =
      isCA
      ? CertificateTemplate.authority(subject, notBefore: start, notAfter: end)
      : CertificateTemplate(subject: subject, notBefore: start, notAfter: end)
    template.signatureScheme = .ecdsaSHA256
    template.faults = faults
    let key = PrivateKey.ec(KeyStore.ecKey(owner: owner, curve: .p256))
    return try CertificateAuthority(root: template, key: key, random: &random).certificate
  }

  /// The deciding findings of a server that trusts `anchor` for clients, for this chain.
  private func refusing(_ chain: [[UInt8]], trusting anchor: Certificate) -> [Finding] {
    findings(chain, trusting: anchor).filter(\.refuses)
  }

  /// All findings of a server with this enforcement.
  private func findings(
    _ chain: [[UInt8]], trusting anchor: Certificate, _ enforcement: Enforcement = .standard
  ) -> [Finding] {
    var configuration = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: [], privateKey: .ec(KeyStore.ecKey(owner: "server", curve: .p256)), privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server")),
      certificates: [], answers: .own([:]))
    configuration.clientTrust = TrustEvaluator(
      TrustRequirements(os: nil, date: Self.date("2025-01-01"), store: TrustStore(app: [anchor])))
    configuration.tls.enforcement = enforcement
    var server = ServerEndpoint(configuration, isSecure: false)
    let credentials = PeerCredentials(
      certificates: chain, host: nil, cipherSuite: CipherSuite(rawValue: 0xc02b))
    return server.evaluate(credentials).flatMap { effect -> [Finding] in
      if case .decided(let decision) = effect { decision.findings } else { [] }
    }
  }

  @Test("a mutation of the server also affects the rules about client certificates")
  func fault() throws {
    let authority = try certificate("Members", by: "Members", isCA: true)
    let shown = try certificate("mallory", by: "mallory")
    let faulty = Enforcement.standard.overriding("client-auth.self-signed", by: .mutant)
      .overriding("client-auth.no-anchor", by: .mutant)
    let found = findings([shown.der], trusting: authority, faulty)
    let violated = found.filter { $0.outcome == .violated }
    #expect(violated.contains { $0.rule.id == "client-auth.self-signed" && $0.weight == .overridden(by: .mutant) })
    #expect(!violated.refuses)
    let unreadable = findings(
      [[0x30, 3, 0x61, 0x62, 0x63]], trusting: authority,
      Enforcement.standard.overriding("client-auth.malformed", by: .mutant))
    #expect(unreadable.map(\.weight) == [.overridden(by: .mutant)])
  }

  @Test("a self-signed certificate is reported so, even with the trusted CA's name")
  func selfSigned() throws {
    let authority = try certificate("Members", by: "Members", isCA: true)
    for name in ["Members", "somebody else"] {
      let shown = try certificate(name, by: "mallory")
      #expect(refusing([shown.der], trusting: authority).map(\.rule.id) == ["client-auth.self-signed"], "\(name)")
      #expect(refusing([shown.der], trusting: shown).isEmpty, "\(name)")
    }
    #expect(AlertDescription(refusing: [.selfSigned]) == .unknownCA)
  }

  @Test("an unreadable certificate is reported with the byte position; a bad extension is named")
  func unreadable() throws {
    let authority = try certificate("Members", by: "Members", isCA: true)
    let shown = try certificate("mallory", by: "mallory")
    // A SEQUENCE of three bytes, whose first byte is another tag: tbsCertificate begins at byte 2.
    let none: [UInt8] = [0x30, 3, 0x61, 0x62, 0x63]
    for (index, chain) in [[none, shown.der], [shown.der, none]].enumerated() {
      let finding = try #require(refusing(chain, trusting: authority).first)
      #expect(finding.rule.id == "client-auth.malformed" && finding.rule.clause == .rfc(5280, "4.1"))
      #expect(finding.subject == .certificate(index: index, name: "unreadable"))
      #expect(finding.required == .word("tbsCertificate in DER"))
      #expect(finding.found == .word("byte 2: tbsCertificate: tag 0x61 instead of SEQUENCE"))
      #expect(!finding.rule.statement.contains("extension") && !finding.rule.fix.contains("extension"))
    }
    // In the truncated certificate, the outer length exceeds the available bytes.
    let short = try #require(refusing([Array(shown.der.dropLast())], trusting: authority).first)
    #expect(short.found == .word("byte \(shown.der.count - 1): Certificate: cut short"))
    let faulty = try certificate("mallory", by: "mallory", faults: [.malformedExtension])
    let extended = try #require(refusing([faulty.der], trusting: faulty).first)
    #expect(extended.rule.id == "client-auth.malformed" && extended.rule.clause == .rfc(5280, "4.2"))
    #expect(refusing([shown.der], trusting: shown).isEmpty)
  }
}

import Cryptography
import Explanation
import Laboratory
import SwiftASN1
import Oracles
import Testing

@testable import PKIX

@Suite("Issuing")
struct IssuingTests {
  /// The output of `openssl verify` for a chain whose last certificate is the anchor.
  private func verify(_ chain: [Certificate], _ options: String...) throws -> OpenSSL.Answer {
    let openssl = try OpenSSL()
    for (name, certificate) in zip(["leaf", "issuing", "root"], chain) { try openssl.write(name, certificate.pem) }
    let time = String(Hierarchy.now.secondsSince1970)
    return try openssl.run(
      "verify", "-attime", time, "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "api.example", "-CAfile",
      "root", "-untrusted", "issuing", "leaf")
  }

  @Test(
    "openssl accepts issued certificates with every hash",
    arguments: [
      SignatureScheme.rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512,
    ])
  func good(_ scheme: SignatureScheme) throws {
    var hierarchy = Hierarchy()
    hierarchy.issuing.signatureScheme = scheme
    hierarchy.leaf.signatureScheme = scheme
    let answer = try verify(hierarchy.issue())
    #expect(answer.status == 0, "\(answer.output)")
    #expect(try hierarchy.deciding() == [])
  }

  @Test(
    "openssl accepts signatures with keys on every curve",
    arguments: EllipticCurve.allCases, [SignatureScheme.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512])
  func curves(_ curve: EllipticCurve, _ scheme: SignatureScheme) throws {
    var hierarchy = Hierarchy()
    hierarchy.kind = { .ec(KeyStore.ecKey(owner: $0, curve: curve)) }
    hierarchy.root.signatureScheme = scheme
    hierarchy.issuing.signatureScheme = scheme
    hierarchy.leaf.signatureScheme = scheme
    hierarchy.leaf.keyUsage = [.digitalSignature]
    let answer = try verify(hierarchy.issue())
    #expect(answer.status == 0, "\(answer.output)")
    #expect(try hierarchy.deciding() == [])
    hierarchy.leaf.faults = [.signature]
    #expect(try hierarchy.deciding() == ["chain.signature-invalid"])
  }

  @Test("SHA-1 still signs, for the lessons about it")
  func sha1() throws {
    var hierarchy = Hierarchy()
    hierarchy.leaf.signatureScheme = .rsaPKCS1SHA1
    let leaf = try hierarchy.issue()[0]
    #expect(leaf.signatureAlgorithm.description == "sha1WithRSAEncryption")
    #expect(try hierarchy.deciding() == [])
  }

  @Test("equal templates, keys and seeds result in equal bytes")
  func deterministic() throws { #expect(try Hierarchy().issue() == (try Hierarchy().issue())) }

  struct Case: CustomTestStringConvertible, Sendable {
    let fault: CertificateFault
    let onIntermediate: Bool
    let rule: String?
    let openssl: String?
    var testDescription: String { fault.rawValue }

    init(_ fault: CertificateFault, onIntermediate: Bool = false, _ rule: String?, _ openssl: String?) {
      self.fault = fault
      self.onIntermediate = onIntermediate
      self.rule = rule
      self.openssl = openssl
    }
  }

  static let cases = [
    Case(.signature, "chain.signature-invalid", "certificate signature failure"),
    Case(.issuerKey, "chain.signature-invalid", "certificate signature failure"),
    Case(.issuerName, "chain.issuer-name-mismatch", "unable to get local issuer certificate"),
    Case(.keyIdentifier, nil, "unable to get local issuer certificate"),
    Case(.noAuthorityKeyIdentifier, nil, "Missing Authority Key Identifier"),
    Case(.noSubjectKeyIdentifier, onIntermediate: true, nil, "Missing Subject Key Identifier"),
    Case(.noBasicConstraints, onIntermediate: true, "chain.not-a-ca", "invalid CA certificate"),
    Case(.notCA, onIntermediate: true, "chain.not-a-ca", "invalid CA certificate"),
    Case(.noCertificateSigning, onIntermediate: true, "chain.key-usage", "invalid CA certificate"),
    Case(.noKeyUsage, nil, nil),
    Case(.noAlternativeName, nil, nil),
    Case(.isCA, nil, nil),
    Case(.emptySubject, nil, "Subject empty and Subject Alt Name extension not critical"),
    Case(.criticalKeyIdentifier, nil, "unhandled critical extension"),
    Case(.generalizedTime, nil, nil),
    Case(.clientPurpose, nil, "unsuitable certificate purpose"),
    Case(.version, "chain.version", "Using cert extension requires at least X509v3"),
    Case(.unknownCriticalExtension, "chain.unhandled-critical-extension", "unhandled critical extension"),
    Case(.malformedExtension, "chain.malformed", "x509v3_cache_extensions:invalid certificate"),
    Case(.duplicateExtension, "chain.malformed", "x509v3_cache_extensions:invalid certificate"),
    Case(.signatureAlgorithm, "chain.signature-algorithm-mismatch", "signature algorithm mismatch"),
    Case(.unknownSignatureAlgorithm, "chain.unsupported-signature-algorithm", "error"),
  ]

  @Test("an issuing fault violates only its own rule, and openssl reports it too", arguments: cases)
  func fault(_ item: Case) throws {
    var hierarchy = Hierarchy()
    if item.onIntermediate { hierarchy.issuing.faults = [item.fault] } else { hierarchy.leaf.faults = [item.fault] }
    #expect(try hierarchy.deciding() == (item.rule.map { [$0] } ?? []))
    let chain = try hierarchy.issue()
    for certificate in chain { #expect(throws: Never.self) { try DER.parse(certificate.der) } }
    let answer = try verify(chain)
    if let reason = item.openssl {
      #expect(answer.status != 0)
      #expect(answer.output.contains(reason), "\(answer.output)")
    } else {
      #expect(answer.status == 0, "\(answer.output)")
    }
  }

  @Test("every fault has its case") func complete() {
    #expect(Set(IssuingTests.cases.map(\.fault)) == Set(CertificateFault.allCases))
  }

  @Test("a fault that signs with another key needs that key")
  func noImpostor() throws {
    var hierarchy = Hierarchy()
    hierarchy.root.faults = [.issuerKey]
    var random = DeterministicRandom(seed: .number(1), label: "x")
    let key = try Hierarchy.key("Root A")
    #expect(throws: IssuingError.noImpostorKey) {
      try CertificateAuthority(root: hierarchy.root, key: key, random: &random)
    }
  }
}

import Cryptography
import Explanation
import Laboratory
import Testing

@testable import PKIX

/// Damages CRLs and OCSP responses: the result is an error or an unaccepted response, never a trap.
@Suite("Hostile CRLs and OCSP responses")
struct HostileStatusTests {
  private static let now = Instant("2022-11-01") ?? Instant(secondsSince1970: 0)

  /// A CA, one of its certificates, and an OCSP response and a CRL for it, both with the status good.
  private struct Material {
    let authority: CertificateAuthority
    let leaf: Certificate
    let answer: OCSPResponse
    let list: CertificateRevocationList

    init() throws {
      var random = DeterministicRandom(seed: .number(1), label: "hostile")
      let key = PrivateKey.ec(KeyStore.ecKey(owner: "Root A", curve: .p256))
      var root = CertificateTemplate.authority(
        DistinguishedName(commonName: "Root A"), notBefore: now.adding(days: -10), notAfter: now.adding(days: 10))
      root.signatureScheme = .ecdsaSHA256
      let authority = try CertificateAuthority(root: root, key: key, random: &random)
      func issue(_ purpose: OID, _ owner: String) throws -> (Certificate, PrivateKey) {
        let own = PrivateKey.ec(KeyStore.ecKey(owner: owner, curve: .p256))
        var template = CertificateTemplate.server(
          DistinguishedName(commonName: owner), names: [.dnsName("\(owner).example")], notBefore: now.adding(days: -5),
          notAfter: now.adding(days: 5))
        template.signatureScheme = .ecdsaSHA256
        template.extendedKeyUsage = ExtendedKeyUsage([purpose])
        return (try authority.issue(template, for: own.publicKey, random: &random), own)
      }
      let leaf = try issue(ExtendedKeyUsage.serverAuth, "api").0
      let delegate = try issue(ExtendedKeyUsage.ocspSigning, "responder")
      let single = SingleResponse(
        CertificateID(leaf, issuer: authority.certificate), .good, thisUpdate: now.adding(days: -1),
        nextUpdate: now.adding(days: 1))
      (self.authority, self.leaf) = (authority, leaf)
      answer = try OCSPResponder(CertificateAuthority(delegate.0, key: delegate.1), isDelegate: true)
        .answer([single], producedAt: now.adding(days: -1), nonce: [1, 2, 3], random: &random)
      list = try authority.issue(
        CRLTemplate(thisUpdate: now.adding(days: -1), nextUpdate: now.adding(days: 1)), random: &random)
    }

    func status(_ answer: OCSPResponse) -> SingleResponse.Status? {
      OCSPResponseValidation(answer, about: leaf, of: authority.certificate, at: now).status
    }

    func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      return changed
    }
  }

  @Test("an OCSP response truncated at any byte is an error")
  func cut() throws {
    let material = try Material()
    #expect(material.status(material.answer) == .good)
    for count in material.answer.der.indices {
      #expect(throws: CertificateError.self) { try OCSPResponse(der: Array(material.answer.der[..<count])) }
    }
  }

  @Test("a flipped bit in a signed part of an OCSP response prevents its acceptance")
  func flips() throws {
    let material = try Material()
    let der = material.answer.der
    var believed = 0
    for bit in 0..<der.count * 8 {
      guard let changed = try? OCSPResponse(der: material.flipped(der, bit)) else { continue }
      let status = material.status(changed)
      #expect(status == nil || status == .good, "bit \(bit)")
      if status != nil { believed += 1 }
    }
    // The delegate's certificate contains more than the response needs, but all of it is signed.
    #expect(believed == 0)
  }

  @Test("a truncated CRL is an error, and a flipped bit breaks its signature")
  func lists() throws {
    let material = try Material()
    let key = material.authority.certificate.publicKey
    try material.list.verify(with: key)
    for count in material.list.der.indices {
      #expect(throws: CertificateError.self) {
        try CertificateRevocationList(der: Array(material.list.der[..<count]))
      }
    }
    for bit in 0..<material.list.der.count * 8 {
      guard let changed = try? CertificateRevocationList(der: material.flipped(material.list.der, bit)) else {
        continue
      }
      #expect((try? changed.verify(with: key)) == nil, "bit \(bit)")
    }
  }
}

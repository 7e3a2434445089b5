import Cryptography
import Explanation
import Laboratory
import PKIX

@testable import Trust

/// The certificates of a small hierarchy with elliptic-curve keys, which a test may change before they are issued.
struct Chain {
  /// The certificates. The root signs the intermediate, and an older root that has expired cross-signs it.
  enum Member: Sendable { case leaf, issuing, crossSigned, root, oldRoot, selfSigned }

  var root = CertificateTemplate.authority(
    DistinguishedName(commonName: "Root A"), notBefore: World.date("2010-01-01"), notAfter: World.date("2040-01-01"))
  var oldRoot = CertificateTemplate.authority(
    DistinguishedName(commonName: "Old Root"), notBefore: World.date("2000-01-01"), notAfter: World.date("2020-01-01"))
  var issuing = CertificateTemplate.authority(
    DistinguishedName(commonName: "Issuing"), notBefore: World.date("2015-01-01"), notAfter: World.date("2030-01-01"),
    pathLength: 0)
  var leaf = CertificateTemplate.server(
    DistinguishedName(commonName: "api.example"), names: [.dnsName("api.example")],
    notBefore: World.date("2022-06-01"), notAfter: World.date("2023-06-01"))
  /// The certificates that the server sends, the leaf first.
  var presented: [Member] = [.leaf, .issuing]
  /// The certificates that the client trusts.
  var trusted: [Member] = [.root]

  private static func key(_ owner: String, _ curve: EllipticCurve = .p256) -> PrivateKey {
    .ec(KeyStore.ecKey(owner: owner, curve: curve))
  }

  func certificate(_ member: Member) throws -> Certificate {
    var random = DeterministicRandom(seed: .number(3), label: "\(member)")
    switch member {
    case .root: return try authority(root, "Root A").certificate
    case .oldRoot: return try authority(oldRoot, "Old Root").certificate
    case .issuing: return try issued(by: authority(root, "Root A"))
    case .crossSigned: return try issued(by: authority(oldRoot, "Old Root"))
    case .leaf:
      let issuer = CertificateAuthority(try certificate(.issuing), key: Self.key("Issuing", .p384))
      var template = leaf
      template.signatureScheme = .ecdsaSHA384
      return try issuer.issue(
        template, for: Self.key("api").publicKey, impostor: Self.key("impostor", .p384), random: &random)
    case .selfSigned: return try authority(leaf, "api").certificate
    }
  }

  private func authority(_ template: CertificateTemplate, _ owner: String) throws -> CertificateAuthority {
    var random = DeterministicRandom(seed: .number(3), label: owner)
    var template = template
    template.signatureScheme = .ecdsaSHA256
    return try CertificateAuthority(root: template, key: Self.key(owner), random: &random)
  }

  private func issued(by authority: CertificateAuthority) throws -> Certificate {
    var random = DeterministicRandom(seed: .number(3), label: "Issuing by \(authority.certificate.displayName)")
    var template = issuing
    template.signatureScheme = .ecdsaSHA256
    return try authority.issue(template, for: Self.key("Issuing", .p384).publicKey, random: &random)
  }
}

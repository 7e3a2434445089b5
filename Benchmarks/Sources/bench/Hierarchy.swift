import Cryptography
import Explanation
import Laboratory
import PKIX
import Trust

/// A root, an intermediate and a server's certificate, with keys of one kind.
struct Hierarchy {
  /// The kind of all three keys.
  enum Kind: String {
    case rsa = "RSA-2048"
    case ecdsa = "ECDSA P-256"
  }

  let root: Certificate
  let intermediate: Certificate
  let leaf: Certificate
  let leafKey: PrivateKey

  static let host = "api.example"
  static let time = Instant(secondsSince1970: 1_760_000_000)

  init(_ kind: Kind) throws {
    var random = DeterministicRandom(seed: .number(1), label: "bench/\(kind.rawValue)")
    func key(_ owner: String) throws -> PrivateKey {
      switch kind {
      case .rsa: .rsa(try KeyStore().rsaKey(owner: "bench \(owner)", bits: 2048))
      case .ecdsa: .ec(KeyStore.ecKey(owner: "bench \(owner)", curve: .p256))
      }
    }
    func signed(_ template: CertificateTemplate) -> CertificateTemplate {
      var template = template
      template.signatureScheme = kind == .rsa ? .rsaPKCS1SHA256 : .ecdsaSHA256
      return template
    }
    func authority(_ name: String, years: Int, pathLength: Int? = nil) -> CertificateTemplate {
      signed(
        .authority(
          DistinguishedName(commonName: name, organization: "TrustLab"),
          notBefore: Hierarchy.time.adding(days: -365 * years), notAfter: Hierarchy.time.adding(days: 365 * years),
          pathLength: pathLength))
    }
    let (rootKey, intermediateKey) = (try key("root"), try key("intermediate"))
    leafKey = try key("leaf")
    let top = try CertificateAuthority(root: authority("Bench Root", years: 10), key: rootKey, random: &random)
    root = top.certificate
    intermediate = try top.issue(
      authority("Bench Issuing", years: 5, pathLength: 0), for: intermediateKey.publicKey, random: &random)
    leaf = try CertificateAuthority(intermediate, key: intermediateKey).issue(
      signed(
        .server(
          DistinguishedName(commonName: Hierarchy.host), names: [.dnsName(Hierarchy.host)],
          notBefore: Hierarchy.time.adding(days: -30), notAfter: Hierarchy.time.adding(days: 60))),
      for: leafKey.publicKey, random: &random)
  }

  /// The certificates that the server sends.
  var presented: [[UInt8]] { [leaf.der, intermediate.der] }

  /// A current iPhone that trusts the root.
  var evaluator: TrustEvaluator {
    TrustEvaluator(TrustRequirements(os: OSVersion(.iOS, 18), date: Hierarchy.time, store: TrustStore(system: [root])))
  }
}

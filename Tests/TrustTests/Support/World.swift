import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX

@testable import Trust

/// A root, an intermediate and a server, which a test may change before they are issued.
struct World {
  static let now = date("2022-11-01")
  static let keys = KeyStore.tests

  var root = CertificateTemplate.authority(
    DistinguishedName(commonName: "Root A"), notBefore: date("2010-01-01"), notAfter: date("2040-01-01"))
  var issuing = CertificateTemplate.authority(
    DistinguishedName(commonName: "Issuing"), notBefore: date("2015-01-01"), notAfter: date("2030-01-01"),
    pathLength: 0)
  var leaf = CertificateTemplate.server(
    DistinguishedName(commonName: "api.example"), names: [.dnsName("api.example")], notBefore: date("2022-06-01"),
    notAfter: date("2023-06-01"))
  var leafBits = 2048

  static func date(_ text: String) -> Instant { Instant(text) ?? Instant(secondsSince1970: 0) }

  static func key(_ owner: String, bits: Int = 2048) throws -> PrivateKey {
    .rsa(try keys.rsaKey(owner: owner, bits: bits))
  }

  /// Issues the server's certificate, the intermediate and the root.
  func issue() throws -> [Certificate] {
    var random = DeterministicRandom(seed: .number(1), label: "serial numbers")
    let rootA = try CertificateAuthority(root: root, key: World.key("Root A"), random: &random)
    let intermediate = try rootA.issue(issuing, for: World.key("Issuing").publicKey, random: &random)
    let authority = CertificateAuthority(intermediate, key: try World.key("Issuing"))
    let key = try World.key("api", bits: leafBits)
    return [
      try authority.issue(leaf, for: key.publicKey, random: &random), intermediate, rootA.certificate,
    ]
  }

  /// Issues the server's certificate, self-signed.
  func issueSelfSigned() throws -> Certificate {
    var random = DeterministicRandom(seed: .number(1), label: "serial numbers")
    return try CertificateAuthority(root: leaf, key: World.key("api", bits: leafBits), random: &random).certificate
  }

  /// Evaluates a server that presents all certificates except the root, which the client trusts as `kind` says.
  func evaluate(
    _ host: String? = "api.example", kind: TrustStore.Kind = .system, os: String = "iOS 17",
    at date: Instant = World.now
  ) throws -> TrustEvaluation {
    let chain = try issue()
    return World.evaluate(Array(chain.prefix(2)), host, World.store(chain[2], kind), os: os, at: date)
  }

  static func store(_ anchor: Certificate, _ kind: TrustStore.Kind) -> TrustStore {
    switch kind {
    case .system: TrustStore(system: [anchor])
    case .user: TrustStore(user: [anchor])
    case .app: TrustStore(app: [anchor])
    }
  }

  static func evaluate(
    _ chain: [Certificate], _ host: String?, _ store: TrustStore, os: String = "iOS 17", at date: Instant = World.now
  ) -> TrustEvaluation {
    let evaluator = TrustEvaluator(TrustRequirements(os: OSVersion(os), date: date, store: store))
    return evaluator.evaluate(chain, host: host)
  }
}

extension TrustEvaluation {
  var because: Set<String> { Set(deciding.map(\.id)) }
}

import Cryptography
import Explanation
import Oracles
import PKIX
import Testing

@testable import Trust

/// A chain, its defect, and the rules that refuse it; no rules if the chain is accepted.
struct JudgedChain: Sendable, CustomTestStringConvertible {
  let name: String
  let because: Set<String>
  var change: @Sendable (inout Chain) -> Void = { _ in }

  init(_ name: String, _ because: Set<String> = [], _ change: @escaping @Sendable (inout Chain) -> Void = { _ in }) {
    self.name = name
    self.because = because
    self.change = change
  }

  var testDescription: String { name }

  static let all: [JudgedChain] = [
    JudgedChain("a good chain"),
    JudgedChain("an expired leaf", ["chain.expired"]) { $0.leaf.notAfter = World.date("2022-10-31") },
    JudgedChain("a leaf of the future", ["chain.not-yet-valid"]) { $0.leaf.notBefore = World.date("2022-11-02") },
    JudgedChain("an expired intermediate", ["chain.expired"]) { $0.issuing.notAfter = World.date("2022-10-31") },
    JudgedChain("an expired root", ["chain.expired"]) { $0.root.notAfter = World.date("2022-10-31") },
    JudgedChain("a leaf for another host", ["name.mismatch"]) {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("www.example")])
    },
    JudgedChain("a leaf for clients", ["chain.extended-key-usage"]) { $0.leaf.faults = [.clientPurpose] },
    JudgedChain(
      "three faults on one leaf", ["chain.expired", "name.mismatch", "chain.extended-key-usage"]
    ) {
      $0.leaf.notAfter = World.date("2022-10-31")
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("www.example")])
      $0.leaf.faults = [.clientPurpose]
    },
    JudgedChain("an issuer that is no CA", ["chain.not-a-ca"]) { $0.issuing.faults = [.notCA] },
    JudgedChain("an issuer without basicConstraints", ["chain.not-a-ca"]) {
      $0.issuing.faults = [.noBasicConstraints]
    },
    JudgedChain("an issuer that may not sign", ["chain.key-usage"]) { $0.issuing.faults = [.noCertificateSigning] },
    JudgedChain("a root that allows no intermediate", ["chain.path-length"]) {
      $0.root.basicConstraints = BasicConstraints(isCA: true, pathLength: 0)
    },
    JudgedChain("a root that allows one") {
      $0.root.basicConstraints = BasicConstraints(isCA: true, pathLength: 1)
    },
    JudgedChain("a changed signature", ["chain.signature-invalid"]) { $0.leaf.faults = [.signature] },
    JudgedChain("a signature by another key", ["chain.signature-invalid"]) { $0.leaf.faults = [.issuerKey] },
    JudgedChain("an unknown critical extension", ["chain.unhandled-critical-extension"]) {
      $0.leaf.faults = [.unknownCriticalExtension]
    },
    JudgedChain("a missing intermediate", ["chain.no-issuer"]) { $0.presented = [.leaf] },
    JudgedChain("an unknown root", ["chain.no-anchor"]) { $0.trusted = [.oldRoot] },
    JudgedChain("a root that is sent but not trusted", ["chain.no-anchor"]) {
      $0.presented = [.leaf, .issuing, .root]
      $0.trusted = [.oldRoot]
    },
    JudgedChain("the intermediate behind certificates that lead nowhere") {
      $0.presented = [.leaf, .root, .oldRoot, .issuing]
    },
    JudgedChain("a self-signed leaf", ["chain.self-signed"]) { $0.presented = [.selfSigned] },
    JudgedChain("a self-signed leaf that is trusted") {
      $0.presented = [.selfSigned]
      $0.trusted = [.selfSigned]
    },
    JudgedChain("cross-signed, and one of two roots has expired") {
      // In the reverse order openssl, which tries only one path, refuses the chain.
      $0.presented = [.leaf, .issuing, .crossSigned]
      $0.trusted = [.oldRoot, .root]
    },
    JudgedChain("cross-signed, and the only root has expired", ["chain.expired"]) {
      $0.presented = [.leaf, .crossSigned, .issuing]
      $0.trusted = [.oldRoot]
    },
  ]
}

@Suite("Verdicts compared with openssl verify")
struct OpenSSLAgreementTests {
  @Test(
    "openssl has the same verdicts, and the rules here name the reasons",
    arguments: JudgedChain.all)
  func agreement(_ row: JudgedChain) throws {
    var chain = Chain()
    row.change(&chain)
    let presented = try chain.presented.map(chain.certificate)
    let trusted = try chain.trusted.map(chain.certificate)
    let evaluation = TrustEvaluator(
      TrustRequirements(os: OSVersion(.iOS, 18, 4), date: World.now, store: TrustStore(system: trusted))
    ).evaluate(presented, host: "api.example")
    #expect(evaluation.because == row.because)

    let openssl = try OpenSSL()
    try openssl.write("leaf.pem", presented[0].pem)
    try openssl.write("others.pem", presented.dropFirst().map(\.pem).joined())
    try openssl.write("roots.pem", trusted.map(\.pem).joined())
    let others = presented.count > 1 ? ["-untrusted", "others.pem"] : []
    let answer = try openssl.run(
      ["verify", "-no-CApath", "-no-CAstore", "-CAfile", "roots.pem", "-attime", "\(World.now.secondsSince1970)"]
        + ["-purpose", "sslserver", "-verify_hostname", "api.example"] + others + ["leaf.pem"])
    #expect((answer.status == 0) == row.because.isEmpty, "\(answer.output)")
  }
}

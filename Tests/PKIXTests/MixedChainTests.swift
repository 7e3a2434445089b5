import Cryptography
import Explanation
import Oracles
import Testing

@testable import PKIX

@Suite("Chains with every kind of key and signature, made by openssl")
struct MixedChainTests {
  /// A CA of the chain: its key, and how it signs the next certificate.
  struct Link {
    let key: [String]
    let signing: [String]
    let algorithm: String

    init(_ key: [String], _ signing: [String], _ algorithm: String) {
      self.key = key
      self.signing = signing
      self.algorithm = algorithm
    }
  }

  private static func ec(_ curve: String) -> [String] { ["EC", "-pkeyopt", "ec_paramgen_curve:\(curve)"] }
  private static let rsa = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
  private static func pss(_ salt: String) -> [String] {
    ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(salt)"]
  }

  static let links = [
    Link(rsa, ["-sha256"], "sha256WithRSAEncryption"), Link(rsa, ["-sha512"], "sha512WithRSAEncryption"),
    Link(rsa, ["-sha256"] + pss("digest"), "id-RSASSA-PSS"), Link(rsa, ["-sha384"] + pss("max"), "id-RSASSA-PSS"),
    Link(["RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], ["-sha512"] + pss("10"), "id-RSASSA-PSS"),
    Link(ec("P-256"), ["-sha256"], "ecdsa-with-SHA256"), Link(ec("P-384"), ["-sha384"], "ecdsa-with-SHA384"),
    Link(ec("P-521"), ["-sha512"], "ecdsa-with-SHA512"), Link(ec("P-521"), ["-sha256"], "ecdsa-with-SHA256"),
    Link(ec("P-256"), ["-sha512"], "ecdsa-with-SHA512"), Link(ec("P-384"), ["-sha224"], "ecdsa-with-SHA224"),
    Link(ec("P-384"), ["-sha1"], "ecdsa-with-SHA1"),
  ]

  /// A chain in which each certificate signs the next, from the root to the leaf.
  private static func made() throws -> [Certificate] {
    let openssl = try OpenSSL()
    try openssl.write("ca.ext", "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n")
    try openssl.write("leaf.ext", "basicConstraints=critical,CA:FALSE\nsubjectAltName=DNS:api.example\n")
    var certificates: [Certificate] = []
    for index in 0...links.count {
      let isLeaf = index == links.count
      try openssl.run(["genpkey", "-out", "\(index).key", "-algorithm"] + (isLeaf ? ec("P-256") : links[index].key))
      try openssl.run(
        "req", "-new", "-key", "\(index).key", "-subj", "/CN=link \(index)", "-out", "\(index).csr")
      let signer =
        index == 0
        ? ["-signkey", "0.key"] + links[0].signing
        : ["-CA", "\(index - 1).pem", "-CAkey", "\(index - 1).key", "-CAcreateserial"] + links[index - 1].signing
      let answer = try openssl.run(
        ["x509", "-req", "-in", "\(index).csr", "-days", "30", "-out", "\(index).pem", "-extfile"]
          + [isLeaf ? "leaf.ext" : "ca.ext"] + signer)
      #expect(answer.status == 0, "\(answer.output)")
      certificates += try Certificate.certificates(inPEMOrDER: openssl.read("\(index).pem"))
    }
    return certificates
  }

  private func findings(_ chain: [Certificate]) -> [Finding] {
    let date = chain[0].notBefore.adding(days: 1)
    return PathValidation(CertificatePath(chain.reversed(), end: .anchor), at: date).findings
  }

  @Test("every signature verifies, and any change to one is detected")
  func mixed() throws {
    let chain = try Self.made()
    #expect(chain.dropFirst().map(\.signatureAlgorithm.description) == Self.links.map(\.algorithm))
    #expect(findings(chain).deciding == [])
    for index in chain.indices.dropFirst() {
      var changed = chain
      var der = chain[index].der
      der[der.count - 3] ^= 1
      changed[index] = try Certificate(der: der)
      let findings = findings(changed)
      #expect(findings.deciding.map(\.id) == ["chain.signature-invalid"], "\(index)")
      let wrong = findings.first { $0.rule == .signatureInvalid && $0.outcome == .violated }
      #expect(wrong?.subject.description.contains("certificate \(chain.count - 1 - index)") == true)
    }
  }
}

import Cryptography
import Explanation
import Foundation
import Laboratory
import Testing

@testable import PKIX
@testable import Trust

/// Mozilla's roots as Debian installs them, issued again with a test key.
///
/// Names, serial number, dates and extensions stay unchanged.
@Suite("Widely trusted roots")
struct MozillaRootsTests {
  private static let folder = "/usr/share/ca-certificates/mozilla"
  private static let now = World.date("2026-11-01")

  /// The unexpired roots, with the names of their files.
  static let roots: [(name: String, certificate: Certificate)] = {
    let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    return files.compactMap { name in
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
        let certificate = try? Certificate.certificates(inPEMOrDER: Array(data)).first, certificate.notAfter > now,
        certificate.notBefore < now
      else { return nil }
      return (name, certificate)
    }
  }()

  @Test(
    "each is the anchor of a valid chain under every profile",
    .enabled(if: !roots.isEmpty, "Debian's package ca-certificates is not installed"))
  func accepted() throws {
    #expect(Self.roots.count >= 100)
    for (name, root) in Self.roots {
      let (leaf, issuing, anchor) = try Self.chain(under: root)
      #expect(anchor.subject == root.subject && anchor.serialNumber == root.serialNumber, "\(name)")
      #expect(anchor.extensions.map(\.value) == root.extensions.map(\.value), "\(name)")
      for profile in TrustProfile.allCases {
        let evaluator = TrustEvaluator(
          TrustRequirements(
            profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: Self.now,
            store: TrustStore(system: [anchor])))
        let evaluation = evaluator.evaluate([leaf, issuing], host: "api.example")
        #expect(evaluation.because == [], "\(name) in \(profile)")
        // A root that is not trusted is not an anchor.
        let stranger = TrustEvaluator(
          TrustRequirements(
            profile: profile, os: evaluator.requirements.os, date: Self.now,
            store: TrustStore(system: try World().issue().suffix(1))))
        #expect(!stranger.evaluate([leaf, issuing], host: "api.example").accepted, "\(name)")
      }
    }
  }

  /// A server's certificate, a CA, and the root issued again.
  private static func chain(under root: Certificate) throws -> (Certificate, Certificate, Certificate) {
    let key = try key(like: root.publicKey)
    let anchor = try again(root, key)
    let authority = CertificateAuthority(anchor, key: key)
    var random = DeterministicRandom(seed: .number(1), label: "roots")
    var world = World()
    world.issuing.notBefore = World.date("2026-01-01")
    world.issuing.notAfter = World.date("2028-01-01")
    world.issuing.signatureScheme = scheme(of: key)
    world.leaf.notBefore = World.date("2026-09-01")
    world.leaf.notAfter = World.date("2026-12-01")
    let issuing = try authority.issue(world.issuing, for: World.key("Issuing").publicKey, random: &random)
    let leaf = try CertificateAuthority(issuing, key: World.key("Issuing"))
      .issue(world.leaf, for: World.key("api").publicKey, random: &random)
    return (leaf, issuing, anchor)
  }

  private static func key(like original: PublicKey) throws -> PrivateKey {
    if case .ec(let key) = original { return .ec(KeyStore.ecKey(owner: "Root A", curve: key.curve)) }
    return try World.key("Root A")
  }

  private static func scheme(of key: PrivateKey) -> SignatureScheme {
    guard case .ec(let own) = key else { return .rsaPKCS1SHA256 }
    switch own.publicKey.curve {
    case .p256: return .ecdsaSHA256
    case .p384: return .ecdsaSHA384
    case .p521: return .ecdsaSHA512
    }
  }

  /// The same certificate with another key, and a self-signature with the algorithm of the original.
  private static func again(_ root: Certificate, _ key: PrivateKey) throws -> Certificate {
    var outer = DERCursor(Array(root.der[root.tbsCertificate]))
    var parts = outer.inside(try outer.next("tbsCertificate", DERTag.sequence))
    var content: [UInt8] = []
    while !parts.isAtEnd {
      let encoding = parts.encoding(try parts.next("part"))
      content += encoding == root.subjectPublicKeyInfo ? key.publicKey.subjectPublicKeyInfo : encoding
    }
    let signed = DER.element(DERTag.sequence, content)
    let scheme = try #require(root.signatureScheme)
    var random = DeterministicRandom(seed: .number(1), label: "signature")
    let signature = try key.sign(signed, scheme, random: &random)
    return try Certificate(der: DER.sequence(signed, root.signatureAlgorithm.der, DER.bitString(signature)))
  }
}

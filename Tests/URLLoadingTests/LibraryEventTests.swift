import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Testing
import Trust

@testable import URLLoading

@Suite("The steps of pinning libraries") struct LibraryEventTests {
  private static let keys = KeyStore.tests
  private static let now = Instant(secondsSince1970: 1_480_000_000)

  private struct World {
    let root: Certificate
    let leaf: Certificate

    init(_ host: String = "api.example") throws {
      var random = DeterministicRandom(seed: .number(1), label: "libraries")
      let authority = try CertificateAuthority(
        root: .authority(
          DistinguishedName(commonName: "Root"), notBefore: LibraryEventTests.now.adding(days: -30),
          notAfter: LibraryEventTests.now.adding(days: 365)),
        key: .rsa(try LibraryEventTests.keys.rsaKey(owner: "Root", bits: 2048)), random: &random)
      root = authority.certificate
      leaf = try authority.issue(
        .server(
          DistinguishedName(commonName: host), names: [.dnsName(host)],
          notBefore: LibraryEventTests.now.adding(days: -10),
          notAfter: LibraryEventTests.now.adding(days: 90)),
        for: PrivateKey.ec(KeyStore.ecKey(owner: host, curve: .p256)).publicKey, random: &random)
    }

    func presented(isTrusted: Bool = true) -> TrustInspection.Presented {
      .init(
        [leaf, root], host: "api.example",
        TrustEvaluator(
          TrustRequirements(
            os: OSVersion(.iOS, 10), date: LibraryEventTests.now, store: TrustStore(system: isTrusted ? [root] : [])),
          diagnostics: TrustDiagnostics(names: CertificateNames([("api", leaf), ("Root", root)]))))
    }
  }

  private func events(_ policy: LibraryPolicy, _ presented: TrustInspection.Presented) -> [LibraryEvent] {
    let steps = policy.verdict(on: presented).steps
    #expect(steps.allSatisfy { $0.library == policy.version })
    return steps.map(\.event)
  }

  @Test("AFNetworking sets a policy and anchors, evaluates after each, and compares")
  func afNetworking() throws {
    let world = try World()
    var library = AFNetworking(try #require(LibraryVersion(.afNetworking, "3.1")), .certificate)
    library.pins = [PinnedFile("api", world.leaf)]
    let path = ["api", "Root"]
    #expect(
      events(.afNetworking(library), world.presented()) == [
        .setPolicy(.ssl(host: "api.example")), .evaluated(.unspecified, path: path, violated: []),
        .setAnchors(["api"]), .evaluated(.unspecified, path: ["api"], violated: []),
        .comparedPins(byKey: false, matches: true),
      ])
    library.pinning = .publicKey
    library.pins = [PinnedFile("other", try World("other.example").leaf)]
    #expect(
      events(.afNetworking(library), world.presented()) == [
        .setPolicy(.ssl(host: "api.example")), .evaluated(.unspecified, path: path, violated: []),
        .comparedPins(byKey: true, matches: false),
      ])
    #expect(
      events(.afNetworking(library), world.presented(isTrusted: false)) == [
        .setPolicy(.ssl(host: "api.example")),
        .evaluated(.recoverableTrustFailure, path: path, violated: [.noAnchor]),
        .skippedPins(enforcesPinning: nil),
      ])
  }

  @Test("Alamofire reports its entries, and the reason of its error")
  func alamofire() throws {
    let world = try World()
    let version = try #require(LibraryVersion(.alamofire, "5.9"))
    let other = Alamofire(version, entries: ["b.example": .evaluator(.disabled), "a.example": .evaluator(.disabled)])
    #expect(
      events(.alamofire(other), world.presented()) == [
        .alamofire(.foundNoEntry(host: "api.example", entries: ["a.example", "b.example"]))
      ])
    let evaluator = Alamofire.Evaluator.publicKeys([], performDefaultValidation: true, validateHost: true)
    let empty = Alamofire(version, entries: ["api.example": .evaluator(evaluator)])
    #expect(events(.alamofire(empty), world.presented()) == [.foundNoPins(.noPublicKeysFound)])
    #expect(
      LibraryPolicy.alamofire(empty).verdict(on: world.presented()).reason == .alamofire(.noPublicKeysFound))
  }

  @Test("TrustKit compares hashes, decides, and reports a refusal")
  func trustKit() throws {
    let world = try World()
    let version = try #require(LibraryVersion(.trustKit, "3.0.7"))
    func library(_ pins: [PublicKeyPins.Pin]) -> TrustKit {
      TrustKit(version, domains: ["api.example": .init(pins)])
    }
    let spare = PublicKeyPins.Pin(keyOf: try World("other.example").leaf, named: "spare.key")
    let evaluation: [LibraryEvent] = [
      .setPolicy(.ssl(host: "api.example")), .evaluated(.unspecified, path: ["api", "Root"], violated: []),
    ]
    let matching = library([PublicKeyPins.Pin(keyOf: world.root, named: "Root.key"), spare])
    #expect(
      events(.trustKit(matching), world.presented()) == evaluation + [
        .trustKit(.matchedHash(certificate: "Root", entry: "api.example")), .trustKit(.decided(.allow, .success)),
      ])
    let wrong = library([spare, PublicKeyPins.Pin(name: "none", fingerprint: [UInt8](repeating: 1, count: 32))])
    let verdict = LibraryPolicy.trustKit(wrong).verdict(on: world.presented())
    let report = try #require(verdict.report)
    #expect(
      verdict.steps.map(\.event) == evaluation + [
        .trustKit(.matchedNoHash(.enforced)), .trustKit(.decided(.block, .noMatchingPin)),
        .trustKit(.postedReport(report)),
      ])
    #expect(verdict.reason == .trustKit(.noMatchingPin))
    let elsewhere = TrustKit(version, domains: ["b.example": .init([spare])])
    let unpinned = elsewhere.evaluate(TrustObject(world.presented()), host: "api.example", at: Self.now)
    #expect(
      unpinned.verdict.steps.map(\.event) == [
        .trustKit(.foundNotPinned(.noEntry("api.example", entries: ["b.example"])))
      ])
  }

  @Test("an exception during configuration is the only step")
  func exceptions() throws {
    let world = try World()
    let spare = PublicKeyPins.Pin(keyOf: world.leaf, named: "api.key")
    let trustKit = TrustKit(
      try #require(LibraryVersion(.trustKit, "3.0.7")), domains: ["api.example": .init([spare])])
    #expect(trustKit.exception == .entry("api.example", .tooFewPins(needed: 2, found: 1)))
    #expect(
      events(.trustKit(trustKit), world.presented()) == [
        .trustKit(.threwAtConfiguration(.entry("api.example", .tooFewPins(needed: 2, found: 1))))
      ])
    var afNetworking = AFNetworking(try #require(LibraryVersion(.afNetworking, "3.2.1")), .publicKey)
    afNetworking.pins = [PinnedFile("api", world.leaf)]
    #expect(
      events(.afNetworking(afNetworking), world.presented()) == [.afNetworking(.threwInvalidSecurityPolicy)])
    afNetworking.hasSecureBaseURL = true
    #expect(
      events(.afNetworking(afNetworking), world.presented()).last == .comparedPins(byKey: true, matches: true))
  }
}

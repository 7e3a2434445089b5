import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Testing
import Trust

@testable import URLLoading

@Suite("An app's delegate and a server's chain") struct ServerTrustChallengeTests {
  private static let keys = KeyStore.tests
  private static let now = Instant(secondsSince1970: 1_480_000_000)

  private func name(_ text: String) -> DistinguishedName { DistinguishedName(commonName: text) }

  private func authority(_ owner: String) throws -> CertificateAuthority {
    var random = DeterministicRandom(seed: .number(1), label: owner)
    return try CertificateAuthority(
      root: .authority(name(owner), notBefore: Self.now.adding(days: -30), notAfter: Self.now.adding(days: 365)),
      key: .rsa(try Self.keys.rsaKey(owner: owner, bits: 2048)), random: &random)
  }

  private func leaf(under issuer: CertificateAuthority, days: Int = 90) throws -> Certificate {
    var random = DeterministicRandom(seed: .number(1), label: "leaf")
    return try issuer.issue(
      .server(
        name("api.example"), names: [.dnsName("api.example")], notBefore: Self.now.adding(days: -10),
        notAfter: Self.now.adding(days: days)),
      for: PrivateKey.ec(KeyStore.ecKey(owner: "api", curve: .p256)).publicKey, random: &random)
  }

  private func challenge(
    _ chain: [Certificate], _ delegate: ChallengeDelegate?, system: [Certificate] = [], _ os: String = "iOS 12",
    _ plist: PropertyList.Dictionary = .init()
  ) throws -> ServerTrustChallenge {
    let load = AppTransportSecurity.Load(
      try LoadURL("https://api.example/"), os: try #require(OSVersion(os)))
    let decision = AppTransportSecurity.decide(load, by: .init(dictionary: plist))
    let evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion(os), date: Self.now, store: TrustStore(system: system)))
    let conversation = ChallengeConversation(.init(os: load.os, delegate: delegate))
    return ServerTrustChallenge(
      chain, host: "api.example", evaluator, conversation: conversation, decision: decision, enforcement: .standard)
  }

  private let arbitrary = PropertyList.Dictionary(entries: [.init(key: "NSAllowsArbitraryLoads", value: .boolean(true))]
  )

  @Test("under App Transport Security a delegate cannot accept a certificate that the system refused")
  func loosening() throws {
    let root = try authority("Private")
    let chain = [try leaf(under: root), root.certificate]
    let delegate = ChallengeDelegate.acceptAll
    let refused = try challenge(chain, delegate)
    #expect(refused.findings.deciding == [.atsTrustLoosening])
    #expect(refused.system.result == .recoverableTrustFailure)
    let noAnchor = try #require(refused.findings.first { $0.rule.id == "chain.no-anchor" })
    #expect(noAnchor.outcome == .violated && noAnchor.weight == .overridden(by: .delegate))
    let lifted = try challenge(chain, delegate, "iOS 12", arbitrary)
    #expect(lifted.findings.deciding.isEmpty)
    #expect(lifted.loosening?.weight == .overridden(by: .exception))
    let before = try challenge(chain, delegate, "iOS 8")
    #expect(before.findings.deciding.isEmpty && before.loosening?.outcome == .notApplicable)
    #expect(try challenge(chain, nil, "iOS 12", arbitrary).findings.deciding.map(\.id) == ["chain.no-anchor"])
  }

  @Test("a delegate that accepts a certificate that the system accepts loosens nothing")
  func agreement() throws {
    let root = try authority("Private")
    let challenge = try challenge([try leaf(under: root)], .acceptAll, system: [root.certificate])
    #expect(challenge.loosening == nil && challenge.findings.deciding.isEmpty)
    #expect(challenge.exchange.answer == .credential(Credential(.trust)))
  }

  @Test("an app's anchors are evaluated again, and replace the system's unless it enables them")
  func anchors() throws {
    let (own, system) = (try authority("Private"), try authority("System"))
    let delegate = ChallengeDelegate.inspecting(.ownAnchors([own.certificate], only: true))
    let trusted = try challenge([try leaf(under: own)], delegate, "iOS 12", arbitrary)
    #expect(trusted.evaluation.anchorKind == .app && trusted.findings.deciding.isEmpty)
    let open = try challenge([try leaf(under: own)], delegate)
    #expect(open.findings.deciding == [.atsTrustLoosening])
    let foreign = [try leaf(under: system)]
    let only = try challenge(foreign, delegate, system: [system.certificate])
    #expect(only.exchange.answer == .cancelled)
    #expect(only.system.accepted && only.findings.deciding.map(\.id) == ["chain.no-issuer"])
    let both = try challenge(
      foreign, .inspecting(.ownAnchors([own.certificate], only: false)), system: [system.certificate])
    #expect(both.findings.deciding.isEmpty && both.evaluation.anchorKind == .system)
  }

  @Test("pins are checked on the path to the app's anchor, for leaf or CA")
  func pins() throws {
    let root = try authority("Private")
    let chain = [try leaf(under: root)]
    let pin = PublicKeyPins.Pin(keyOf: root.certificate, named: "Private")
    for (place, because) in [(PublicKeyPins.Place.path, []), (.authorities, []), (.leaf, [Rule.pinMismatch])] {
      var inspection = TrustInspection.ownAnchors([root.certificate], only: true)
      inspection.pins = [PublicKeyPins([pin], at: place)]
      let delegate = ChallengeDelegate.inspecting(inspection)
      #expect(try challenge(chain, delegate, "iOS 12", arbitrary).findings.deciding == because, "\(place)")
    }
    let alone = PublicKeyPins([.init(keyOf: chain[0], named: "api")], at: .authorities)
    var inspection = TrustInspection.ownAnchors(chain, only: true)
    inspection.pins = [alone]
    let challenge = try challenge(chain, .inspecting(inspection), "iOS 12", arbitrary)
    // The system does not know the app's pins, and a path of one certificate has no CA.
    #expect(challenge.result == .unspecified)
    #expect(challenge.findings.deciding == [.pinMismatch])
  }
}

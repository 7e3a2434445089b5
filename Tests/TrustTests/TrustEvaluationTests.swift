import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

@Suite("Trust evaluation")
struct TrustEvaluationTests {
  @Test("a valid chain to a system root is unspecified, to a user's root proceed")
  func good() throws {
    for (kind, result) in [
      (TrustStore.Kind.system, SecTrustResultType.unspecified), (.user, .proceed), (.app, .unspecified),
    ] {
      let evaluation = try World().evaluate(kind: kind)
      #expect(evaluation.because == [])
      #expect(evaluation.accepted)
      #expect(evaluation.result == result)
      #expect(evaluation.anchorKind == kind)
      #expect(evaluation.path.map(\.displayName) == ["api.example", "Issuing", "Root A"])
    }
  }

  @Test("an expired, self-signed certificate for another host has exactly these three findings")
  func threeReasons() throws {
    var world = World()
    let date = World.date("2024-01-01")
    world.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("other.example")])
    let leaf = try world.issueSelfSigned()
    let evaluation = World.evaluate([leaf], "api.example", TrustStore(), at: date)
    #expect(evaluation.because == ["chain.expired", "chain.self-signed", "name.mismatch"])
    #expect(evaluation.result == .recoverableTrustFailure)
    let trusted = World.evaluate([leaf], "other.example", TrustStore(user: [leaf]))
    #expect(trusted.because == [])
    #expect(trusted.result == .proceed)
  }

  @Test("a self-signed certificate is reported so, even if an older namesake is trusted")
  func regenerated() throws {
    var random = DeterministicRandom(seed: .number(1), label: "regenerated")
    let new = try World().issueSelfSigned()
    let template = CertificateTemplate.authority(
      new.subject, notBefore: World.date("2020-01-01"), notAfter: World.date("2030-01-01"))
    let old = try CertificateAuthority(root: template, key: World.key("api old"), random: &random).certificate
    let evaluation = World.evaluate([new], "api.example", TrustStore(user: [old]))
    #expect(evaluation.because == ["chain.self-signed"])
    #expect(evaluation.path == [new])
    #expect(World.evaluate([new], "api.example", TrustStore(user: [old, new])).because == [])
  }

  @Test("each missing certificate has its own finding")
  func missing() throws {
    let chain = try World().issue()
    let store = TrustStore(system: [chain[2]])
    #expect(World.evaluate(Array(chain.prefix(2)), "api.example", store).because == [])
    #expect(World.evaluate([chain[0]], "api.example", store).because == ["chain.no-issuer"])
    #expect(World.evaluate(Array(chain.prefix(2)), "api.example", TrustStore()).because == ["chain.no-anchor"])
    #expect(World.evaluate(chain, "api.example", TrustStore()).because == ["chain.no-anchor"])
  }

  @Test("a flipped bit in the signature is an invalid signature and nothing else")
  func signature() throws {
    var world = World()
    world.leaf.faults = [.signature]
    #expect(try world.evaluate().because == ["chain.signature-invalid"])
  }

  @Test("a private root that is absent, installed, trusted or distrusted")
  func privateRoot() throws {
    let chain = try World().issue()
    let presented = Array(chain.prefix(2))
    let root = [chain[2]]
    let waiting = World.evaluate(presented, "api.example", TrustStore(installedNotTrusted: root))
    #expect(waiting.because == ["chain.not-trusted-yet"])
    #expect(waiting.result == .recoverableTrustFailure)
    #expect(World.evaluate(presented, "api.example", TrustStore(user: root)).accepted)
    let switchedOn = TrustStore(user: root, installedNotTrusted: root)
    #expect(World.evaluate(presented, "api.example", switchedOn).accepted)
    for store in [TrustStore(distrusted: root), TrustStore(system: root, distrusted: root)] {
      let denied = World.evaluate(presented, "api.example", store)
      #expect(denied.because == ["chain.distrusted"])
      #expect(denied.result == .fatalTrustFailure)
    }
  }

  @Test("an expired root refuses the chain, unlike in RFC 5280")
  func expiredRoot() throws {
    var world = World()
    world.root.notAfter = World.date("2022-01-01")
    let evaluation = try world.evaluate()
    #expect(evaluation.because == ["chain.expired"])
    #expect(evaluation.findings.filter(\.refuses).map(\.subject) == [.certificate(index: 2, name: "Root A")])
    #expect(try World().evaluate().accepted)
  }

  @Test("an app's anchors replace the system's, unless the app enables those again")
  func appAnchors() throws {
    let chain = try World().issue()
    var other = World()
    other.root.subject = DistinguishedName(commonName: "Root B")
    let bundled = [try other.issue()[2]]
    let store = TrustStore(system: [chain[2]])
    #expect(World.evaluate(chain, "api.example", store).accepted)
    let only = World.evaluate(chain, "api.example", store.settingAnchors(bundled))
    #expect(only.because == ["chain.no-anchor"])
    #expect(World.evaluate(chain, "api.example", store.settingAnchors(bundled, only: false)).accepted)
  }

  @Test("an empty chain is not trusted")
  func empty() throws {
    let evaluation = World.evaluate([], "api.example", TrustStore())
    #expect(!evaluation.accepted)
    #expect(evaluation.result == .invalid)
    #expect(evaluation.because == ["chain.no-certificate"])
  }

  @Test("overridden violations are still reported, and a user's exception results in proceed")
  func overridden() throws {
    let chain = try World().issue()
    let refused = World.evaluate(chain, "other.example", TrustStore())
    #expect(!refused.accepted)
    let byUser = refused.overridden(by: .user)
    #expect(byUser.accepted)
    #expect(byUser.result == .proceed)
    #expect(byUser.findings.contains { $0.rule == .nameMismatch && $0.outcome == .violated })
    #expect(refused.overridden(by: .delegate).result == .unspecified)
  }

  @Test("the numbers are those of SecTrust.h")
  func numbers() {
    #expect(SecTrustResultType.allCases.map(\.rawValue) == Array(0...7))
    #expect(SecTrustResultType.allCases.filter(\.isTrusted) == [.proceed, .unspecified])
  }

  @Test("rule ids are unique, also among those of PKIX")
  func rules() {
    let ids = (Rule.pkix + Rule.trust).map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Rule.trust.allSatisfy { !$0.fix.isEmpty && !$0.statement.isEmpty })
  }
}

import Explanation
import Foundation
import PKIX
import Testing

@testable import Trust

/// The verdicts of Apple's own tests of Security.framework.
@Suite("Apple's trust tests", .enabled(if: SharedData.exists("suites/apple_trust.json"), "\(SharedData.missing)"))
struct AppleSuiteTests {
  struct Suite: Decodable {
    struct Encoded: Decodable { let der: String }
    struct Setting: Decodable {
      let cert: String
      let settings: String?
    }
    struct Policy: Decodable {
      let create: String
      let args: String
    }
    struct Case: Decodable {
      let id: String
      let certs: [String]
      let anchors: [String]?
      let policy: Policy
      let time: String
      let expected: Bool
      let trust_kind: String
      let user_trust_settings: [Setting]?
    }
    let certificates: [String: Encoded]
    let testcases: [Case]

    func certificate(_ name: String) throws -> Certificate {
      let encoded = try #require(certificates[name], "\(name)")
      return try Certificate(der: Array(try #require(Data(base64Encoded: encoded.der))))
    }
  }

  /// Why a case is not one for this evaluator; nil when it is.
  private func reasonToSkip(_ item: Suite.Case) -> String? {
    if item.policy.create == "SecPolicyCreateEAP" { return "EAP matches names in its own way" }
    if item.policy.create == "SecPolicyCreateSSLWithKeyUsage" { return "key usage by key exchange is TLS's" }
    if item.trust_kind == "none" { return "needs Apple's own list of roots" }
    return nil
  }

  @Test("verdicts agree with Apple's")
  func verdicts() throws {
    let suite: Suite = try SharedData.decode("suites/apple_trust.json")
    var evaluated = 0
    for item in suite.testcases {
      let chain = try item.certs.map(suite.certificate)
      let anchors = try (item.anchors ?? []).map(suite.certificate)
      if reasonToSkip(item) != nil { continue }
      evaluated += 1
      let evaluation = World.evaluate(
        chain, host(item.policy), try store(item, anchors, suite),
        at: World.date(String(item.time.prefix(19)) + "Z"))
      #expect(evaluation.accepted == item.expected, "\(item.id): \(evaluation.because)")
    }
    #expect(evaluated >= 40)
  }

  /// The host of `true, example.com`; nil where the policy is not one for servers.
  private func host(_ policy: Suite.Policy) -> String? {
    guard policy.create == "SecPolicyCreateSSL", policy.args.hasPrefix("true, ") else { return nil }
    return String(policy.args.dropFirst("true, ".count))
  }

  private func store(_ item: Suite.Case, _ anchors: [Certificate], _ suite: Suite) throws -> TrustStore {
    let settings = item.user_trust_settings ?? []
    let denied = try settings.filter { $0.settings?.contains("Deny") == true }.map { try suite.certificate($0.cert) }
    let trusted = try settings.filter { $0.settings == nil }.map { try suite.certificate($0.cert) }
    return item.trust_kind == "system"
      ? TrustStore(system: anchors) : TrustStore(user: trusted, app: anchors, distrusted: denied)
  }
}

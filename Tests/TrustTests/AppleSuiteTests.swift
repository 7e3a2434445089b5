import Explanation
import Foundation
import Oracles
import PKIX
import Testing

@testable import Trust

/// The verdicts of Apple's own tests of Security.framework.
@Suite("Apple's trust tests", .needsData("suites/apple_trust.json"))
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

  @Test("verdicts agree with Apple's")
  func verdicts() throws {
    let suite: Suite = try SharedData.decode("suites/apple_trust.json")
    var score = Score("Apple's trust tests")
    for item in suite.testcases {
      let chain = try item.certs.map(suite.certificate)
      var evaluator = TrustEvaluator(
        TrustRequirements(
          os: OSVersion("iOS 17"), date: World.date(String(item.time.prefix(19)) + "Z"), store: try store(item, suite)))
      // The EAP policy requires only a chain: neither SHA-2 nor 2048 bits, and it checks the host in its own way.
      if !item.policy.create.hasPrefix("SecPolicyCreateSSL") { evaluator.requirements.purpose = .any }
      evaluator.requirements.limits.keyUsage = keyUsage(item.policy)
      let evaluation = evaluator.evaluate(chain, host: host(item.policy))
      #expect(evaluation.accepted == item.expected, "\(item.id): \(evaluation.because)")
      score.add(agrees: evaluation.accepted == item.expected, accepted: evaluation.accepted)
    }
    #expect(score.print(atLeast: suite.testcases.count))
  }

  /// The host of `true, example.com`, or nil if the policy is not one for servers.
  private func host(_ policy: Suite.Policy) -> String? {
    guard policy.create.hasPrefix("SecPolicyCreateSSL"), policy.args.hasPrefix("true, ") else { return nil }
    return policy.args.split(separator: ",").dropFirst().first.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The key usages of `true, example.com, kSecKeyUsageDigitalSignature | kSecKeyUsageKeyAgreement`.
  private func keyUsage(_ policy: Suite.Policy) -> KeyUsage {
    guard policy.create == "SecPolicyCreateSSLWithKeyUsage" else { return [] }
    return KeyUsage(words: KeyUsage.names.filter { policy.args.lowercased().contains("keyusage\($0.lowercased())") })
  }

  private func store(_ item: Suite.Case, _ suite: Suite) throws -> TrustStore {
    let anchors = try (item.anchors ?? []).map(suite.certificate)
    // Real chains under system roots, as far as the file contains these roots.
    if item.trust_kind == "none" {
      return TrustStore(system: try suite.certificates.keys.sorted().map(suite.certificate).filter(\.isSelfIssued))
    }
    let settings = item.user_trust_settings ?? []
    let denied = try settings.filter { $0.settings?.contains("Deny") == true }.map { try suite.certificate($0.cert) }
    let trusted = try settings.filter { $0.settings == nil }.map { try suite.certificate($0.cert) }
    return item.trust_kind == "system"
      ? TrustStore(system: anchors) : TrustStore(user: trusted, app: anchors, distrusted: denied)
  }
}

import Explanation
import Foundation
import Oracles
import PKIX
import Testing

@testable import Trust

/// NIST's Public Key Interoperability Test Suite: paths, CRLs and policy inputs.
@Suite("PKITS", .needsData("suites/pkits.json"))
struct PKITSTests {
  struct Suite: Decodable {
    struct Blob: Decodable { let der: String }
    struct Case: Decodable {
      let id: String
      let certs: [String]
      let crls: [String]
      let validation_time: String
      let initial_policy_set: [String]
      let initial_explicit_policy: Bool
      let initial_policy_mapping_inhibit: Bool
      let initial_inhibit_any_policy: Bool
      let user_constrained_policy_set: [String]?
      let expected_result: String
    }
    let blobs: [String: Blob]
    let testcases: [Case]

    func bytes(_ name: String) throws -> [UInt8] {
      let blob = try #require(blobs[name], "\(name)")
      return Array(try #require(Data(base64Encoded: blob.der)))
    }
  }

  @Test("every path has NIST's verdict, under the given policies")
  func paths() throws {
    let suite: Suite = try SharedData.decode("suites/pkits.json")
    var score = Score("PKITS")
    for item in suite.testcases {
      let chain: [Certificate]
      do {
        chain = try item.certs.map { try Certificate(der: suite.bytes($0)) }
      } catch {
        // Bytes that are not a certificate are refused before validation.
        #expect(item.expected_result == "FAILURE", "\(item.id): \(error)")
        score.add(agrees: item.expected_result == "FAILURE")
        continue
      }
      let evaluator = try evaluator(item, suite, anchor: try #require(chain.first))
      let evaluation = evaluator.evaluate(chain.dropFirst().reversed(), host: nil)
      #expect(evaluation.accepted == (item.expected_result == "SUCCESS"), "\(item.id): \(evaluation.because)")
      score.add(agrees: evaluation.accepted == (item.expected_result == "SUCCESS"), accepted: evaluation.accepted)
      guard evaluation.accepted, let path = evaluation.candidates.first?.path,
        let expected = item.user_constrained_policy_set
      else { continue }
      let validation = PathValidation(path, at: evaluator.requirements.date, inputs: evaluator.requirements.inputs)
      #expect(Set(validation.userConstrainedPolicies.map(\.description)) == Set(expected), "\(item.id)")
    }
    #expect(score.print(atLeast: suite.testcases.count))
  }

  private func evaluator(_ item: Suite.Case, _ suite: Suite, anchor: Certificate) throws -> TrustEvaluator {
    var evaluator = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: .any, date: World.date(String(item.validation_time.prefix(19)) + "Z"),
        store: TrustStore(system: [anchor]), revocation: RevocationPolicy(.hardFail)))
    evaluator.evidence.revocation.lists = try item.crls.map { try CertificateRevocationList(der: suite.bytes($0)) }
    evaluator.requirements.inputs.initialPolicies = Set(item.initial_policy_set.compactMap { OID($0) })
    evaluator.requirements.inputs.requiresExplicitPolicy = item.initial_explicit_policy
    evaluator.requirements.inputs.inhibitsPolicyMapping = item.initial_policy_mapping_inhibit
    evaluator.requirements.inputs.inhibitsAnyPolicy = item.initial_inhibit_any_policy
    return evaluator
  }
}

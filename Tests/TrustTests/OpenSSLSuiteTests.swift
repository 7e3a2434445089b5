import Explanation
import Oracles
import PKIX
import Testing

@testable import Trust

@Suite(
  "OpenSSL's own tests of verify",
  .needsData("suites/openssl_verify.json"))
struct OpenSSLSuiteTests {
  /// Cases with another verdict here: part of the case's id, the deciding rules, and the reason.
  private static let readings: [(part: String, rules: Set<Rule>, clause: String)] = [
    ("SM2", [.unsupportedSignatureAlgorithm], "SM2 is not modelled"),
    (
      "bad othername name constraint", [.malformedExtension],
      "RFC 5280 section 4.2.1.10: GeneralSubtrees has at least one element"
    ),
  ]

  /// An anchor is a name and a key, so it need not be a CA certificate (RFC 5280 section 6.1.1 (d)).
  private static func isAboutAnchor(_ id: String) -> Bool { id.contains("fail") && id.hasSuffix("non-ca root") }

  @Test("verdicts agree with OpenSSL's, except if unmodelled or forbidden by the standard")
  func verdicts() throws {
    let suite: OpenSSLSuite = try SharedData.decode("suites/openssl_verify.json")
    var score = Score("OpenSSL's tests of verify")
    for item in suite.testcases {
      let question: OpenSSLQuestion
      do {
        question = try OpenSSLQuestion(item, suite, now: World.date("2025-06-01"))
      } catch let error as CertificateError {
        // Bytes that are not a certificate are refused before validation.
        #expect(!item.expected, "\(item.id): \(error)")
        score.add(agrees: !item.expected)
        continue
      }
      let findings = question.findings
      let isAccepted = !findings.refuses && question.isStrongEnough
      let isRead = Self.readings.contains { part, rules, _ in
        item.id.contains(part) && rules.isSuperset(of: findings.deciding)
      }
      #expect(
        isAccepted == item.expected || isRead && !isAccepted || isAccepted && Self.isAboutAnchor(item.id),
        "\(item.id): \(findings.deciding.map(\.id))")
      score.add(agrees: isAccepted == item.expected, accepted: isAccepted && !Self.isAboutAnchor(item.id))
    }
    // All cases except two with SM2 and those with roots that are not CAs.
    #expect(score.print(atLeast: suite.testcases.count - 5))
  }
}

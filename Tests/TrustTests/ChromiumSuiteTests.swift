import Explanation
import PKIX
import Testing

@testable import Trust

/// Another validator's errors, certificate by certificate; those of RFC 5280's core that this one models.
@Suite(
  "Chromium's chains", .enabled(if: SharedData.exists("suites/chromium_verify_chain.json"), "\(SharedData.missing)"))
struct ChromiumSuiteTests {
  private static let rules: [String: Rule] = [
    "Time is after notAfter": .expired, "Time is before notBefore": .notYetValid,
    "VerifySignedData failed": .signatureInvalid, "Unconsumed critical extension": .unhandledCriticalExtension,
    "max_path_length reached": .pathLength, "Basic Constraints indicates not a CA": .notAuthority,
    "Does not have Basic Constraints": .notAuthority,
  ]

  /// What may refuse a chain that Chromium accepts: what is not modelled yet, and constraints of anchors (RFC 5937).
  private static let known: Set<Rule> = [
    .unhandledCriticalExtension, .unsupportedSignatureAlgorithm, .pathLength, .notAuthority,
  ]

  @Test("what Chromium finds on a certificate is found on it, and what it accepts is accepted")
  func errors() throws {
    let suite: ChromiumSuite = try SharedData.decode("suites/chromium_verify_chain.json")
    var compared = 0
    for item in suite.testcases where item.settings.last_cert_trust.hasPrefix("TRUSTED_ANCHOR") {
      let pem = try #require(suite.chains[item.chain])
      let chain = try pem.flatMap { try Certificate.certificates(inPEMOrDER: Array($0.utf8)) }
      let findings = PathValidation(CertificatePath(chain, end: .anchor), at: date(item)).findings
      for (index, text) in item.errors where index < chain.count - 1 {
        guard let rule = ChromiumSuiteTests.rules[text] else { continue }
        compared += 1
        let found = findings.filter { $0.refuses && $0.rule == rule }.map(\.subject)
        #expect(found.contains(.certificate(index: index, name: chain[index].displayName)), "\(item.id): \(text)")
      }
      if item.expected_result == "SUCCESS" {
        #expect(ChromiumSuiteTests.known.isSuperset(of: findings.deciding), "\(item.id): \(findings.deciding)")
      }
    }
    #expect(compared >= 10)
  }

  /// `211005120000Z`, which is also the default.
  private func date(_ item: ChromiumSuite.Case) -> Instant {
    let text = item.settings.utc_time == "DEFAULT" ? "211005120000Z" : item.settings.utc_time
    let pairs = stride(from: 0, to: 12, by: 2).map { String(text.dropFirst($0).prefix(2)) }
    return World.date("20\(pairs[0])-\(pairs[1])-\(pairs[2])T\(pairs[3]):\(pairs[4]):\(pairs[5])Z")
  }
}

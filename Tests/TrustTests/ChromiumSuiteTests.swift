import Explanation
import Oracles
import PKIX
import Testing

@testable import Trust

/// The verdicts of another validator, and its errors for each certificate.
@Suite(
  "Chromium's chains", .needsData("suites/chromium_verify_chain.json"))
struct ChromiumSuiteTests {
  private static let rules: [String: Rule] = [
    "Time is after notAfter": .expired, "Time is before notBefore": .notYetValid,
    "VerifySignedData failed": .signatureInvalid, "Unconsumed critical extension": .unhandledCriticalExtension,
    "max_path_length reached": .pathLength, "Basic Constraints indicates not a CA": .notCA,
    "Does not have Basic Constraints": .notCA, "keyCertSign bit is not set": .keyUsage,
    "No valid policy": .certificatePolicy, "Not permitted by name constraints": .nameConstraints,
    "Too many name constraints checks": .nameConstraintsLimit,
    "The extended key usage does not include server auth": .extendedKeyUsage,
    "The extended key usage does not include client auth": .extendedKeyUsage,
    "subject does not match issuer": .issuerNameMismatch, "Unacceptable public key": .keySize,
  ]

  /// Purposes that only Chromium has; this project does not model them.
  private static let purposes: [String: TrustRequirements.Purpose] = [
    "SERVER_AUTH": .server, "SERVER_AUTH_STRICT": .server, "SERVER_AUTH_STRICT_LEAF": .server,
    "CLIENT_AUTH": .client, "CLIENT_AUTH_STRICT": .client, "CLIENT_AUTH_STRICT_LEAF": .client, "ANY_EKU": .any,
  ]

  /// Cases with another verdict here: part of the case's id, the deciding rules, and the reason.
  private static let readings: [(part: String, rules: Set<Rule>, clause: String)] = [
    (
      "msapplicationpolicies", [.unhandledCriticalExtension],
      "RFC 5280 section 4.2: a critical extension that is not recognized MUST lead to rejection"
    )
  ]

  @Test("every chain has Chromium's verdict, with the reason at the certificate that it names")
  func answers() throws {
    let suite: ChromiumSuite = try SharedData.decode("suites/chromium_verify_chain.json")
    var compared = 0
    var score = Score("Chromium's chains")
    for item in suite.testcases {
      guard let purpose = Self.purposes[item.settings.key_purpose] else {
        score.skip()
        continue
      }
      let pem = try #require(suite.chains[item.chain])
      let chain = try pem.flatMap { try Certificate.certificates(inPEMOrDER: Array($0.utf8)) }
      let findings = findings(on: chain, item, purpose)
      let isRead = Self.readings.contains { part, rules, _ in
        item.id.contains(part) && rules.isSuperset(of: findings.deciding)
      }
      #expect(
        findings.refuses == (item.expected_result != "SUCCESS") || isRead && findings.refuses,
        "\(item.id): \(findings.deciding.map(\.id)), expected \(item.errors)")
      score.add(agrees: findings.refuses == (item.expected_result != "SUCCESS"), accepted: !findings.refuses)
      for (index, text) in item.errors {
        guard let rule = Self.rules[text], index < chain.count else { continue }
        // A CA without extKeyUsage may issue for every purpose (RFC 5280 section 4.2.1.12).
        if rule == .extendedKeyUsage, index > 0, chain[index].extendedKeyUsage == nil { continue }
        compared += 1
        let found = findings.filter { $0.refuses && $0.rule == rule }.map(\.subject)
        #expect(found.contains(.certificate(index: index, name: chain[index].displayName)), "\(item.id): \(text)")
      }
    }
    #expect(compared >= 10)
    // All except five of the 99 cases, which need Chromium's own purposes, and one with another verdict.
    #expect(score.print(atLeast: suite.testcases.count - 6))
  }

  /// The findings if the last certificate is trusted as the case requires.
  private func findings(
    on chain: [Certificate], _ item: ChromiumSuite.Case, _ purpose: TrustRequirements.Purpose
  ) -> [Finding] {
    let trust = item.settings.last_cert_trust
    let isLeafTrusted = chain.count == 1 && trust.contains("LEAF")
    let isAnchored = chain.count == 1 ? isLeafTrusted : trust.contains("ANCHOR")
    // A leaf that must be self-signed is validated like any other, with itself as the anchor.
    let signsItself = isLeafTrusted && trust.hasSuffix("REQUIRE_SELF_SIGNED")
    let path = CertificatePath(signsItself ? chain + chain : chain, end: isAnchored ? .anchor : .noAnchors)
    var evaluator = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: purpose, date: item.date, store: TrustStore(system: chain.suffix(1))))
    evaluator.requirements.inputs = inputs(item.settings)
    evaluator.requirements.limits.minimumRSABits = 1024
    let validation = PathValidation(path, at: item.date, inputs: evaluator.requirements.inputs)
    let judged = PathContext(path, validation.subjects, evaluator, purpose: purpose)
    var findings = validation.findings + judged.minimumKeys
    findings += purposes(judged, item.settings.key_purpose, isLeafTrusted)
    if trust.contains("WITH_EXPIRATION") { findings += judged.anchorDates }
    if item.settings.digest_policy == "STRONG" { findings += judged.signaturesOfTLS }
    return findings
  }

  /// A leaf that is itself trusted is not restricted by its own extKeyUsage.
  private func purposes(_ judged: PathContext, _ name: String, _ isLeafTrusted: Bool) -> [Finding] {
    guard name.contains("STRICT") else { return judged.statedPurpose + judged.nestedPurposes() }
    if isLeafTrusted { return judged.statedPurpose }
    let leaf = WebPKIPolicy(judged).purposes.filter { $0.subject == judged.subjects.first }
    let form = WebPKIPolicy(judged).leafForm.filter { $0.rule == .caAsLeaf }
    return leaf + form + judged.nestedPurposes(acceptsAny: name.hasSuffix("LEAF"))
  }

  private func inputs(_ settings: ChromiumSuite.Settings) -> PathValidation.Inputs {
    var inputs = PathValidation.Inputs()
    inputs.countsSameKindsOnly = true
    inputs.appliesAnchorConstraints = settings.last_cert_trust.contains("CONSTRAINTS")
    if let policies = settings.initial_policy_set {
      inputs.initialPolicies = Set(
        policies.split(separator: ",").compactMap { $0 == "anyPolicy" ? .anyPolicy : OID(String($0)) })
    }
    inputs.requiresExplicitPolicy = settings.initial_explicit_policy ?? false
    inputs.inhibitsPolicyMapping = settings.initial_policy_mapping_inhibit ?? false
    inputs.inhibitsAnyPolicy = settings.initial_any_policy_inhibit ?? false
    return inputs
  }
}

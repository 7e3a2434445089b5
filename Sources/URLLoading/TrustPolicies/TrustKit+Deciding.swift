import Cryptography
import Explanation
import PKIX
import Trust

// TSKPinningValidator, and what comes of its word.
extension TrustKit {
  /// `evaluateTrust:forHostname:` at `now`; no trust is a mistake of the caller's.
  public func evaluate(_ trust: TrustObject, host: String, at now: Instant) -> Evaluation {
    var run = LibraryRun(version, trust, host: host)
    guard let entry = entry(for: host) else { return notPinned(&run, withoutEntry(host)) }
    if entry.domain.isExcluded { return notPinned(&run, "\(entry.name) is excluded from its parent's pins") }
    if let expiration = entry.domain.expiration, now > expiration {
      return notPinned(&run, "the entry of \(entry.name) has expired: \(expiration)")
    }
    run.set(.ssl(host: host))
    guard run.isValid() else {
      // 1.2.0 to 1.2.4 let everything pass where nothing was enforced.
      let forgives = !entry.domain.enforcesPinning && !version.isAtLeast(1, 2, 5)
      guard forgives else {
        run.untrustedPath(
          "A chain that is not trusted is refused, \(entry.domain.enforcesPinning ? "" : "although nothing is enforced, ")"
            + "and the pins are not looked at.")
        return ended(&run, .block, .invalidCertificateChain, entry, now)
      }
      run.step(
        "lets a chain pass that is not trusted", "Until 1.2.4 nothing was refused where TSKEnforcePinning was NO.",
        [run.letPass(.reportOnly, found: "TSKEnforcePinning: NO")])
      return ended(&run, .allow, .invalidCertificateChain, entry, now)
    }
    return compare(&run, entry, now)
  }

  /// Why no entry is for the host: a name with a wildcard is no name of a host.
  private func withoutEntry(_ host: String) -> String {
    let names = domains.keys.sorted()
    let isWild = names.contains { $0.contains("*") }
    return "no entry covers \(host)" + (names.isEmpty ? "" : ": there is \(names.joined(separator: ", "))")
      + (isWild ? "; TrustKit knows no wildcards, but TSKIncludeSubdomains" : "")
  }

  private func notPinned(_ run: inout LibraryRun, _ why: String) -> Evaluation {
    run.step(
      "says DomainNotPinned", "\(why.prefix(1).uppercased() + why.dropFirst()). Nothing is evaluated or reported.",
      [run.note(.pinsNotEvaluated, .notEvaluated, found: .word(why))])
    return Evaluation(decision: .notPinned, result: nil, verdict: run.verdict(true, answer(.notPinned)))
  }

  private func compare(
    _ run: inout LibraryRun, _ entry: (name: String, domain: Domain), _ now: Instant
  ) -> Evaluation {
    let (path, names) = (run.path(), run.pathNames())
    let known = Set(entry.domain.pins.map(\.fingerprint))
    var compared: [String] = []
    for (certificate, name) in zip(path, names).reversed() {
      guard !version.isAtLeast(1, 6) || canHash(certificate.publicKey) else {
        run.step(
          "cannot hash the key of \(name)",
          version.isAtLeast(1, 6) && !version.isAtLeast(1, 7)
            ? "1.6.0 to 1.6.5 throw." : "It refuses, also where it only reports.",
          [
            run.found(
              .unsupportedKey, required: .anyOf(supportedKeys),
              found: .words([certificate.publicKey.algorithmName, "\(certificate.publicKey.bits ?? 0) bits"]))
          ])
        return ended(&run, .block, .noHash, entry, now)
      }
      // Until 1.5.3 the hash is made with the header of the algorithms that are configured: with another it is wrong.
      let isRight = version.isAtLeast(1, 6) || entry.domain.algorithms.contains { $0.suits(certificate.publicKey) }
      compared.append(
        isRight
          ? "\(name).key" : "\(name).key hashed as \(entry.domain.algorithms.map(\.rawValue).joined(separator: ", "))")
      guard isRight, known.contains(PublicKeyPins.Pin.fingerprint(of: certificate)) else { continue }
      run.step(
        "compares hashes of keys, the root's first: \(name).key is pinned", "The entry is that of \(entry.name).",
        [pinFinding(run, true, entry.domain, compared)])
      return ended(&run, .allow, .success, entry, now)
    }
    let mismatch = pinFinding(run, false, entry.domain, compared)
    let title = "compares hashes of keys, the root's first: none is pinned"
    if run.trust.system.requirements.os?.family == .macOS, run.trust.evaluation?.anchorKind == .user {
      let rule = ignoresUserAnchors ? Rule.userAnchorExempt : .userAnchorBlocked
      let found = run.found(rule, found: .words(path.isEmpty ? [] : [names[names.count - 1]]))
      run.step(
        title, "The root was installed by a user, which macOS alone tells; nothing is reported.",
        [mismatch.advising, found])
      return ended(&run, ignoresUserAnchors ? .allow : .block, .userDefinedTrustAnchor, entry, now)
    }
    guard entry.domain.enforcesPinning else {
      run.step(
        title, "TSKEnforcePinning is NO: the connection goes on.",
        [mismatch.advising, run.found(.reportOnly, found: .word("a report"))])
      return ended(&run, .allow, .noMatchingPin, entry, now)
    }
    run.step(title, "TSKEnforcePinning is YES: the connection is refused.", [mismatch])
    return ended(&run, .block, .noMatchingPin, entry, now)
  }

  private func pinFinding(_ run: LibraryRun, _ holds: Bool, _ domain: Domain, _ compared: [String]) -> Finding {
    run.found(
      .pathPinMismatch, holds, required: .anyOf(domain.pins.map(\.name)), found: .words(compared),
      confidence: isUnsettled(for: run.host)
        ? .unknown("which of several entries a release before 1.6.2 takes: the first in the order of a dictionary")
        : .certain)
  }

  private var supportedKeys: [String] {
    ["RSA 2048", "RSA 4096", "P-256", "P-384"] + (version.isAtLeast(3, 0, 5) ? ["RSA 3072"] : [])
  }

  private func canHash(_ key: PublicKey) -> Bool {
    let bits = key.bits ?? 0
    if key.algorithmName == "RSA" {
      return bits == 2048 || bits == 4096 || bits == 3072 && version.isAtLeast(3, 0, 5)
    }
    return key.algorithmName.hasPrefix("EC") && (bits == 256 || bits == 384)
  }

  private func ended(
    _ run: inout LibraryRun, _ decision: Decision, _ result: Result, _ entry: (name: String, domain: Domain),
    _ now: Instant
  ) -> Evaluation {
    run.step("says \(decision.rawValue)", "The result is \(result.constant) (\(result.rawValue)).")
    let report = report(&run, entry, result, at: now)
    if let report { post(report, &run) }
    let throwing = result == .noHash && version.isAtLeast(1, 6) && !version.isAtLeast(1, 7)
    var verdict = run.verdict(decision != .block, throwing ? .raise : answer(decision))
    verdict.reason = result.constant
    verdict.report = report
    return Evaluation(decision: decision, result: result, verdict: verdict)
  }

  /// What a decision comes to; nil where the app's own delegate answers.
  private func answer(_ decision: Decision) -> DelegateCall? {
    switch (decision, use) {
    case (.block, _): .cancel
    case (.notPinned, .handleChallenge): .performDefaultHandling
    case (.allow, .handleChallenge), (.allow, .evaluateOnly), (.notPinned, .evaluateOnly): .useCredential(.trust)
    case (.allow, .swizzle), (.notPinned, .swizzle): nil
    }
  }

  /// initSharedInstanceWithConfiguration: throws at a configuration that it cannot work with.
  func failure(_ host: String, _ enforcement: Enforcement) -> LibraryStep? {
    exception.map { exception in
      LibraryStep(
        title: "\(version) throws at its configuration",
        narration: "The exception ends the app when it starts, before anything is loaded: \(exception).",
        findings: [enforcement.check(.invalidPinning, on: .host(host), false, found: .word(exception))],
        isEvaluation: false)
    }
  }

  /// What it answers a challenge with a server's trust.
  func answer(_ presented: TrustInspection.Presented) -> LibraryVerdict {
    let trust = TrustObject(presented)
    if let failure = failure(presented.host, trust.system.diagnostics.enforcement) {
      var run = LibraryRun(version, trust, host: presented.host)
      run.add(failure)
      return run.verdict(false, .raise)
    }
    let evaluation = evaluate(trust, host: presented.host, at: presented.evaluator.requirements.date)
    guard evaluation.decision == .notPinned, use == .evaluateOnly else { return evaluation.verdict }
    var run = LibraryRun(version, trust, host: presented.host)
    run.step(
      "has not evaluated anything, and the app takes that for a yes",
      "DomainNotPinned is no success: TSKTrustDecision.h warns that validation is off for every other host then.",
      [run.letPass(.acceptsEverything, found: Decision.notPinned.rawValue)])
    var verdict = evaluation.verdict
    verdict.steps += run.verdict(true, nil).steps
    return verdict
  }
}

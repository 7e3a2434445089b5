import Cryptography
import Explanation
import PKIX
import Trust

// The decision of TSKPinningValidator, and its effects.
extension TrustKit {
  /// Simulates `evaluateTrust:forHostname:` at `now`. A call without a trust is an error of the caller.
  public func evaluate(_ trust: TrustObject, host: String, at now: Instant) -> Evaluation {
    var run = LibraryRun(version, trust, host: host)
    guard let entry = entry(for: host) else { return notPinned(&run, .noEntry(host, entries: domains.keys.sorted())) }
    if entry.domain.isExcluded { return notPinned(&run, .excluded(entry.name)) }
    if let expiration = entry.domain.expiration, now > expiration {
      return notPinned(&run, .expired(entry.name, expiration))
    }
    run.set(.ssl(host: host))
    guard run.isValid() else {
      // Versions 1.2.0 to 1.2.4 accepted every certificate if pins were not enforced.
      let forgives = !entry.domain.enforcesPinning && !version.isAtLeast(1, 2, 5)
      guard forgives else {
        run.untrustedPath(enforcesPinning: entry.domain.enforcesPinning)
        return ended(&run, .block, .invalidCertificateChain, entry, now)
      }
      run.step(
        .trustKit(.acceptedUntrustedChain), [run.letPass(.reportOnly, found: "TSKEnforcePinning: NO")])
      return ended(&run, .allow, .invalidCertificateChain, entry, now)
    }
    return compare(&run, entry, now)
  }

  private func notPinned(_ run: inout LibraryRun, _ reason: NotPinned) -> Evaluation {
    run.step(
      .trustKit(.foundNotPinned(reason)), [run.note(.pinsNotEvaluated, .notEvaluated, found: .word(reason.description))]
    )
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
          .trustKit(.failedToHash(certificate: name, throws: throwsAtUnknownKeys)),
          [
            run.found(
              .unsupportedKey, required: .anyOf(supportedKeys),
              found: .words([certificate.publicKey.algorithmName, "\(certificate.publicKey.bits ?? 0) bits"]))
          ])
        return ended(&run, .block, .noHash, entry, now)
      }
      // Until 1.5.3, the hash uses the header of the configured algorithms, so it is wrong for any other key.
      let isRight = version.isAtLeast(1, 6) || entry.domain.algorithms.contains { $0.suits(certificate.publicKey) }
      compared.append(
        isRight
          ? "\(name).key" : "\(name).key hashed as \(entry.domain.algorithms.map(\.rawValue).joined(separator: ", "))")
      guard isRight, known.contains(PublicKeyPins.Pin.fingerprint(of: certificate)) else { continue }
      run.step(
        .trustKit(.matchedHash(certificate: name, entry: entry.name)),
        [pinFinding(run, true, entry.domain, compared)])
      return ended(&run, .allow, .success, entry, now)
    }
    let mismatch = pinFinding(run, false, entry.domain, compared)
    if run.trust.system.requirements.os?.family == .macOS, run.trust.evaluation?.anchorKind == .user {
      let rule = ignoresUserAnchors ? Rule.userAnchorExempt : .userAnchorBlocked
      let found = run.found(rule, found: .words(path.isEmpty ? [] : [names[names.count - 1]]))
      run.step(.trustKit(.matchedNoHash(.underUserAnchor)), [mismatch.advising, found])
      return ended(&run, ignoresUserAnchors ? .allow : .block, .userDefinedTrustAnchor, entry, now)
    }
    guard entry.domain.enforcesPinning else {
      run.step(
        .trustKit(.matchedNoHash(.reportOnly)), [mismatch.advising, run.found(.reportOnly, found: .word("a report"))])
      return ended(&run, .allow, .noMatchingPin, entry, now)
    }
    run.step(.trustKit(.matchedNoHash(.enforced)), [mismatch])
    return ended(&run, .block, .noMatchingPin, entry, now)
  }

  private func pinFinding(_ run: LibraryRun, _ holds: Bool, _ domain: Domain, _ compared: [String]) -> Finding {
    run.found(
      .pathPinMismatch, holds, required: .anyOf(domain.pins.map(\.name)), found: .words(compared),
      confidence: isUnsettled(for: run.host)
        ? .unknown(
          "which of several matching entries a release before 1.6.2 uses; it takes the first in dictionary "
            + "order")
        : .certain)
  }

  /// Whether the release ends the app at a key that it cannot hash.
  var throwsAtUnknownKeys: Bool { version.isAtLeast(1, 6) && !version.isAtLeast(1, 7) }

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
    run.step(.trustKit(.decided(decision, result)))
    let report = report(&run, entry, result, at: now)
    if let report { post(report, &run) }
    let throwing = result == .noHash && throwsAtUnknownKeys
    var verdict = run.verdict(decision != .block, throwing ? .raise : answer(decision))
    verdict.reason = .trustKit(result)
    verdict.report = report
    return Evaluation(decision: decision, result: result, verdict: verdict)
  }

  /// Returns the response to the challenge; nil if the app's own delegate responds.
  private func answer(_ decision: Decision) -> DelegateCall? {
    switch (decision, use) {
    case (.block, _): .cancel
    case (.notPinned, .handleChallenge): .performDefaultHandling
    case (.allow, .handleChallenge), (.allow, .evaluateOnly), (.notPinned, .evaluateOnly): .useCredential(.trust)
    case (.allow, .swizzle), (.notPinned, .swizzle): nil
    }
  }

  /// Returns the exception that initSharedInstanceWithConfiguration: throws if the configuration is not valid.
  func failure(_ host: String, _ enforcement: Enforcement) -> LibraryStep? {
    exception.map { exception in
      LibraryStep(
        library: version, event: .trustKit(.threwAtConfiguration(exception)),
        findings: [enforcement.check(.invalidPinning, on: .host(host), false, found: .word(exception.description))])
    }
  }

  /// Returns the response to a server trust challenge.
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
    run.step(.trustKit(.acceptedNotPinned), [run.letPass(.acceptsEverything, found: Decision.notPinned.rawValue)])
    var verdict = evaluation.verdict
    verdict.steps += run.verdict(true, nil).steps
    return verdict
  }
}

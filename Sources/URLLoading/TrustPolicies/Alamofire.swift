import Explanation
import PKIX

/// Simulates server trust in Alamofire: ServerTrustPolicy in 1.3 to 4.9, and ServerTrustEvaluating since 5.
public struct Alamofire: Sendable {
  /// ServerTrustEvaluating, since 5.0.
  public indirect enum Evaluator: Sendable {
    /// DefaultTrustEvaluator.
    case standard(validateHost: Bool)
    /// RevocationTrustEvaluator.
    case revocation(performDefaultValidation: Bool, validateHost: Bool)
    /// PinnedCertificatesTrustEvaluator.
    case pinnedCertificates(
      [PinnedFile], acceptSelfSigned: Bool, performDefaultValidation: Bool, validateHost: Bool)
    /// PublicKeysTrustEvaluator.
    case publicKeys([PinnedFile], performDefaultValidation: Bool, validateHost: Bool)
    /// CompositeTrustEvaluator, which runs all evaluators in order on one trust.
    case composite([Evaluator])
    /// DisabledTrustEvaluator.
    case disabled
    /// The app's own evaluator, which returns this result.
    case custom(returns: Bool)
  }

  /// ServerTrustPolicy in 1.3 to 4.9, whose parameters have no defaults.
  public enum Policy: Sendable {
    /// performDefaultEvaluation.
    case performDefault(validateHost: Bool)
    /// performRevokedEvaluation, since 4.3.
    case performRevoked(validateHost: Bool)
    /// pinCertificates.
    case pinCertificates([PinnedFile], validateCertificateChain: Bool, validateHost: Bool)
    /// pinPublicKeys.
    case pinPublicKeys([PinnedFile], validateCertificateChain: Bool, validateHost: Bool)
    /// disableEvaluation.
    case disableEvaluation
    /// The customEvaluation policy, with the result of its closure.
    case customEvaluation(returns: Bool)
  }

  /// AFError.ServerTrustFailureReason, since 5.0. The raw values are the names of its cases.
  public enum FailureReason: String, Sendable, Hashable, CaseIterable {
    /// The manager has no evaluator for the host.
    case noRequiredEvaluator
    /// No certificate is pinned.
    case noCertificatesFound
    /// No public key is pinned.
    case noPublicKeysFound
    /// The trust is not valid (iOS 12 and macOS 10.14 or later).
    case trustEvaluationFailed
    /// The trust is not valid without the host.
    case defaultEvaluationFailed
    /// The trust is not valid with the host.
    case hostValidationFailed
    /// The trust is not valid with revocation.
    case revocationCheckFailed
    /// No certificate of the path is pinned.
    case certificatePinningFailed
    /// No public key of the path is pinned.
    case publicKeyPinningFailed
    /// The app's own evaluation returns false.
    case customEvaluationFailed
  }

  /// The evaluation of one entry of the manager.
  public enum Entry: Sendable {
    /// An evaluator, since 5.0.
    case evaluator(Evaluator)
    /// A policy, before 5.0.
    case policy(Policy)
  }

  /// The release.
  public let version: LibraryVersion
  /// The entries by host; nil if there is no manager.
  public var entries: [String: Entry]?
  /// Whether a host without an entry is refused, which is possible since 5.0.
  public var allHostsMustBeEvaluated = true

  /// Creates a release's configuration from entries.
  public init(_ version: LibraryVersion, entries: [String: Entry]?) {
    self.version = version
    self.entries = entries
  }

  /// Whether the release has ServerTrustEvaluating instead of ServerTrustPolicy.
  var hasEvaluators: Bool { version.isAtLeast(5, 0) }

  /// Returns the response to a server trust challenge.
  func answer(_ presented: TrustInspection.Presented) -> LibraryVerdict {
    var run = LibraryRun(version, TrustObject(presented), host: presented.host)
    guard let entries, version.isAtLeast(1, 3) else {
      run.step(.alamofire(.foundNoManager), [run.note(.pinsNotEvaluated, .notEvaluated)])
      return run.verdict(true, .performDefaultHandling)
    }
    // The key must equal the host exactly: wildcards, subdomains, ports and different case do not match.
    guard let entry = entries[presented.host] else { return withoutEntry(run, entries) }
    return evaluate(run.trust, host: presented.host, by: entry)
  }

  private func withoutEntry(_ run: LibraryRun, _ entries: [String: Entry]) -> LibraryVerdict {
    var run = run
    let isRequired = hasEvaluators && allHostsMustBeEvaluated
    let names = entries.keys.sorted()
    run.step(
      .alamofire(.foundNoEntry(host: run.host, entries: names)),
      isRequired
        ? [run.found(.noEvaluator, required: .word(run.host), found: .words(names))]
        : [run.note(.pinsNotEvaluated.fixed(by: Rule.noEvaluator.fix), .notEvaluated, found: .words(names))])
    guard isRequired else { return run.verdict(true, .performDefaultHandling) }
    var verdict = run.verdict(false, .cancel)
    verdict.reason = .alamofire(.noRequiredEvaluator)
    return verdict
  }

  /// Evaluates a trust for `host` with an entry of the manager.
  public func evaluate(_ trust: TrustObject, host: String, by entry: Entry) -> LibraryVerdict {
    var run = LibraryRun(version, trust, host: host)
    switch entry {
    case .evaluator(let evaluator):
      let failure = evaluation(by: evaluator, &run)
      var verdict = verdict(of: run, accepts: failure == nil)
      verdict.reason = failure.map(LibraryVerdict.Reason.alamofire)
      return verdict
    case .policy(let policy):
      let accepts = evaluation(by: policy, &run)
      return verdict(of: run, accepts: accepts)
    }
  }

  private func verdict(of run: LibraryRun, accepts: Bool) -> LibraryVerdict {
    run.verdict(accepts, accepts ? .useCredential(.trust) : .cancel)
  }
}

// Version 5.0 and later: the first step that fails throws its reason.
extension Alamofire {
  /// Returns the reason of AFError.serverTrustEvaluationFailed; nil if the evaluation succeeds.
  private func evaluation(by evaluator: Evaluator, _ run: inout LibraryRun) -> FailureReason? {
    switch evaluator {
    case .standard(let validateHost):
      if !validateHost { hostNotChecked(&run) }
      return validated(&run, validateHost ? .ssl(host: run.host) : .ssl(host: nil), pins: false)
    case .revocation(let performDefault, let validateHost):
      return validations(&run, performDefault, validateHost, pins: false)
        ?? validated(&run, .revocation, pins: false)
    case .pinnedCertificates(let pins, let acceptSelfSigned, let performDefault, let validateHost):
      guard !readable(pins).isEmpty else {
        run.refuseWithoutPins(.noCertificatesFound)
        return .noCertificatesFound
      }
      if acceptSelfSigned { run.setAnchors(readable(pins)) }
      if let failure = validations(&run, performDefault, validateHost, pins: true) { return failure }
      return pinned(&run, readable(pins), isKey: false) ? nil : .certificatePinningFailed
    case .publicKeys(let pins, let performDefault, let validateHost):
      guard !readable(pins).isEmpty else {
        run.refuseWithoutPins(.noPublicKeysFound)
        return .noPublicKeysFound
      }
      if let failure = validations(&run, performDefault, validateHost, pins: true) { return failure }
      return pinned(&run, readable(pins), isKey: true) ? nil : .publicKeyPinningFailed
    case .composite(let members):
      for member in members {
        if let failure = evaluation(by: member, &run) { return failure }
      }
      return nil
    case .disabled:
      run.acceptEverything(by: "DisabledTrustEvaluator")
      return nil
    case .custom(let returns): return custom(&run, returns) ? nil : .customEvaluationFailed
    }
  }

  /// Evaluates the trust with SSL(nil), then with SSL(host). Validating the host validates the whole chain.
  private func validations(
    _ run: inout LibraryRun, _ performDefault: Bool, _ validateHost: Bool, pins: Bool
  ) -> FailureReason? {
    if !performDefault, !validateHost, pins {
      run.step(
        .comparedPinsOnly(dates: true),
        [
          run.letPass(.hostNotChecked, found: "validateHost: false"),
          run.letPass(.datesNotChecked, found: "performDefaultValidation: false"),
        ])
    } else if !validateHost {
      hostNotChecked(&run)
    }
    if performDefault, let failure = validated(&run, .ssl(host: nil), pins: pins) { return failure }
    return validateHost ? validated(&run, .ssl(host: run.host), pins: pins) : nil
  }

  private func validated(_ run: inout LibraryRun, _ policy: TrustObject.Policy, pins: Bool) -> FailureReason? {
    run.set(policy)
    if run.isValid() { return nil }
    if pins { run.untrustedPath() }
    if run.trust.system.requirements.os?.isAtLeast(iOS: (12, 0), macOS: (10, 14)) ?? true {
      return .trustEvaluationFailed
    }
    switch policy {
    case .ssl(.some): return .hostValidationFailed
    case .ssl(nil), .basic: return .defaultEvaluationFailed
    case .revocation, .sslAndRevocation: return .revocationCheckFailed
    }
  }
}

// Versions 1.3 to 4.9: the result is YES or NO.
extension Alamofire {
  private func evaluation(by policy: Policy, _ run: inout LibraryRun) -> Bool {
    switch policy {
    case .performDefault(let validateHost):
      if !validateHost { hostNotChecked(&run) }
      run.set(chainPolicy(run.host, validateHost))
      return run.isValid()
    case .performRevoked(let validateHost):
      if !validateHost { hostNotChecked(&run) }
      run.set(.sslAndRevocation(host: validateHost ? run.host : nil))
      return run.isValid()
    case .pinCertificates(let pins, let validatesChain, let validateHost):
      let readable = readable(pins)
      guard !readable.isEmpty else {
        run.refuseWithoutPins()
        return false
      }
      guard validatesChain else { return unvalidated(&run, readable, isKey: false) }
      if !validateHost { hostNotChecked(&run) }
      run.set(chainPolicy(run.host, validateHost))
      run.setAnchors(readable)
      guard run.isValid() else {
        run.refuseAnchor(readable)
        return false
      }
      run.step(.checkedAnchor(isPinned: true), [run.found(.pathPinMismatch, true)])
      return true
    case .pinPublicKeys(let pins, let validatesChain, let validateHost):
      let readable = readable(pins)
      guard !readable.isEmpty else {
        run.refuseWithoutPins()
        return false
      }
      guard validatesChain else { return unvalidated(&run, readable, isKey: true) }
      if !validateHost { hostNotChecked(&run) }
      run.set(chainPolicy(run.host, validateHost))
      guard run.isValid() else {
        run.untrustedPath()
        return false
      }
      return pinned(&run, readable, isKey: true)
    case .disableEvaluation:
      run.acceptEverything(by: "disableEvaluation")
      return true
    case .customEvaluation(let returns): return custom(&run, returns)
    }
  }

  /// Returns the policy for the chain. Without a host, 1.3 uses the basic policy, and 2.0 uses one for servers.
  private func chainPolicy(_ host: String, _ validateHost: Bool) -> TrustObject.Policy {
    if validateHost { return .ssl(host: host) }
    return version.isAtLeast(2, 0) ? .ssl(host: nil) : .basic
  }

  /// Compares pins without validation. If validateCertificateChain is false, validateHost is ignored too.
  private func unvalidated(_ run: inout LibraryRun, _ pins: [PinnedFile], isKey: Bool) -> Bool {
    run.step(
      .comparedPinsOnly(dates: true),
      [
        run.letPass(.hostNotChecked, found: "validateCertificateChain: false"),
        run.letPass(.datesNotChecked, found: "validateCertificateChain: false"),
      ])
    return pinned(&run, pins, isKey: isKey)
  }
}

// Parts that both generations share.
extension Alamofire {
  /// Returns the readable pins. The library silently skips the others.
  private func readable(_ pins: [PinnedFile]) -> [PinnedFile] { pins.filter { $0.certificate != nil } }

  private func pinned(_ run: inout LibraryRun, _ pins: [PinnedFile], isKey: Bool) -> Bool {
    let path = run.path()
    return run.compare(path, with: pins, byKey: isKey)
  }

  private func hostNotChecked(_ run: inout LibraryRun) {
    run.step(.skippedHost, [run.letPass(.hostNotChecked, found: "validateHost: false")])
  }

  private func custom(_ run: inout LibraryRun, _ returns: Bool) -> Bool {
    run.step(
      .alamofire(.calledEvaluation(returns: returns)),
      [
        returns
          ? run.letPass(.acceptsEverything, found: "custom evaluation")
          : run.found(.cancelled, found: .word("custom evaluation"))
      ])
    return returns
  }
}

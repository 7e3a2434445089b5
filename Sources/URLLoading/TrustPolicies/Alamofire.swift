import Explanation
import PKIX

/// Server trust in Alamofire: ServerTrustPolicy of 1.3 to 4.9, ServerTrustEvaluating since 5.
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
    /// CompositeTrustEvaluator: all, in order, on the same trust.
    case composite([Evaluator])
    /// DisabledTrustEvaluator.
    case disabled
    /// One of the app's own, and what it returns.
    case custom(returns: Bool)
  }

  /// ServerTrustPolicy, in 1.3 to 4.9: no parameter has a default.
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
    /// customEvaluation, and what its closure returns.
    case customEvaluation(returns: Bool)
  }

  /// What an entry of the manager asks.
  public enum Entry: Sendable {
    /// Since 5.0.
    case evaluator(Evaluator)
    /// Before.
    case policy(Policy)
  }

  /// The release.
  public let version: LibraryVersion
  /// Hosts and what is asked of each; nil for no manager at all.
  public var entries: [String: Entry]?
  /// Whether a host without an entry is refused: since 5.0.
  public var allHostsMustBeEvaluated = true

  /// A release with these entries.
  public init(_ version: LibraryVersion, entries: [String: Entry]?) {
    self.version = version
    self.entries = entries
  }

  /// Whether it has ServerTrustEvaluating rather than ServerTrustPolicy.
  var hasEvaluators: Bool { version.isAtLeast(5, 0) }

  /// What it answers a challenge with a server's trust.
  func answer(_ presented: TrustInspection.Presented) -> LibraryVerdict {
    var run = LibraryRun(version, TrustObject(presented), host: presented.host)
    guard let entries, version.isAtLeast(1, 3) else {
      run.step(
        "has no manager of server trust", "The challenge is left to the system.",
        [run.note(.pinsNotEvaluated, .notEvaluated)])
      return run.verdict(true, .performDefaultHandling)
    }
    // An exact key of a dictionary: no wildcard, no subdomain, no port, and the same case.
    guard let entry = entries[presented.host] else { return withoutEntry(run, entries) }
    return evaluate(run.trust, host: presented.host, by: entry)
  }

  private func withoutEntry(_ run: LibraryRun, _ entries: [String: Entry]) -> LibraryVerdict {
    var run = run
    let isRequired = hasEvaluators && allHostsMustBeEvaluated
    run.step(
      "has no entry for \(run.host)",
      "The host is looked up letter by letter; there is \(run.list(entries.keys.sorted())).",
      isRequired
        ? [run.found(.noEvaluator, required: .word(run.host), found: .words(entries.keys.sorted()))]
        : [
          run.note(
            .pinsNotEvaluated.fixed(by: Rule.noEvaluator.fix), .notEvaluated,
            found: .words(entries.keys.sorted()))
        ])
    guard isRequired else { return run.verdict(true, .performDefaultHandling) }
    var verdict = run.verdict(false, .cancel)
    verdict.reason = "noRequiredEvaluator"
    return verdict
  }

  /// What an entry decides about a trust for `host`.
  public func evaluate(_ trust: TrustObject, host: String, by entry: Entry) -> LibraryVerdict {
    var run = LibraryRun(version, trust, host: host)
    let failure: String? =
      switch entry {
      case .evaluator(let evaluator): evaluation(by: evaluator, &run)
      case .policy(let policy): evaluation(by: policy, &run) ? nil : ""
      }
    var verdict = run.verdict(failure == nil, failure == nil ? .useCredential(.trust) : .cancel)
    verdict.reason = failure ?? ""
    return verdict
  }
}

// 5.0 and later: the first step that fails throws its reason.
extension Alamofire {
  /// The reason of AFError.serverTrustEvaluationFailed; nil where it passes.
  private func evaluation(by evaluator: Evaluator, _ run: inout LibraryRun) -> String? {
    switch evaluator {
    case .standard(let validateHost):
      if !validateHost { hostNotChecked(&run) }
      return validated(&run, validateHost ? .ssl(host: run.host) : .ssl(host: nil), pins: false)
    case .revocation(let performDefault, let validateHost):
      return validations(&run, performDefault, validateHost, pins: false)
        ?? validated(&run, .revocation, pins: false)
    case .pinnedCertificates(let pins, let acceptSelfSigned, let performDefault, let validateHost):
      guard !readable(pins, &run).isEmpty else { return noPins(&run, "noCertificatesFound") }
      if acceptSelfSigned { run.setAnchors(readable(pins, &run)) }
      if let failure = validations(&run, performDefault, validateHost, pins: true) { return failure }
      return pinned(&run, readable(pins, &run), isKey: false) ? nil : "certificatePinningFailed"
    case .publicKeys(let pins, let performDefault, let validateHost):
      guard !readable(pins, &run).isEmpty else { return noPins(&run, "noPublicKeysFound") }
      if let failure = validations(&run, performDefault, validateHost, pins: true) { return failure }
      return pinned(&run, readable(pins, &run), isKey: true) ? nil : "publicKeyPinningFailed"
    case .composite(let members):
      for member in members {
        if let failure = evaluation(by: member, &run) { return failure }
      }
      return nil
    case .disabled:
      acceptAll(&run, "DisabledTrustEvaluator")
      return nil
    case .custom(let returns): return custom(&run, returns) ? nil : "customEvaluationFailed"
    }
  }

  /// SSL(nil), then SSL(host): a validation of the host is one of the whole chain.
  private func validations(
    _ run: inout LibraryRun, _ performDefault: Bool, _ validateHost: Bool, pins: Bool
  ) -> String? {
    if !performDefault, !validateHost, pins {
      run.step(
        "leaves dates and host alone", "performDefaultValidation and validateHost are false: only the pin counts.",
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

  private func validated(_ run: inout LibraryRun, _ policy: TrustObject.Policy, pins: Bool) -> String? {
    run.set(policy)
    if run.isValid() { return nil }
    if pins { run.untrustedPath() }
    if run.trust.system.requirements.os?.isAtLeast(iOS: (12, 0), macOS: (10, 14)) ?? true {
      return "trustEvaluationFailed"
    }
    switch policy {
    case .ssl(.some): return "hostValidationFailed"
    case .ssl(nil), .basic: return "defaultEvaluationFailed"
    case .revocation, .sslAndRevocation: return "revocationCheckFailed"
    }
  }
}

// 1.3 to 4.9: YES or NO.
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
      let readable = readable(pins, &run)
      guard !readable.isEmpty else { return noPins(&run, "") == nil }
      guard validatesChain else { return unvalidated(&run, readable, isKey: false) }
      if !validateHost { hostNotChecked(&run) }
      run.set(chainPolicy(run.host, validateHost))
      run.setAnchors(readable)
      guard run.isValid() else {
        run.step(
          "refuses: the chain does not lead to a pinned certificate", "",
          [
            run.found(
              .untrustedByPins(because: run.trust.evaluation?.deciding ?? []), required: .anyOf(readable.map(\.name)),
              found: .words((run.trust.evaluation?.deciding ?? []).map(\.id)))
          ])
        run.explained = [.noAnchor, .noIssuer, .selfSigned]
        return false
      }
      run.step("is content: the path leads to a pinned certificate", "", [run.found(.pathPinMismatch, true)])
      return true
    case .pinPublicKeys(let pins, let validatesChain, let validateHost):
      let readable = readable(pins, &run)
      guard !readable.isEmpty else { return noPins(&run, "") == nil }
      guard validatesChain else { return unvalidated(&run, readable, isKey: true) }
      if !validateHost { hostNotChecked(&run) }
      run.set(chainPolicy(run.host, validateHost))
      guard run.isValid() else {
        run.untrustedPath()
        return false
      }
      return pinned(&run, readable, isKey: true)
    case .disableEvaluation:
      acceptAll(&run, "disableEvaluation")
      return true
    case .customEvaluation(let returns): return custom(&run, returns)
    }
  }

  /// Without a host 1.3 takes the basic policy, and 2.0 one for servers.
  private func chainPolicy(_ host: String, _ validateHost: Bool) -> TrustObject.Policy {
    if validateHost { return .ssl(host: host) }
    return version.isAtLeast(2, 0) ? .ssl(host: nil) : .basic
  }

  /// validateCertificateChain is false: validateHost is not looked at either.
  private func unvalidated(_ run: inout LibraryRun, _ pins: [PinnedFile], isKey: Bool) -> Bool {
    run.step(
      "leaves dates and host alone", "validateCertificateChain is false, and validateHost is not looked at then.",
      [
        run.letPass(.hostNotChecked, found: "validateCertificateChain: false"),
        run.letPass(.datesNotChecked, found: "validateCertificateChain: false"),
      ])
    return pinned(&run, pins, isKey: isKey)
  }
}

// What both generations share.
extension Alamofire {
  /// The pins that could be read; the others are skipped without a word.
  private func readable(_ pins: [PinnedFile], _ run: inout LibraryRun) -> [PinnedFile] {
    pins.filter { $0.certificate != nil }
  }

  private func noPins(_ run: inout LibraryRun, _ reason: String) -> String? {
    run.step(
      "has nothing to compare with", reason.isEmpty ? "Nothing says so." : "It throws \(reason).",
      [run.found(.noPins, required: .word("a pinned certificate in DER"), found: .absent)])
    return reason
  }

  private func pinned(_ run: inout LibraryRun, _ pins: [PinnedFile], isKey: Bool) -> Bool {
    let path = run.path()
    let certificates = pins.compactMap(\.certificate)
    let holds = isKey ? path.pairs(with: certificates) > 0 : path.hasOne(of: certificates)
    let suffix = isKey ? ".key" : ""
    let names = run.pathNames().map { $0 + suffix }
    run.step(
      "compares \(isKey ? "public keys" : "certificates"): \(holds ? "one is pinned" : "none is pinned")",
      "Any certificate of the path will do.",
      [run.found(.pathPinMismatch, holds, required: .anyOf(pins.map { $0.name + suffix }), found: .words(names))])
    return holds
  }

  private func hostNotChecked(_ run: inout LibraryRun) {
    run.step("compares no name", "", [run.letPass(.hostNotChecked, found: "validateHost: false")])
  }

  private func acceptAll(_ run: inout LibraryRun, _ why: String) {
    run.step("accepts whatever is shown", "Nothing is evaluated.", [run.letPass(.acceptsEverything, found: why)])
  }

  private func custom(_ run: inout LibraryRun, _ returns: Bool) -> Bool {
    guard returns else {
      run.step("asks the app's own evaluation: no", "", [run.found(.cancelled, found: .word("custom evaluation"))])
      return false
    }
    run.step(
      "asks the app's own evaluation: yes", "What it looked at is its own affair.",
      [run.letPass(.acceptsEverything, found: "custom evaluation")])
    return true
  }
}

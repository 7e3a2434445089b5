import Explanation
import PKIX
import Trust

// The steps of evaluateServerTrust:forDomain:, in the order of each release.
extension AFNetworking {
  /// Evaluates a trust for `domain`, which is nil for a call without a domain.
  public func evaluate(_ trust: TrustObject, domain: String?) -> LibraryVerdict {
    var run = LibraryRun(version, trust, host: domain ?? "any")
    let accepts = challengeBlock == .session ? letBlockDecide(&run) : decide(&run, domain: domain)
    guard let accepts else { return end(run, .raise) }
    return accepts ? run.verdict(true, .useCredential(.trust)) : refused(run)
  }

  /// Returns the response to a server trust challenge.
  func answer(_ presented: TrustInspection.Presented) -> LibraryVerdict {
    let trust = TrustObject(presented)
    var run = LibraryRun(version, trust, host: presented.host)
    if let failure = failure(presented.host, run.enforcement) {
      run.add(failure)
      return end(run, .raise)
    }
    guard claimsServerTrust else {
      run.step(.afNetworking(.leftChallenge), [run.note(.pinsNotEvaluated, .notEvaluated)])
      return run.verdict(true, .performDefaultHandling)
    }
    return evaluate(trust, domain: presented.host)
  }

  /// Returns the exception that setSecurityPolicy: throws for a policy with pins if the manager's base URL is not
  /// https. It is thrown since 3.2.
  func failure(_ host: String, _ enforcement: Enforcement) -> LibraryStep? {
    guard pinning != .none, version.isAtLeast(3, 2), !hasSecureBaseURL else { return nil }
    return LibraryStep(
      library: version, event: .afNetworking(.threwInvalidSecurityPolicy),
      findings: [
        enforcement.check(
          .invalidPinning, on: .host(host), false, required: .word("an https base URL"), found: .absent)
      ])
  }

  private func end(_ run: LibraryRun, _ call: DelegateCall) -> LibraryVerdict { run.verdict(false, call) }

  /// Refuses the server. Releases 3.0.0 to 3.0.4 only reject the protection space.
  private func refused(_ run: LibraryRun) -> LibraryVerdict {
    var verdict = run.verdict(false, refusal)
    if version.isAtLeast(4, 0) { verdict.error = AppError(.url, -1202) }
    guard refusal == .rejectProtectionSpace, verdict.trust.evaluate().accepted else { return verdict }
    verdict.steps = verdict.steps.map { step in
      LibraryStep(
        library: step.library, event: step.event,
        findings: step.findings.map { $0.refuses ? $0.overridden(by: .delegate) : $0 })
    }
    var open = run
    open.step(
      .afNetworking(.rejectedProtectionSpace),
      [
        run.letPass(
          .failsOpen, found: "rejectProtectionSpace",
          confidence: .likely(
            "mechanism inferred from issues #3287 and #3713"))
      ])
    if let last = open.verdict(false, refusal).steps.last { verdict.steps.append(last) }
    return verdict
  }

  private func letBlockDecide(_ run: inout LibraryRun) -> Bool {
    run.step(
      .afNetworking(.calledChallengeBlock),
      [
        run.letPass(.acceptsEverything, found: "the session's challenge block"),
        run.note(.pinsNotEvaluated, .notEvaluated),
      ])
    return true
  }

  /// Returns whether the policy accepts the server; nil if the policy throws an exception.
  private func decide(_ run: inout LibraryRun, domain: String?) -> Bool? {
    let found = unloaded.map { run.found(.noPins, found: .word($0.description)).advising } + typeFindings(run)
    if !found.isEmpty { run.step(.afNetworking(.loadedCertificates(except: unloaded)), found) }
    if throwsAtType {
      run.step(
        .afNetworking(.threwAtPinnedCertificates),
        [
          run.found(
            .invalidPinning, required: .word("\(declaredCollection.words) of NSData"),
            found: .word(collection?.words ?? ""), confidence: .likely("inferred from the source code"))
        ])
      return nil
    }
    if throwsAtPins {
      run.step(
        .afNetworking(.threwAtPublicKeys),
        [run.found(.unreadablePin, required: .word("DER"), found: .words(unreadable.map(\.name)))])
      return nil
    }
    switch procedure {
    case .unclaimed: return acceptAll(&run, "allowInvalidCertificates")
    case .leafOnly: return comparison(&run, .certificate, of: Array(run.path().prefix(1)))
    case .leafFirst: return leafFirst(&run)
    case .pinOnly:
      if pinning == .none { return validOrAllowed(&run) }
      passUnchecked(&run, host: true, dates: true)
      return comparison(&run, pinning, of: run.path())
    case .systemFirst, .commonName: return early(&run, domain)
    case .anchored: return anchored(&run, domain)
    case .readsBeforeAnchors, .readsAfterAnchors: return late(&run, domain)
    }
  }

  /// 1.2.0.
  private func leafFirst(_ run: inout LibraryRun) -> Bool {
    let leaf = Array(run.path().prefix(1))
    if leaf.hasOne(of: certificates) { return comparison(&run, .certificate, of: leaf) }
    switch pinning {
    case .publicKey, .certificate: return comparison(&run, pinning, of: leaf)
    case .none: return validOrAllowed(&run)
    }
  }

  /// Evaluates a server like 2.1.0 and 2.2.0, which do not set policies.
  private func early(_ run: inout LibraryRun, _ domain: String?) -> Bool {
    if pinning == .none, allowsInvalidCertificates { return acceptAll(&run, "allowInvalidCertificates") }
    let demandsTrust = procedure == .systemFirst || !allowsInvalidCertificates
    if !run.isValid(), demandsTrust { return untrusted(&run) }
    if pinning == .none { return true }
    guard matchAll(&run) else { return false }
    passUnchecked(&run, host: allowsInvalidCertificates, dates: allowsInvalidCertificates)
    guard procedure == .commonName, validatesDomainName, let domain else { return true }
    let summary = run.path().first?.commonName?.lowercased() ?? ""
    let matches = Self.commonName(summary, matches: domain.lowercased())
    run.step(
      .afNetworking(.comparedCommonName),
      [run.found(.nameMismatch, matches, required: .word(domain), found: .word(summary))])
    return matches
  }

  /// 2.2.1 to 2.5.4.
  private func anchored(_ run: inout LibraryRun, _ domain: String?) -> Bool? {
    let accepts251 = version.isAtLeast(2, 5, 1) && !version.isAtLeast(2, 5, 2)
    if accepts251, pinning == .none { return acceptAll(&run, "AFNetworking 2.5.1 without pins") }
    setPolicy(&run, domain)
    if version.isAtLeast(2, 5, 2), pinning == .none { return validOrAllowed(&run) }
    if !allowsInvalidCertificates, !run.isValid() { return untrusted(&run) }
    switch pinning {
    case .none:
      if allowsInvalidCertificates { return acceptAll(&run, "allowInvalidCertificates") }
      hostNotChecked(&run)
      return true
    case .certificate:
      let before = run.path()
      guard let isAnchored = anchorToPins(&run) else { return nil }
      guard isAnchored else { return false }
      guard validatesCertificateChain else { return pinned(&run) }
      let missing = before.filter { !certificates.map(\.der).contains($0.der) }
      return allPinned(&run, missing.isEmpty, of: before)
    case .publicKey: return matchAll(&run) && passUnchecked(&run)
    }
  }

  /// 2.6.0 and later.
  private func late(_ run: inout LibraryRun, _ domain: String?) -> Bool? {
    if domain != nil, allowsInvalidCertificates, validatesDomainName, pinning == .none || pins.isEmpty {
      run.step(
        .afNetworking(.requiredPins),
        [run.found(.pinRequired, required: .word("pinned certificates"), found: .absent)])
      return false
    }
    setPolicy(&run, domain)
    if pinning == .none { return validOrAllowed(&run) }
    if !allowsInvalidCertificates, !run.isValid() { return untrusted(&run) }
    guard pinning == .certificate else { return comparison(&run, .publicKey, of: run.path()) && passUnchecked(&run) }
    let before = run.path()
    guard let isAnchored = anchorToPins(&run) else { return nil }
    guard isAnchored else { return false }
    let path = procedure == .readsBeforeAnchors ? before : run.path()
    if procedure == .readsBeforeAnchors, !path.hasOne(of: certificates), run.path().hasOne(of: certificates) {
      run.step(
        .afNetworking(.comparedEarlierPath),
        [run.found(.readBeforeAnchors, required: .words(pins.map(\.name)), found: .words(names(path, run)))])
      return false
    }
    hostNotChecked(&run)
    return comparison(&run, .certificate, of: path)
  }
}

// Parts that several releases share.
extension AFNetworking {
  private var certificates: [Certificate] { pins.compactMap(\.certificate) }

  private func names(_ path: [Certificate], _ run: LibraryRun) -> [String] {
    path.map { run.trust.system.diagnostics.names($0) }
  }

  private func setPolicy(_ run: inout LibraryRun, _ domain: String?) {
    run.set(validatesDomainName ? .ssl(host: domain) : .basic)
    if !validatesDomainName, version.isAtLeast(2, 2, 1), !version.isAtLeast(2, 5, 3), pinning == .none {
      run.step(.afNetworking(.removedHost))
    }
  }

  private func untrusted(_ run: inout LibraryRun) -> Bool {
    if pinning != .none { run.untrustedPath() }
    return false
  }

  /// Checks a server in mode None: the trust must be valid, unless invalid certificates are allowed.
  private func validOrAllowed(_ run: inout LibraryRun) -> Bool {
    if allowsInvalidCertificates { return acceptAll(&run, "allowInvalidCertificates") }
    guard run.isValid() else { return false }
    hostNotChecked(&run)
    return true
  }

  private func acceptAll(_ run: inout LibraryRun, _ why: String) -> Bool {
    run.acceptEverything(by: why)
    return true
  }

  private func hostNotChecked(_ run: inout LibraryRun) {
    guard !validatesDomainName, version.isAtLeast(2, 2, 1) else { return }
    run.step(.skippedHost, [run.letPass(.hostNotChecked, found: "validatesDomainName: NO")])
  }

  /// Records the checks that are skipped because only the key is compared.
  @discardableResult private func passUnchecked(_ run: inout LibraryRun) -> Bool {
    passUnchecked(&run, host: allowsInvalidCertificates || !validatesDomainName, dates: allowsInvalidCertificates)
    return true
  }

  private func passUnchecked(_ run: inout LibraryRun, host: Bool, dates: Bool) {
    let why = dates ? "only the pin is compared" : "validatesDomainName: NO"
    let found =
      (host ? [run.letPass(.hostNotChecked, found: why)] : [])
      + (dates ? [run.letPass(.datesNotChecked, found: why)] : [])
    if !found.isEmpty { run.step(.comparedPinsOnly(dates: dates), found) }
  }

  /// Sets the pins as anchors and evaluates the trust again. The result is nil if a file is not a certificate, which
  /// ends the app.
  private func anchorToPins(_ run: inout LibraryRun) -> Bool? {
    guard unreadable.isEmpty else {
      run.step(
        .afNetworking(.threwAtAnchors),
        [run.found(.unreadablePin, required: .word("DER"), found: .words(unreadable.map(\.name)))])
      return nil
    }
    run.setAnchors(pins)
    if run.isValid() { return true }
    guard pins.isEmpty else {
      run.refuseAnchor(pins)
      return false
    }
    run.step(.afNetworking(.foundNoAnchors), [run.found(.noPins, found: .absent)])
    run.explained = [.noAnchor, .noIssuer, .selfSigned]
    return false
  }

  private func pinned(_ run: inout LibraryRun) -> Bool {
    hostNotChecked(&run)
    run.step(.checkedAnchor(isPinned: true), [run.found(.pathPinMismatch, true)])
    return true
  }

  private func allPinned(_ run: inout LibraryRun, _ holds: Bool, of path: [Certificate]) -> Bool {
    run.step(
      .afNetworking(.comparedWholePath(matches: holds)),
      [
        run.found(
          .chainNotAllPinned, holds, required: .words(names(path, run)), found: .words(pins.map(\.name)))
      ])
    if holds { hostNotChecked(&run) }
    return holds
  }

  /// Compares all certificates of the path, or only the leaf, like 2.1.0 to 2.5.4.
  private func matchAll(_ run: inout LibraryRun) -> Bool {
    let path = run.path()
    reportUnreadable(&run)
    if pins.isEmpty { return comparison(&run, pinning, of: path) }
    let leaf = Array(path.prefix(1))
    guard validatesCertificateChain else { return comparison(&run, pinning, of: leaf) }
    switch pinning {
    case .certificate: return allPinned(&run, path.allSatisfy { [$0].hasOne(of: certificates) }, of: path)
    case .publicKey, .none:
      let pairs = path.pairs(with: certificates)
      // Each duplicate counts separately, so the count can be right for the wrong reason.
      if pairs == 0 { return comparison(&run, .publicKey, of: path) }
      run.step(
        .afNetworking(.countedKeys(pairs: pairs, path: path.count)),
        [
          run.found(
            .chainNotAllPinned, pairs == path.count, required: .number(path.count), found: .number(pairs))
        ])
      return pairs == path.count
    }
  }

  /// Checks whether a certificate or key of `path` is pinned.
  private func comparison(_ run: inout LibraryRun, _ mode: PinningMode, of path: [Certificate]) -> Bool {
    reportUnreadable(&run)
    guard !certificates.isEmpty else {
      run.refuseWithoutPins()
      return false
    }
    return run.compare(path, with: pins, byKey: mode == .publicKey)
  }

  /// Reports files that are not DER. Until 2.2.4, they end the app; in later releases, the pin is silently missing.
  private func reportUnreadable(_ run: inout LibraryRun) {
    guard !unreadable.isEmpty else { return }
    let names = unreadable.map(\.name)
    run.step(
      .afNetworking(.ignoredFiles(names)),
      [run.found(.unreadablePin, required: .word("DER"), found: .words(names)).advising])
  }

  /// Compares two names label by label. A `*` on either side matches any label.
  static func commonName(_ name: String, matches host: String) -> Bool {
    if name == host { return true }
    let (left, right) = (name.split(separator: "."), host.split(separator: "."))
    return left.count == right.count && !left.isEmpty
      && zip(left, right).allSatisfy { $0 == $1 || $0 == "*" || $1 == "*" }
  }

  private var declaredCollection: Collection { version.isAtLeast(3, 0) ? .set : .array }

  private var unreadable: [PinnedFile] { pins.filter { $0.certificate == nil } }

  /// Whether a file that is not DER ends the app before any decision.
  ///
  /// This happens in 2.0.1 to 2.2.4 in every mode, and in 1.x if keys are compared.
  private var throwsAtPins: Bool {
    guard !unreadable.isEmpty, !version.isAtLeast(2, 3) else { return false }
    return version.isAtLeast(2, 0, 1) || pinning == .publicKey
  }

  /// Whether the type of the collection ends the app.
  private var throwsAtType: Bool {
    guard pinning != .none || version.isAtLeast(2, 6) else { return false }
    if collection == .arrayOfSet { return true }
    return collection == .set && procedure == .readsBeforeAnchors
  }

  private func typeFindings(_ run: LibraryRun) -> [Finding] {
    guard let collection, collection != declaredCollection else { return [] }
    return [
      run.found(
        .wrongPinType, required: .word("\(declaredCollection.words) of NSData"), found: .word(collection.words),
        confidence: .likely(
          "inferred from the source code: counting, membership tests and iteration work with either "
            + "type"))
    ]
  }
}

extension AFNetworking.Collection {
  /// The name of Foundation's class.
  public var words: String {
    switch self {
    case .array: "NSArray"
    case .set: "NSSet"
    case .arrayOfSet: "NSArray that contains an NSSet"
    }
  }
}

import Explanation
import PKIX

/// A client's revocation checks: whether it makes any, and what it does without a status.
public struct RevocationPolicy: Sendable {
  /// What a client does without a status.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// It makes no checks.
    case none
    /// It goes on.
    case softFail = "soft-fail"
    /// It refuses.
    case hardFail = "hard-fail"
  }

  /// What the client does without a status.
  public var mode: Mode
  /// What it does without a status of a CA's certificate; nil is the same as for the leaf.
  public var modeForAuthorities: Mode?
  /// The limits for the times and the signers of OCSP responses.
  public var limits = OCSPAcceptance.Limits()
  /// Whether CRLs are used.
  public var looksAtLists = true
  /// Whether the client refuses a server that must staple and does not (RFC 7633); nil is the profile's.
  public var holdsMustStaple: Bool?

  /// A client in this mode.
  public init(_ mode: Mode) { self.mode = mode }

  /// Nobody asks.
  public static let none = RevocationPolicy(.none)

  /// What Apple's systems do since iOS 10 and macOS 10.12 with the answers that are stapled or kept, of every chain: they go
  /// on without one, clocks may differ by 75 minutes, an answer without nextUpdate counts for a day, and "revoked" counts
  /// whatever its dates (Security, SecRevocationServer.c). Lists are not looked at.
  public static let apple: RevocationPolicy = {
    var policy = RevocationPolicy(.softFail)
    policy.limits.leeway = 4500
    policy.limits.maximumAgeWithoutNextUpdate = 86_400
    policy.limits.believesOldRevocations = true
    policy.limits.isStrictAboutDelegates = true
    policy.looksAtLists = false
    return policy
  }()
}

extension RevocationPolicy {
  /// What the client does about the certificate of this index, the leaf being 0.
  func mode(at index: Int) -> Mode { index == 0 ? mode : modeForAuthorities ?? mode }
}

extension TrustEvaluator {
  /// The server has stapled an OCSP response, where the client asked for it: RFC 6066 section 8.
  ///
  /// A client that does not ask about revocation looks at it all the same on Apple's systems since iOS 10 and macOS 10.12,
  /// of every chain; on earlier ones only where an app asks, or the certificate is one of extended validation (Security,
  /// SecRevocationServer.c).
  public mutating func receive(stapled bytes: [UInt8]?, wasAskedFor: Bool) {
    evidence.revocation.asksForStaple = wasAskedFor
    guard let bytes else { return }
    let answer = try? OCSPResponse(der: bytes)
    if requirements.revocation.mode == .none {
      guard requirements.profile == .apple, requirements.os?.isAtLeast(iOS: (10, 0), macOS: (10, 12)) == true else {
        return
      }
      let holdsMustStaple = requirements.revocation.holdsMustStaple
      requirements.revocation = .apple
      requirements.revocation.holdsMustStaple = holdsMustStaple
    }
    evidence.revocation.staple = answer.map(RevocationEvidence.Staple.response) ?? .unreadable
    evidence.revocation.answers += [answer].compactMap(\.self)
  }
}

extension JudgedPath {
  /// Whether each certificate below the anchor is revoked; nothing when the client does not ask.
  var revocation: [Finding] {
    let policy = requirements.revocation
    guard policy.mode != .none else { return [] }
    let count = path.certificates.count - (path.anchor == nil ? 0 : 1)
    let lists = listChecking
    return (0..<count).flatMap { index in
      let mode = policy.mode(at: index)
      return mode == .none ? [] : status(at: index, mode, lists)
    }
  }

  /// The lists at hand: RFC 5280 section 6.3; nil where there are none, or nobody looks at them. Nobody whom the client
  /// distrusts signs any (6.3.3 (f)).
  private var listChecking: RevocationChecking? {
    guard requirements.revocation.looksAtLists, !evidence.revocation.lists.isEmpty else { return nil }
    let candidates = (evidence.chain + path.certificates).filter { !isRefused($0) }
    return RevocationChecking(
      evidence.revocation.lists, candidates: candidates, at: requirements.date,
      requiresConformance: requiresConformance,
      enforcement: diagnostics.enforcement, memory: memory)
  }

  private func isRefused(_ certificate: Certificate) -> Bool {
    requirements.store.refuses(certificate, on: requirements.today ?? requirements.date, os: requirements.os)
  }

  /// What answers and lists say about one certificate. Dates of answers are judged by the client's clock, whatever date was
  /// chosen for the path.
  private func status(
    at index: Int, _ mode: RevocationPolicy.Mode, _ lists: RevocationChecking?
  ) -> [Finding] {
    let answers = acceptances(at: index, lists)
    let listed = lists?.statement(at: index, of: path)
    let statement = StatusStatement.deciding(
      answers.compactMap(StatusStatement.init) + [listed].compactMap(\.self).compactMap(StatusStatement.init),
      isNewest: requirements.revocation.limits.believesOldRevocations)
    let shown = statement?.answer ?? answers.first { $0.response != nil } ?? answers.first
    var findings = shown?.findings ?? []
    if index == 0, evidence.revocation.hasUnreadableStaple {
      findings.append(
        check(
          .ocspStatus, subjects[0], false, required: .word("successful"), found: .word("an answer that cannot be read"))
      )
    }
    if let statement { return findings + [finding(of: statement, subjects[index])] }
    let reasons = statusReasons(at: index, answers, listed?.rejections ?? [])
    findings.append(
      diagnostics.enforcement.note(
        reasons.first.map { Rule.revoked.fixed(by: $0.rule.fix) } ?? .revoked, on: subjects[index], .unknown,
        required: reasons.first?.required ?? .none, found: reasons.first?.found ?? .none))
    guard mode == .hardFail else { return findings }
    return findings
      + reasons.map { check($0.rule, subjects[index], false, required: $0.required, found: $0.found) }
  }

  /// One reason for each CRL and OCSP response that does not show the status; that nothing is at hand otherwise.
  private func statusReasons(
    at index: Int, _ answers: [OCSPAcceptance], _ rejections: [CRLRejection]
  ) -> [StatusReason] {
    var reasons = answers.compactMap { StatusReason($0) } + rejections.map { StatusReason($0) }
    if index == 0, evidence.revocation.hasUnreadableStaple { reasons.insert(.unreadableStaple, at: 0) }
    var seen: Set<StatusReason> = []
    reasons = reasons.filter { seen.insert($0).inserted }
    if reasons.isEmpty {
      let revocation = evidence.revocation
      let hasOthers =
        !revocation.answers.isEmpty || requirements.revocation.looksAtLists && !revocation.lists.isEmpty
      reasons = [StatusReason(absentFor: path.certificates[index], hasOthers: hasOthers)]
    }
    return Array(reasons.prefix(StatusReason.maximum))
  }

  private func finding(of statement: StatusStatement, _ subject: Finding.Subject) -> Finding {
    guard let (date, reason) = statement.revocation else { return check(.revoked, subject, true) }
    let why = reason.map { "\($0.name), " } ?? ""
    return check(
      .revoked, subject, false, required: .word(statement.answer == nil ? "on no list" : "good"),
      found: .word("\(why)since \(date)"))
  }

  /// Whether a server that must staple an answer came with one that can be believed, where it was asked to. A responder that
  /// does not know the certificate answers nothing: Firefox refuses it (SEC_ERROR_OCSP_UNKNOWN_CERT). Nothing in
  /// Security.framework looks at the extension, so that in Apple's profile a violation is only worth saying, unless the
  /// client holds servers to it by itself.
  var stapling: [Finding] { demandedStaple + checkedStaple }

  /// Whether what a server brings along can be believed. The standard's own client ends the handshake where it cannot (RFC 6066
  /// section 8); Apple's systems go on as without one (Security, SecRevocationServer.c), and so do browsers.
  private var checkedStaple: [Finding] {
    guard requirements.os?.family == .documentation, evidence.revocation.asksForStaple, path.certificates.count > 1,
      let stapled = evidence.revocation.staple
    else { return [] }
    let staple = stapled.response.map { acceptance(of: $0, at: 0, listChecking) }
    let reason = staple.flatMap { $0.status == nil ? StatusReason($0) : nil } ?? .unreadableStaple
    let isBelieved = staple?.status != nil
    return [
      check(
        isBelieved ? .badStaple : .badStaple.fixed(by: reason.rule.fix), subjects[0], isBelieved,
        required: .word("a stapled OCSP response that counts"), found: isBelieved ? .none : reason.found)
    ]
  }

  /// Whether it brings one along where its certificate says so.
  private var demandedStaple: [Finding] {
    onLeaf { leaf, subject in
      guard leaf.mustStaple, evidence.revocation.asksForStaple else { return [] }
      let ofProfile = requirements.profile == .apple ? false : requirements.revocation.mode == .none ? nil : true
      guard let isHeld = requirements.revocation.holdsMustStaple ?? ofProfile else { return [] }
      let answers = acceptances(at: 0, listChecking)
      let isKnown = answers.compactMap(\.status).contains { $0 != .unknown }
      let reason = isKnown ? nil : answers.lazy.compactMap { StatusReason($0) }.first
      let finding = check(
        reason.map { Rule.mustStaple.fixed(by: $0.rule.fix) } ?? .mustStaple, subject, isKnown,
        required: .word("a stapled OCSP response"), found: isKnown ? .none : reason?.found ?? .absent,
        confidence: requirements.revocation.holdsMustStaple == nil && requirements.profile == .apple
          ? .unknown("whether a part of the system that is not published looks at it") : .certain)
      return [isHeld ? finding : finding.advising]
    }
  }

  /// What is to be said of each answer that is about the certificate; of all, where none is about the leaf.
  private func acceptances(at index: Int, _ lists: RevocationChecking?) -> [OCSPAcceptance] {
    let answers = evidence.revocation.answers
    guard !answers.isEmpty, path.certificates.indices.contains(index + 1) else { return [] }
    let acceptances = answers.map { acceptance(of: $0, at: index, lists) }
    let own = acceptances.filter { $0.response != nil }
    return own.isEmpty && index == 0 ? acceptances : own
  }

  private func acceptance(of answer: OCSPResponse, at index: Int, _ lists: RevocationChecking?) -> OCSPAcceptance {
    let issuer = path.certificates[index + 1]
    var acceptance = OCSPAcceptance(
      answer, about: path.certificates[index], of: issuer, at: requirements.today ?? requirements.date,
      limits: requirements.revocation.limits, on: subjects[index],
      enforcement: diagnostics.enforcement, memory: memory)
    if let delegate = acceptance.delegate(of: issuer) {
      let own = CertificatePath([delegate] + path.certificates[(index + 1)...], end: path.end)
      if isRefused(delegate) {
        acceptance.refuseDelegate("a delegate that is not trusted")
      } else if !delegate.isExemptResponder, case .revoked(let date, _)? = lists?.status(at: 0, of: own) {
        acceptance.refuseDelegate("a delegate that is revoked since \(date)")
      }
    }
    return acceptance
  }
}

/// One reason that the status of a certificate is unknown, with its own fix.
private struct StatusReason: Hashable {
  /// How many reasons are reported for one certificate.
  static let maximum = 8

  /// `chain.revocation-unknown` with the clause and the fix for this reason.
  let rule: Rule
  let required: Detail
  let found: Detail
  private let fix: String

  private init(_ clause: Clause, required: Detail, found: Detail, fix: String) {
    rule = Rule.revocationUnknown.citing(clause).fixed(by: fix)
    (self.required, self.found, self.fix) = (required, found, fix)
  }

  /// The reason of a CRL.
  init(_ rejection: CRLRejection) {
    self.init(
      .rfc(5280, rejection.section), required: .word(rejection.required), found: .word(rejection.found),
      fix: rejection.fix)
  }

  /// The reason of an OCSP response; nil if it shows the status.
  init?(_ answer: OCSPAcceptance) {
    if answer.status == .unknown {
      self.init(
        .rfc(6960, "2.2"), required: .word("good or revoked"),
        found: .word("the responder does not know the certificate"),
        fix: "Check that the responder serves this CA. If it does, ask the CA why it answers unknown.")
      return
    }
    let violated = answer.findings.first { $0.outcome == .violated && $0.weight.word != "overridden" }
    guard answer.status == nil, let violated else { return nil }
    self.init(
      violated.rule.clause, required: violated.required == .none ? .word(violated.rule.statement) : violated.required,
      found: .word("OCSP response (\(violated.rule.id)): \(violated.found.description)"),
      fix: violated.rule.fix)
  }

  /// Nothing is at hand about the certificate; `hasOthers` says that there are CRLs or responses about others.
  init(absentFor certificate: Certificate, hasOthers: Bool) {
    let name = certificate.displayName
    self.init(
      Rule.revocationUnknown.clause, required: .word("a current CRL or OCSP response"), found: .absent,
      fix: hasOthers
        ? "Add a CRL or an OCSP response about \(name): the given ones are about other certificates."
        : Rule.revocationUnknown.fix)
  }

  /// The server stapled bytes that are no OCSP response.
  static let unreadableStaple = StatusReason(
    .rfc(6960, "4.2.1"), required: .word("an OCSP response"), found: .word("stapled bytes that cannot be decoded"),
    fix: "Have the server staple an OCSP response in DER.")
}

/// What an answer, or the lists at hand, say of one certificate.
private struct StatusStatement {
  /// Since when it is revoked, and why; nil where it is good.
  let revocation: (date: Instant, reason: RevocationReason?)?
  /// As of when that is said: thisUpdate.
  let asOf: Instant
  /// The answer that says it; nil for lists.
  let answer: OCSPAcceptance?

  /// What an answer says; nil where it cannot be believed, or does not know.
  init?(_ answer: OCSPAcceptance) {
    guard let date = answer.response?.thisUpdate else { return nil }
    switch answer.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .unknown, nil: return nil
    }
    (asOf, self.answer) = (date, answer)
  }

  /// What the lists say; nil where they cannot tell.
  init?(_ lists: RevocationStatement) {
    guard let date = lists.asOf else { return nil }
    switch lists.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .undetermined: return nil
    }
    (asOf, answer) = (date, nil)
  }

  /// Only a hold is ever lifted: RFC 5280 section 5.3.1.
  private var isFinal: Bool { revocation.map { $0.reason != .certificateHold } ?? false }

  /// Which of several counts: one that revokes for good, else the newest. With `isNewest` an answer gives way to a newer one
  /// whatever it says, as Apple's systems have it (Security, SecRevocationServer.c); a list that revokes does not.
  static func deciding(_ statements: [StatusStatement], isNewest: Bool) -> StatusStatement? {
    let final = statements.first { $0.isFinal && !(isNewest && $0.answer != nil) }
    return final
      ?? statements.max { ($0.asOf, $0.revocation == nil ? 0 : 1) < ($1.asOf, $1.revocation == nil ? 0 : 1) }
  }
}

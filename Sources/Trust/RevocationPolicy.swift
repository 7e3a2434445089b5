import Explanation
import PKIX

/// A client's revocation checks, and its reaction to an unknown status.
public struct RevocationPolicy: Sendable {
  /// A client's reaction to an unknown status.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The client does not check revocation.
    case none
    /// It continues.
    case softFail = "soft-fail"
    /// It refuses.
    case hardFail = "hard-fail"
  }

  /// The reaction to an unknown status.
  public var mode: Mode
  /// The reaction to an unknown status of a CA certificate; nil for the same reaction as for the leaf.
  public var modeForCAs: Mode?
  /// The limits for the times and the signers of OCSP responses.
  public var limits = OCSPResponseValidation.Limits()
  /// Whether the client uses CRLs.
  public var looksAtLists = true
  /// Whether the client requires a stapled response for a must-staple certificate (RFC 7633); nil for the profile's
  /// default.
  public var holdsMustStaple: Bool?

  /// Creates a policy with a reaction to an unknown status.
  public init(_ mode: Mode) { self.mode = mode }

  /// A policy without checks.
  public static let none = RevocationPolicy(.none)

  /// Apple's policy for stapled and cached responses of every chain, since iOS 10 and macOS 10.12.
  ///
  /// The client continues without a response. Clocks may differ by 75 minutes. A response without nextUpdate is valid
  /// for a day, and "revoked" is accepted regardless of its dates (Security, SecRevocationServer.c). CRLs are not used.
  public static let apple: RevocationPolicy = {
    var policy = RevocationPolicy(.softFail)
    policy.limits.clockSkew = 4500
    policy.limits.maximumAgeWithoutNextUpdate = 86_400
    policy.limits.believesOldRevocations = true
    policy.limits.isStrictAboutDelegates = true
    policy.looksAtLists = false
    return policy
  }()
}

extension RevocationPolicy {
  /// Returns the mode for the certificate at this index; 0 is the leaf.
  func mode(at index: Int) -> Mode { index == 0 ? mode : modeForCAs ?? mode }
}

extension TrustEvaluator {
  /// Receives a stapled OCSP response, if the client requested one (RFC 6066 section 8).
  ///
  /// Since iOS 10 and macOS 10.12, Apple's systems use the response for every chain, even without a revocation check.
  /// Earlier systems use it only if an app requests the check, or for an extended-validation certificate (Security,
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

extension PathContext {
  /// The findings on the revocation status of each certificate below the anchor; empty without a revocation check.
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

  /// The status check with the available CRLs (RFC 5280 section 6.3). It is nil without CRLs, or if the client does not
  /// use them.
  ///
  /// CRLs that are signed by a distrusted CA are not accepted (6.3.3 (f)).
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

  /// Returns the status of one certificate from OCSP responses and CRLs.
  ///
  /// The dates of responses are compared with the client's clock, even if the path is validated at another date.
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
          .ocspStatus, subjects[0], false, required: .word("successful"),
          found: .word("a response that cannot be decoded"))
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

  /// Returns the reasons why the status is unknown: one for each CRL and OCSP response, or the absence of both.
  private func statusReasons(
    at index: Int, _ answers: [OCSPResponseValidation], _ rejections: [CRLRejection]
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
      .revoked, subject, false, required: .word(statement.answer == nil ? "not listed as revoked" : "good"),
      found: .word("\(why)since \(date)"))
  }

  /// Checks that the server staples a valid OCSP response for a must-staple certificate, if the client requested one.
  ///
  /// A responder that does not know the certificate provides no status. Firefox then refuses the certificate
  /// (SEC_ERROR_OCSP_UNKNOWN_CERT). Security.framework does not use the extension. In Apple's profile, a violation is
  /// therefore only advice, unless the client itself requires a stapled response.
  var stapling: [Finding] { demandedStaple + checkedStaple }

  /// Checks that the stapled response is valid.
  ///
  /// If it is not, the standard requires the client to end the handshake (RFC 6066 section 8). Apple's systems and
  /// browsers continue without a stapled response (Security, SecRevocationServer.c).
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
        required: .word("a stapled OCSP response that the client accepts"), found: isBelieved ? .none : reason.found)
    ]
  }

  /// Checks that the server staples a response if its certificate requires one.
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
          ? .unknown("whether an unpublished part of the system checks it") : .certain)
      return [isHeld ? finding : finding.advising]
    }
  }

  /// Returns the validation of each response about the certificate, or of all responses if none is about the leaf.
  private func acceptances(at index: Int, _ lists: RevocationChecking?) -> [OCSPResponseValidation] {
    let answers = evidence.revocation.answers
    guard !answers.isEmpty, path.certificates.indices.contains(index + 1) else { return [] }
    let acceptances = answers.map { acceptance(of: $0, at: index, lists) }
    let own = acceptances.filter { $0.response != nil }
    return own.isEmpty && index == 0 ? acceptances : own
  }

  private func acceptance(of answer: OCSPResponse, at index: Int, _ lists: RevocationChecking?)
    -> OCSPResponseValidation
  {
    let issuer = path.certificates[index + 1]
    var acceptance = OCSPResponseValidation(
      answer, about: path.certificates[index], of: issuer, at: requirements.today ?? requirements.date,
      limits: requirements.revocation.limits, on: subjects[index],
      enforcement: diagnostics.enforcement, memory: memory)
    if let delegate = acceptance.delegate(of: issuer) {
      let own = CertificatePath([delegate] + path.certificates[(index + 1)...], end: path.end)
      if isRefused(delegate) {
        acceptance.refuseDelegate("a delegate that is not trusted")
      } else if !delegate.isExemptResponder, case .revoked(let date, _)? = lists?.status(at: 0, of: own) {
        acceptance.refuseDelegate("a delegate revoked since \(date)")
      }
    }
    return acceptance
  }
}

/// One reason why the status of a certificate is unknown, with its fix.
private struct StatusReason: Hashable {
  /// The maximum number of reported reasons for one certificate.
  static let maximum = 8

  /// The rule `chain.revocation-unknown` with the clause and the fix for this reason.
  let rule: Rule
  let required: Detail
  let found: Detail
  private let fix: String

  private init(_ clause: Clause, required: Detail, found: Detail, fix: String) {
    rule = Rule.revocationUnknown.citing(clause).fixed(by: fix)
    (self.required, self.found, self.fix) = (required, found, fix)
  }

  /// Creates the reason for a rejected CRL.
  init(_ rejection: CRLRejection) {
    self.init(
      .rfc(5280, rejection.section), required: .word(rejection.required), found: .word(rejection.found),
      fix: rejection.fix)
  }

  /// Creates the reason for an OCSP response; nil if the response provides the status.
  init?(_ answer: OCSPResponseValidation) {
    if answer.status == .unknown {
      self.init(
        .rfc(6960, "2.2"), required: .word("good or revoked"),
        found: .word("the responder does not know the certificate"),
        fix: "Check that the responder serves this CA. If it does, ask the CA why the status is unknown.")
      return
    }
    let violated = answer.findings.first { $0.outcome == .violated && $0.weight.word != "overridden" }
    guard answer.status == nil, let violated else { return nil }
    self.init(
      violated.rule.clause, required: violated.required == .none ? .word(violated.rule.statement) : violated.required,
      found: .word("OCSP response (\(violated.rule.id)): \(violated.found.description)"),
      fix: violated.rule.fix)
  }

  /// Creates the reason for missing data about the certificate. `hasOthers` is whether there is data about other
  /// certificates.
  init(absentFor certificate: Certificate, hasOthers: Bool) {
    let name = certificate.displayName
    self.init(
      Rule.revocationUnknown.clause, required: .word("a current CRL or OCSP response"), found: .absent,
      fix: hasOthers
        ? "Add a CRL or an OCSP response about \(name): the ones in use are about other certificates."
        : Rule.revocationUnknown.fix)
  }

  /// The server stapled bytes that are not an OCSP response.
  static let unreadableStaple = StatusReason(
    .rfc(6960, "4.2.1"), required: .word("an OCSP response"), found: .word("stapled bytes that cannot be decoded"),
    fix: "Have the server staple an OCSP response in DER.")
}

/// The status of one certificate, from an OCSP response or from the CRLs.
private struct StatusStatement {
  /// The date and the reason of the revocation; nil for a certificate that is not revoked.
  let revocation: (date: Instant, reason: RevocationReason?)?
  /// The thisUpdate time of the status.
  let asOf: Instant
  /// The OCSP response that provided the status; nil for CRLs.
  let answer: OCSPResponseValidation?

  /// Creates the status from a response; nil if the response is invalid, or the responder does not know the
  /// certificate.
  init?(_ answer: OCSPResponseValidation) {
    guard let date = answer.response?.thisUpdate else { return nil }
    switch answer.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .unknown, nil: return nil
    }
    (asOf, self.answer) = (date, answer)
  }

  /// Creates the status from the CRLs; nil if they do not establish it.
  init?(_ lists: RevocationStatement) {
    guard let date = lists.asOf else { return nil }
    switch lists.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .undetermined: return nil
    }
    (asOf, answer) = (date, nil)
  }

  /// Whether the revocation is permanent. Only a hold can be lifted (RFC 5280 section 5.3.1).
  private var isFinal: Bool { revocation.map { $0.reason != .certificateHold } ?? false }

  /// Returns the deciding status, which is a permanent revocation or else the newest status.
  ///
  /// With `isNewest`, a newer response replaces an older one even if the older status is a revocation, as on Apple's
  /// systems (Security, SecRevocationServer.c). A revocation from a CRL is not replaced.
  static func deciding(_ statements: [StatusStatement], isNewest: Bool) -> StatusStatement? {
    let final = statements.first { $0.isFinal && !(isNewest && $0.answer != nil) }
    return final
      ?? statements.max { ($0.asOf, $0.revocation == nil ? 0 : 1) < ($1.asOf, $1.revocation == nil ? 0 : 1) }
  }
}

import Explanation
import PKIX

/// A client's revocation checks, and its reaction to an unknown status.
public struct RevocationPolicy: Sendable {
  /// A client's reaction to an unknown status.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// It makes no checks.
    case none
    /// It continues.
    case softFail = "soft-fail"
    /// It refuses.
    case hardFail = "hard-fail"
  }

  /// The reaction to an unknown status.
  public var mode: Mode
  /// The reaction to an unknown status of a CA's certificate; nil for that of the leaf.
  public var modeForCAs: Mode?
  /// The limits for the times and the signers of OCSP responses.
  public var limits = OCSPResponseValidation.Limits()
  /// Whether CRLs are used.
  public var looksAtLists = true
  /// Whether the client requires a staple from a must-staple certificate (RFC 7633); nil for the profile's default.
  public var holdsMustStaple: Bool?

  /// Creates a policy in this mode.
  public init(_ mode: Mode) { self.mode = mode }

  /// A policy without checks.
  public static let none = RevocationPolicy(.none)

  /// Apple's policy since iOS 10 and macOS 10.12 for stapled and cached responses, for every chain.
  ///
  /// The client continues without a response. Clocks may differ by 75 minutes. A response without nextUpdate is valid
  /// for a day, and "revoked" counts whatever its dates (Security, SecRevocationServer.c). CRLs are not used.
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
  /// The mode for the certificate at this index; 0 is the leaf.
  func mode(at index: Int) -> Mode { index == 0 ? mode : modeForCAs ?? mode }
}

extension TrustEvaluator {
  /// Receives a stapled OCSP response, if the client requested one (RFC 6066 section 8).
  ///
  /// Apple's systems since iOS 10 and macOS 10.12 use it for every chain, even without a revocation check. Earlier ones
  /// use it only if an app requests the check, or for an extended-validation certificate (Security,
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
  /// The revocation status of each certificate below the anchor; empty without a revocation check.
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

  /// The available CRLs (RFC 5280 section 6.3); nil if there are none, or the client does not use them.
  ///
  /// A CA that the client distrusts signs none (6.3.3 (f)).
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

  /// The status of one certificate from OCSP responses and CRLs.
  ///
  /// The client's clock decides about the dates of responses, even if the path is validated at another date.
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

  /// One reason for each CRL and OCSP response that does not show the status, or that there are none.
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

  /// Whether a must-staple certificate came with a valid OCSP response, if the client requested one.
  ///
  /// A responder that does not know the certificate provides no status: Firefox refuses it
  /// (SEC_ERROR_OCSP_UNKNOWN_CERT). Security.framework does not use the extension. So in Apple's profile a violation
  /// only advises, unless the client itself requires the staple.
  var stapling: [Finding] { demandedStaple + checkedStaple }

  /// Whether the stapled response is valid.
  ///
  /// The standard's client ends the handshake if it is not (RFC 6066 section 8). Apple's systems continue as without
  /// one (Security, SecRevocationServer.c), and so do browsers.
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

  /// Whether the server staples a response if its certificate requires it.
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

  /// The validation of each response about the certificate, or of all responses if none is about the leaf.
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

/// One reason that the status of a certificate is unknown, with its own fix.
private struct StatusReason: Hashable {
  /// The maximum number of reported reasons for one certificate.
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

  /// Creates the reason if there is no data about the certificate; `hasOthers` is whether there is data about others.
  init(absentFor certificate: Certificate, hasOthers: Bool) {
    let name = certificate.displayName
    self.init(
      Rule.revocationUnknown.clause, required: .word("a current CRL or OCSP response"), found: .absent,
      fix: hasOthers
        ? "Add a CRL or an OCSP response about \(name): the ones in use are about other certificates."
        : Rule.revocationUnknown.fix)
  }

  /// The server stapled bytes that are no OCSP response.
  static let unreadableStaple = StatusReason(
    .rfc(6960, "4.2.1"), required: .word("an OCSP response"), found: .word("stapled bytes that cannot be decoded"),
    fix: "Have the server staple an OCSP response in DER.")
}

/// The status of one certificate, from an OCSP response or from the CRLs.
private struct StatusStatement {
  /// The date and reason of revocation; nil for a certificate with the status good.
  let revocation: (date: Instant, reason: RevocationReason?)?
  /// The time of the status: thisUpdate.
  let asOf: Instant
  /// The OCSP response; nil for CRLs.
  let answer: OCSPResponseValidation?

  /// The status in a response; nil if the response is not valid or the responder does not know the certificate.
  init?(_ answer: OCSPResponseValidation) {
    guard let date = answer.response?.thisUpdate else { return nil }
    switch answer.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .unknown, nil: return nil
    }
    (asOf, self.answer) = (date, answer)
  }

  /// The status in the CRLs; nil if they do not show it.
  init?(_ lists: RevocationStatement) {
    guard let date = lists.asOf else { return nil }
    switch lists.status {
    case .good: revocation = nil
    case .revoked(let date, let reason): revocation = (date, reason)
    case .undetermined: return nil
    }
    (asOf, answer) = (date, nil)
  }

  /// Whether the revocation is permanent: only a hold can be lifted (RFC 5280 section 5.3.1).
  private var isFinal: Bool { revocation.map { $0.reason != .certificateHold } ?? false }

  /// The status that counts: a permanent revocation, or else the newest.
  ///
  /// With `isNewest`, a newer response replaces an older one whatever its status, as on Apple's systems (Security,
  /// SecRevocationServer.c). A CRL that revokes is not replaced.
  static func deciding(_ statements: [StatusStatement], isNewest: Bool) -> StatusStatement? {
    let final = statements.first { $0.isFinal && !(isNewest && $0.answer != nil) }
    return final
      ?? statements.max { ($0.asOf, $0.revocation == nil ? 0 : 1) < ($1.asOf, $1.revocation == nil ? 0 : 1) }
  }
}

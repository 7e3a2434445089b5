import Explanation
import PKIX

/// What a client does about revocation: whether it asks, and what it takes silence for.
///
/// Nothing is fetched here: `lists` are the CRLs (RFC 5280 section 5) and `answers` those of responders (RFC 6960) at
/// hand; where there are neither, `revoked` may stand for the lists that the authorities publish.
public struct RevocationPolicy: Sendable {
  /// What a client does when it cannot find out.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// It never asks.
    case none
    /// It goes on.
    case softFail = "soft-fail"
    /// It refuses.
    case hardFail = "hard-fail"
  }

  /// What the client does when it cannot find out.
  public var mode: Mode
  /// Whether the authorities' lists can be had.
  public var isReachable: Bool
  /// The certificates on lists that are only told of, each with the moment of its revocation; nil where nobody tells.
  public var revoked: [Certificate: Instant]?
  /// Real lists, which are looked at in place of `revoked` where there are any.
  public var lists: [CertificateRevocationList] = []
  /// The lists that authorities publish by a date, where somebody can say: those that a client fetches that can.
  public var publishes: (@Sendable (Instant) -> [CertificateRevocationList])?
  /// Answers of responders, stapled, kept or fetched: each is tried for every certificate.
  public var answers: [OCSPResponse] = []
  /// What is asked of the times and the signers of answers.
  public var limits = OCSPAcceptance.Limits()
  /// The octets of the nonce that was sent with the question about the leaf; nil where none was.
  public var nonce: [UInt8]?
  /// Certificates among which the issuers of lists may be, beside those of the path and those presented.
  public var listIssuers: [Certificate] = []
  /// What the client does when it cannot find out about an authority; nil is the same as about the leaf.
  public var modeForAuthorities: Mode?
  /// Whether lists are looked at.
  public var looksAtLists = true
  /// Whether the server was asked to bring an answer along: RFC 6066 section 8.
  public var asksForStaple = true
  /// Whether what it brought along cannot be read.
  var hasUnreadableStaple = false

  /// A client in this mode, and what it is told of the lists that it would find.
  public init(_ mode: Mode, revoked: [Certificate: Instant]? = nil, isReachable: Bool = true) {
    self.mode = mode
    self.revoked = revoked
    self.isReachable = isReachable
  }

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

extension TrustPolicy {
  /// What the server brought along of a responder's answers, where the client asked for it: RFC 6066 section 8.
  ///
  /// A client that does not ask about revocation looks at it all the same on Apple's systems since iOS 10 and macOS 10.12,
  /// of every chain; on earlier ones only where an app asks, or the certificate is one of extended validation (Security,
  /// SecRevocationServer.c).
  public mutating func receive(stapled bytes: [UInt8]?, wasAskedFor: Bool) {
    revocation.asksForStaple = wasAskedFor
    guard let bytes else { return }
    let answer = try? OCSPResponse(der: bytes)
    if revocation.mode == .none {
      guard profile == .apple, os?.isAtLeast(iOS: (10, 0), macOS: (10, 12)) == true else { return }
      revocation = .apple
      revocation.asksForStaple = wasAskedFor
    }
    revocation.hasUnreadableStaple = answer == nil
    revocation.answers += [answer].compactMap(\.self)
  }
}

extension JudgedPath {
  /// Whether each certificate below the anchor is revoked; nothing when the client does not ask.
  var revocation: [Finding] {
    let revocation = policy.revocation
    guard revocation.mode != .none else { return [] }
    let count = path.certificates.count - (path.anchor == nil ? 0 : 1)
    if let revoked = revocation.revoked, revocation.lists.isEmpty, revocation.answers.isEmpty {
      return (0..<count).flatMap { told(revoked, at: $0, revocation.mode(at: $0)) }
    }
    let lists = revocation.looksAtLists && !revocation.lists.isEmpty ? listChecking : nil
    return (0..<count).flatMap { index in
      let mode = revocation.mode(at: index)
      return mode == .none ? [] : evidence(at: index, mode, lists)
    }
  }

  /// The lists at hand: RFC 5280 section 6.3.
  private var listChecking: RevocationChecking {
    RevocationChecking(
      policy.revocation.lists, candidates: policy.revocation.listIssuers + path.certificates, at: policy.date,
      requiresConformance: requiresConformance, enforcement: policy.enforcement, memory: memory)
  }

  /// What answers and, where these do not tell, lists say about one certificate. Dates of answers are judged by the
  /// client's clock, whatever date was chosen for the path.
  private func evidence(
    at index: Int, _ mode: RevocationPolicy.Mode, _ lists: RevocationChecking?
  ) -> [Finding] {
    let answers = acceptances(at: index)
    let best =
      answers.first { if case .revoked = $0.status { true } else { false } } ?? answers.first { $0.status == .good }
      ?? answers.first { $0.response != nil } ?? answers.first
    var findings = best?.findings ?? []
    if index == 0, policy.revocation.hasUnreadableStaple {
      findings.append(
        check(
          .ocspStatus, subjects[0], false, required: .word("successful"), found: .word("an answer that cannot be read"))
      )
    }
    switch best?.status {
    case .good: return findings + [check(.revoked, subjects[index], true)]
    case .revoked(let date, let reason): return findings + [revoked(subjects[index], date, reason, required: "good")]
    case .unknown, nil: break
    }
    let status = lists?.status(at: index, of: path) ?? .undetermined(.noList)
    switch status {
    case .good: findings.append(check(.revoked, subjects[index], true))
    case .revoked(let date, let reason): findings.append(revoked(subjects[index], date, reason, required: "on no list"))
    case .undetermined(.noList) where policy.revocation.revoked != nil:
      // An authority whose lists nobody here can make is still told of.
      return findings + told(policy.revocation.revoked ?? [:], at: index, mode)
    case .undetermined(let obstacle):
      findings.append(note(.revoked, subjects[index], .unknown))
      guard mode == .hardFail else { break }
      let refused = best?.findings.first { $0.outcome == .violated }
      findings.append(
        check(
          .revocationUnknown, subjects[index], false, required: .word("a current list or answer"),
          found: .word(lists == nil && refused != nil ? "an answer that is refused" : obstacle.description)))
    }
    return findings
  }

  /// Whether a server that must staple an answer came with one that can be believed, where it was asked to. A responder that
  /// does not know the certificate answers nothing: Firefox refuses it (SEC_ERROR_OCSP_UNKNOWN_CERT). Nothing in
  /// Security.framework looks at the extension, so that in Apple's profile a violation is only worth saying, unless the
  /// client holds servers to it by itself.
  var stapling: [Finding] {
    onLeaf { leaf, subject in
      guard leaf.mustStaple, policy.revocation.asksForStaple else { return [] }
      let ofProfile = policy.profile == .apple ? false : policy.revocation.mode == .none ? nil : true
      guard let isHeld = policy.holdsMustStaple ?? ofProfile else { return [] }
      let answers = acceptances(at: 0)
      let states = answers.compactMap(\.status)
      let finding = check(
        .mustStaple, subject, states.contains { $0 != .unknown }, required: .word("a stapled answer"),
        found: answers.isEmpty ? .absent : states.isEmpty ? .none : .word("unknown"),
        confidence: policy.holdsMustStaple == nil && policy.profile == .apple
          ? .unknown("whether a part of the system that is not published looks at it") : .certain)
      return [isHeld ? finding : finding.advising]
    }
  }

  private func acceptances(at index: Int) -> [OCSPAcceptance] {
    let revocation = policy.revocation
    guard !revocation.answers.isEmpty, path.certificates.indices.contains(index + 1) else { return [] }
    let acceptances = revocation.answers.map { answer in
      OCSPAcceptance(
        answer, about: path.certificates[index], of: path.certificates[index + 1], at: policy.today ?? policy.date,
        limits: revocation.limits, nonce: index == 0 ? revocation.nonce : nil, on: subjects[index],
        enforcement: policy.enforcement, memory: memory)
    }
    let own = acceptances.filter { $0.response != nil }
    return own.isEmpty && index == 0 ? acceptances : own
  }

  private func revoked(
    _ subject: Finding.Subject, _ date: Instant, _ reason: RevocationReason?, required: String
  ) -> Finding {
    let why = reason.map { "\($0.name), " } ?? ""
    return check(
      .revoked, subject, false, required: .word(required),
      found: .word("\(why)since \(date)"))
  }

  /// What is told of lists that nobody looks at.
  private func told(
    _ revoked: [Certificate: Instant], at index: Int, _ mode: RevocationPolicy.Mode
  ) -> [Finding] {
    let (certificate, subject) = (path.certificates[index], subjects[index])
    guard policy.revocation.isReachable else {
      let unknown = note(.revoked, subject, .unknown)
      guard mode == .hardFail else { return [unknown] }
      return [
        unknown, check(.revocationUnknown, subject, false, required: .word("a current list"), found: .absent),
      ]
    }
    let date = revoked[certificate]
    return [
      check(
        .revoked, subject, date.map { policy.date < $0 } ?? true,
        required: .word("not on its authority's list, which stands for a CRL that was fetched"),
        found: date.map(Detail.date) ?? .none)
    ]
  }
}

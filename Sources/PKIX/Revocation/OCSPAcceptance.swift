import Explanation

/// Whether a responder's answer can be believed about one certificate: RFC 6960 section 3.2, one finding for each of its
/// demands.
///
/// What is violated here refuses the answer and not the certificate: without an answer its status is not known.
public struct OCSPAcceptance: Sendable {
  /// What a client asks of the times of an answer, which RFC 6960 leaves to it (section 4.2.2.1).
  public struct Limits: Sendable, Hashable {
    /// By how many seconds clocks may differ.
    public var leeway: Int64 = 0
    /// How many seconds an answer may be old whatever it says; nil is any number.
    public var maximumAge: Int64?
    /// How many seconds an answer may be old that does not say when there is more to know; nil is any number.
    public var maximumAgeWithoutNextUpdate: Int64? = 7 * 86_400
    /// Whether "revoked" counts whatever its dates, and its signer is judged at the time of signing (Security,
    /// SecRevocationServer.c).
    public var believesOldRevocations = false
    /// Whether a delegate must be no authority and its key may make signatures (Security, since macOS 11 and iOS 14).
    public var isStrictAboutDelegates = false

    /// No leeway, and seven days where nextUpdate is absent.
    public init() {}
  }

  /// Each demand, and whether it holds.
  public private(set) var findings: [Finding] = []
  /// What the answer says of the certificate; nil where it says nothing, or cannot be believed.
  public private(set) var status: SingleResponse.Status?
  /// What is said of the certificate, whether or not it is believed.
  public private(set) var response: SingleResponse?
  /// Whose key signed the answer and who may answer; nil where nobody was found.
  public private(set) var signer: Certificate?

  private let subject: Finding.Subject
  private let enforcement: Enforcement
  private let limits: Limits
  private let time: Instant

  /// Holds `answer` against what is asked about `certificate`, which `issuer` issued, at `time`; `nonce` are the octets
  /// that were sent, where any were.
  public init(
    _ answer: OCSPResponse, about certificate: Certificate, of issuer: Certificate, at time: Instant,
    limits: Limits = Limits(), nonce: [UInt8]? = nil, on subject: Finding.Subject = .connection,
    enforcement: Enforcement = .standard, memory: SignatureMemory? = nil
  ) {
    self.subject = subject
    self.enforcement = enforcement
    self.limits = limits
    self.time = time
    check(
      .ocspStatus.fixed(by: answer.status.fix), answer.status == .successful, required: .word("successful"),
      found: .word("\(answer.status)"))
    guard let basic = answer.basic else { return }
    select(basic.responses.filter { $0.certificate.identifies(certificate, of: issuer) })
    if response != nil {
      check(.ocspCertificate, true)
    } else {
      let difference = CertificateIDDifference(basic.responses.map(\.certificate), certificate, of: issuer)
      check(
        .ocspCertificate.fixed(by: difference.fix), false, required: .word(difference.required),
        found: .word(difference.found))
    }
    judgeSigner(basic, issuer, memory)
    judgeTimes(basic)
    let unprocessed = basic.unprocessedExtension(response)
    check(
      .ocspExtension, unprocessed == nil,
      required: unprocessed == nil ? .none : .word("critical extensions that the client processes"),
      found: unprocessed.map { .word($0.name) } ?? .none)
    if let nonce {
      check(
        .ocspNonce, basic.nonce == nonce, required: .bytes(nonce), found: basic.nonce.map { .bytes($0) } ?? .absent)
    }
    if !findings.contains(where: \.obstructs) { status = response?.status }
  }

  /// Who signed the answer in the place of `issuer`; nil where that signed itself, or nobody is believed.
  public func delegate(of issuer: Certificate) -> Certificate? {
    signer.flatMap { signer in
      signer.subjectPublicKeyInfo == issuer.subjectPublicKeyInfo && signer.subject.matches(issuer.subject)
        ? nil : signer
    }
  }

  /// The answer is not believed, because who signed it is none to be believed: `found`.
  public mutating func refuseDelegate(_ found: String) {
    let rule = Rule.ocspResponder.fixed(by: "Replace the responder's certificate: the issuer certifies a new one.")
    let refused = enforcement.check(
      rule, on: subject, false, required: .word("the issuer, or a delegate with OCSPSigning"),
      found: .word(found))
    findings = findings.map { $0.rule == .ocspResponder ? refused : $0 }
    if findings.contains(where: \.obstructs) { status = nil }
    signer = nil
  }

  private mutating func check(
    _ rule: Rule, _ holds: Bool, required: Detail = .none, found: Detail = .none
  ) {
    findings.append(enforcement.check(rule, on: subject, holds, required: required, found: found))
  }

  /// Among several answers about one certificate the worst counts.
  private mutating func select(_ responses: [SingleResponse]) {
    response =
      responses.first { if case .revoked = $0.status { true } else { false } }
      ?? responses.first { $0.status == .unknown } ?? responses.max { $0.thisUpdate < $1.thisUpdate }
  }

  private var isOldRevocation: Bool {
    guard limits.believesOldRevocations, case .revoked = response?.status else { return false }
    return true
  }

  private mutating func judgeSigner(_ basic: BasicOCSPResponse, _ issuer: Certificate, _ memory: SignatureMemory?) {
    let responder = OCSPResponderSearch(
      basic, issuer: issuer, at: isOldRevocation ? basic.producedAt : time,
      isStrict: limits.isStrictAboutDelegates, memory: memory)
    let problem =
      responder.signer == nil
      ? SignatureProblem(basic, issuer, memory: memory) : nil
    check(
      problem.map { Rule.ocspSignature.fixed(by: $0.fix) } ?? .ocspSignature, responder.signer != nil,
      required: .word("a signature by \(basic.responderID.description)"),
      found: .word(problem?.found ?? basic.signatureAlgorithm.description))
    guard responder.signer != nil else {
      return findings.append(enforcement.note(.ocspResponder, on: subject, .notEvaluated))
    }
    check(
      responder.obstacle.map { Rule.ocspResponder.fixed(by: $0.fix) } ?? .ocspResponder, responder.obstacle == nil,
      required: .word("the issuer, or a delegate with OCSPSigning"),
      found: responder.obstacle.map { .word($0.found) } ?? .none)
    signer = responder.obstacle == nil ? responder.signer : nil
  }

  private mutating func judgeTimes(_ basic: BasicOCSPResponse) {
    guard let response else { return findings.append(enforcement.note(.ocspCurrent, on: subject, .notEvaluated)) }
    let timeliness = response.timeliness(at: time, limits)
    let isFuture = basic.producedAt > time.adding(seconds: limits.leeway)
    guard !isOldRevocation, timeliness != .timely || isFuture else { return check(.ocspCurrent, true) }
    var details = timeliness.details(response, limits, at: time)
    if timeliness == .timely {
      details = ("producedAt no later than \(time)", "producedAt \(basic.producedAt)", SingleResponse.clockFix)
    }
    check(
      .ocspCurrent.fixed(by: details.fix), false, required: .word(details.required), found: .word(details.found))
  }
}

extension Finding {
  /// Whether an answer cannot be used for this.
  fileprivate var obstructs: Bool {
    guard outcome == .violated || outcome == .notEvaluated else { return false }
    if case .overridden = weight { return false }
    return true
  }
}

extension SingleResponse {
  /// Whether what is said was true, and still is.
  public enum Timeliness: Sendable, Hashable {
    case timely
    case notYetValid
    case expired
    case tooOld

    /// The dates required and found, and the fix.
    fileprivate func details(
      _ response: SingleResponse, _ limits: OCSPAcceptance.Limits, at time: Instant
    ) -> (required: String, found: String, fix: String) {
      switch self {
      case .timely: ("", "", "")
      case .notYetValid:
        ("thisUpdate no later than \(time)", "thisUpdate \(response.thisUpdate)", SingleResponse.clockFix)
      case .expired:
        (
          "nextUpdate no earlier than \(time)", "nextUpdate \(response.nextUpdate.map { "\($0)" } ?? "absent")",
          "Get a new response from the responder, and staple it before nextUpdate. Check the clock of the client."
        )
      case .tooOld:
        (
          "a newer response",
          "thisUpdate \(response.thisUpdate)"
            + (response.nextUpdate == nil ? " without nextUpdate" : ""),
          "Get a new response from the responder. Have the responder set nextUpdate."
        )
      }
    }
  }

  /// The fix for a response that lies in the future.
  fileprivate static let clockFix =
    "Check the clocks of the client and of the responder: the response is not yet valid."

  /// Section 4.2.2.1: thisUpdate is not later than `time`, nextUpdate not earlier, and the answer not too old.
  public func timeliness(at time: Instant, _ limits: OCSPAcceptance.Limits = .init()) -> Timeliness {
    if thisUpdate > time.adding(seconds: limits.leeway) { return .notYetValid }
    if let nextUpdate, nextUpdate < time.adding(seconds: -limits.leeway) { return .expired }
    let ages = [limits.maximumAge, nextUpdate == nil ? limits.maximumAgeWithoutNextUpdate : nil].compactMap { $0 }
    return ages.contains { thisUpdate.adding(seconds: $0).adding(seconds: limits.leeway) < time } ? .tooOld : .timely
  }
}

extension BasicOCSPResponse {
  /// Until when the answer may be kept: the earliest nextUpdate; where one lacks it, `lifetime` from `time` on. A server
  /// that says for how long its answer may be kept (max-age) shortens that and never makes it longer.
  public func expiry(at time: Instant, maximumAge: Int64? = nil, lifetime: Int64) -> Instant {
    let own = responses.map { $0.nextUpdate ?? time.adding(seconds: lifetime) }.min()
    let limit = maximumAge.map { time.adding(seconds: $0) }
    return [own, limit].compactMap { $0 }.min() ?? time
  }
}

/// Whose key signed an answer, and whether it may answer for an issuer: RFC 6960 section 4.2.2.2.
struct OCSPResponderSearch {
  /// How many certificates of one name are tried.
  private static let maximumSigners = 16

  /// Who signed; nil where nobody at hand did whom the answer names.
  private(set) var signer: Certificate?
  /// Why it may not answer; nil where it may.
  private(set) var obstacle: ResponderDefect?

  init(
    _ basic: BasicOCSPResponse, issuer: Certificate, at time: Instant, isStrict: Bool, memory: SignatureMemory?
  ) {
    let candidates = ([issuer] + basic.certificates).filter(basic.responderID.names)
    for candidate in candidates.prefix(OCSPResponderSearch.maximumSigners)
    where memory?.spend() != false && basic.isSigned(by: candidate) {
      let reason = OCSPResponderSearch.obstacle(candidate, issuer, at: time, isStrict: isStrict, memory)
      if signer == nil || reason == nil { (signer, obstacle) = (candidate, reason) }
      if reason == nil { return }
    }
  }

  private static func obstacle(
    _ signer: Certificate, _ issuer: Certificate, at time: Instant, isStrict: Bool, _ memory: SignatureMemory?
  ) -> ResponderDefect? {
    // The issuer itself, by whichever of its certificates.
    if signer.subjectPublicKeyInfo == issuer.subjectPublicKeyInfo, signer.subject.matches(issuer.subject) { return nil }
    return ResponderDefect(signer, for: issuer, at: time, isStrict: isStrict, memory: memory)
  }
}

extension Certificate {
  /// Whether nobody need ask whether this responder is revoked: id-pkix-ocsp-nocheck, RFC 6960 section 4.2.2.2.1.
  public var isExemptResponder: Bool { first(.ocspNoCheck) != nil }

  /// Why this certificate is none of a responder to whom `issuer` delegated the signing of answers; nil where it is.
  ///
  /// The delegation is the issuer's own signature and id-kp-OCSPSigning; any purpose does not stand for it (RFC 6960
  /// section 4.2.2.2). With `isStrict` it must not be an authority, and its key may make signatures.
  public func obstacleToAnswering(
    for issuer: Certificate, at time: Instant, isStrict: Bool = false, memory: SignatureMemory? = nil
  ) -> String? {
    ResponderDefect(self, for: issuer, at: time, isStrict: isStrict, memory: memory)?.found
  }
}

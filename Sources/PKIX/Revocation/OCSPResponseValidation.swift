import Explanation

/// Validates an OCSP response for one certificate, with one finding for each requirement (RFC 6960 section 3.2).
///
/// A violation refuses the response, not the certificate. Without an accepted response, the certificate's status is
/// unknown.
public struct OCSPResponseValidation: Sendable {
  /// A client's limits for the times of a response. RFC 6960 lets the client choose them (section 4.2.2.1).
  public struct Limits: Sendable, Hashable {
    /// The allowed clock skew, in seconds.
    public var clockSkew: Int64 = 0
    /// The maximum age of any response, in seconds; nil for no limit.
    public var maximumAge: Int64?
    /// The maximum age of a response without nextUpdate, in seconds; nil for no limit.
    public var maximumAgeWithoutNextUpdate: Int64? = 7 * 86_400
    /// Whether "revoked" is accepted regardless of its dates.
    ///
    /// The signer is then checked at the time of signing (Security, SecRevocationServer.c).
    public var believesOldRevocations = false
    /// Whether a delegate must not be a CA, and must have a key that may sign.
    ///
    /// Security requires this since macOS 11 and iOS 14.
    public var isStrictAboutDelegates = false

    /// Creates limits without clock skew, and with seven days for responses without nextUpdate.
    public init() {}
  }

  /// The findings, one for each requirement.
  public private(set) var findings: [Finding] = []
  /// The status of the certificate; nil if the response has no status for it or is refused.
  public private(set) var status: SingleResponse.Status?
  /// The status in the response, even if the response is refused.
  public private(set) var response: SingleResponse?
  /// The certificate whose key signed the response, if it is authorised; nil if there is none.
  public private(set) var signer: Certificate?

  private let subject: Finding.Subject
  private let enforcement: Enforcement
  private let limits: Limits
  private let time: Instant

  /// Validates `answer` at `time` for `certificate`, which `issuer` issued. `nonce` has the octets of the request's
  /// nonce, if it had one.
  public init(
    _ answer: OCSPResponse, about certificate: Certificate, of issuer: Certificate, at time: Instant,
    limits: Limits = Limits(), nonce: [UInt8]? = nil, on subject: Finding.Subject = .connection,
    enforcement: Enforcement = .standard, memory: SignatureCache? = nil
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
      required: unprocessed == nil ? .none : .word("only critical extensions that the client supports"),
      found: unprocessed.map { .word($0.name) } ?? .none)
    if let nonce {
      check(
        .ocspNonce, basic.nonce == nonce, required: .bytes(nonce), found: basic.nonce.map { .bytes($0) } ?? .absent)
    }
    if !findings.contains(where: \.obstructs) { status = response?.status }
  }

  /// Returns the delegate that signed the response; nil if `issuer` signed it, or if no signer is accepted.
  public func delegate(of issuer: Certificate) -> Certificate? {
    signer.flatMap { signer in
      signer.subjectPublicKeyInfo == issuer.subjectPublicKeyInfo && signer.subject.matches(issuer.subject)
        ? nil : signer
    }
  }

  /// Refuses the response because its signer is not authorised. `found` is the reason.
  public mutating func refuseDelegate(_ found: String) {
    let rule = Rule.ocspResponder.fixed(by: "Replace the responder's certificate with a new one from the issuer.")
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

  /// Selects the worst status if the response has several for one certificate.
  private mutating func select(_ responses: [SingleResponse]) {
    response =
      responses.first { if case .revoked = $0.status { true } else { false } }
      ?? responses.first { $0.status == .unknown } ?? responses.max { $0.thisUpdate < $1.thisUpdate }
  }

  private var isOldRevocation: Bool {
    guard limits.believesOldRevocations, case .revoked = response?.status else { return false }
    return true
  }

  private mutating func judgeSigner(_ basic: BasicOCSPResponse, _ issuer: Certificate, _ memory: SignatureCache?) {
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
    let isFuture = basic.producedAt > time.adding(seconds: limits.clockSkew)
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
  /// Whether the response cannot be used for this certificate.
  fileprivate var obstructs: Bool {
    guard outcome == .violated || outcome == .notEvaluated else { return false }
    if case .overridden = weight { return false }
    return true
  }
}

extension SingleResponse {
  /// The comparison of a status's dates with the current time.
  public enum Timeliness: Sendable, Hashable {
    case timely
    case notYetValid
    case expired
    case tooOld

    /// Returns the required dates, the dates found, and the fix.
    fileprivate func details(
      _ response: SingleResponse, _ limits: OCSPResponseValidation.Limits, at time: Instant
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

  /// The fix for a response whose time is in the future.
  fileprivate static let clockFix =
    "Check the clocks of the client and of the responder: the response is not yet valid."

  /// Compares the dates of the response with `time` (section 4.2.2.1).
  ///
  /// thisUpdate must not be after `time`, nextUpdate must not be before it, and the response must not be too old.
  public func timeliness(at time: Instant, _ limits: OCSPResponseValidation.Limits = .init()) -> Timeliness {
    if thisUpdate > time.adding(seconds: limits.clockSkew) { return .notYetValid }
    if let nextUpdate, nextUpdate < time.adding(seconds: -limits.clockSkew) { return .expired }
    let ages = [limits.maximumAge, nextUpdate == nil ? limits.maximumAgeWithoutNextUpdate : nil].compactMap { $0 }
    return ages.contains { thisUpdate.adding(seconds: $0).adding(seconds: limits.clockSkew) < time } ? .tooOld : .timely
  }
}

extension BasicOCSPResponse {
  /// Returns the time until which the response may be cached.
  ///
  /// It is the earliest nextUpdate, or `lifetime` after `time` if a nextUpdate is absent.
  ///
  /// The max-age of an HTTP response can make this time earlier, but not later.
  public func expiry(at time: Instant, maximumAge: Int64? = nil, lifetime: Int64) -> Instant {
    let own = responses.map { $0.nextUpdate ?? time.adding(seconds: lifetime) }.min()
    let limit = maximumAge.map { time.adding(seconds: $0) }
    return [own, limit].compactMap { $0 }.min() ?? time
  }
}

/// Finds the signer of a response, and checks whether it may sign for an issuer (RFC 6960 section 4.2.2.2).
struct OCSPResponderSearch {
  /// The maximum number of certificates with one name that are tried.
  private static let maximumSigners = 16

  /// The signer; nil if no available certificate of the named responder verifies the signature.
  private(set) var signer: Certificate?
  /// The reason why the signer may not sign; nil if it may.
  private(set) var obstacle: ResponderDefect?

  init(
    _ basic: BasicOCSPResponse, issuer: Certificate, at time: Instant, isStrict: Bool, memory: SignatureCache?
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
    _ signer: Certificate, _ issuer: Certificate, at time: Instant, isStrict: Bool, _ memory: SignatureCache?
  ) -> ResponderDefect? {
    // The signer is the issuer itself, with any of its certificates.
    if signer.subjectPublicKeyInfo == issuer.subjectPublicKeyInfo, signer.subject.matches(issuer.subject) { return nil }
    return ResponderDefect(signer, for: issuer, at: time, isStrict: isStrict, memory: memory)
  }
}

extension Certificate {
  /// Whether the responder's revocation need not be checked: id-pkix-ocsp-nocheck (RFC 6960 section 4.2.2.2.1).
  public var isExemptResponder: Bool { first(.ocspNoCheck) != nil }

  /// Returns the reason why this certificate may not sign OCSP responses for `issuer`; nil if it may.
  ///
  /// The issuer must have signed the certificate, which must have the purpose id-kp-OCSPSigning; anyExtendedKeyUsage is
  /// not enough (RFC 6960 section 4.2.2.2). With `isStrict`, the certificate must not be a CA certificate, and its key
  /// must be allowed to sign.
  public func reasonNotToSign(
    for issuer: Certificate, at time: Instant, isStrict: Bool = false, memory: SignatureCache? = nil
  ) -> String? {
    ResponderDefect(self, for: issuer, at: time, isStrict: isStrict, memory: memory)?.found
  }
}

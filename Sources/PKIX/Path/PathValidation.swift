import Cryptography
import Explanation

/// Validates a certification path (RFC 5280 section 6.1), step by step from the trust anchor to the leaf.
///
/// Every lettered step with a requirement produces one finding for each certificate. A violation does not stop the
/// validation. Steps that only assign a variable are visible in `states`. Revocation, step (a)(3), is a separate
/// algorithm: `RevocationChecking`.
///
/// The trust anchor is an input. From its certificate, only the constraints on paths are applied, as RFC 5937 section 3
/// allows. A path without an anchor is validated as far as possible.
public struct PathValidation: Sendable {
  /// The state variables of section 6.1.2 after a certificate was processed.
  public struct State: Sendable, Hashable {
    /// The index in the path of the last processed certificate; 0 is the leaf. It is nil after initialisation.
    public internal(set) var index: Int?
    /// The key that verifies the next signature; nil if there is no anchor.
    public internal(set) var workingPublicKey: PublicKey?
    /// The name that the next issuer must have; nil if there is no anchor.
    public internal(set) var workingIssuerName: DistinguishedName?
    /// (a) valid_policy_tree.
    public internal(set) var policyGraph = PolicyGraph()
    /// The state variables permitted_subtrees and excluded_subtrees, (b) and (c).
    public internal(set) var nameSpace = PermittedAndExcludedSubtrees()
    /// The number of non-self-issued intermediate certificates that may follow.
    public internal(set) var maxPathLength: Int
    /// The number of proxy certificates that may follow (RFC 3820 section 4.1.2).
    public internal(set) var maxProxyLength = Int.max
    /// The number of non-self-issued certificates that may follow before a policy is required. If it is 0, a policy is
    /// required now.
    public internal(set) var explicitPolicy: Int
    /// The number of non-self-issued certificates that may follow before anyPolicy is ignored.
    public internal(set) var inhibitAnyPolicy: Int
    /// The number of non-self-issued certificates that may follow before policy mapping is inhibited.
    public internal(set) var policyMapping: Int
  }

  /// The state variables after initialisation and after every certificate, from the anchor to the leaf.
  public private(set) var states: [State] = []
  /// All findings, from the anchor to the leaf.
  public internal(set) var findings: [Finding] = []

  let path: CertificatePath
  let time: Instant
  /// The names of the certificates in findings, leaf first.
  public let subjects: [Finding.Subject]
  let enforcement: Enforcement
  let decisions: PathDecisions
  let search: PathSearch
  /// The cache of signatures that were verified for other paths of this evaluation.
  let memory: SignatureCache?
  let inputs: Inputs
  var state: State
  /// The index of the CA with the most restrictive pathLenConstraint; nil if no CA has one.
  var shortest: Int?
  /// The number of comparisons of names with constraints that remain before the limit.
  var comparisonsLeft = PathValidation.comparisonLimit

  /// Validates `path` from the path building `search` at `time`. Findings identify its certificates by `names`.
  public init(
    _ path: CertificatePath, at time: Instant, inputs: Inputs = Inputs(), names: CertificateNames = .common,
    enforcement: Enforcement = .standard, search: PathSearch = PathSearch(),
    memory: SignatureCache? = nil
  ) {
    self.path = path
    self.memory = memory
    self.time = time
    self.inputs = inputs
    self.enforcement = enforcement
    decisions = enforcement.decisions()
    self.search = search
    subjects = path.certificates.enumerated().map { .certificate(index: $0.offset, name: names($0.element)) }
    let count = path.certificates.count
    state = State(
      maxPathLength: count, explicitPolicy: inputs.requiresExplicitPolicy ? 0 : count + 1,
      inhibitAnyPolicy: inputs.inhibitsAnyPolicy ? 0 : count + 1,
      policyMapping: inputs.inhibitsPolicyMapping ? 0 : count + 1)
    validate()
  }

  private mutating func validate() {
    // The capacity includes the findings that profiles add.
    findings.reserveCapacity(32 * path.certificates.count)
    initialize()
    states.append(state)
    let isOnlyAnchor = path.isAnchored && path.certificates.count == 1
    let first = path.certificates.count - (path.isAnchored && !isOnlyAnchor ? 1 : 0)
    for index in (0..<first).reversed() {
      let certificate = path.certificates[index]
      process(certificate, index, isAnchor: isOnlyAnchor)
      if index > 0 { prepareForNext(certificate, index) } else { wrapUp(certificate, index) }
      state.index = index
      states.append(state)
    }
  }

  /// Checks a rule on the certificate at `index`.
  mutating func check(
    _ rule: Rule, _ index: Int, _ holds: Bool, decided: Bool? = nil, required: @autoclosure () -> Detail = .none,
    found: @autoclosure () -> Detail = .none
  ) {
    findings.append(
      enforcement.check(rule, on: subjects[index], holds, decided: decided, required: required(), found: found()))
  }

  /// Records that a rule was not checked on the certificate at `index`.
  mutating func note(_ rule: Rule, _ index: Int, _ outcome: Finding.Outcome, found: Detail = .none) {
    findings.append(enforcement.note(rule, on: subjects[index], outcome, found: found))
  }
}

extension PathValidation {
  /// The inputs of section 6.1.1, except for the path and the time.
  public struct Inputs: Sendable, Hashable {
    /// The policies that the user accepts: user-initial-policy-set, (c). anyPolicy accepts all policies.
    public var initialPolicies: Set<OID> = [.anyPolicy]
    /// Whether policy mapping is inhibited: initial-policy-mapping-inhibit, (e).
    public var inhibitsPolicyMapping = false
    /// Whether the path must be valid for a policy that the user accepts: initial-explicit-policy, (f).
    public var requiresExplicitPolicy = false
    /// Whether anyPolicy is ignored: initial-any-policy-inhibit, (g).
    public var inhibitsAnyPolicy = false
    /// The constraints on names: initial-permitted-subtrees and initial-excluded-subtrees, (h) and (i).
    public var initialNameConstraints: NameConstraints?
    /// Whether the constraints in the anchor's certificate are applied, as RFC 5937 section 3 allows.
    public var appliesAnchorConstraints = true
    /// Whether the leaf's common name is used as a host if there is no dNSName, as before RFC 9525.
    public var usesCommonName = false
    /// Whether a common name with a single label, or with octets beyond ASCII, is also used as a host.
    public var usesAnyCommonName = false
    /// Whether end entities may issue proxy certificates for themselves (RFC 3820).
    public var allowsProxyCertificates = false
    /// Whether certificates must conform to section 4, as checked by `CertificateConformance`.
    public var isStrict = false
    /// Whether defects in the form of the anchor's certificate refuse the path.
    ///
    /// Such defects concern the version, algorithm identifiers, cA, keyCertSign, and malformed or unknown critical
    /// extensions. Section 6.1.1 (d) uses only the name and the key of an anchor.
    public var refusesAnchorForm = false
    /// Whether Apple's own critical extensions are ignored, as on Apple's systems.
    public var skipsAppleExtensions = false
    /// Whether absent parameters and NULL are treated as equal in the two algorithm identifiers of a certificate.
    public var equatesNullParameters = false
    /// The purpose that the leaf must allow; nil for any. Section 6.1 does not require a purpose.
    public var purpose: OID?
    /// Whether the limit applies only to comparisons between names and constraints of the same kind.
    public var countsSameKindsOnly = false

    /// Creates inputs that accept any policy and apply no restrictions except the anchor's own constraints.
    public init() {}
  }

  /// The maximum number of comparisons of names with constraints for one path.
  static let comparisonLimit = 1 << 20

  // Initialisation (RFC 5280 section 6.1.2) and the end of the path.

  mutating func initialize() {
    guard let last = path.certificates.indices.last else { return }
    if let constraints = inputs.initialNameConstraints { state.nameSpace.intersect(with: constraints) }  // (b), (c)
    let top = path.certificates[last]
    switch path.end {
    case .anchor:
      checkAnchor(last)
      guard last > 0 else { return }
      state.workingPublicKey = top.publicKey  // (g), (h), (i)
      state.workingIssuerName = top.subject  // (j)
      if inputs.appliesAnchorConstraints { constrain(by: top, last) }
    case .noAnchors:
      // The missing issuer may be the root itself. Only the absence of an anchor is certain.
      note(.noIssuer, last, .unknown, found: .word(top.issuer.description))
      check(.noAnchor, last, false, required: .word("a trust anchor"), found: .words([]))
    case .noIssuer where top.isSelfIssued: endSelfIssued(top, last)
    case .noIssuer where last == 0:
      check(.noIssuer, last, false, required: .word(top.issuer.description), found: .absent)
      note(.noAnchor, last, .notEvaluated)
    case .tooLong:
      check(
        .noAnchor, last, false, required: .word("an anchor among the first \(last + 1) certificates"),
        found: .word(top.issuer.description))
    case .noIssuer:
      // The certificates do not show whether an intermediate or the root is missing.
      note(.noIssuer, last, .unknown, found: .word(top.issuer.description))
      check(.noAnchor, last, false, required: .word(top.issuer.description), found: .absent)
    case .loop:
      check(.pathLoop, last, false, found: .word(top.issuer.description))
      check(.noAnchor, last, false, required: .word(top.issuer.description), found: .absent)
    }
  }

  private mutating func checkAnchor(_ last: Int) {
    guard let anchor = path.mistakenAnchor else { return check(.noAnchor, last, true) }
    check(
      .noAnchor, last, false, decided: true, required: .word(anchor.subject.description),
      found: .word("another certificate, mistaken for the trust anchor"))
  }

  private mutating func endSelfIssued(_ top: Certificate, _ last: Int) {
    if last == 0 {
      check(
        .selfSigned, last, false, required: .word("a CA's signature"),
        found: .word("its own signature: \(top.subject.description)"))
    }
    check(
      .noAnchor, last, false, required: .word("a trust anchor"),
      found: .word("\(top.subject.description), which is self-signed and not trusted"))
    state.workingPublicKey = top.publicKey  // its own signature can still be checked
    state.workingIssuerName = top.subject
  }

  /// Applies the constraints in the anchor's certificate (RFC 5937 section 3).
  private mutating func constrain(by anchor: Certificate, _ index: Int) {
    let first = findings.count
    if let constraints = anchor.basicConstraints {
      check(.notCA, index, constraints.isCA, required: .word("CA"), found: .word(constraints.meaning))
      narrowLength(anchor, index)
    }
    if let usage = anchor.keyUsage {
      check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
    }
    checkForm(anchor, index)
    checkCriticalExtensions(anchor, index)
    if !inputs.refusesAnchorForm { adviseOnForm(since: first) }
    if let constraints = anchor.nameConstraints { state.nameSpace.intersect(with: constraints) }
    if let policies = anchor.policies {
      state.policyGraph.process(policies, anyPolicyCounts: !inputs.inhibitsAnyPolicy)
      mapPolicies(anchor, index)
    }
    constrainPolicies(anchor)
  }
}

extension PathValidation {
  /// Changes findings on the anchor's certificate, from index `first` on, to advice, unless its key cannot be used.
  ///
  /// The algorithm uses the name and the key of an anchor and does not check the rest (section 6.1.1 (d)).
  private mutating func adviseOnForm(since first: Int) {
    for place in first..<findings.count where findings[place].outcome == .violated {
      if findings[place].rule != .namedCurve { findings[place] = findings[place].advising }
    }
  }
}

/// The basic processing of a certificate (RFC 5280 section 6.1.3).
extension PathValidation {
  mutating func process(_ certificate: Certificate, _ index: Int, isAnchor: Bool) {
    checkForm(certificate, index)
    // (a)(1)
    if isAnchor { note(.signatureInvalid, index, .notApplicable) } else { verifySignature(certificate, index) }
    checkValidity(certificate, index)  // (a)(2)
    note(.revoked, index, .notEvaluated)  // (a)(3)
    // (a)(4)
    if isAnchor { note(.issuerNameMismatch, index, .notApplicable) } else { checkIssuer(certificate, index) }
    if isProxy(index) { return }  // its name extends its issuer's, and its policies are not certificatePolicies
    checkNames(certificate, index)  // (b), (c)
    processPolicies(certificate, index)  // (d), (e), (f)
  }

  /// Checks the form that section 4 requires, before the algorithm begins.
  mutating func checkForm(_ certificate: Certificate, _ index: Int) {
    check(
      .certificateVersion, index, certificate.extensions.isEmpty || certificate.version == 3, required: .word("v3"),
      found: .word("v\(certificate.version)"))
    check(
      .malformedExtension, index, certificate.malformations.isEmpty,
      found: .words(certificate.malformations.map(\.description)))
    if case .unsupported(let key) = certificate.publicKey, key.algorithmName.hasPrefix("EC") {
      let isNamed = !certificate.publicKey.spellsOutCurve
      check(
        .namedCurve, index, isNamed, required: isNamed ? .none : .word("a curve's object identifier"),
        found: .word(isNamed ? key.algorithmName : key.hasParameters ? "explicit curve parameters" : "no curve"))
    }
    if case .unsupported(let key) = certificate.publicKey, certificate.publicKey.isDamagedEd25519 {
      check(
        .malformedKey, index, false, required: .word("32 bytes and no parameters"),
        found: .word("\(key.subjectPublicKey.count) bytes\(key.parameters == nil ? "" : ", with parameters")"))
    }
    let isSame = certificate.signatureAlgorithm.matches(
      certificate.signedSignatureAlgorithm, equatesNull: inputs.equatesNullParameters)
    check(
      .signatureAlgorithmMismatch, index, isSame,
      required: .word(certificate.signedSignatureAlgorithm.words(isSame)),
      found: .word(certificate.signatureAlgorithm.words(isSame)))
  }

  private mutating func checkValidity(_ certificate: Certificate, _ index: Int) {
    let now = time
    if certificate.hasReversedValidity {
      let isOver = now > certificate.notAfter
      check(
        .reversedValidity(of: certificate, isOver: isOver), index, false,
        required: .atLeast(.date(certificate.notBefore)),
        found: .word("notAfter \(certificate.notAfter), before notBefore"))
      return note(isOver ? .notYetValid : .expired, index, .notEvaluated)
    }
    check(
      certificate.endsBeforeX509 ? .expired.fixed(by: Rule.generalizedTimeFix) : .expired, index,
      now <= certificate.notAfter, required: .atMost(.date(certificate.notAfter)), found: .date(now))
    check(
      .notYetValid, index, now >= certificate.notBefore, required: .atLeast(.date(certificate.notBefore)),
      found: .date(now))
  }

  private mutating func checkIssuer(_ certificate: Certificate, _ index: Int) {
    guard let name = state.workingIssuerName else { return note(.issuerNameMismatch, index, .notEvaluated) }
    let holds = certificate.issuer.matches(name)
    check(
      .issuerNameMismatch, index, holds, required: holds ? .none : .word(name.description),
      found: holds ? .none : .word(certificate.issuer.description))
    guard let (issuer, claimed) = keyIdentifiers(certificate, index) else { return }
    check(.keyIdentifier, index, issuer == claimed, required: .bytes(issuer), found: .bytes(claimed))
  }

  /// Returns the key identifier in the issuer's certificate, and the one in the certificate at `index`.
  func keyIdentifiers(_ certificate: Certificate, _ index: Int) -> (issuer: [UInt8], claimed: [UInt8])? {
    guard index + 1 < path.certificates.count,
      let issuer = path.certificates[index + 1].subjectKeyIdentifier?.keyIdentifier,
      let claimed = certificate.authorityKeyIdentifier?.keyIdentifier
    else { return nil }
    return (issuer, claimed)
  }

  /// Section 6.1.3 (d), (e), (f).
  mutating func processPolicies(_ certificate: Certificate, _ index: Int) {
    guard !certificate.hasUndecodable(.certificatePolicies) else {
      return note(.certificatePolicy, index, .notEvaluated)  // `chain.malformed` says why
    }
    let anyPolicyCounts = state.inhibitAnyPolicy > 0 || index > 0 && certificate.isSelfIssued
    state.policyGraph.process(certificate.policies, anyPolicyCounts: anyPolicyCounts)
    requirePolicy(index)
  }

  private mutating func requirePolicy(_ index: Int) {
    let holds = state.explicitPolicy > 0 || !state.policyGraph.isEmpty
    check(
      .certificatePolicy, index, holds, required: holds ? .none : .word("a valid policy"),
      found: holds ? .none : .words([]))
  }
}

extension AlgorithmIdentifier {
  /// Returns the name of the algorithm. If the identifiers disagree, the parameters are included, because they may be
  /// the only difference.
  fileprivate func words(_ isFine: Bool) -> String { isFine ? description : fullDescription }
}

extension UnsupportedPublicKey {
  /// Whether the identifier has parameters that are not NULL.
  fileprivate var hasParameters: Bool { parameters.map { $0 != [DERTag.null, 0] } ?? false }
}

extension PublicKey {
  /// Whether the key has explicit curve parameters instead of a named curve (RFC 5480 section 2.1.1).
  public var spellsOutCurve: Bool {
    guard case .unsupported(let key) = self else { return false }
    return key.algorithmName.hasPrefix("EC") && key.parameters?.first != DERTag.objectIdentifier
  }
}

extension Certificate {
  /// Whether the validity period ends before it begins. Such a certificate is never valid.
  public var hasReversedValidity: Bool { notAfter < notBefore }

  /// Whether notAfter is before 1988, when certificates were introduced. Its UTCTime was then meant for the next
  /// century.
  fileprivate var endsBeforeX509: Bool { notAfter < Instant(secondsSince1970: 567_993_600) }
}

extension Rule {
  /// Returns the rule that a certificate violates if its validity period ends before it begins.
  public static func reversedValidity(of certificate: Certificate, isOver: Bool) -> Rule {
    let fix =
      certificate.endsBeforeX509
      ? generalizedTimeFix
      : "Issue the certificate again, with a notAfter that is later than notBefore."
    return (isOver ? Rule.expired : .notYetValid).moved(
      in: .chain, statement: "The validity period ends after it begins: notAfter is later than notBefore.",
      clause: .rfc(5280, "4.1.2.5"), fix: fix)
  }

  fileprivate static let generalizedTimeFix =
    "Issue the certificate again, with dates from 2050 on as GeneralizedTime: in UTCTime, the years 50 to 99 mean 1950 "
    + "to 1999."
}

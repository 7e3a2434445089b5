import Cryptography
import Explanation

/// Basic path validation, RFC 5280 section 6.1, step by step from the trust anchor to the leaf.
///
/// Every lettered step that demands something gives one finding for each certificate, and no violation stops it. Steps
/// that only assign a variable show in `states`. Revocation, step (a)(3), is another algorithm: `RevocationChecking`.
///
/// The trust anchor itself is trusted by being one: of its certificate only the constraints it puts on paths are
/// applied, as RFC 5937 section 3 allows. A path without an anchor is validated as far as it goes.
public struct PathValidation: Sendable {
  /// The state variables of section 6.1.2, as they stand after a certificate.
  public struct State: Sendable, Hashable {
    /// The certificate that was processed last: its place in the path, 0 is the leaf; nil after initialisation.
    public internal(set) var index: Int?
    /// The key that verifies the next signature; nil when no anchor was reached.
    public internal(set) var workingPublicKey: PublicKey?
    /// The name the next issuer must have; nil when no anchor was reached.
    public internal(set) var workingIssuerName: DistinguishedName?
    /// (a) valid_policy_tree.
    public internal(set) var policyGraph = PolicyGraph()
    /// (b) and (c) permitted_subtrees and excluded_subtrees.
    public internal(set) var nameSpace = NameSpace()
    /// How many non-self-issued intermediates may still follow.
    public internal(set) var maxPathLength: Int
    /// How many proxies may still follow, RFC 3820 section 4.1.2.
    public internal(set) var maxProxyLength = Int.max
    /// How many non-self-issued certificates may follow before a policy is required; 0 is now.
    public internal(set) var explicitPolicy: Int
    /// How many non-self-issued certificates may follow before anyPolicy no longer counts.
    public internal(set) var inhibitAnyPolicy: Int
    /// How many non-self-issued certificates may follow before policies are no longer mapped.
    public internal(set) var policyMapping: Int
  }

  /// The variables after initialisation and after every certificate, from the anchor to the leaf.
  public private(set) var states: [State] = []
  /// All findings, from the anchor to the leaf.
  public internal(set) var findings: [Finding] = []

  let path: CertificatePath
  let time: Instant
  /// What findings call each certificate, the leaf first.
  public let subjects: [Finding.Subject]
  let enforcement: Enforcement
  let decisions: PathDecisions
  let search: PathSearch
  /// The signatures that other paths of the same evaluation had verified.
  let memory: SignatureMemory?
  let inputs: Inputs
  var state: State
  /// The authority whose pathLenConstraint left the least; nil when none has one.
  var shortest: Int?
  /// How many comparisons of names with constraints may still be made.
  var comparisonsLeft = PathValidation.comparisonLimit

  /// Validates `path`, which `search` came by, at `time`; findings call its certificates by `names`.
  public init(
    _ path: CertificatePath, at time: Instant, inputs: Inputs = Inputs(), names: CertificateNames = .common,
    enforcement: Enforcement = .standard, search: PathSearch = PathSearch(),
    memory: SignatureMemory? = nil
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
    // Room for what profiles add, too.
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

  /// Holds a rule against the certificate at `index`.
  mutating func check(
    _ rule: Rule, _ index: Int, _ holds: Bool, decided: Bool? = nil, required: @autoclosure () -> Detail = .none,
    found: @autoclosure () -> Detail = .none
  ) {
    findings.append(
      enforcement.check(rule, on: subjects[index], holds, decided: decided, required: required(), found: found()))
  }

  /// Records that a rule was not held against the certificate at `index`.
  mutating func note(_ rule: Rule, _ index: Int, _ outcome: Finding.Outcome, found: Detail = .none) {
    findings.append(enforcement.note(rule, on: subjects[index], outcome, found: found))
  }
}

extension PathValidation {
  /// The inputs of section 6.1.1 beside the path and the current time.
  public struct Inputs: Sendable, Hashable {
    /// (c) user-initial-policy-set: the policies the user accepts, all when it is anyPolicy.
    public var initialPolicies: Set<OID> = [.anyPolicy]
    /// (e) initial-policy-mapping-inhibit.
    public var inhibitsPolicyMapping = false
    /// (f) initial-explicit-policy: whether one of the user's policies must be valid.
    public var requiresExplicitPolicy = false
    /// (g) initial-any-policy-inhibit.
    public var inhibitsAnyPolicy = false
    /// (h) and (i) initial-permitted-subtrees and initial-excluded-subtrees.
    public var initialNameConstraints: NameConstraints?
    /// Whether the constraints in the anchor's certificate are applied, as RFC 5937 section 3 allows.
    public var appliesAnchorConstraints = true
    /// Whether the leaf's common name counts as a host where there is no dNSName, as validators did before RFC 9525.
    public var usesCommonName = false
    /// Whether it does so also where it has one label, or octets beyond ASCII, which some take for no host.
    public var usesAnyCommonName = false
    /// Whether end entities may issue proxies for themselves (RFC 3820).
    public var allowsProxyCertificates = false
    /// Whether certificates must be issued as section 4 demands; what is held then is for `CertificateConformance`.
    public var isStrict = false
    /// Whether the form of the anchor's certificate decides: its version, its algorithm identifiers, cA, keyCertSign,
    /// extensions that are malformed or critical and unknown. Of an anchor, section 6.1.1 (d) takes the name and the key alone.
    public var refusesAnchorForm = false
    /// Whether critical extensions of Apple's own are skipped, as Apple's systems do.
    public var skipsAppleExtensions = false
    /// Whether absent parameters and NULL are the same in the two algorithm identifiers of a certificate.
    public var equatesNullParameters = false
    /// What the leaf is asked to be good for; nil is anything. Section 6.1 does not ask.
    public var purpose: OID?
    /// Whether only names and constraints of the same kind count as comparisons, which are bounded; else all do.
    public var countsSameKindsOnly = false

    /// Any policy, no restriction, and the anchor's own constraints.
    public init() {}
  }

  /// How many comparisons of names with constraints are made for one path at most.
  static let comparisonLimit = 1 << 20

  // Initialisation, RFC 5280 section 6.1.2, and how the path ends.

  mutating func initialize() {
    guard let last = path.certificates.indices.last else { return }
    if let constraints = inputs.initialNameConstraints { state.nameSpace.narrow(to: constraints) }  // (b), (c)
    let top = path.certificates[last]
    switch path.end {
    case .anchor:
      checkAnchor(last)
      guard last > 0 else { return }
      state.workingPublicKey = top.publicKey  // (g), (h), (i)
      state.workingIssuerName = top.subject  // (j)
      if inputs.appliesAnchorConstraints { constrain(by: top, last) }
    case .noAnchors:
      // The missing issuer may well be the root itself: what is certain is that there is no anchor.
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
      // Whether an intermediate or the root is missing cannot be told from the certificates.
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
      found: .word("another certificate that was taken for it"))
  }

  private mutating func endSelfIssued(_ top: Certificate, _ last: Int) {
    if last == 0 {
      check(
        .selfSigned, last, false, required: .word("an authority's signature"),
        found: .word("its own: \(top.subject.description)"))
    }
    check(
      .noAnchor, last, false, required: .word("a trust anchor"),
      found: .word("\(top.subject.description), which signed itself and is none"))
    state.workingPublicKey = top.publicKey  // its own signature at least can be checked
    state.workingIssuerName = top.subject
  }

  /// The constraints in the anchor's own certificate, RFC 5937 section 3.
  private mutating func constrain(by anchor: Certificate, _ index: Int) {
    let first = findings.count
    if let constraints = anchor.basicConstraints {
      check(.notAuthority, index, constraints.isAuthority, required: .word("CA"), found: .word(constraints.meaning))
      narrowLength(anchor, index)
    }
    if let usage = anchor.keyUsage {
      check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
    }
    checkForm(anchor, index)
    checkCriticalExtensions(anchor, index)
    if !inputs.refusesAnchorForm { adviseOnForm(since: first) }
    if let constraints = anchor.nameConstraints { state.nameSpace.narrow(to: constraints) }
    if let policies = anchor.policies {
      state.policyGraph.process(policies, anyPolicyCounts: !inputs.inhibitsAnyPolicy)
      mapPolicies(anchor, index)
    }
    constrainPolicies(anchor)
  }
}

extension PathValidation {
  /// Lets what was found on the anchor's certificate since then only advise, except that its key cannot be used: the
  /// algorithm takes the name and the key of an anchor and does not judge the rest (section 6.1.1 (d)).
  private mutating func adviseOnForm(since first: Int) {
    for place in first..<findings.count where findings[place].outcome == .violated {
      if findings[place].rule != .namedCurve { findings[place] = findings[place].advising }
    }
  }
}

/// Basic certificate processing, RFC 5280 section 6.1.3.
extension PathValidation {
  mutating func process(_ certificate: Certificate, _ index: Int, isAnchor: Bool) {
    checkForm(certificate, index)
    // (a)(1)
    if isAnchor { note(.signatureInvalid, index, .notApplicable) } else { verifySignature(certificate, index) }
    checkValidity(certificate, index)  // (a)(2)
    note(.revoked, index, .notEvaluated)  // (a)(3)
    // (a)(4)
    if isAnchor { note(.issuerNameMismatch, index, .notApplicable) } else { checkIssuer(certificate, index) }
    if isProxy(index) { return }  // its name is its issuer's, its policies are not certificatePolicies
    checkNames(certificate, index)  // (b), (c)
    processPolicies(certificate, index)  // (d), (e), (f)
  }

  /// What section 4 demands of the form, before the algorithm begins.
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
        .namedCurve, index, isNamed, required: isNamed ? .none : .word("the object identifier of a curve"),
        found: .word(isNamed ? key.algorithmName : key.hasParameters ? "explicit parameters of a curve" : "no curve"))
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

  /// What the issuer's certificate calls its key, and what the certificate at `index` calls it.
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
  /// The name alone where nothing is wrong, else with the parameters: two identifiers may differ in these alone.
  fileprivate func words(_ isFine: Bool) -> String { isFine ? description : fullDescription }
}

extension UnsupportedPublicKey {
  /// Whether there are parameters, and not NULL in their place.
  fileprivate var hasParameters: Bool { parameters.map { $0 != [DERTag.null, 0] } ?? false }
}

extension PublicKey {
  /// Whether the key is on a curve that it spells out in place of naming it (RFC 5480 section 2.1.1).
  public var spellsOutCurve: Bool {
    guard case .unsupported(let key) = self else { return false }
    return key.algorithmName.hasPrefix("EC") && key.parameters?.first != DERTag.objectIdentifier
  }
}

extension Certificate {
  /// Whether the validity period ends before it begins, so that the certificate is never valid.
  public var hasReversedValidity: Bool { notAfter < notBefore }

  /// Whether notAfter is before there were certificates (1988): its UTCTime was meant for the next century.
  fileprivate var endsBeforeX509: Bool { notAfter < Instant(secondsSince1970: 567_993_600) }
}

extension Rule {
  /// The rule on dates that a certificate violates whose validity period ends before it begins.
  public static func reversedValidity(of certificate: Certificate, isOver: Bool) -> Rule {
    let fix =
      certificate.endsBeforeX509
      ? generalizedTimeFix
      : "Issue the certificate again, with a notAfter that comes after notBefore."
    return (isOver ? Rule.expired : .notYetValid).held(
      in: .chain, statement: "The validity period ends after it begins: notBefore comes before notAfter.",
      clause: .rfc(5280, "4.1.2.5"), fix: fix)
  }

  fileprivate static let generalizedTimeFix =
    "Issue the certificate again, with its dates from 2050 on as GeneralizedTime: in a UTCTime, the years 50 to 99 are 1950 "
    + "to 1999."
}

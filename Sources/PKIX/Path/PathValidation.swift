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
  let inputs: Inputs
  var state: State
  /// The authority whose pathLenConstraint left the least; nil when none has one.
  var shortest: Int?
  /// How many comparisons of names with constraints may still be made.
  var comparisonsLeft = PathValidation.comparisonLimit

  /// Validates `path` at `time`; findings call its certificates by `names`.
  public init(
    _ path: CertificatePath, at time: Instant, inputs: Inputs = Inputs(), names: CertificateNames = .common,
    enforcement: Enforcement = .standard
  ) {
    self.path = path
    self.time = time
    self.inputs = inputs
    self.enforcement = enforcement
    subjects = path.certificates.enumerated().map { .certificate(index: $0.offset, name: names($0.element)) }
    let count = path.certificates.count
    state = State(
      maxPathLength: count, explicitPolicy: inputs.requiresExplicitPolicy ? 0 : count + 1,
      inhibitAnyPolicy: inputs.inhibitsAnyPolicy ? 0 : count + 1,
      policyMapping: inputs.inhibitsPolicyMapping ? 0 : count + 1)
    validate()
  }

  private mutating func validate() {
    findings.reserveCapacity(16 * path.certificates.count)
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
    _ rule: Rule, _ index: Int, _ holds: Bool, required: @autoclosure () -> Detail = .none,
    found: @autoclosure () -> Detail = .none
  ) {
    findings.append(enforcement.check(rule, on: subjects[index], holds, required: required(), found: found()))
  }

  /// Records that a rule was not held against the certificate at `index`.
  mutating func note(_ rule: Rule, _ index: Int, _ outcome: Finding.Outcome, found: Detail = .none) {
    findings.append(enforcement.note(rule, on: subjects[index], outcome, found: found))
  }
}

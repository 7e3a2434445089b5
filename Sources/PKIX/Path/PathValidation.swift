import Cryptography
import Explanation

/// Basic path validation, RFC 5280 section 6.1, step by step from the trust anchor to the leaf.
///
/// Every lettered step that demands something gives one finding for each certificate, and no violation stops it. Steps
/// that only assign a variable show in `states`. Revocation, name constraints and policies are not modelled yet: their
/// steps are not-applicable where no certificate asks for them and else not-evaluated.
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
    /// How many non-self-issued intermediates may still follow.
    public internal(set) var maxPathLength: Int
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
  var state: State

  /// Validates `path` at `time`; findings call its certificates by `names`.
  public init(
    _ path: CertificatePath, at time: Instant, names: CertificateNames = .common,
    enforcement: Enforcement = .standard
  ) {
    self.path = path
    self.time = time
    self.enforcement = enforcement
    subjects = path.certificates.enumerated().map { .certificate(index: $0.offset, name: names($0.element)) }
    let count = path.certificates.count
    state = State(
      maxPathLength: count, explicitPolicy: count + 1, inhibitAnyPolicy: count + 1, policyMapping: count + 1)
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

import Explanation

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
    /// Whether end entities may issue proxies for themselves (RFC 3820).
    public var allowsProxyCertificates = false
    /// Whether only names and constraints of the same kind count as comparisons, which are bounded; else all do.
    public var countsSameKindsOnly = false

    /// Any policy, no restriction, and the anchor's own constraints.
    public init() {}
  }

  /// How many comparisons of names with constraints are made for one path at most.
  static let comparisonLimit = 1 << 20
}

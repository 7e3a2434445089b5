import Explanation

/// Certificate policies, RFC 5280 sections 6.1.3 (d) to (f), 6.1.4 (a), (b), (h) to (j), and 6.1.5 (a), (b), (g).
extension PathValidation {
  /// Section 6.1.3 (d), (e), (f).
  mutating func processPolicies(_ certificate: Certificate, _ index: Int) {
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

  /// Section 6.1.4 (a), (b).
  mutating func mapPolicies(_ certificate: Certificate, _ index: Int) {
    guard let mappings = certificate.policyMappings?.mappings else {
      note(.policyMapping, index, .notApplicable)
      return state.policyGraph.map([], isAllowed: true)
    }
    let mapsAny = mappings.contains { $0.issuerDomainPolicy == .anyPolicy || $0.subjectDomainPolicy == .anyPolicy }
    check(.policyMapping, index, !mapsAny, found: mapsAny ? .word(OID.anyPolicy.name) : .none)
    state.policyGraph.map(mappings, isAllowed: state.policyMapping > 0)
  }

  /// Section 6.1.4 (h).
  mutating func countDown() {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)
    state.policyMapping = max(0, state.policyMapping - 1)
    state.inhibitAnyPolicy = max(0, state.inhibitAnyPolicy - 1)
  }

  /// Section 6.1.4 (i), (j).
  mutating func constrainPolicies(_ certificate: Certificate) {
    let constraints = certificate.policyConstraints
    if let count = constraints?.requireExplicitPolicy { state.explicitPolicy = min(state.explicitPolicy, count) }
    if let count = constraints?.inhibitPolicyMapping { state.policyMapping = min(state.policyMapping, count) }
    if let count = certificate.inhibitAnyPolicy?.skipCertificates {
      state.inhibitAnyPolicy = min(state.inhibitAnyPolicy, count)
    }
  }

  /// Section 6.1.5 (a), (b), (g).
  mutating func wrapUpPolicies(_ certificate: Certificate, _ index: Int) {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)
    if certificate.policyConstraints?.requireExplicitPolicy == 0 { state.explicitPolicy = 0 }
    guard state.explicitPolicy == 0 else { return note(.certificatePolicy, index, .notApplicable) }
    let (own, wanted) = (state.policyGraph.authoritiesConstrainedPolicies, inputs.initialPolicies)
    check(
      .certificatePolicy, index, !userConstrainedPolicies.isEmpty, required: .anyOf(wanted.map(\.name).sorted()),
      found: .words(own.map(\.name).sorted()))
  }

  /// The user-constrained-policy-set, section 6.1.6: under which of the user's policies the path is valid.
  public var userConstrainedPolicies: Set<OID> { state.policyGraph.userConstrainedPolicies(inputs.initialPolicies) }
}

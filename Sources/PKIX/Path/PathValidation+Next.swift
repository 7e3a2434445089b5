import Explanation

/// Preparation for the next certificate, RFC 5280 section 6.1.4, and wrap-up, section 6.1.5.
extension PathValidation {
  mutating func prepareForNext(_ certificate: Certificate, _ index: Int) {
    note(.certificatePolicy, index, present(certificate, .policyMappings))  // (a), (b)
    state.workingIssuerName = certificate.subject  // (c)
    state.workingPublicKey = certificate.publicKey  // (d), (e), (f)
    note(.nameConstraints, index, present(certificate, .nameConstraints))  // (g)
    if !certificate.isSelfIssued { countDown() }  // (h)
    note(.certificatePolicy, index, present(certificate, .policyConstraints))  // (i)
    note(.certificatePolicy, index, present(certificate, .inhibitAnyPolicy))  // (j)
    checkAuthority(certificate, index)  // (k)
    limitPathLength(certificate, index)  // (l), (m)
    checkKeyUsage(certificate, index)  // (n)
    checkCriticalExtensions(certificate, index)  // (o)
  }

  mutating func wrapUp(_ certificate: Certificate, _ index: Int) {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)  // (a)
    note(.certificatePolicy, index, present(certificate, .policyConstraints))  // (b)
    state.workingPublicKey = certificate.publicKey  // (c), (d), (e)
    checkCriticalExtensions(certificate, index)  // (f)
    note(.certificatePolicy, index, .notApplicable)  // (g): any policy will do
  }

  private func present(_ certificate: Certificate, _ oid: OID) -> Finding.Outcome {
    certificate.first(oid) == nil ? .notApplicable : .notEvaluated
  }

  private mutating func countDown() {
    state.explicitPolicy = max(0, state.explicitPolicy - 1)
    state.policyMapping = max(0, state.policyMapping - 1)
    state.inhibitAnyPolicy = max(0, state.inhibitAnyPolicy - 1)
  }

  private mutating func checkAuthority(_ certificate: Certificate, _ index: Int) {
    let constraints = certificate.basicConstraints
    check(
      .notAuthority, index, constraints?.isAuthority == true, required: .word("CA"),
      found: constraints.map { .word($0.meaning) } ?? .absent)
  }

  private mutating func limitPathLength(_ certificate: Certificate, _ index: Int) {
    if certificate.isSelfIssued {
      note(.pathLength, index, .notApplicable)
    } else {
      let left = state.maxPathLength
      check(.pathLength, index, left > 0, required: .atLeast(.number(1)), found: .number(left))
      state.maxPathLength = max(0, left - 1)
    }
    if let length = certificate.basicConstraints?.pathLength { state.maxPathLength = min(state.maxPathLength, length) }
  }

  private mutating func checkKeyUsage(_ certificate: Certificate, _ index: Int) {
    guard let usage = certificate.keyUsage else { return note(.keyUsage, index, .notApplicable) }
    check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
  }

  private mutating func checkCriticalExtensions(_ certificate: Certificate, _ index: Int) {
    let unknown = certificate.extensions.filter { $0.critical && !ExtensionReadings.processed.contains($0.oid) }
    check(.unhandledCriticalExtension, index, unknown.isEmpty, found: .words(unknown.map(\.oid.name)))
  }
}

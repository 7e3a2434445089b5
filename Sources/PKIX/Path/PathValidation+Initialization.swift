import Explanation

/// Initialisation, RFC 5280 section 6.1.2, and how the path ends.
extension PathValidation {
  mutating func initialize() {
    guard let last = path.certificates.indices.last else { return }
    if let constraints = inputs.initialNameConstraints { state.nameSpace.narrow(to: constraints) }  // (b), (c)
    let top = path.certificates[last]
    switch path.end {
    case .anchor:
      check(.noAnchor, last, true)
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
    if let constraints = anchor.basicConstraints {
      check(.notAuthority, index, constraints.isAuthority, required: .word("CA"), found: .word(constraints.meaning))
      narrowLength(anchor, index)
    }
    if let usage = anchor.keyUsage {
      check(.keyUsage, index, usage.contains(.keyCertSign), required: .word("keyCertSign"), found: .words(usage.words))
    }
    checkForm(anchor, index)
    checkCriticalExtensions(anchor, index)
    if let constraints = anchor.nameConstraints { state.nameSpace.narrow(to: constraints) }
    if let policies = anchor.policies {
      state.policyGraph.process(policies, anyPolicyCounts: !inputs.inhibitsAnyPolicy)
      mapPolicies(anchor, index)
    }
    constrainPolicies(anchor)
  }
}

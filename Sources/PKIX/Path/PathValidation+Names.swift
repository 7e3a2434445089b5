import Explanation

/// Name constraints, RFC 5280 sections 6.1.3 (b), (c) and 6.1.4 (g).
extension PathValidation {
  /// Section 6.1.3 (b) and (c): self-issued certificates are exempt, unless they are the last.
  mutating func checkNames(_ certificate: Certificate, _ index: Int) {
    guard !state.nameSpace.isEverything, !certificate.isSelfIssued || index == 0 else {
      return note(.nameConstraints, index, .notApplicable)
    }
    let names = NamesByForm(certificate, usesCommonName: inputs.usesCommonName && index == 0)
    if !inputs.countsSameKindsOnly, let count = excessiveComparisons(certificate) { return refuseNames(index, count) }
    switch state.nameSpace.violation(of: names, budget: &comparisonsLeft) {
    case nil: check(.nameConstraints, index, true)
    case .outside(let form, let constraints):
      check(
        .nameConstraints, index, false, required: .word(constraints.shortMeaning),
        found: form.map { .words($0.words(certificate)) } ?? .word("a kind of name that is not processed"))
    case .tooManyComparisons(let count): refuseNames(index, count)
    }
  }

  private mutating func refuseNames(_ index: Int, _ count: Int) {
    check(
      .nameConstraintsLimit, index, false, required: .atMost(.number(PathValidation.comparisonLimit)),
      found: .number(count))
    note(.nameConstraints, index, .notEvaluated)
  }

  /// How many comparisons a validator would make that compares every attribute and every name with every constraint; nil
  /// where these are not too many.
  private func excessiveComparisons(_ certificate: Certificate) -> Int? {
    let constraints = state.nameSpace.constraints.reduce(0) { $0 + $1.permitted.count + $1.excluded.count }
    let alternatives = certificate.subjectAlternativeName?.names.count ?? 0
    // An attribute takes eleven bytes or more: most certificates need not be counted.
    guard (alternatives + certificate.subject.der.count / 11) * constraints > PathValidation.comparisonLimit else {
      return nil
    }
    let count = (alternatives + certificate.subject.relativeNames.joined().count) * constraints
    return count > PathValidation.comparisonLimit ? count : nil
  }

  /// Section 6.1.4 (g). An extension that cannot be read is `chain.malformed`.
  mutating func narrowNames(_ certificate: Certificate, _ index: Int) {
    guard let constraints = certificate.nameConstraints else {
      return note(.nameConstraints, index, certificate.first(.nameConstraints) == nil ? .notApplicable : .notEvaluated)
    }
    state.nameSpace.narrow(to: constraints)
    check(.nameConstraints, index, true)
  }
}

extension NameConstraints {
  /// What the constraints say, cut short: an authority may have thousands.
  fileprivate var shortMeaning: String {
    NameConstraints(permitted: Array(permitted.prefix(8)), excluded: Array(excluded.prefix(8))).meaning
  }
}

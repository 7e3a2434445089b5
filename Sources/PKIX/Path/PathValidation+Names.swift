import Explanation

/// Names and the constraints on them, RFC 5280 section 6.1.3 (b) and (c).
extension PathValidation {
  /// Section 6.1.3 (b) and (c): self-issued certificates are exempt, unless they are the last.
  mutating func checkNames(_ certificate: Certificate, _ index: Int) {
    guard !state.nameSpace.isEverything, !certificate.isSelfIssued || index == 0 else {
      return note(.nameConstraints, index, .notApplicable)
    }
    if !inputs.countsSameKindsOnly, let count = excessiveComparisons(certificate) { return refuseNames(index, count) }
    let usesCommonName = inputs.usesCommonName && index == 0
    let names = NamesByForm(
      certificate, usesCommonName: usesCommonName, ofAnyForm: usesCommonName && inputs.usesAnyCommonName)
    switch state.nameSpace.violation(of: names, budget: &comparisonsLeft) {
    case nil: check(.nameConstraints, index, true)
    case .outside(let form, let constraints):
      check(
        .nameConstraints, index, false, decided: isLetPass(names), required: .word(constraints.shortMeaning),
        found: form.map { .words($0.words(certificate)) } ?? .word("a kind of name that is not processed"))
    case .tooManyComparisons(let count): refuseNames(index, count)
    }
  }

  /// Whether a decision that is not the correct one lets names pass that are outside.
  private mutating func isLetPass(_ names: NamesByForm<ConstrainedName>) -> Bool? {
    guard let mayCover = decisions.mayCover else { return nil }
    let violation = state.nameSpace.violation(of: names, budget: &comparisonsLeft, mayCover: mayCover)
    return violation == nil ? true : nil
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
}

extension NameConstraints {
  /// What the constraints say, cut short: an authority may have thousands.
  fileprivate var shortMeaning: String {
    NameConstraints(permitted: Array(permitted.prefix(8)), excluded: Array(excluded.prefix(8))).meaning
  }
}

import Explanation

/// The checks of names and name constraints (RFC 5280 section 6.1.3 (b) and (c)).
extension PathValidation {
  /// Checks the certificate's names (section 6.1.3 (b) and (c)). Self-issued certificates are exempt, except for the
  /// last one.
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
        constraints.nearMiss(certificate).map { Rule.nameConstraints.fixed(by: $0) } ?? .nameConstraints, index, false,
        decided: isLetPass(names),
        required: .word(constraints.shortMeaning),
        found: form.map { .words($0.words(certificate)) } ?? .word("an unsupported kind of name"))
    case .tooManyComparisons(let count): refuseNames(index, count)
    }
  }

  /// Returns whether a faulty decision accepts names outside the permitted subtrees or within the excluded subtrees.
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

  /// Returns the number of comparisons if all names are compared with all constraints. The result is nil within the
  /// limit.
  private func excessiveComparisons(_ certificate: Certificate) -> Int? {
    let constraints = state.nameSpace.constraints.reduce(0) { $0 + $1.permitted.count + $1.excluded.count }
    let alternatives = certificate.subjectAlternativeName?.names.count ?? 0
    // An attribute takes at least eleven bytes, so this estimate makes an exact count unnecessary for most
    // certificates.
    guard (alternatives + certificate.subject.der.count / 11) * constraints > PathValidation.comparisonLimit else {
      return nil
    }
    let count = (alternatives + certificate.subject.relativeNames.joined().count) * constraints
    return count > PathValidation.comparisonLimit ? count : nil
  }
}

extension NameConstraints {
  /// Returns the fix if only a period or a wildcard label prevents a permitted dNSName from matching a certificate's
  /// names.
  ///
  /// See RFC 5280 section 4.2.1.10.
  fileprivate func nearMiss(_ certificate: Certificate) -> String? {
    let names = (certificate.subjectAlternativeName?.dnsNames ?? []).map { $0.lowercased() }
    for case .dnsName(let text) in permitted {
      let host = String(text.lowercased().drop { "*.".contains($0) }.reversed().drop { $0 == "." }.reversed())
      guard !names.isEmpty, !host.isEmpty, host != text.lowercased(),
        names.allSatisfy({ $0 == host || $0.hasSuffix("." + host) })
      else { continue }
      let shown = GeneralSubtree.dnsName(text).meaning
      return "Have the CA's certificate issued again: \(shown) does not cover these names. Write the domain without a "
        + "wildcard, and without a period at either end: \(host)."
    }
    return nil
  }

  /// The text of the constraints, truncated because a CA may have thousands.
  fileprivate var shortMeaning: String {
    NameConstraints(permitted: Array(permitted.prefix(8)), excluded: Array(excluded.prefix(8))).meaning
  }
}

import Explanation

/// The state variables permitted_subtrees and excluded_subtrees, RFC 5280 section 6.1.2 (b) and (c).
///
/// The intersection of what several authorities permit is not computed: a name must be within what each of them
/// permits, which says the same.
public struct NameSpace: Sendable, Hashable {
  /// One authority's constraints, and the same sorted for comparison.
  fileprivate struct Part: Sendable, Hashable {
    let constraints: NameConstraints
    let permitted: NamesByForm<Subtree>
    let excluded: NamesByForm<Subtree>
  }

  /// Why names are not within the name space.
  enum Violation {
    /// More comparisons than are made at most.
    case tooManyComparisons(Int)
    /// A name of this kind, and the constraints that it is not within.
    case outside(NameForm?, NameConstraints)
  }

  private var parts: [Part] = []

  /// Everything.
  public init() {}

  /// Whether there are no constraints.
  public var isEverything: Bool { parts.isEmpty }

  /// The constraints of each authority, the anchor's first.
  public var constraints: [NameConstraints] { parts.map(\.constraints) }

  /// The part of this name space that is also within `constraints`: section 6.1.4 (g).
  mutating func narrow(to constraints: NameConstraints) {
    parts.append(
      Part(
        constraints: constraints, permitted: NamesByForm(constraints.permitted),
        excluded: NamesByForm(constraints.excluded)))
  }

  /// How many comparisons `names` need at most.
  private func comparisons(_ names: NamesByForm<ConstrainedName>) -> Int {
    NameForm.allCases.reduce(0) { sum, form in
      sum + names[form].count * parts.reduce(0) { $0 + $1.permitted[form].count + $1.excluded[form].count }
    }
  }

  /// Why `names` are not all within the name space: nil when they are. No more than `budget` comparisons are made, and
  /// those that may be needed are taken from it.
  func violation(of names: NamesByForm<ConstrainedName>, budget: inout Int) -> Violation? {
    let needed = comparisons(names)
    guard needed <= budget else { return .tooManyComparisons(needed) }
    budget -= needed
    for part in parts {
      // A kind that is constrained and cannot be processed must not occur.
      if !names.unprocessed.isDisjoint(with: part.permitted.unprocessed.union(part.excluded.unprocessed)) {
        return .outside(nil, part.constraints)
      }
      for form in NameForm.allCases where !part.admits(names[form], form) { return .outside(form, part.constraints) }
    }
    return nil
  }
}

extension NameSpace.Part {
  fileprivate func admits(_ names: [ConstrainedName], _ form: NameForm) -> Bool {
    let (permitted, excluded) = (permitted[form], excluded[form])
    if permitted.isEmpty && excluded.isEmpty { return true }
    return names.allSatisfy { name in
      !excluded.contains { name.mayBeWithin($0) } && (permitted.isEmpty || permitted.contains { name.isWithin($0) })
    }
  }
}

extension NameForm {
  /// The names of this kind in a certificate, as they are shown.
  func words(_ certificate: Certificate) -> [String] {
    let names = certificate.subjectAlternativeName?.names ?? []
    let own = names.filter { name in
      switch (self, name) {
      case (.dns, .dnsName), (.address, .ipAddress), (.mail, .rfc822Name), (.uri, .uniformResourceIdentifier),
        (.directory, .directoryName):
        true
      default: false
      }
    }
    let subject = self == .directory || own.isEmpty ? [GeneralName.directoryName(certificate.subject)] : []
    return (subject + own).prefix(8).map(\.meaning)
  }
}

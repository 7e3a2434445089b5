import Explanation

/// The state variables permitted_subtrees and excluded_subtrees (RFC 5280 section 6.1.2 (b) and (c)).
///
/// The intersection of the permitted subtrees of several CAs is never computed. Instead, a name must be within the
/// permitted subtrees of each CA, which is equivalent.
public struct PermittedAndExcludedSubtrees: Sendable, Hashable {
  /// The constraints of one CA, in original order and sorted for comparison.
  fileprivate struct Part: Sendable, Hashable {
    let constraints: NameConstraints
    let permitted: NamesByForm<Subtree>
    let excluded: NamesByForm<Subtree>
  }

  /// The reason why names violate the constraints.
  enum Violation {
    /// The number of comparisons would exceed the limit.
    case tooManyComparisons(Int)
    /// A name of this kind violates these constraints.
    case outside(NameForm?, NameConstraints)
  }

  private var parts: [Part] = []

  /// Everything.
  public init() {}

  /// Whether there are no constraints.
  public var isEverything: Bool { parts.isEmpty }

  /// The constraints of each CA, beginning with the anchor's.
  public var constraints: [NameConstraints] { parts.map(\.constraints) }

  /// Adds `constraints` to the constraints that names must satisfy (section 6.1.4 (g)).
  mutating func intersect(with constraints: NameConstraints) {
    parts.append(
      Part(
        constraints: constraints, permitted: NamesByForm(constraints.permitted, dropsFinalPeriod: false),
        excluded: NamesByForm(constraints.excluded, dropsFinalPeriod: true)))
  }

  /// Returns the maximum number of comparisons for `names`.
  private func comparisons(_ names: NamesByForm<ConstrainedName>) -> Int {
    NameForm.allCases.reduce(0) { sum, form in
      sum + names[form].count * parts.reduce(0) { $0 + $1.permitted[form].count + $1.excluded[form].count }
    }
  }

  /// Returns the reason why `names` violate the constraints; nil if they satisfy them.
  ///
  /// The function makes at most `budget` comparisons, and subtracts their number from it. A fault may replace
  /// `HostText.mayCover` with `mayCover`.
  func violation(
    of names: NamesByForm<ConstrainedName>, budget: inout Int,
    mayCover: ([UInt8], [UInt8]) -> Bool = HostText.mayCover
  ) -> Violation? {
    let needed = comparisons(names)
    guard needed <= budget else { return .tooManyComparisons(needed) }
    budget -= needed
    for part in parts {
      // If a kind of name is constrained but not supported, it must not occur.
      if !names.unprocessed.isDisjoint(with: part.permitted.unprocessed.union(part.excluded.unprocessed)) {
        return .outside(nil, part.constraints)
      }
      for form in NameForm.allCases where !part.admits(names[form], form, mayCover) {
        return .outside(form, part.constraints)
      }
    }
    return nil
  }
}

extension PermittedAndExcludedSubtrees.Part {
  fileprivate func admits(
    _ names: [ConstrainedName], _ form: NameForm, _ mayCover: ([UInt8], [UInt8]) -> Bool
  ) -> Bool {
    let (permitted, excluded) = (permitted[form], excluded[form])
    if permitted.isEmpty && excluded.isEmpty { return true }
    return names.allSatisfy { name in
      !excluded.contains { name.mayBeWithin($0, mayCover) }
        && (permitted.isEmpty || permitted.contains { name.isWithin($0) })
    }
  }
}

extension NameForm {
  /// Returns the names of this kind in a certificate as text.
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

/// The kinds of names for which name constraints are supported (RFC 5280 section 4.2.1.10).
enum NameForm: Int, CaseIterable {
  case dns, address, mail, uri, directory
}

/// Names or subtrees, sorted by kind and prepared for comparison. Text is in lower case.
struct NamesByForm<Name: Sendable & Hashable>: Sendable, Hashable {
  private var names = [[Name]](repeating: [], count: NameForm.allCases.count)
  /// The identifier octets of name types that are not supported.
  private(set) var unprocessed: Set<UInt8> = []

  subscript(_ form: NameForm) -> [Name] { names[form.rawValue] }

  mutating func append(_ name: Name, _ form: NameForm) { names[form.rawValue].append(name) }

  mutating func append(unprocessed tag: UInt8) { unprocessed.insert(tag) }

  var count: Int { names.reduce(0) { $0 + $1.count } }
}

/// A subtree of names, parsed once for comparison.
enum Subtree: Sendable, Hashable {
  /// A host in lower case, and all hosts that end with a period and this host. The empty name matches every host.
  case dns([UInt8])
  /// The addresses that equal this address under the mask.
  case address([UInt8], mask: [UInt8])
  /// One mailbox.
  case mailbox(Mailbox)
  /// For mailboxes and URIs: a host or, if a period precedes it, the hosts below a domain.
  case host([UInt8])
  /// A distinguished name and the names below it, represented by its comparison key.
  case directory([UInt8])
  /// Text that is not a host, mailbox or domain. As a permitted subtree it contains no name; as an excluded subtree it
  /// may contain any name.
  case malformed

  /// Parses the kind of name and the subtree; nil for a kind that is not supported.
  ///
  /// A dNSName with a final period is not in the preferred syntax (RFC 1034 section 3.5), so no name is within it. For
  /// excluded names, `dropsFinalPeriod` drops the period, so that the intended names are excluded.
  static func reading(_ subtree: GeneralSubtree, dropsFinalPeriod: Bool) -> (form: NameForm, subtree: Subtree)? {
    switch subtree {
    case .dnsName(let name) where name.hasSuffix(".") && name.count > 1 && !dropsFinalPeriod: (.dns, .malformed)
    case .dnsName(let name): (.dns, host(name).map { .dns($0) } ?? .malformed)
    case .ipAddress(let address, let mask): (.address, .address(address, mask: mask))
    case .rfc822Name(let name):
      (.mail, Mailbox(name).map { .mailbox($0) } ?? host(name).map { .host($0) } ?? .malformed)
    case .uniformResourceIdentifier(let name): (.uri, host(name).map { .host($0) } ?? .malformed)
    case .directoryName(let name): (.directory, .directory(name.comparisonKey))
    case .other: nil
    }
  }

  /// Reads a host or a domain, in lower case and without a final period.
  ///
  /// The result is nil for other text, such as a wildcard name or a URI.
  private static func host(_ text: String) -> [UInt8]? {
    var host = HostText.folded(text)
    if host.count > 1, host.last == UInt8(ascii: ".") { host.removeLast() }
    let isPlain = host.allSatisfy { byte in
      (97...122).contains(byte) || (48...57).contains(byte) || [45, 46, 95].contains(byte)
    }
    return isPlain ? host : nil
  }
}

extension NamesByForm<Subtree> {
  /// Sorts subtrees by kind.
  init(_ subtrees: [GeneralSubtree], dropsFinalPeriod: Bool) {
    self.init()
    for subtree in subtrees {
      if let (form, part) = Subtree.reading(subtree, dropsFinalPeriod: dropsFinalPeriod) {
        append(part, form)
      } else if case .other(let tag, _) = subtree {
        append(unprocessed: tag)
      }
    }
  }
}

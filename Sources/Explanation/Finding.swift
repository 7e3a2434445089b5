/// The result of one check: a rule, applied to one subject.
///
/// Verdicts are computed from findings and from nothing else.
public struct Finding: Sendable, Hashable {
  /// The subject of a finding.
  public enum Subject: Sendable, Hashable {
    /// A certificate of the path: its place (0 is the leaf) and its name for readers.
    case certificate(index: Int, name: String)
    /// The host that was requested.
    case host(String)
    /// The requested URL.
    case url(String)
    /// The connection as a whole.
    case connection
    /// A message or record of the protocol: `ServerHello`.
    case message(String)
    /// A key in a property list: `NSExceptionDomains.api.example`.
    case propertyListKey(String)

    /// The words a reader sees: `certificate 0 (api)`, `host api.example`.
    public var description: String {
      switch self {
      case .certificate(let index, let name): "certificate \(index) (\(name))"
      case .host(let host): "host \(host)"
      case .url(let url): url
      case .connection: "connection"
      case .message(let name): name
      case .propertyListKey(let path): path
      }
    }
  }

  /// Whether the rule held.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    case satisfied
    case violated
    case notApplicable = "not-applicable"
    case notEvaluated = "not-evaluated"
    case unknown
  }

  /// The source of the decision to ignore a violation.
  public enum Override: String, Sendable, Hashable, CaseIterable {
    case user
    case delegate
    case exception
    case mutant
  }

  /// The effect of a violation.
  public enum Weight: Sendable, Hashable {
    /// A violation refuses the connection.
    case decides
    /// A violation was found, and overridden.
    case overridden(by: Override)
    /// A violation is advice.
    case advises

    /// The word of the contract: `decides`, `overridden`, `advises`.
    public var word: String {
      switch self {
      case .decides: "decides"
      case .overridden: "overridden"
      case .advises: "advises"
      }
    }
  }

  /// How sure the source of the rule is.
  public enum Confidence: Sendable, Hashable {
    /// Read in a standard, or in the vendor's source or current documentation.
    case certain
    /// Inferred or observed, with the source.
    case likely(String)
    /// Sources disagree, with the readings.
    case conflicting(String)
    /// Nothing public is known, with the open question.
    case unknown(String)

    /// The word to show, nil when the source is certain.
    public var note: String? {
      switch self {
      case .certain: nil
      case .likely(let source): "likely: \(source)"
      case .conflicting(let how): "sources conflict: \(how)"
      case .unknown(let what): "unknown: \(what)"
      }
    }
  }

  /// The rule that was applied.
  public let rule: Rule
  /// The subject to which the rule was applied.
  public let subject: Subject
  /// Whether it held.
  public let outcome: Outcome
  /// The effect of a violation.
  public let weight: Weight
  /// The value that the rule requires.
  public let required: Detail
  /// The value that was found.
  public let found: Detail
  /// How sure the source of the rule is.
  public let confidence: Confidence

  /// Creates a finding without a check; checks go through `Enforcement`, which decides outcome and weight.
  public init(
    _ rule: Rule, on subject: Subject, _ outcome: Outcome, weight: Weight, required: Detail = .none,
    found: Detail = .none, confidence: Confidence = .certain
  ) {
    self.rule = rule
    self.subject = subject
    self.outcome = outcome
    self.weight = weight
    self.required = required
    self.found = found
    self.confidence = confidence
  }

  /// Whether this finding alone refuses the connection.
  public var refuses: Bool { outcome == .violated && weight == .decides }

  /// The same finding, overridden.
  public func overridden(by override: Override) -> Finding { weighing(.overridden(by: override)) }

  /// The same finding as advice: another one has the decision.
  public var advising: Finding { weighing(.advises) }

  /// The same finding about the equivalent rule of another layer.
  public func of(_ rule: Rule) -> Finding {
    Finding(rule, on: subject, outcome, weight: weight, required: required, found: found, confidence: confidence)
  }

  private func weighing(_ weight: Weight) -> Finding {
    Finding(
      rule, on: subject, outcome, weight: weight, required: required, found: found, confidence: confidence)
  }
}

extension [Finding] {
  /// Whether any of them refuses the connection.
  public var refuses: Bool {
    // Iterates by index, because a loop over elements would copy every finding to read two bytes of it.
    for index in indices where self[index].outcome == .violated && self[index].weight == .decides { return true }
    return false
  }
}

extension Sequence<Finding> {
  /// The violated rules that decide, in order of appearance, each once.
  public var deciding: [Rule] {
    // Only refusals matter here: most findings need not be copied.
    let refusing = filter(\.refuses)
    guard !refusing.isEmpty else { return [] }
    var seen: Set<String> = []
    return refusing.settled.filter(\.refuses).map(\.rule).filter { seen.insert($0.id).inserted }
  }

  /// The findings. A violation becomes advice if another one on the same subject implies it (`Rule.implies`).
  public var settled: [Finding] {
    let implied = filter(\.refuses).reduce(into: Set<Implied>()) { implied, finding in
      for rule in finding.rule.implies { implied.insert(Implied(rule: rule, subject: finding.subject)) }
    }
    if implied.isEmpty { return Array(self) }
    return map { finding in
      let isImplied = implied.contains(Implied(rule: finding.rule.id, subject: finding.subject))
      return finding.refuses && isImplied ? finding.advising : finding
    }
  }
}

private struct Implied: Hashable {
  let rule: String
  let subject: Finding.Subject
}

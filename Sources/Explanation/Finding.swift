/// What came of one check: a rule, held against one subject.
///
/// Verdicts are computed from findings and from nothing else.
public struct Finding: Sendable, Hashable {
  /// What a finding is about.
  public enum Subject: Sendable, Hashable {
    /// A certificate of the path that was checked: its place (0 is the leaf) and the name a reader knows it by.
    case certificate(index: Int, name: String)
    /// The host that was asked for.
    case host(String)
    /// The URL that was to be loaded.
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

  /// Who decided that a violation shall not count.
  public enum Override: String, Sendable, Hashable, CaseIterable {
    case user
    case delegate
    case exception
    case mutant
  }

  /// What a violation would do.
  public enum Weight: Sendable, Hashable {
    /// A violation refuses the connection.
    case decides
    /// A violation stands, but someone overrode it.
    case overridden(by: Override)
    /// A violation is only worth saying.
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
    /// Read in a standard, in the vendor's source or in its current documentation.
    case certain
    /// Inferred or seen, with a word on where from.
    case likely(String)
    /// Sources disagree, with a word on how.
    case conflicting(String)
    /// Nothing public is known, with a word on what.
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

  /// The rule that was held against the subject.
  public let rule: Rule
  /// What it was held against.
  public let subject: Subject
  /// Whether it held.
  public let outcome: Outcome
  /// What a violation does.
  public let weight: Weight
  /// What the rule asked for.
  public let required: Detail
  /// What was there.
  public let found: Detail
  /// How sure the source of the rule is.
  public let confidence: Confidence

  /// A finding as it stands; checks are made through `Enforcement`, which settles outcome and weight.
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

  /// The same finding where another says what decided: it is only worth saying.
  public var advising: Finding { weighing(.advises) }

  /// The same finding about another rule that says the same: one of another layer.
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
    // By index and member: anything else copies every finding to look at two bytes of it.
    for index in indices where self[index].outcome == .violated && self[index].weight == .decides { return true }
    return false
  }
}

extension Sequence<Finding> {
  /// The violated rules that decide, in order of appearance, each once.
  public var deciding: [Rule] {
    // What does not refuse settles nothing: most findings need not be copied.
    let refusing = filter(\.refuses)
    guard !refusing.isEmpty else { return [] }
    var seen: Set<String> = []
    return refusing.settled.filter(\.refuses).map(\.rule).filter { seen.insert($0.id).inserted }
  }

  /// The same findings where a violation that another one on the same subject already says only advises
  /// (`Rule.implies`).
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

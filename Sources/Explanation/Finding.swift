/// The result of one check: a rule that was applied to one subject.
///
/// Verdicts are computed only from findings.
public struct Finding: Sendable, Hashable {
  /// The object that a finding is about.
  public enum Subject: Sendable, Hashable {
    /// A certificate of the path, with its index (0 is the leaf) and its name for display.
    case certificate(index: Int, name: String)
    /// The host that the client requested.
    case host(String)
    /// The URL that the client requested.
    case url(String)
    /// The connection as a whole.
    case connection
    /// A message or record of the protocol, such as `ServerHello`.
    case message(String)
    /// A key in a property list, such as `NSExceptionDomains.api.example`.
    case propertyListKey(String)

    /// The subject as text, such as `certificate 0 (api)` or `host api.example`.
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

  /// Whether the rule was satisfied.
  public enum Outcome: String, Sendable, Hashable, CaseIterable {
    case satisfied
    case violated
    case notApplicable = "not-applicable"
    case notEvaluated = "not-evaluated"
    case unknown
  }

  /// The reason why a violation is ignored.
  public enum Override: String, Sendable, Hashable, CaseIterable {
    case user
    case delegate
    case exception
    case mutant
  }

  /// The effect that a violation has.
  public enum Weight: Sendable, Hashable {
    /// A violation refuses the connection.
    case decides
    /// A violation is reported but ignored.
    case overridden(by: Override)
    /// The violation is only advice.
    case advises

    /// The name in JSON output: `decides`, `overridden` or `advises`.
    public var word: String {
      switch self {
      case .decides: "decides"
      case .overridden: "overridden"
      case .advises: "advises"
      }
    }
  }

  /// The confidence in the source of the rule.
  public enum Confidence: Sendable, Hashable {
    /// A standard, or the vendor's source code or current documentation, states the rule.
    case certain
    /// The rule was inferred or observed. The value is the source.
    case likely(String)
    /// Sources disagree. The value describes their interpretations.
    case conflicting(String)
    /// Nothing public is known. The value is the open question.
    case unknown(String)

    /// The text to display; nil if the source is certain.
    public var note: String? {
      switch self {
      case .certain: nil
      case .likely(let source): "likely: \(source)"
      case .conflicting(let how): "sources conflict: \(how)"
      case .unknown(let what): "unknown: \(what)"
      }
    }
  }

  /// The rule that was checked.
  public let rule: Rule
  /// The subject that the rule was applied to.
  public let subject: Subject
  /// Whether the rule was satisfied.
  public let outcome: Outcome
  /// The effect that a violation has.
  public let weight: Weight
  /// The value that the rule requires.
  public let required: Detail
  /// The value that was found.
  public let found: Detail
  /// The confidence in the source of the rule.
  public let confidence: Confidence

  /// Creates a finding without a check. Engines use `Enforcement` instead, which determines outcome and weight.
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

  /// Whether this finding is sufficient to refuse the connection.
  public var refuses: Bool { outcome == .violated && weight == .decides }

  /// Returns the same finding as overridden.
  public func overridden(by override: Override) -> Finding { weighing(.overridden(by: override)) }

  /// The same finding as advice, because another finding decides.
  public var advising: Finding { weighing(.advises) }

  /// Returns the same finding for the equivalent rule of another layer.
  public func of(_ rule: Rule) -> Finding {
    Finding(rule, on: subject, outcome, weight: weight, required: required, found: found, confidence: confidence)
  }

  private func weighing(_ weight: Weight) -> Finding {
    Finding(
      rule, on: subject, outcome, weight: weight, required: required, found: found, confidence: confidence)
  }
}

extension [Finding] {
  /// Whether any of the findings refuses the connection.
  public var refuses: Bool {
    // Iterates by index, because a loop over elements would copy every finding to read two bytes of it.
    for index in indices where self[index].outcome == .violated && self[index].weight == .decides { return true }
    return false
  }
}

extension Sequence<Finding> {
  /// The violated rules that refuse the connection, without duplicates, in order of appearance.
  public var deciding: [Rule] {
    // Only refusals matter here: most findings need not be copied.
    let refusing = filter(\.refuses)
    guard !refusing.isEmpty else { return [] }
    var seen: Set<String> = []
    return refusing.settled.filter(\.refuses).map(\.rule).filter { seen.insert($0.id).inserted }
  }

  /// The findings, with a violation reduced to advice if another one on the same subject implies it (`Rule.implies`).
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

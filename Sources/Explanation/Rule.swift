/// A requirement, with the clause that states it.
///
/// The set of rules is open. Each module declares its rules as constants in `extension Rule { static let … }` and lists
/// them in one array, which `list rules` and `explain` read. Rule ids are words of the scenario language.
public struct Rule: Sendable, Hashable, Identifiable {
  /// The stable identifier `layer.rule` in kebab case, such as `chain.expired`.
  public var id: String { definition.id }
  /// The layer with which the id begins.
  public var layer: Layer { definition.layer }
  /// The requirement as a sentence, in the terms of the standard.
  public var statement: String { definition.statement }
  /// The clause that states the requirement.
  public var clause: Clause { definition.clause }
  /// The change that fixes a violation, in the imperative.
  public var fix: String { definition.fix }
  /// The ids of rules that a violation of this rule includes. They do not decide about the same subject.
  public var implies: Set<String> { definition.implies }
  /// Whether a violation refuses the connection. If false, a violation is only advice.
  public var decides: Bool { definition.decides }

  /// The text of the rule, which all copies share. Every finding has a copy, and most are never read.
  private let definition: Definition

  private final class Definition: Sendable {
    let id: String
    let layer: Layer
    let statement: String
    let clause: Clause
    let fix: String
    let implies: Set<String>
    let decides: Bool

    init(
      _ id: String, _ layer: Layer, _ statement: String, _ clause: Clause, _ fix: String, _ implies: Set<String>,
      _ decides: Bool
    ) {
      self.id = id
      self.layer = layer
      self.statement = statement
      self.clause = clause
      self.fix = fix
      self.implies = implies
      self.decides = decides
    }
  }

  /// Creates a rule of `layer`, whose id is `layer.name`.
  public init(
    _ layer: Layer, _ name: String, _ statement: String, _ clause: Clause, fix: String = "",
    implies: Set<String> = [], decides: Bool = true
  ) {
    definition = Definition("\(layer.rawValue).\(name)", layer, statement, clause, fix, implies, decides)
  }

  private init(_ definition: Definition) { self.definition = definition }

  /// Returns this rule with another clause that states the same requirement.
  public func citing(_ clause: Clause) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// Returns this rule with another instruction to fix a violation.
  public func fixed(by fix: String) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// Returns this rule for another layer, such as `chain.expired` as `client-auth.expired`. If `statement`, `clause` or
  /// `fix` is not nil, it replaces that of this rule.
  public func moved(
    in layer: Layer, statement: String? = nil, clause: Clause? = nil, fix: String? = nil
  ) -> Rule {
    func moved(_ id: String) -> String {
      id.hasPrefix("\(self.layer.rawValue).") ? layer.rawValue + id.dropFirst(self.layer.rawValue.count) : id
    }
    return Rule(
      Definition(
        moved(id), layer, statement ?? self.statement, clause ?? self.clause, fix ?? self.fix, Set(implies.map(moved)),
        decides))
  }

  /// Whether the rules have the same id.
  public static func == (left: Rule, right: Rule) -> Bool {
    left.definition === right.definition || left.id == right.id
  }

  /// Hashes the id of the rule.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

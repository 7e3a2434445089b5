/// A requirement, with the clause that states it.
///
/// Rules are an open set of constants. Each module declares its own as `extension Rule { static let … }` and lists them
/// in one array, which `list rules` and `explain` read. Ids are words of the scenario language.
public struct Rule: Sendable, Hashable, Identifiable {
  /// `layer.rule` in kebab case: `chain.expired`. Stable.
  public var id: String { definition.id }
  /// The layer the id begins with.
  public var layer: Layer { definition.layer }
  /// The requirement as a sentence, in the standard's words.
  public var statement: String { definition.statement }
  /// The clause that states the requirement.
  public var clause: Clause { definition.clause }
  /// A change that removes a violation, as an imperative.
  public var fix: String { definition.fix }
  /// Ids of the rules that a violation of this one includes. They then do not decide on the same subject.
  public var implies: Set<String> { definition.implies }
  /// Whether a violation refuses the connection, or is only advice.
  public var decides: Bool { definition.decides }

  /// All copies of a rule share its words: every finding has one, and most are never read.
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

  /// A rule of `layer` called `name`; its id is `layer.name`.
  public init(
    _ layer: Layer, _ name: String, _ statement: String, _ clause: Clause, fix: String = "",
    implies: Set<String> = [], decides: Bool = true
  ) {
    definition = Definition("\(layer.rawValue).\(name)", layer, statement, clause, fix, implies, decides)
  }

  private init(_ definition: Definition) { self.definition = definition }

  /// Returns this rule with another clause that states the same.
  public func citing(_ clause: Clause) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// Returns this rule with another fix.
  public func fixed(by fix: String) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// Returns this rule for another layer: `chain.expired` as `client-auth.expired`. `statement`, `clause` and `fix`
  /// replace those of this rule unless they are nil.
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

  /// Rules are equal if their ids are.
  public static func == (left: Rule, right: Rule) -> Bool {
    left.definition === right.definition || left.id == right.id
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

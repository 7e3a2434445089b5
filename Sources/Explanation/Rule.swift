/// One thing that must hold, with the clause that demands it.
///
/// Rules are an open set of constants: each module declares its own as `extension Rule { static let … }` and lists
/// them in one array, from which `list rules` and `explain` are made. Ids are the scenario language's words.
public struct Rule: Sendable, Hashable, Identifiable {
  /// `layer.rule` in kebab case: `chain.expired`. Stable.
  public var id: String { definition.id }
  /// The layer the id begins with.
  public var layer: Layer { definition.layer }
  /// What must hold, as a sentence in the standard's words.
  public var statement: String { definition.statement }
  /// Where the standard demands it.
  public var clause: Clause { definition.clause }
  /// What its reader can do about a violation.
  public var fix: String { definition.fix }
  /// Rules that a violation of this one already says: on the same subject they do not decide beside it.
  public var implies: Set<String> { definition.implies }
  /// Whether a violation refuses the connection, or is only worth saying.
  public var decides: Bool { definition.decides }

  /// All copies of a rule share its words: every finding carries one along, and most are never read.
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

  /// This rule where another document demands the same: only what is cited differs.
  public func citing(_ clause: Clause) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// This rule where something else helps than usually.
  public func fixed(by fix: String) -> Rule {
    Rule(Definition(id, layer, statement, clause, fix, implies, decides))
  }

  /// This rule where another part of the connection holds it: `chain.expired` as `client-auth.expired`. `statement`,
  /// `clause` and `fix` are what holds and helps there; nil where it is the same.
  public func held(
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

  /// Rules are equal when their ids are.
  public static func == (left: Rule, right: Rule) -> Bool {
    left.definition === right.definition || left.id == right.id
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

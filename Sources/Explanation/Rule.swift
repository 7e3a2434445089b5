/// One thing that must hold, with the clause that demands it.
///
/// Rules are an open set of constants: each module declares its own as `extension Rule { static let … }` and lists
/// them in one array, from which `list rules` and `explain` are made. Ids are the scenario language's words.
public struct Rule: Sendable, Hashable, Identifiable {
  /// `layer.rule` in kebab case: `chain.expired`. Stable.
  public let id: String
  /// The layer the id begins with.
  public let layer: Layer
  /// What must hold, as a sentence in the standard's words.
  public let statement: String
  /// Where the standard demands it.
  public let clause: Clause
  /// What its reader can do about a violation.
  public let fix: String
  /// Rules that a violation of this one already says: on the same subject they do not decide beside it.
  public let implies: Set<String>
  /// Whether a violation refuses the connection, or is only worth saying.
  public let decides: Bool

  /// A rule of `layer` called `name`; its id is `layer.name`.
  public init(
    _ layer: Layer, _ name: String, _ statement: String, _ clause: Clause, fix: String = "",
    implies: Set<String> = [], decides: Bool = true
  ) {
    id = "\(layer.rawValue).\(name)"
    self.layer = layer
    self.statement = statement
    self.clause = clause
    self.fix = fix
    self.implies = implies
    self.decides = decides
  }

  /// Rules are equal when their ids are.
  public static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

import Explanation
import TLS

/// A historical bug that a scenario can give to a party: the rules in force with one entry changed.
public struct Mutant: Sendable, Hashable {
  /// The party that can have it.
  public enum Place: String, Sendable, Hashable { case server }

  /// Its name.
  public let name: String
  /// Who can have it.
  public let place: Place
  /// What it does wrong.
  public let meaning: String
  /// The id of the rule that it goes past.
  public let rule: String
  /// Where the bug was found.
  public let source: String

  /// Every mutant.
  public static let all = [
    Mutant(
      name: "robot", place: .server,
      meaning: "answers an encrypted premaster secret whose block does not begin with 00 02 with an alert of its own",
      rule: Rule.paddingOracle.id, source: "CVE-2017-13099")
  ]

  /// The mutant called `name`, nil when there is none.
  public static func named(_ name: String) -> Mutant? { all.first { $0.name == name } }

  /// The rules in force for a party that has the bug.
  public var enforcement: Enforcement { Enforcement.standard.overriding(rule, by: .mutant) }
}

import Cryptography
import Endpoint
import Explanation

/// A calculation as its author wrote it, before its values are computed.
public struct CalculationPlan: Sendable {
  /// A value that is known from the start.
  package struct Given: Sendable {
    package let name: String
    package let value: Quantity

    package init(name: String, value: Quantity) {
      self.name = name
      self.value = value
    }
  }

  /// A party and the names of the values that it is given.
  package struct Member: Sendable {
    package let party: Party
    package let values: [String]

    package init(party: Party, values: [String]) {
      self.party = party
      self.values = values
    }

    /// Whether the party is a third party. Values given to a third party were visible on the network, so every party
    /// has them.
    var isThird: Bool { [.eavesdropper, .interceptor].contains(party) }
  }

  /// A line of the calculation: a named value, or a check.
  package struct Line: Sendable {
    /// The name of the value; nil for a check.
    package let name: String?
    package let expression: Expression
    package let by: Party?
    package let why: String
    /// The rule that the check applies.
    package let rule: Rule
    /// The expression that decides the check in place of the rule; nil if the party has no bug.
    package let mutant: Expression?

    package init(name: String?, expression: Expression, by: Party?, why: String, rule: Rule, mutant: Expression?) {
      self.name = name
      self.expression = expression
      self.by = by
      self.why = why
      self.rule = rule
      self.mutant = mutant
    }
  }

  package let given: [Given]
  package let members: [Member]
  package let lines: [Line]
  /// The values that attackers try to obtain.
  public let risks: Calculation.Risks

  /// Creates a calculation with these lines. Without members, there is one party, which has every value.
  package init(given: [Given], members: [Member], lines: [Line], risks: Calculation.Risks) {
    self.given = given
    self.members = members.isEmpty ? [Member(party: .client, values: given.map(\.name))] : members
    self.lines = lines
    self.risks = risks
  }

  /// The parties that calculate and the parties that observe, in the author's order.
  public var parties: [Party] { members.map(\.party) }

  /// The names of all given and calculated values.
  public var names: Set<String> { Set(given.map(\.name) + lines.compactMap(\.name)) }

  /// Computes the calculation, with `clock` as the time of its steps.
  ///
  /// - Throws: `CalculationError` at the first line that cannot be computed.
  public func worked(
    at clock: Instant, enforcement: Enforcement = .standard
  ) throws(CalculationError) -> Calculation {
    var working = CalculationWorking(self, clock: clock, enforcement)
    return try working.calculation()
  }
}

/// The reason why a line of a calculation cannot be computed.
public struct CalculationError: Error, Sendable, Hashable {
  /// The number of the line, from 0.
  public let line: Int
  /// The error message, without a final period.
  public let message: String
  /// A hint for a fix, without a final period.
  public let hint: String
  /// The offset of the error within the line, in Unicode scalars.
  public let offset: Int
}

import Cryptography
import Endpoint
import Explanation

/// A calculation as it was written, before it is worked out.
public struct CalculationPlan: Sendable {
  /// A value that is there from the start.
  package struct Given: Sendable {
    package let name: String
    package let value: Quantity

    package init(name: String, value: Quantity) {
      self.name = name
      self.value = value
    }
  }

  /// A party, and the values it is given.
  package struct Member: Sendable {
    package let party: Party
    package let values: [String]

    package init(party: Party, values: [String]) {
      self.party = party
      self.values = values
    }

    /// What a third party is given, it saw on the network: so did everyone.
    var isThird: Bool { [.eavesdropper, .interceptor].contains(party) }
  }

  /// A line of the calculation: a value that gets a name, or a check.
  package struct Line: Sendable {
    /// The value's name; nil for a check.
    package let name: String?
    package let expression: Expression
    package let by: Party?
    package let why: String
    /// The rule that a check is about.
    package let rule: Rule
    /// What decides the check in the place of its rule; nil where nothing does.
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
  /// What attackers are after.
  public let risks: Calculation.Risks

  /// A calculation of these lines; without members there is one party, who has everything.
  package init(given: [Given], members: [Member], lines: [Line], risks: Calculation.Risks) {
    self.given = given
    self.members = members.isEmpty ? [Member(party: .client, values: given.map(\.name))] : members
    self.lines = lines
    self.risks = risks
  }

  /// Those who calculate, and those who watch, in the order of the author.
  public var parties: [Party] { members.map(\.party) }

  /// The names of all values, given and calculated.
  public var names: Set<String> { Set(given.map(\.name) + lines.compactMap(\.name)) }

  /// The calculation, worked out from `clock` on.
  ///
  /// - Throws: `CalculationError` at the first line that cannot be worked out.
  public func worked(at clock: Instant) throws(CalculationError) -> Calculation {
    var working = CalculationWorking(self, clock: clock)
    return try working.calculation()
  }
}

/// Why a line of a calculation cannot be worked out.
public struct CalculationError: Error, Sendable, Hashable {
  /// The number of the line, from 0.
  public let line: Int
  /// What is wrong, without a final period.
  public let message: String
  /// What to do about it, without a final period.
  public let hint: String
  /// Where in the line, in Unicode scalars.
  public let offset: Int
}

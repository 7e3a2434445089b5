import Explanation
import Simulator

/// A calculation as it was written, before it is worked out.
struct CalculationDescription {
  /// A value that is there from the start.
  struct Given {
    let name: String
    let value: Quantity
    let mark: SourceMark
  }

  /// A party, and the values it is given.
  struct Member {
    let party: Party
    let values: [(name: String, mark: SourceMark)]
    let mark: SourceMark

    /// What a third party is given, it saw on the network: so did everyone.
    var isThird: Bool { [.eavesdropper, .interceptor].contains(party) }
  }

  /// A line of the calculation: a value that gets a name, or a check.
  struct Line {
    /// The value's name; nil for a check.
    let name: String?
    let expression: Expression
    let by: Party?
    let why: String
    /// The rule that a check is about.
    let rule: Rule
    /// What decides the check in the place of its rule; nil where nothing does.
    let mutant: Expression?
    /// Where the expression stands.
    let node: Node
  }

  let given: [Given]
  let members: [Member]
  let lines: [Line]
  let risks: Calculation.Risks
}

extension Node {
  /// Where the scalar of this text stands in the text.
  func mark(at offset: Int) -> SourceMark {
    guard case .scalar(_, let quoted, let mark) = self else { return mark }
    return SourceMark(file: mark.file, line: mark.line, column: mark.column + offset + (quoted ? 1 : 0))
  }
}

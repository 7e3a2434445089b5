import Explanation
import Simulator

extension CalculationEvent {
  /// Returns the words for a line of a calculation by `party`.
  func words(by party: Party) -> EventWords {
    let actor = Actor(named: party)
    return switch work {
    case .computes(let name, let value): worded(actor, "computes \(equation)", "\(name) is \(value).")
    case .cannotCompute(let lacks):
      worded(actor, "cannot compute \(equation)", "It lacks \(lacks.joined(separator: ", ")).")
    case .tries(let name, let value, let matches):
      worded(actor, "tries \(equation)", Self.attempt(at: name, value, matches))
    case .checks(let quantities, let holds, let instead, let byReader):
      byReader
        ? EventWords(
          "\(equation): checked by the reader, who sees all values", reasons(check(quantities, holds, instead)))
        : worded(actor, "checks \(equation)", check(quantities, holds, instead))
    }
  }

  private func worded(_ actor: Actor, _ predicate: String, _ sentence: String) -> EventWords {
    EventWords(actor, predicate, reasons(sentence))
  }

  private func reasons(_ sentence: String) -> String { why.isEmpty ? sentence : "\(why) \(sentence)" }

  private static func attempt(at name: String, _ value: String?, _ matches: Bool) -> String {
    guard let value else { return "The expression has no value, so it does not give \(name)." }
    return matches ? "The result is \(name): \(value)." : "The result is \(value), not \(name)."
  }

  private func check(_ quantities: [String], _ holds: Bool, _ instead: Instead?) -> String {
    func result(_ holds: Bool) -> String { holds ? "holds" : "does not hold" }
    return "\(quantities.joined(separator: ", ")): the equation \(result(holds))."
      + (instead.map { " But the program checks \($0.equation), which \(result($0.holds))." } ?? "")
  }
}

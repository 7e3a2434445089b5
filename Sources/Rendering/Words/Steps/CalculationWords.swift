import Explanation
import Simulator

extension CalculationEvent {
  /// The words for a line of a calculation by `party`.
  func words(by party: Party) -> EventWords {
    switch work {
    case .computes(let name, let value): worded("\(party) computes \(equation)", "\(name) is \(value).")
    case .cannotCompute(let lacks):
      worded("\(party) cannot compute \(equation)", "It lacks \(lacks.joined(separator: ", ")).")
    case .tries(let name, let value, let matches):
      worded("\(party) tries \(equation)", Self.attempt(at: name, value, matches))
    case .checks(let quantities, let holds, let instead, let byReader):
      worded(
        byReader ? "\(equation): checked by the reader, who sees all of it" : "\(party) checks \(equation)",
        Self.check(quantities, holds, instead))
    }
  }

  private func worded(_ title: String, _ sentence: String) -> EventWords {
    EventWords(title, why.isEmpty ? sentence : "\(why) \(sentence)")
  }

  private static func attempt(at name: String, _ value: String?, _ matches: Bool) -> String {
    guard let value else { return "There is no such number: it is not \(name)." }
    return matches ? "It is \(name): \(value)." : "That gives \(value), and not \(name)."
  }

  private static func check(_ quantities: [String], _ holds: Bool, _ instead: Instead?) -> String {
    func result(_ holds: Bool) -> String { holds ? "holds" : "does not hold" }
    return "\(quantities.joined(separator: ", ")): it \(result(holds))."
      + (instead.map { " But what is checked is \($0.equation), which \(result($0.holds))." } ?? "")
  }
}

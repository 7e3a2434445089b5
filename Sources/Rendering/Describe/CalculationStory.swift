import Explanation
import Scenarios
import Simulator

/// A calculation in prose: who is given what, and who does what with it.
struct CalculationStory {
  private let calculation: Calculation
  private let scenario: Scenario

  init(_ calculation: Calculation, _ scenario: Scenario) {
    self.calculation = calculation
    self.scenario = scenario
  }

  var document: Document {
    var document = Document()
    document.paragraph(RichText(Calculation.banner, .warning))
    document.blocks.append(.space)
    for value in calculation.held {
      let shown = calculation.quantities[value.id]?.shown ?? ""
      document.bullet("•", RichText(value.id, .name) + RichText(" is \(shown), \(Self.holders(of: value))."), indent: 2)
    }
    document.blocks.append(.space)
    for (number, move) in calculation.moves.enumerated() {
      document.bullet("\(number + 1).", "\(move.step.title)", indent: 2)
    }
    for (rule, check) in mutants {
      document.paragraph("In the place of the checks of \(rule), a faulty program checks \(check).")
    }
    return document
  }

  private static func holders(of value: Value) -> String {
    let owners = value.derivations.compactMap { way -> String? in
      if case .generated(let party) = way { return party.name }
      return nil
    }
    if value.derivations.contains(.published) { return "known to everyone" }
    return "known to \(owners.joined(separator: ", "))"
  }

  private var mutants: [(String, String)] {
    scenario.tree["calculation"]?["mutant"]?.entries?.map { ($0.key, $0.value.flowText) } ?? []
  }
}

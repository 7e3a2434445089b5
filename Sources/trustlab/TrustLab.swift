import Scenarios
import Simulator
import Cryptography
@main struct TrustLab {
  static func main() throws {
    let library = try ScenarioLibrary.curriculum()
    let player = ScenarioLibrary.player(keys: KeyStore())
    for scenario in try library.cases {
      do {
        let result = try player.play(scenario)
        print(
          scenario.name, result.outcome.verdict.word, result.outcome.verdict.layer as Any,
          result.outcome.verdict.because.map(\.id), result.outcome.path, result.outcome.goals,
          result.judgement.mismatches)
        for step in result.simulation.trace.steps {
          print(
            "  ", step.number, step.kind, step.from, step.to as Any, step.title, "|", step.narration,
            step.values.map(\.id), step.bytes.count)
        }
        for f in result.outcome.findings where f.outcome == .violated {
          print("    ", f.rule.id, f.weight, f.required.description, "|", f.found.description)
        }
        print(result.simulation.knowledge(of: .eavesdropper).values)
      } catch { print(error) }
    }
  }
}

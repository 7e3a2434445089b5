import Cryptography
import Rendering
import Scenarios

/// Cases of the curriculum, played once for all tests.
enum Curriculum {
  static let keys = KeyStore()
  static let player = ScenarioLibrary.player(keys: keys)

  static let files: [ScenarioFile] = (try? ScenarioLibrary.curriculum().files()) ?? []

  /// The first case of every file: what tests look at that `make test` runs.
  static let sample: [CaseResult] = files.compactMap { $0.cases.first.flatMap { try? player.play($0) } }

  /// A third of the sample for each depth, so that together the depths see all of it.
  static func sample(at depth: Depth) -> [CaseResult] {
    let place = Depth.allCases.firstIndex(of: depth) ?? 0
    return stride(from: place, to: sample.count, by: Depth.allCases.count).map { sample[$0] }
  }

  /// Every case: what the sweeps look at.
  static let results: [CaseResult] = files.flatMap(\.cases).compactMap { try? player.play($0) }

  /// The cases of the files that calculate with toy numbers.
  static let calculations: [CaseResult] = {
    let ids = Set(sample.filter { $0.simulation.calculation != nil }.map(\.scenario.id))
    return files.filter { ids.contains($0.id) }.flatMap(\.cases).compactMap { try? player.play($0) }
      .filter { $0.simulation.calculation != nil }
  }()

  static func result(_ id: String, _ name: String = Scenario.mainCase) -> CaseResult? {
    let scenario = files.first { $0.id == id }?.cases.first { $0.caseName == name }
    return scenario.flatMap { try? player.play($0) }
  }
}

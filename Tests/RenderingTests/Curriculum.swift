import Cryptography
import Scenarios

/// Cases of the curriculum, played once for all tests.
enum Curriculum {
  static let keys = KeyStore()

  static let files: [ScenarioFile] = (try? ScenarioLibrary.curriculum().files()) ?? []

  static let results: [CaseResult] = {
    let player = ScenarioLibrary.player(keys: keys)
    return files.flatMap(\.cases).compactMap { try? player.play($0) }
  }()

  static func result(_ id: String, _ name: String = Scenario.mainCase) -> CaseResult? {
    results.first { $0.scenario.id == id && $0.scenario.caseName == name }
  }
}

import Cryptography
import Dispatch
import Laboratory
import Oracles
import Rendering
import Scenarios
import Synchronization

/// Cases of the curriculum, played once for all tests.
enum Curriculum {
  static let keys = KeyStore.tests
  static let player = ScenarioLibrary.player(keys: keys)

  static let files: [ScenarioFile] = (try? ScenarioLibrary.curriculum().files()) ?? []

  /// The first case of every fifth file, for tests in `make test`.
  static let sample: [CaseResult] = played(
    stride(from: 0, to: files.count, by: 5).compactMap { files[$0].cases.first })

  /// Every tenth case of all files.
  static let tenth: [CaseResult] = {
    let cases = files.flatMap(\.cases)
    return played(stride(from: 0, to: cases.count, by: 10).map { cases[$0] })
  }()

  /// A third of the sample for each depth, so that the depths together cover all of it.
  static func sample(at depth: Depth) -> [CaseResult] {
    let place = Depth.allCases.firstIndex(of: depth) ?? 0
    return stride(from: place, to: sample.count, by: Depth.allCases.count).map { sample[$0] }
  }

  /// Every twentieth case of all files.
  static let twentieth: [CaseResult] = {
    let cases = files.flatMap(\.cases)
    return played(stride(from: 10, to: cases.count, by: 20).map { cases[$0] })
  }()

  /// All cases of a file.
  static func results(of file: ScenarioFile) -> [CaseResult] { played(file.cases) }

  /// Plays these cases in parallel, because all tests wait for them, and returns the results in order.
  private static func played(_ scenarios: [Scenario]) -> [CaseResult] {
    let results = Mutex<[CaseResult?]>(Array(repeating: nil, count: scenarios.count))
    DispatchQueue.concurrentPerform(iterations: scenarios.count) { index in
      let result = try? player.play(scenarios[index])
      results.withLock { $0[index] = result }
    }
    return results.withLock { $0.compactMap(\.self) }
  }

  /// The cases of the files that calculate with toy numbers.
  static let calculations: [CaseResult] = played(files.flatMap(\.cases).filter { $0.calculation != nil })

  static func result(_ id: String, _ name: String = Scenario.mainCase) -> CaseResult? {
    let scenario = files.first { $0.id == id }?.cases.first { $0.caseName == name }
    return scenario.flatMap { try? player.play($0) }
  }
}

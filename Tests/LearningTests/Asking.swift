import Learning
import Scenarios
import Simulator
import Testing

/// Cases of the curriculum for questions, and functions that ask them.
enum Asking {
  /// The main case of every scenario, and every row of a few.
  static let cases: [String] = Lab.cases.map(\.name).filter { name in
    !name.contains("/") || ["L1-15/", "L4-12/", "L0-04/"].contains { name.hasPrefix($0) }
  }

  /// A twelfth of the cases, for tests in `make test` that need many runs for each.
  static let sample = stride(from: 0, to: cases.count, by: 12).map { cases[$0] }
  /// A sixth of the cases, all different, for the sweep.
  static let further = stride(from: 3, to: cases.count, by: 6).map { cases[$0] }

  static let students = ["", "李雷"].map(Student.init)

  static let files: [String: ScenarioFile] = Dictionary(
    ((try? Lab.library().files()) ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

  /// The subject of questions about the case called `name` after so many steps, or after all if there are fewer.
  static func subject(_ name: String, after steps: Int = 0) throws -> Subject {
    let scenario = try Lab.scenario(named: name)
    var simulation = try Lab.player.simulation(of: scenario)
    for _ in 0..<steps where !simulation.step() { break }
    return Subject(scenario, of: try #require(files[scenario.id]), at: simulation)
  }

  static func over(_ name: String) throws -> Subject { try subject(name, after: .max) }

  /// The question as a student reads it.
  static func sheet(_ question: Question) -> String {
    let options = question.options.map { "\($0.text): \($0.detail)" }
    return ([question.text] + question.given + options + [question.format] + question.hints).joined(separator: "\n")
  }
}

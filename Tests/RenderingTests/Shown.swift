import Oracles
import Rendering
import Scenarios

/// The forms of a run.
struct Shown {
  let scenario: Scenario
  private let result: @Sendable () -> CaseResult?

  enum Form {
    case text, markdown, html, mermaid, svg, json
  }

  /// A run that has been played.
  init(_ result: CaseResult) {
    scenario = result.scenario
    self.result = { result }
  }

  /// A case that is played for each form, so that not all results are kept in memory.
  private init(_ scenario: Scenario) {
    self.scenario = scenario
    result = { try? Curriculum.player.play(scenario) }
  }

  /// The cases that the sweeps check.
  static let all = Sweep.part(of: Curriculum.files.flatMap(\.cases)).map { Shown($0) }

  /// The run in this form; empty if the case cannot be played.
  func text(_ form: Form, _ depth: Depth = .story) -> String {
    guard let view = result().map({ RunView($0) }) else { return "" }
    return switch form {
    case .text: view.document(depth).text()
    case .markdown: view.markdown(depth)
    case .html: view.html(depth)
    case .mermaid: view.mermaid()
    case .svg: view.svg()
    case .json: view.json(depth).text(pretty: false)
    }
  }

  /// The run as JSON.
  func json() throws -> JSONValue { try JSONValue(reading: Array(text(.json).utf8)) }
}

import Oracles
import Rendering
import Scenarios

/// The forms of a run, made by this process or by the program that the sweeps call.
struct Shown {
  let scenario: Scenario
  private let write: @Sendable (Form, Depth) -> String

  enum Form: String {
    case text, markdown, html, mermaid, svg, json
  }

  /// A run that this process has played.
  init(_ result: CaseResult) {
    scenario = result.scenario
    write = { form, depth in
      let view = RunView(result)
      return switch form {
      case .text: view.document(depth).text()
      case .markdown: view.markdown(depth)
      case .html: view.html(depth)
      case .mermaid: view.mermaid()
      case .svg: view.svg()
      case .json: view.json(depth).text(pretty: false)
      }
    }
  }

  /// A case that `program` plays for each form.
  private init(_ scenario: Scenario, by program: String) {
    self.scenario = scenario
    let words = [program, "run", scenario.file, "--case=\(scenario.caseName)"]
    write = { form, depth in
      let isDiagram = [.mermaid, .svg].contains(form)
      return Program.output(words + ["--format", form.rawValue] + (isDiagram ? [] : ["--depth", depth.rawValue])) ?? ""
    }
  }

  /// The runs that the sweeps check: every case by the program, else those that they play.
  static let all: [Shown] = {
    guard let program = Sweep.program else {
      return Curriculum.results.map(Shown.init)
    }
    return Curriculum.files.flatMap(\.cases).map { Shown($0, by: program) }
  }()

  /// The run in this form.
  func text(_ form: Form, _ depth: Depth = .story) -> String { write(form, depth) }

  /// The run as JSON.
  func json() throws -> JSONValue { try JSONValue(reading: Array(text(.json).utf8)) }
}

import ArgumentParser
import Rendering
import Scenarios

/// How a run is written, whether it was played or met.
enum RunFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown
  case html
  case mermaid
  case svg
  /// The diagram as SVG of 16:9.
  case slide
  case json

  /// The run in this format; only text has a style.
  func text(of view: RunView, _ depth: Depth, _ style: TextStyle = TextStyle(), firstError: Bool = false) -> String {
    switch self {
    case .text: view.document(depth, firstError: firstError).text(style)
    case .markdown: view.markdown(depth, firstError: firstError)
    case .html: view.html(depth, firstError: firstError)
    case .mermaid: view.mermaid(firstError: firstError)
    case .svg: view.svg(firstError: firstError)
    case .slide: view.slide(firstError: firstError)
    case .json: view.json(depth).text(pretty: true, columns: RunView.jsonColumns)
    }
  }
}

/// What of a run is shown, and as what.
struct ViewOptions: ParsableArguments {
  @Option(help: "How much is shown: story (the default), fields or numbers.")
  var depth: Depth?

  @Option(help: "text, markdown or html; mermaid, svg or slide (16:9) for the diagram alone; json for programs.")
  var format = RunFormat.text

  @Flag(help: "Show only the first reason of a refusal.")
  var firstError = false

  /// - Throws: `Diagnostics` where two of them do not go together.
  func check() throws {
    if depth != nil, [.mermaid, .svg, .slide].contains(format) {
      throw Diagnostics("a diagram has no depth", hint: "leave out --depth, or write --format text, markdown or html")
    }
    if firstError, format == .json {
      throw Diagnostics("--first-error is a view, and JSON has every reason", hint: "the first of 'because' decided")
    }
  }

  /// The run as it was asked for.
  func text(of view: RunView, _ style: TextStyle) -> String {
    format.text(of: view, depth ?? .story, style, firstError: firstError)
  }
}

import ArgumentParser
import Rendering
import Scenarios

/// The format of a run, which TrustLab simulated or observed between a real client and server.
enum RunFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown
  case html
  case mermaid
  case svg
  /// The diagram as an SVG picture with an aspect ratio of 16:9.
  case slide
  case json

  /// Returns the run in this format. Only the text format uses `style`.
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

/// The options for the detail and the format of a run.
struct ViewOptions: ParsableArguments {
  @Option(help: "The level of detail: story (the default), fields or numbers.")
  var depth: Depth?

  @Option(help: "The output format: text, markdown, html or json; mermaid, svg or slide (16:9) for the diagram only.")
  var format = RunFormat.text

  @Flag(help: "Show only the first reason for a refusal.")
  var firstError = false

  /// Checks the combination of options.
  ///
  /// - Throws: `Diagnostics` if two options exclude each other.
  func check() throws {
    if depth != nil, [.mermaid, .svg, .slide].contains(format) {
      throw Diagnostics(
        "--depth does not apply to a diagram", hint: "remove --depth, or use --format text, markdown or html")
    }
    if firstError, format == .json {
      throw Diagnostics(
        "--first-error does not apply to JSON, which has every reason",
        hint: "read the first element of 'because' in the JSON output")
    }
  }

  /// Returns the run with the chosen detail and format.
  func text(of view: RunView, _ style: TextStyle) -> String {
    format.text(of: view, depth ?? .story, style, firstError: firstError)
  }
}

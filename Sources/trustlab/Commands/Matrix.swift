import ArgumentParser
import Rendering
import Scenarios
import URLLoading

/// The `trustlab matrix` command.
struct Matrix: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix",
    abstract: "Compare many connections in a table: attackers by pinning library, or clients by date.",
    discussion: """
      Examples:
        trustlab matrix pins "AFNetworking 2.5.1" "AFNetworking 3.2"
        trustlab matrix timeline L12-20 --format svg --output pins.svg
      """,
    subcommands: [MatrixPins.self, MatrixTimeline.self])
}

/// The format of a matrix.
enum MatrixFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown
  case html
  case svg
  case json

  /// Returns the matrix in this format. Only the chosen format is rendered.
  func text(
    _ document: @autoclosure () -> Document, _ style: @autoclosure () -> TextStyle, html: @autoclosure () -> String,
    svg: @autoclosure () -> String, json: @autoclosure () -> JSONValue
  ) -> String {
    switch self {
    case .text: document().text(style())
    case .markdown: document().markdown()
    case .html: html()
    case .svg: svg()
    case .json: json().text(pretty: true)
    }
  }
}

/// The `trustlab matrix pins` command.
struct MatrixPins: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pins",
    abstract: "Show which of six attackers get past the settings of a pinning library.",
    discussion: """
      Examples:
        trustlab matrix pins "AFNetworking 2.5.1" "AFNetworking 2.5.2" \\
          "AFNetworking 2.5.3" "AFNetworking 3.2"
        trustlab matrix pins "TrustKit 3.0.7" --format json
        trustlab matrix pins --format svg --output libraries.svg

      If you name no release, the matrix shows the releases that changed a decision. Each cell shows the result of one \
      connection that TrustLab plays. Below each table, TrustLab prints the settings of each row in scenario YAML, and \
      the rules that refuse connections.

      The exit status is 0.
      """)

  @Argument(help: "The library releases, each in quotes: \"AFNetworking 2.5.1\".")
  var releases: [String] = []

  @Option(help: "The output format: text, markdown, html, svg or json.")
  var format = MatrixFormat.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let versions = try releases.map(LibraryVersion.named)
    let reader = try ScenarioLibrary.curriculum().reader
    let matrix = try PinMatrix(of: versions.isEmpty ? PinMatrix.releases : versions, by: Workbench().player, reader)
    let view = PinMatrixView(matrix)
    try output.write(
      format.text(view.document(), output.style(styling), html: view.html(), svg: view.svg(), json: view.json()))
  }
}

/// The `trustlab matrix timeline` command.
struct MatrixTimeline: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Show which clients connect on each date of a scenario, and which clients their own pins lock out.",
    discussion: """
      Examples:
        trustlab matrix timeline L12-20
        trustlab matrix timeline L12-20 --format svg --output pins.svg
        trustlab matrix timeline my-pins.yaml --format json

      The scenario needs a timeline of key changes and app updates.

      The exit status is 0 if every client connects on every date, otherwise 1.
      """)

  @Argument(help: "A scenario with a timeline: a file, or the id of a curriculum scenario.")
  var scenario: String

  @Option(
    name: .customLong("case"), help: "The case to play; 'main' is the scenario itself, without the changes of a case.")
  var caseName: String?

  @Option(help: "The output format: text, markdown, html, svg or json.")
  var format = MatrixFormat.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let file = try workbench.file(for: scenario)
    let chosen = try workbench.scenario(caseName, in: file)
    guard chosen.calculation == nil, let view = PinTimelineView(try workbench.play(chosen, of: file)) else {
      throw Diagnostics("\(file.id) has no timeline", hint: "use a scenario that has a timeline, such as L12-20")
    }
    try output.write(
      format.text(view.document(), output.style(styling), html: view.html(), svg: view.svg(), json: view.json()))
    if view.shutsOut { throw NotAsExpected() }
  }
}

extension LibraryVersion {
  /// Returns the library release called `name`.
  ///
  /// - Throws: `Diagnostics` with the nearest release if there is no release of this name.
  static func named(_ name: String) throws -> LibraryVersion {
    if let version = LibraryVersion(name) { return version }
    let words = name.split(separator: " ").map(String.init)
    let library = words.first.flatMap { Spelling.nearest(to: $0, among: Name.allCases.map(\.rawValue)) }.flatMap(
      Name.init)
    guard let library else {
      throw Diagnostics(
        "unknown library '\(name)'", hint: "write \"AFNetworking 3.2\", \"Alamofire 5.9\" or \"TrustKit 3.0\"")
    }
    let near =
      words.count == 2 ? LibraryVersion(library, words[1]) ?? LibraryVersion(nearestTo: words[1], of: library) : nil
    let meant = near ?? LibraryVersion.all.last { $0.library == library }
    throw Diagnostics(
      "no such release: '\(name)'", hint: "did you mean \"\(meant?.description ?? library.rawValue)\"?")
  }
}

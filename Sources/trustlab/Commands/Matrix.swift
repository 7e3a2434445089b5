import ArgumentParser
import Rendering
import Scenarios
import URLLoading

/// `trustlab matrix`
struct Matrix: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "matrix",
    abstract: "Play one thing in many ways: who gets in past a library, and who is shut out when.",
    discussion: """
      Examples:
        trustlab matrix pins "AFNetworking 2.5.1" "AFNetworking 3.2"
        trustlab matrix timeline L12-20 --format svg --output pins.svg
      """,
    subcommands: [MatrixPins.self, MatrixTimeline.self])
}

/// How a matrix is written.
enum MatrixFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown
  case html
  case svg
  case json

  /// The one of these that is asked for; only that one is made.
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

/// `trustlab matrix pins`
struct MatrixPins: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pins",
    abstract: "Say who gets in past a library that pins: settings of a release against six attackers.",
    discussion: """
      Examples:
        trustlab matrix pins "AFNetworking 2.5.1" "AFNetworking 2.5.2" \\
          "AFNetworking 2.5.3" "AFNetworking 3.2"
        trustlab matrix pins "TrustKit 3.0.7" --format json
        trustlab matrix pins --format svg --output libraries.svg

      Without a release those are taken in which decisions changed. Every cell is a connection that is played; below \
      each table stand the settings of its rows as a scenario writes them, and the rules that refuse.

      The exit status is 0.
      """)

  @Argument(help: "Releases, each in quotes: \"AFNetworking 2.5.1\".")
  var releases: [String] = []

  @Option(help: "text, markdown, html, svg or json.")
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

/// `trustlab matrix timeline`
struct MatrixTimeline: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Show which client of a scenario with dates connects when, and who is shut out by its own pins.",
    discussion: """
      Examples:
        trustlab matrix timeline L12-20
        trustlab matrix timeline L12-20 --format svg --output pins.svg
        trustlab matrix timeline my-pins.yaml --format json

      A scenario has dates when it has a timeline: servers that renew or change their keys, apps that are updated.

      The exit status is 0 when everybody connects on every date, 1 when somebody is shut out.
      """)

  @Argument(help: "A scenario with a timeline: a file, or the id of a scenario of the curriculum.")
  var scenario: String

  @Option(name: .customLong("case"), help: "The case to play; the file alone is 'main'.")
  var caseName: String?

  @Option(help: "text, markdown, html, svg or json.")
  var format = MatrixFormat.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let workbench = Workbench()
    let file = try workbench.file(for: scenario)
    let chosen = try workbench.scenario(caseName, in: file)
    guard chosen.calculation == nil, let view = PinTimelineView(try workbench.play(chosen, of: file)) else {
      throw Diagnostics("\(file.id) has one date", hint: "name a scenario with a timeline, such as L12-20")
    }
    try output.write(
      format.text(view.document(), output.style(styling), html: view.html(), svg: view.svg(), json: view.json()))
    if view.shutsOut { throw NotAsExpected() }
  }
}

extension LibraryVersion {
  /// The release that a user calls `name`.
  ///
  /// - Throws: `Diagnostics` with the nearest one when there is none.
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
      "there is no '\(name)'", hint: "did you mean \"\(meant?.description ?? library.rawValue)\"?")
  }
}

import ArgumentParser
import Rendering
import Scenarios
import Simulator
import Trust

/// The `trustlab run` command.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play one scenario and show the connection.",
    discussion: """
      Examples:
        trustlab run L1-15
        trustlab run L1-15 --case "iOS 8 has no ATS" --depth numbers
        trustlab run my-scenario.yaml --format json --output run.json
        trustlab run L1-15 --format svg --output L1-15.svg
        trustlab run L1-01 --format slide --output L1-01.svg
        trustlab run L3-09 --validator basic-constraints
        trustlab run L1-01 --pcap run.pcap --keylog run.keys
        tshark -r run.pcap -o tls.keylog_file:run.keys -Y http

      Scenarios/schema/run.schema.json describes the JSON output.

      The exit status is 0 if the scenario's expectation holds. With --os, the expectation applies only to the \
      scenario's own system; on another system, the exit status is 0 if the connection is accepted.
      """)

  @Argument(help: "A scenario file, or the id of a curriculum scenario.")
  var scenario: String

  @Option(
    name: .customLong("case"), help: "The case to play; 'main' is the scenario itself, without the changes of a case.")
  var caseName: String?

  @Option(
    help: "The operating system to play the scenario on, instead of its own: \"iOS 8\", \"iOS 18.4\", \"macOS 10.13\".")
  var os: String?

  @OptionGroup var view: ViewOptions
  @OptionGroup var validation: ValidatorOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var capture: CaptureOptions

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    try view.check()
    try capture.check(output: output.output)
    let limit = try search.bits ?? (view.depth == .numbers ? Execution.searchLimit : nil)
    let workbench = Workbench(mutant: try validation.mutant(), searchLimit: limit)
    let file = try workbench.file(for: scenario)
    let written = try workbench.scenario(caseName, in: file)
    let played = try os.map { try written.changed(on: $0) } ?? written
    try workbench.remark(on: file, [played])
    var result = try workbench.play(played, of: file)
    let isAsExpected = result.judgement.result == .passed
    if played.expectation == nil, written.expectation != nil {
      result.judgement = Judgement(skippedBecause: "the file's expectation does not apply to another system")
    }
    try capture.write(result.simulation)
    let text = view.text(of: RunView(result, cases: file.cases.map(\.caseName)), output.style(styling))
    try output.write(view.format == .text ? text + otherCases(of: file) : text)
    if !isAsExpected { throw NotAsExpected() }
  }

  /// Returns the commands for the file's other cases, if the user named no case.
  private func otherCases(of file: ScenarioFile) -> String {
    guard caseName == nil, os == nil, file.cases.count > 1 else { return "" }
    let lines = file.cases.dropFirst().map { "  trustlab run \(scenario) --case \"\($0.caseName)\"" }
    return "\n\nOther cases of this scenario:\n\(lines.joined(separator: "\n"))"
  }
}

extension Scenario {
  /// Returns this case on another operating system, without the expectation for its own system.
  func changed(on os: String) throws -> Scenario {
    let version = try OSVersion.named(os)
    guard calculation == nil else {
      throw Diagnostics("a calculation does not run on an operating system", hint: "remove --os")
    }
    if connections.allSatisfy({ $0.client.os == version }) { return self }
    let mark = SourceMark(file: "--os", line: 1, column: 1)
    guard let path = ScenarioPath("client.os") else { return self }
    return try changing(path, to: .scalar(os, quoted: false, mark))
  }
}

import ArgumentParser
import Explanation
import Foundation
import Scenarios

/// The `trustlab new` command.
struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a scenario file from a question, from another scenario, or from a good connection.",
    discussion: """
      Examples:
        trustlab new first                # a good connection, and a refused case
        trustlab new second --from L3-02  # from a scenario, by its id or its file
        trustlab new third --about "why is an expired certificate refused?"

      With --about, TrustLab starts from the scenario that shares the rarest words with the question, and prints those \
      words. If no scenario matches, it prints a hint. TrustLab checks the file before it writes it, and never \
      overwrites a file.
      """)

  @Argument(help: "The name of the new file; TrustLab adds .yaml.")
  var name: String

  @Option(
    help: ArgumentHelp("The scenario to start from: a file, or the id of a curriculum scenario.", valueName: "scenario")
  )
  var from: String?

  @Option(help: ArgumentHelp("A question in your own words, to find a scenario to start from.", valueName: "question"))
  var about: String?

  func run() throws {
    guard !name.allSatisfy(\.isWhitespace) else {
      throw Diagnostics("the name of the new file is empty", hint: "add a name: trustlab new mine")
    }
    let path = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? name : "\(name).yaml"
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("the file '\(path)' already exists", hint: "choose another name, or delete the file first")
    }
    let workbench = Workbench()
    let text = try text(workbench)
    try check(text, path, workbench)
    do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
      throw Diagnostics(
        "cannot write '\(path)'", hint: "check that the folder exists, and that you have permission to write to it")
    }
    Console.out("wrote \(path): play it with 'trustlab test \(Console.word(path))'")
  }

  private func text(_ workbench: Workbench) throws -> String {
    switch (from, about) {
    case (nil, nil): return ScenarioTemplate.first
    case (_?, _?):
      throw Diagnostics("--from and --about cannot be used together", hint: "remove one of the two options")
    case ("-", nil):
      throw Diagnostics(
        "--from cannot read standard input", hint: "save the scenario in a file, and pass the file")
    case (let from?, nil): return try text(from: try workbench.file(for: from), question: nil)
    case (nil, let question?): return try text(from: try file(about: question), question: question)
    }
  }

  private func text(from file: ScenarioFile, question: String?) throws -> String {
    try ScenarioTemplate.text(from: file, bytes: try ScenarioLibrary.read(file.path), question: question)
  }

  /// Returns the scenario that best matches a question.
  private func file(about question: String) throws -> ScenarioFile {
    let files = try ScenarioLibrary.curriculum().files()
    let match = QuestionMatch(question, in: files)
    guard let best = match.candidates.first else {
      throw Diagnostics("no scenario matches '\(question)'", hint: match.hint)
    }
    Console.out("\(best.file.id), \(title(best.file)): matches \(best.words.joined(separator: ", "))")
    for other in match.candidates.dropFirst().prefix(3) {
      Console.out("  or --from \(other.file.id), \(title(other.file)): matches \(other.words.joined(separator: ", "))")
    }
    return best.file
  }

  private func title(_ file: ScenarioFile) -> String { file.cases.first?.about.title ?? "" }

  /// Checks the new file at its own path, because the paths in it are relative to its folder.
  private func check(_ text: String, _ path: String, _ workbench: Workbench) throws {
    do throws(Diagnostics) {
      let file = try workbench.library(of: path).reader.read(Array(text.utf8), path: path)
      for scenario in file.cases { _ = try workbench.player.simulation(of: scenario) }
    } catch {
      Console.complain(error.description)
      throw Diagnostics(
        "the new scenario would not be valid in the file '\(path)'",
        hint: "paths in a scenario are relative to its folder: create the new file next to \(from ?? "the other")")
    }
  }
}

import ArgumentParser
import Explanation
import Foundation
import Scenarios

/// `trustlab new`
struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Begin a scenario file: from a question, from another scenario, or from a good connection.",
    discussion: """
      Examples:
        trustlab new first                # a good connection, and a refused case
        trustlab new second --from L3-02  # from a scenario, by its id or its file
        trustlab new third --about "why is an expired certificate refused?"

      --about looks for the scenario that shares the rarest words with the question, and says by which words it went; \
      where none does, it prints what there is. The file is checked before it is written, and never written over \
      another.
      """)

  @Argument(help: "The name of the new file; .yaml is added.")
  var name: String

  @Option(help: ArgumentHelp("The scenario to begin with: an id of the curriculum, or a file.", valueName: "scenario"))
  var from: String?

  @Option(help: ArgumentHelp("A question in plain words.", valueName: "question"))
  var about: String?

  func run() throws {
    guard !name.allSatisfy(\.isWhitespace) else {
      throw Diagnostics("the new file has no name", hint: "write one: trustlab new mine")
    }
    let path = name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? name : "\(name).yaml"
    guard !FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics("there is a file '\(path)' already", hint: "give another name, or remove it first")
    }
    let workbench = Workbench()
    let text = try text(workbench)
    try check(text, path, workbench)
    do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
      throw Diagnostics("the file '\(path)' cannot be written", hint: "is there such a folder, and may you write it?")
    }
    Console.out("\(path): written; 'trustlab test \(Console.word(path))' plays it")
  }

  private func text(_ workbench: Workbench) throws -> String {
    switch (from, about) {
    case (nil, nil): return ScenarioTemplate.first
    case (_?, _?): throw Diagnostics("--from and --about both say what to begin with", hint: "leave one of them out")
    case ("-", nil):
      throw Diagnostics(
        "--from begins with a file, and standard input is none", hint: "keep it in a file, and name that")
    case (let from?, nil): return try text(from: try workbench.file(for: from), question: nil)
    case (nil, let question?): return try text(from: try file(about: question), question: question)
    }
  }

  private func text(from file: ScenarioFile, question: String?) throws -> String {
    try ScenarioTemplate.text(from: file, bytes: try ScenarioLibrary.read(file.path), question: question)
  }

  /// The scenario that a question is about.
  private func file(about question: String) throws -> ScenarioFile {
    let files = try ScenarioLibrary.curriculum().files()
    let match = QuestionMatch(question, in: files)
    guard let best = match.candidates.first else {
      throw Diagnostics("no scenario is about '\(question)'", hint: match.hint)
    }
    Console.out("\(best.file.id), \(title(best.file)): by \(best.words.joined(separator: ", "))")
    for other in match.candidates.dropFirst().prefix(3) {
      Console.out("  or --from \(other.file.id), \(title(other.file)): by \(other.words.joined(separator: ", "))")
    }
    return best.file
  }

  private func title(_ file: ScenarioFile) -> String { file.cases.first?.about.title ?? "" }

  /// What is written must be right at its place: files that the other scenario names start from its own folder.
  private func check(_ text: String, _ path: String, _ workbench: Workbench) throws {
    do throws(Diagnostics) {
      let file = try workbench.library(of: path).reader.read(Array(text.utf8), path: path)
      for scenario in file.cases { _ = try workbench.player.simulation(of: scenario) }
    } catch {
      Console.complain(error.description)
      throw Diagnostics(
        "the new scenario would not be right at '\(path)'",
        hint: "files that it names start from its folder: write it beside \(from ?? "the other")")
    }
  }
}

import ArgumentParser
import Scenarios

/// A run that did not come out as expected: exit status 1, everything about it has been said.
struct NotAsExpected: Error {}

/// An input that cannot be used, already reported: exit status 2.
struct UnreadableInput: Error {}

/// What the command line cannot do for its user, in two lines.
struct Complaint: Error {
  let message: String
  let hint: String
}

/// Turns whatever was thrown into a message on standard error and an exit status.
enum Failure {
  /// A first word that is no command, or a second one where commands have commands, is answered with the nearest one.
  static func checkCommand(_ words: some Collection<String>) throws {
    try checkCommand(Array(words)[...], of: TrustLab.self)
  }

  private static func checkCommand(_ words: ArraySlice<String>, of parent: any ParsableCommand.Type) throws {
    let commands = parent.configuration.subcommands.map { ($0.configuration.commandName ?? "\($0)".lowercased(), $0) }
    guard let word = words.first, !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
    guard let command = commands.first(where: { $0.0 == word }) else {
      throw Complaint(
        message: "unknown command '\(word)'", hint: Spelling.hint(for: word, among: commands.map(\.0)))
    }
    try checkCommand(words.dropFirst(), of: command.1)
  }

  static func report(_ error: any Error) -> Int32 {
    switch error {
    case is NotAsExpected: return 1
    case is UnreadableInput: return 2
    case let diagnostics as Diagnostics:
      Console.complain(diagnostics.description)
      return 2
    case let complaint as Complaint:
      Console.complain("error: \(complaint.message)\nhint: \(complaint.hint)")
      return 2
    default:
      return argumentError(error)
    }
  }

  /// Help and version are no errors; anything else is a slip in the arguments.
  private static func argumentError(_ error: any Error) -> Int32 {
    let code = TrustLab.exitCode(for: error)
    guard code != .success else {
      Console.out(TrustLab.fullMessage(for: error))
      return 0
    }
    guard code == .validationFailure else {
      Console.complain("error: \(error)\nhint: this is a defect of trustlab itself")
      return 3
    }
    let usage = TrustLab.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage:") }
    let hint =
      usage.map { $0.replacing("Usage:", with: "usage:", maxReplacements: 1) }
      ?? "'trustlab --help' prints all commands"
    Console.complain("error: \(TrustLab.message(for: error))\nhint: \(hint)")
    return 2
  }
}

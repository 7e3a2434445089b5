import ArgumentParser
import Rendering
import Scenarios

/// An error for a result that is not as expected. The command has already reported it and exits with status 1.
struct NotAsExpected: Error {}

/// An error for unreadable input. The command has already reported it and exits with status 2.
struct UnreadableInput: Error {}

/// Turns an error into a message on standard error and an exit status.
enum Failure {
  /// Reports an unknown command or subcommand, with the nearest known one as the hint.
  static func checkCommand(_ words: some Collection<String>) throws {
    try checkCommand(Array(words)[...], of: TrustLab.self)
  }

  private static func checkCommand(_ words: ArraySlice<String>, of parent: any ParsableCommand.Type) throws {
    let commands = commands(of: parent)
    guard let word = words.first, !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
    guard let command = commands.first(where: { $0.name == word }) else {
      let below = commands.filter { Self.commands(of: $0.type).contains { $0.name == word } }
      throw Diagnostics(
        "unknown command '\(word)'",
        hint: below.first.map { "did you mean '\($0.name) \(word)'?" } ?? elsewhere(word)
          ?? Spelling.hint(for: word, among: commands.map(\.name)))
    }
    try checkCommand(words.dropFirst(), of: command.type)
  }

  /// Returns a hint for a word that is not a command, but an argument of `list` or a REPL command.
  private static func elsewhere(_ word: String) -> String? {
    let isCommand = ShellCommand.all.contains { $0.name == word }
    if List.Kind(rawValue: word) != nil {
      return "'trustlab list \(word)' lists them\(isCommand ? "; 'trustlab repl' steps through them" : "")"
    }
    return isCommand ? "'\(word)' is a REPL command: start the REPL with 'trustlab repl'" : nil
  }

  /// Returns the subcommands of `parent`. Each declares its name, because deriving it from the type searches all types
  /// at startup.
  private static func commands(of parent: any ParsableCommand.Type) -> [(name: String, type: any ParsableCommand.Type)]
  {
    parent.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }
  }

  /// Returns the arguments with `help` first, as the parser expects: `ats help decide` becomes `help ats decide`.
  static func arranged(_ words: [String]) -> [String] {
    guard let place = words.firstIndex(of: "help"), place > 0 else { return words }
    var parents: [any ParsableCommand.Type] = [TrustLab.self]
    for word in words[..<place] {
      guard let parent = parents.last, let next = commands(of: parent).first(where: { $0.name == word }) else {
        return words
      }
      parents.append(next.type)
    }
    // A command without subcommands takes arguments, and one of them can be the word `help`.
    guard let last = parents.last, !commands(of: last).isEmpty else { return words }
    return ["help"] + words[..<place] + words[(place + 1)...]
  }

  static func report(_ error: any Error) -> Int32 {
    switch error {
    case is NotAsExpected: return 1
    case is UnreadableInput: return 2
    case let diagnostics as Diagnostics:
      Console.complain(diagnostics.description)
      return 2
    default:
      return argumentError(error)
    }
  }

  /// Prints the requested help or version. Reports any other error as wrong usage.
  private static func argumentError(_ error: any Error) -> Int32 {
    let code = TrustLab.exitCode(for: error)
    guard code != .success else {
      Console.out(TrustLab.fullMessage(for: error))
      return 0
    }
    guard code == .validationFailure else {
      Console.complain("error: \(error)\nhint: this is a bug in trustlab; please report it")
      return 3
    }
    let message = TrustLab.message(for: error)
    if message.hasPrefix("Missing expected argument '<"), let hint = swallowing(in: CommandLine.arguments.dropFirst()) {
      Console.complain("error: \(message)\nhint: \(hint)")
      return 2
    }
    let usage = TrustLab.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage:") }
    let hint =
      usage.map { $0.replacing("Usage:", with: "usage:", maxReplacements: 1) }
      ?? "'trustlab --help' lists all commands"
    Console.complain("error: \(message)\nhint: \(hint)")
    return 2
  }

  /// Returns a hint for an argument that an option with several values consumed; nil if no option did. The argument is
  /// the last of two or more words after the option.
  private static func swallowing(in words: some Collection<String>) -> String? {
    let greedy = greedyOptions(of: words)
    var option: String?
    var taken: [String] = []
    var swallowed: (option: String, word: String)?
    for word in words.prefix(while: { $0 != "--" }) {
      if word.hasPrefix("--") {
        (option, taken) = (greedy.contains(word) ? word : nil, [])
      } else {
        taken.append(word)
        if let option, taken.count > 1 { swallowed = (option, word) }
      }
    }
    return swallowed.map {
      "\($0.option) takes all words up to the next option, including '\($0.word)': write -- before that word"
    }
  }

  /// Returns the options of the command in `words` that take every word up to the next option. In another command, an
  /// option with the same name may take only one word.
  private static func greedyOptions(of words: some Collection<String>) -> Set<String> {
    var command: any ParsableCommand.Type = TrustLab.self
    for word in words {
      guard let next = commands(of: command).first(where: { $0.name == word }) else { break }
      command = next.type
    }
    let dump = try? JSONValue(reading: Array(command._dumpHelp().utf8))
    guard case .array(let arguments)? = dump?["command"]?["arguments"] else { return [] }
    return Set(
      arguments.compactMap { argument in
        guard argument["parsingStrategy"] == .string("upToNextOption"),
          case .string(let name)? = argument["preferredName"]?["name"]
        else { return nil }
        return "--\(name)"
      })
  }
}

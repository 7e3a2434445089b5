import ArgumentParser
import Rendering
import Scenarios

/// A run that did not come out as expected: exit status 1, everything about it has been said.
struct NotAsExpected: Error {}

/// An input that cannot be used, already reported: exit status 2.
struct UnreadableInput: Error {}

/// Turns whatever was thrown into a message on standard error and an exit status.
enum Failure {
  /// A first word that is no command, or a second one where commands have commands, is answered with the nearest one.
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

  /// Where a word is known that is no command: to `list`, or inside the shell.
  private static func elsewhere(_ word: String) -> String? {
    let isCommand = ShellCommand.all.contains { $0.name == word }
    if List.Kind(rawValue: word) != nil {
      return "'trustlab list \(word)' prints them\(isCommand ? "; 'trustlab repl' goes through them" : "")"
    }
    return isCommand ? "'\(word)' is a command of the shell: 'trustlab repl' starts it" : nil
  }

  /// Every command says its name: one that is made from its type costs a search of all types at each start.
  private static func commands(of parent: any ParsableCommand.Type) -> [(name: String, type: any ParsableCommand.Type)]
  {
    parent.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) }
  }

  /// The words with `help` where the parser knows it: `ats help decide` is `help ats decide`.
  static func arranged(_ words: [String]) -> [String] {
    guard let place = words.firstIndex(of: "help"), place > 0 else { return words }
    var parents: [any ParsableCommand.Type] = [TrustLab.self]
    for word in words[..<place] {
      guard let parent = parents.last, let next = commands(of: parent).first(where: { $0.name == word }) else {
        return words
      }
      parents.append(next.type)
    }
    // A command without commands of its own has arguments, and one of them may be called so.
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
    let message = TrustLab.message(for: error)
    if message.hasPrefix("Missing expected argument '<"), let hint = swallowing(in: CommandLine.arguments.dropFirst()) {
      Console.complain("error: \(message)\nhint: \(hint)")
      return 2
    }
    let usage = TrustLab.fullMessage(for: error).split(separator: "\n").first { $0.hasPrefix("Usage:") }
    let hint =
      usage.map { $0.replacing("Usage:", with: "usage:", maxReplacements: 1) }
      ?? "'trustlab --help' prints all commands"
    Console.complain("error: \(message)\nhint: \(hint)")
    return 2
  }

  /// What to do where an argument is missing because an option of several values has taken it: the last word of two or more
  /// after an option; nil where none can have been taken so.
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
    return swallowed.map { "\($0.option) takes every word up to the next option, '\($0.word)' too: write -- before it" }
  }

  /// The options that take every word up to the next one, of the command that is called by `words`; others of the same
  /// name take one word.
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

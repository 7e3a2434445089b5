import Scenarios

/// A REPL command with its usage and meaning.
struct ShellCommand: Sendable {
  typealias Action = @Sendable (inout Session, String) throws -> Session.Output

  /// The purpose of a command, by which `help` groups the commands.
  enum Group: String, CaseIterable {
    case find
    case move
    case look
    case ask
    case change
    case many
    case learn
    case session
  }

  /// The kind of argument, for completion.
  enum Argument: Sendable, Equatable {
    case none
    case scenario
    case party
    case rule
    case value
    case message
    case field
    case thing
    case path
    case file
    case command
    case system
    case word
    case fork
    /// One of these keywords.
    case oneOf([String])
  }

  let name: String
  let group: Group
  /// The command with its arguments: `goto N`.
  let usage: String
  let meaning: String
  /// Examples of lines that are valid when a scenario is open.
  let examples: [String]
  let argument: Argument
  /// Whether a saved session includes the command. Commands that do not change the session are omitted.
  let isKept: Bool
  let run: Action

  init(
    _ usage: String, _ group: Group, _ meaning: String, examples: [String], completing argument: Argument = .none,
    isKept: Bool = true, run: @escaping Action
  ) {
    name = usage.prefix { $0 != " " }.lowercased()
    self.group = group
    self.usage = usage
    self.meaning = meaning
    self.examples = examples
    self.argument = argument
    self.isKept = isKept
    self.run = run
  }

  /// All commands, in the order of `help`.
  static let all: [ShellCommand] =
    finding + moving + looking + asking + changing + many + teaching + keeping

  /// Abbreviations for frequent commands whose prefixes are ambiguous, and the usual commands that end a shell.
  static let shorthands = [
    "s": "step", "st": "step", "b": "back", "r": "run", "w": "why", "q": "quit", "exit": "quit", "h": "help",
    "?": "help",
  ]

  /// The names that other programs use for these commands.
  private static let otherNames = [
    "next": "step", "n": "step", "continue": "run", "c": "run", "go": "goto", "play": "run", "previous": "back",
    "start": "lessons", "begin": "lessons", "learn": "lessons", "bye": "quit", "logout": "quit",
    ":q": "quit", "-h": "help", "--help": "help", "man": "help",
    "ls": "list", "load": "open", "cd": "open", "print": "show", "restart": "reset", "stop": "break", "write": "save",
  ]

  /// Whether the command takes an argument.
  var takesArgument: Bool { usage.contains(" ") }

  /// Returns the command with this name, abbreviation or unambiguous prefix.
  static func named(_ typed: String) throws -> ShellCommand {
    let word = typed.lowercased()
    let full = shorthands[word] ?? word
    if let exact = all.first(where: { $0.name == full }) { return exact }
    let fitting = all.filter { $0.name.hasPrefix(word) }
    if let only = fitting.first, fitting.count == 1 { return only }
    guard fitting.isEmpty else {
      throw Diagnostics(
        "'\(typed)' could be \(fitting.map(\.name).joined(separator: " or "))",
        hint: "write more letters of the command")
    }
    let nearest = otherNames[word] ?? Spelling.nearest(to: word, among: all.map(\.name))
    throw Diagnostics(
      "unknown command '\(typed.prefix(40))'", hint: nearest.map { "did you mean '\($0)'?" } ?? "try 'help'")
  }
}

import Scenarios

/// A command of the shell: its name, how to use it, and what it does.
struct ShellCommand: Sendable {
  typealias Action = @Sendable (inout Session, String) throws -> Session.Output

  let name: String
  /// How it is written with its arguments: `goto N`.
  let usage: String
  let meaning: String
  let run: Action

  /// All commands, as `help` prints them.
  static let all: [ShellCommand] = [
    .init(name: "list", usage: "list", meaning: "the scenarios of the curriculum") { session, _ in try session.list() },
    .init(name: "open", usage: "open ID [CASE]", meaning: "open a scenario, or a case of it") { session, argument in
      try session.open(argument)
    },
    .init(name: "info", usage: "info", meaning: "what the open scenario is about, and its cases") { session, _ in
      try session.info()
    },
    .init(name: "step", usage: "step [N]", meaning: "one step on, or N; an empty line does the same") {
      session, argument in try session.step(argument)
    },
    .init(name: "back", usage: "back [N]", meaning: "one step back, or N") { session, argument in
      try session.back(argument)
    },
    .init(name: "goto", usage: "goto N", meaning: "to step N, forth or back; 0 is the beginning") {
      session, argument in try session.goTo(argument)
    },
    .init(name: "run", usage: "run", meaning: "on to the end, and the verdict") { session, _ in try session.runToEnd()
    },
    .init(name: "reset", usage: "reset", meaning: "back to the beginning") { session, _ in try session.goTo("0") },
    .init(
      name: "show", usage: "show [WHAT]",
      meaning: "step N, a depth, a party, a certificate, session"
    ) { session, argument in try session.show(argument) },
    .init(name: "diagram", usage: "diagram", meaning: "the messages so far as a diagram") { session, _ in
      try session.diagram()
    },
    .init(name: "knows", usage: "knows PARTY", meaning: "what a party knows: client, server, eavesdropper") {
      session, argument in try session.knows(argument)
    },
    .init(
      name: "derive", usage: "derive VALUE [as WHO]",
      meaning: "how WHO, if not said the eavesdropper, comes by it"
    ) { session, argument in try session.derive(argument) },
    .init(name: "why", usage: "why [RULE]", meaning: "the reasons so far, or those of one rule") { session, argument in
      try session.why(argument)
    },
    .init(name: "explain", usage: "explain WORD", meaning: "what a rule, key, code, suite or term means") {
      session, argument in try session.explain(argument)
    },
    .init(name: "help", usage: "help [COMMAND]", meaning: "these commands, or one of them") { session, argument in
      try session.help(argument)
    },
    .init(name: "quit", usage: "quit", meaning: "leave") { _, _ in Session.Output(text: "", quits: true) },
  ]

  /// The command that `word` names, by a prefix that only it has.
  static func named(_ word: String) throws -> ShellCommand {
    let word = word.lowercased()
    if let exact = all.first(where: { $0.name == word }) { return exact }
    let fitting = all.filter { $0.name.hasPrefix(word) }
    if let only = fitting.first, fitting.count == 1 { return only }
    guard fitting.isEmpty else {
      throw Complaint(
        message: "'\(word)' could be \(fitting.map(\.name).joined(separator: " or "))", hint: "write one more letter")
    }
    let nearest = Spelling.nearest(to: word, among: all.map(\.name))
    throw Complaint(
      message: "unknown command '\(word.prefix(40))'", hint: nearest.map { "did you mean '\($0)'?" } ?? "try 'help'")
  }
}

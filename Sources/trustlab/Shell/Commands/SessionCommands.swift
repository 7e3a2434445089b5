// The session itself.
extension ShellCommand {
  static let keeping: [ShellCommand] = [
    .init("help [COMMAND]", .session, "these commands, or one of them", examples: ["help goto"], completing: .command) {
      session, argument in try session.help(argument)
    },
    .init("quit", .session, "leave", examples: ["quit"], isKept: false) { _, _ in Session.Output(text: "", quits: true)
    },
  ]
}

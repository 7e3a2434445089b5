// The session itself.
extension ShellCommand {
  static let keeping: [ShellCommand] = [
    .init(
      "save FILE", .session, "this session as a script that replays", examples: ["save lesson.txt"], completing: .file,
      isKept: false
    ) { session, argument in try session.save(argument) },
    .init(
      "student [NAME]", .session, "whose questions are asked: the same for the same name", examples: ["student alice"]
    ) { session, argument in try session.student(argument) },
    .init(
      "export FORMAT FILE", .session, "the whole run as text, markdown, html, mermaid, svg or json",
      examples: ["export mermaid", "export svg run.svg"], completing: .oneOf(RunFormat.allCases.map(\.rawValue))
    ) { session, argument in try session.export(argument) },
    .init("ascii on|off", .session, "draw with ASCII alone", examples: ["ascii on"], completing: .oneOf(["on", "off"]))
    {
      session, argument in try session.ascii(argument)
    },
    .init("help [COMMAND]", .session, "these commands, or one of them", examples: ["help goto"], completing: .command) {
      session, argument in try session.help(argument)
    },
    .init("quit", .session, "leave", examples: ["quit"], isKept: false) { _, _ in Session.Output(text: "", quits: true)
    },
  ]
}

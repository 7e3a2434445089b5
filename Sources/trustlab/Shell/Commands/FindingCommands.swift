// Which scenarios there are.
extension ShellCommand {
  static let finding: [ShellCommand] = [
    .init(
      "list [WHAT]", .find, "the scenarios, those of a lesson, or all rules, words …", examples: ["list", "list L1"]
    ) {
      session, argument in try session.list(argument)
    },
    .init(
      "open SCENARIO [CASE]", .find, "open a scenario by id or path, or a case of it",
      examples: ["open L1-15", "open L1-15 iOS 8 has no ATS"], completing: .scenario
    ) { session, argument in try session.open(argument) },
    .init("info", .find, "what the open scenario is about, and its cases", examples: ["info"]) { session, _ in
      try session.info()
    },
  ]
}

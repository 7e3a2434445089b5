// Back and forth through the run.
extension ShellCommand {
  static let moving: [ShellCommand] = [
    .init("step [N]", .move, "one step on, or N; an empty line does the same", examples: ["step", "step 3"]) {
      session, argument in try session.step(argument)
    },
    .init("back [N]", .move, "one step back, or N", examples: ["back", "back 2"]) { session, argument in
      try session.back(argument)
    },
    .init(
      "goto N", .move, "to step N or to a kept run; 0 is the beginning", examples: ["goto 3", "goto 0"],
      completing: .fork
    ) {
      session, argument in try session.goTo(argument)
    },
    .init("run", .move, "on to the end or the next stop, and the verdict", examples: ["run"]) { session, _ in
      try session.runToEnd()
    },
    .init("reset", .move, "back to the beginning", examples: ["reset"]) { session, _ in try session.goTo("0") },
    .init(
      "break [on WHAT]", .move, "where 'run' stops: a rule, a party, a message; 'break clear' forgets",
      examples: ["break on ServerHello", "break on ats.no-forward-secrecy", "break clear"], completing: .message
    ) { session, argument in try session.stop(argument) },
  ]
}

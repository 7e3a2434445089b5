// What there is to see where the run stands.
extension ShellCommand {
  static let looking: [ShellCommand] = [
    .init(
      "show [WHAT]", .look, "this step, step N, a party, a certificate, session, plist",
      examples: ["show", "show 1", "show session", "show plist"], completing: .thing
    ) { session, argument in try session.show(argument) },
    .init("diagram", .look, "the messages so far as a diagram", examples: ["diagram"]) { session, _ in
      try session.diagram()
    },
    .init(
      "knows PARTY", .look, "what a party knows: client, server, eavesdropper", examples: ["knows eavesdropper"],
      completing: .party
    ) { session, argument in try session.knows(argument) },
  ]
}

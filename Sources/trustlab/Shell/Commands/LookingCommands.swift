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
    .init("chain", .look, "the certificate paths that were tried, with verdict marks", examples: ["chain"]) {
      session, _ in try session.chain()
    },
    .init("tree", .look, "the scenario's certificates: who signed whom", examples: ["tree"]) { session, _ in
      try session.tree()
    },
    .init("cost", .look, "bytes, round trips and public-key operations so far", examples: ["cost"]) { session, _ in
      try session.cost()
    },
    .init("story", .look, "show of each step who, what, why, and who knows what", examples: ["story"]) {
      session, _ in try session.deepen(to: .story)
    },
    .init(
      "fields [NAME]", .look, "show of each step its fields too, or one field in its bytes",
      examples: ["fields", "fields random"], completing: .field
    ) { session, argument in try session.fields(argument) },
    .init("numbers", .look, "show of each step the arithmetic too, and how to redo it", examples: ["numbers"]) {
      session, _ in try session.deepen(to: .numbers)
    },
    .init(
      "bytes [NAME]", .look, "the bytes of the message sent last, one field marked",
      examples: ["bytes", "bytes random"], completing: .field
    ) { session, argument in try session.bytes(argument) },
  ]
}

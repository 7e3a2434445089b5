// Reasons and meanings.
extension ShellCommand {
  static let asking: [ShellCommand] = [
    .init("why [RULE]", .ask, "the reasons so far, or those of one rule", examples: ["why"], completing: .rule) {
      session, argument in try session.why(argument)
    },
    .init(
      "derive VALUE [as WHO]", .ask, "how WHO, if not said the eavesdropper, comes by it",
      examples: ["derive master_secret as client"], completing: .value
    ) { session, argument in try session.derive(argument) },
    .init(
      "explain WORD", .ask, "what a rule, key, code, suite or term means",
      examples: ["explain ats.no-forward-secrecy"], completing: .word
    ) { session, argument in try session.explain(argument) },
  ]
}

// Reasons and meanings.
extension ShellCommand {
  static let asking: [ShellCommand] = [
    .init(
      "why [RULE|not VERDICT]", .ask, "the reasons so far, those of one rule, or what lies before a verdict",
      examples: ["why", "why ats.no-forward-secrecy", "why not accepted"], completing: .rule
    ) { session, argument in try session.why(argument) },
    .init(
      "who knows VALUE", .ask, "which parties have a value, and how each came by it",
      examples: ["who knows client_random"], completing: .value
    ) { session, argument in try session.who(argument) },
    .init(
      "derive VALUE [as PARTY]", .ask, "how a party, if not said the eavesdropper, comes by it",
      examples: ["derive master_secret as client"], completing: .value
    ) { session, argument in try session.derive(argument) },
    .init(
      "explain WORD", .ask, "what a rule, key, code, suite or term means",
      examples: ["explain ats.no-forward-secrecy"], completing: .word
    ) { session, argument in try session.explain(argument) },
  ]
}

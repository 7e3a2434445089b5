import Scenarios

// What if the scenario were another.
extension ShellCommand {
  static let changing: [ShellCommand] = [
    .init(
      "set PATH = VALUE", .change, "change the scenario, and replay it to the same step; null removes",
      examples: ["set client.os = iOS 9", "set authorities.\"Root A\".trust = user"], completing: .path
    ) { session, argument in try session.set(argument) },
    .init("os NAME", .change, "play it on another system", examples: ["os iOS 9"], completing: .system) {
      session, argument in try session.system(argument)
    },
    .init("clock DATE", .change, "play it on another day", examples: ["clock 2030-01-01"]) { session, argument in
      try session.clock(argument)
    },
    .init(
      "leak SECRET", .change, "a secret becomes known, at once or 'after 30 days'",
      examples: ["leak api.key after 30 days"], completing: .value
    ) { session, argument in try session.leak(argument) },
    .init(
      "attacker VERB", .change, "somebody on the network does something; none removes all",
      examples: ["attacker drop ServerHello", "attacker alter ServerHello field random to 00", "attacker none"],
      completing: .oneOf(["none"] + Vocabulary.plainVerbs + Vocabulary.verbs)
    ) { session, argument in try session.attacker(argument) },
    .init(
      "validator MUTANT", .change, "give a party a historical bug; none takes it away",
      examples: ["validator robot", "validator none"], completing: .oneOf(Mutant.all.map(\.name) + ["none"])
    ) { session, argument in try session.validator(argument) },
    .init("undo", .change, "take the last change back", examples: ["undo"]) { session, _ in try session.undo() },
    .init("fork [NAME]", .change, "keep the run as it stands under a name", examples: ["fork before"]) {
      session, argument in try session.fork(argument)
    },
    .init(
      "diff [A [B]]", .change, "how two runs differ: kept ones, 'file' and 'now'",
      examples: ["diff", "diff file now"], completing: .fork
    ) { session, argument in try session.diff(argument) },
  ]
}

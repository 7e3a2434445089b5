import Learning
import Scenarios

// Lessons, predictions and quizzes.
extension ShellCommand {
  static let teaching: [ShellCommand] = [
    .init(
      "lessons [LESSON]", .learn, "the lessons, how far you are, and how to begin one",
      examples: ["lessons", "lessons L1"]
    ) { session, argument in try session.lessons(argument) },
    .init(
      "predict [KIND]", .learn, "ask me what is still to come", examples: ["predict", "predict verdict"],
      completing: .oneOf(Question.Kind.allCases.map(\.rawValue))
    ) { session, argument in try session.predict(argument) },
    .init(
      "answer ANSWER", .learn, "answer it; 1 to 3 behind it says how sure: 3 and wrong has no second try",
      examples: ["answer b", "answer b 3"]
    ) { session, argument in try session.answer(argument) },
    .init("hint", .learn, "help with it: where to look, what to compare, what is left", examples: ["hint"]) {
      session, _ in try session.hint()
    },
    .init("reveal", .learn, "the answer to it, and why", examples: ["reveal"]) { session, _ in try session.reveal() },
    .init(
      "quiz [LESSON]", .learn, "a question about each scenario of a lesson", examples: ["quiz", "quiz L0"]
    ) { session, argument in try session.quiz(argument) },
    .init("score", .learn, "what was asked, and what became of it", examples: ["score"]) { session, _ in
      session.score()
    },
  ]

  // Back and forth through the run.

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

  // What there is to see where the run stands.

  static let looking: [ShellCommand] = [
    .init(
      "show [WHAT]", .look, "this step, step N, a party, a certificate, session, plist",
      examples: ["show", "show 1", "show session", "show plist", "show challenges", "show storage"], completing: .thing
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

  // Reasons and meanings.

  static let asking: [ShellCommand] = [
    .init(
      "why [RULE|not VERDICT|STATE GOAL]", .ask,
      "the reasons so far, of one rule, before a verdict, or what attackers tried",
      examples: ["why", "why ats.no-forward-secrecy", "why not accepted", "why prevented impersonation"],
      completing: .rule
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
    .init(
      "search WORDS", .ask, "scenarios, rules, codes, terms, documents; '/WORDS' for short",
      examples: ["search forward secrecy"], completing: .word
    ) { session, argument in try session.search(argument) },
  ]

  // What if the scenario were another.

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
      "attacker [VERB]", .change,
      "who is there; or add somebody: 'only' clears first, none leaves who listens",
      examples: [
        "attacker", "attacker drop ServerHello", "attacker alter ServerHello field random to 00",
        "attacker only drop Finished",
        "attacker none",
      ],
      completing: .oneOf(["none", "only"] + NetworkVerb.plain + NetworkVerb.all)
    ) { session, argument in try session.attacker(argument) },
    .init(
      "validator MUTANT", .change, "give a party a historical bug; none takes it away",
      examples: ["validator robot", "validator none"], completing: .oneOf(Mutant.all.map(\.name) + ["none"])
    ) { session, argument in try session.validator(argument) },
    .init(
      "attempt [N]", .change, "the attacks that were tried, or one of them opened as a run",
      examples: ["attempt", "attempt 3"]
    ) { session, argument in try session.attempt(argument) },
    .init("undo", .change, "take the last change back", examples: ["undo"]) { session, _ in try session.undo() },
    .init("fork [NAME]", .change, "keep the run as it stands under a name", examples: ["fork before"]) {
      session, argument in try session.fork(argument)
    },
    .init(
      "diff [A [B]]", .change, "how two runs differ: kept ones, 'file' and 'now'",
      examples: ["diff", "diff file now"], completing: .fork
    ) { session, argument in try session.diff(argument) },
  ]

  // Many runs at once.

  static let many: [ShellCommand] = [
    .init(
      "matrix os|pins|timeline NAME, …", .many,
      "the verdict by system, library or date",
      examples: [
        "matrix os", "matrix os iOS 8, iOS 9", "matrix pins AFNetworking 2.5.1, AFNetworking 3.2",
      ],
      completing: .system
    ) { session, argument in try session.matrix(argument) },
    .init(
      "sweep PATH VALUES", .many, "the verdict for each value",
      examples: ["sweep client.os iOS 8, iOS 9", "sweep seed 1..5"], completing: .path
    ) { session, argument in try session.sweep(argument) },
    .init(
      "minimal [OS, …]", .many, "the smallest exception in the app's property list that lets it load",
      examples: ["minimal", "minimal iOS 9, iOS 18.4"], completing: .system
    ) { session, argument in try session.minimal(argument) },
  ]

  // Which scenarios there are.

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

  // The session itself.

  static let keeping: [ShellCommand] = [
    .init(
      "save FILE", .session, "this session as a script that replays", examples: ["save lesson.txt"], completing: .file,
      isKept: false
    ) { session, argument in try session.save(argument) },
    .init(
      "sheet FILE", .learn, "what a quiz asked and you answered, for 'trustlab grade'", examples: ["sheet ann.json"],
      completing: .file, isKept: false
    ) { session, argument in try session.sheet(argument) },
    .init(
      "student [NAME]", .session, "whose questions are asked: the same for the same name", examples: ["student alice"]
    ) { session, argument in try session.student(argument) },
    .init(
      "export FORMAT FILE", .session, "the whole run as text, markdown, html, mermaid, svg, slide (16:9) or json",
      examples: ["export mermaid", "export svg run.svg"], completing: .oneOf(RunFormat.allCases.map(\.rawValue))
    ) { session, argument in try session.export(argument) },
    .init("ascii on|off", .session, "draw with ASCII alone", examples: ["ascii on"], completing: .oneOf(["on", "off"]))
    {
      session, argument in try session.ascii(argument)
    },
    .init("legend", .session, "what the signs on the screen mean", examples: ["legend"]) { session, _ in
      session.legend()
    },
    .init("help [COMMAND]", .session, "these commands, or one of them", examples: ["help goto"], completing: .command) {
      session, argument in try session.help(argument)
    },
    .init("quit", .session, "leave", examples: ["quit"], isKept: false) { _, _ in Session.Output(text: "", quits: true)
    },
  ]
}

import Learning
import Scenarios

// Lessons, predictions and quizzes.
extension ShellCommand {
  static let teaching: [ShellCommand] = [
    .init(
      "lessons [LESSON]", .learn, "list the lessons with your progress, or show one",
      examples: ["lessons", "lessons L1"]
    ) { session, argument in try session.lessons(argument) },
    .init(
      "predict [KIND]", .learn, "ask you a question about the next steps", examples: ["predict", "predict verdict"],
      completing: .oneOf(Question.Kind.allCases.map(\.rawValue))
    ) { session, argument in try session.predict(argument) },
    .init(
      "answer ANSWER", .learn, "answer the open question; add 1 to 3 for your confidence (3 allows no retry)",
      examples: ["answer b", "answer b 3"]
    ) { session, argument in try session.answer(argument) },
    .init("hint", .learn, "show the next hint for the open question", examples: ["hint"]) {
      session, _ in try session.hint()
    },
    .init("reveal", .learn, "show the answer to the open question, and the reason", examples: ["reveal"]) {
      session, _ in try session.reveal()
    },
    .init(
      "quiz [LESSON]", .learn, "start a quiz with a question about each scenario of a lesson",
      examples: ["quiz", "quiz L0"]
    ) { session, argument in try session.quiz(argument) },
    .init("score", .learn, "show the questions and your results", examples: ["score"]) { session, _ in
      session.score()
    },
  ]

  // Moving through the run.

  static let moving: [ShellCommand] = [
    .init(
      "step [N]", .move, "take one step or N steps; an empty line also takes one step", examples: ["step", "step 3"]
    ) {
      session, argument in try session.step(argument)
    },
    .init("back [N]", .move, "go back one step or N steps", examples: ["back", "back 2"]) { session, argument in
      try session.back(argument)
    },
    .init(
      "goto N", .move, "go to step N or to a kept run; step 0 is the beginning", examples: ["goto 3", "goto 0"],
      completing: .fork
    ) {
      session, argument in try session.goTo(argument)
    },
    .init("run", .move, "run to the next stop or the end, and show the verdict", examples: ["run"]) { session, _ in
      try session.runToEnd()
    },
    .init("reset", .move, "go back to the beginning", examples: ["reset"]) { session, _ in try session.goTo("0") },
    .init(
      "break [on WHAT]", .move, "make 'run' stop at a rule, party or message; 'break clear' removes all stops",
      examples: ["break on ServerHello", "break on ats.no-forward-secrecy", "break clear"], completing: .message
    ) { session, argument in try session.stop(argument) },
  ]

  // Showing the current run.

  static let looking: [ShellCommand] = [
    .init(
      "show [WHAT]", .look, "show the current step, step N, a party, a certificate, the session or plist",
      examples: ["show", "show 1", "show session", "show plist", "show challenges", "show storage"], completing: .thing
    ) { session, argument in try session.show(argument) },
    .init("diagram", .look, "show the messages up to the current step as a diagram", examples: ["diagram"]) {
      session, _ in
      try session.diagram()
    },
    .init(
      "knows PARTY", .look, "show the values that the client, the server or the eavesdropper knows",
      examples: ["knows eavesdropper"],
      completing: .party
    ) { session, argument in try session.knows(argument) },
    .init("chain", .look, "show the certificate paths that were tried, with their checks", examples: ["chain"]) {
      session, _ in try session.chain()
    },
    .init("tree", .look, "show the scenario's certificates below their issuers", examples: ["tree"]) { session, _ in
      try session.tree()
    },
    .init(
      "cost", .look, "show how many bytes, round trips and public-key operations the run has used", examples: ["cost"]
    ) {
      session, _ in
      try session.cost()
    },
    .init(
      "story", .look, "show each step with its parties, message, reason and the values learned",
      examples: ["story"]
    ) {
      session, _ in try session.deepen(to: .story)
    },
    .init(
      "fields [NAME]", .look, "show each step with its fields, or one field with its bytes",
      examples: ["fields", "fields random"], completing: .field
    ) { session, argument in try session.fields(argument) },
    .init(
      "numbers", .look, "show each step with its arithmetic, and how to repeat the calculation", examples: ["numbers"]
    ) {
      session, _ in try session.deepen(to: .numbers)
    },
    .init(
      "bytes [NAME]", .look, "show the bytes of the latest message, with one field marked",
      examples: ["bytes", "bytes random"], completing: .field
    ) { session, argument in try session.bytes(argument) },
  ]

  // Explaining reasons and words.

  static let asking: [ShellCommand] = [
    .init(
      "why [RULE|not VERDICT|STATE GOAL]", .ask,
      "explain the verdict, a rule, a missing verdict, or an attacker's goal",
      examples: ["why", "why ats.no-forward-secrecy", "why not accepted", "why prevented impersonation"],
      completing: .rule
    ) { session, argument in try session.why(argument) },
    .init(
      "who knows VALUE", .ask, "show the parties that know a value, and how each learned it",
      examples: ["who knows client_random"], completing: .value
    ) { session, argument in try session.who(argument) },
    .init(
      "derive VALUE [as PARTY]", .ask, "show how a party learns a value; the default party is the eavesdropper",
      examples: ["derive master_secret as client"], completing: .value
    ) { session, argument in try session.derive(argument) },
    .init(
      "explain WORD", .ask, "explain a rule, key, error code, suite or term",
      examples: ["explain ats.no-forward-secrecy"], completing: .word
    ) { session, argument in try session.explain(argument) },
    .init(
      "search WORDS", .ask, "find scenarios, rules, codes, terms and documents; '/WORDS' is the short form",
      examples: ["search forward secrecy"], completing: .word
    ) { session, argument in try session.search(argument) },
  ]

  // Changing the scenario.

  static let changing: [ShellCommand] = [
    .init(
      "set PATH = VALUE", .change, "change the scenario, and replay it to the same step; null removes a value",
      examples: ["set client.os = iOS 9", "set authorities.\"Root A\".trust = user"], completing: .path
    ) { session, argument in try session.set(argument) },
    .init("os NAME", .change, "change the operating system", examples: ["os iOS 9"], completing: .system) {
      session, argument in try session.system(argument)
    },
    .init("clock DATE", .change, "change the date", examples: ["clock 2030-01-01"]) { session, argument in
      try session.clock(argument)
    },
    .init(
      "leak SECRET", .change, "make a secret known to attackers, immediately or 'after 30 days'",
      examples: ["leak api.key after 30 days"], completing: .value
    ) { session, argument in try session.leak(argument) },
    .init(
      "attacker [VERB]", .change,
      "show or add attackers; 'only' and 'none' remove all but eavesdroppers",
      examples: [
        "attacker", "attacker drop ServerHello", "attacker alter ServerHello field random to 00",
        "attacker only drop Finished",
        "attacker none",
      ],
      completing: .oneOf(["none", "only"] + NetworkVerb.plain + NetworkVerb.all)
    ) { session, argument in try session.attacker(argument) },
    .init(
      "validator MUTANT", .change, "give a party a historical bug; 'none' removes it",
      examples: ["validator robot", "validator none"], completing: .oneOf(Mutant.all.map(\.name) + ["none"])
    ) { session, argument in try session.validator(argument) },
    .init(
      "attempt [N]", .change, "list the attempted attacks, or open one as a run",
      examples: ["attempt", "attempt 3"]
    ) { session, argument in try session.attempt(argument) },
    .init("undo", .change, "undo the last change", examples: ["undo"]) { session, _ in try session.undo() },
    .init(
      "fork [NAME]", .change, "keep the current run under a name, so that you can return to it",
      examples: ["fork before"]
    ) {
      session, argument in try session.fork(argument)
    },
    .init(
      "diff [A [B]]", .change, "compare two runs: kept runs, 'file' (without your changes) or 'now'",
      examples: ["diff", "diff file now"], completing: .fork
    ) { session, argument in try session.diff(argument) },
  ]

  // Many runs at once.

  static let many: [ShellCommand] = [
    .init(
      "matrix os|pins|timeline NAME, …", .many,
      "show the verdicts for several systems, libraries or dates",
      examples: [
        "matrix os", "matrix os iOS 8, iOS 9", "matrix pins AFNetworking 2.5.1, AFNetworking 3.2",
      ],
      completing: .system
    ) { session, argument in try session.matrix(argument) },
    .init(
      "sweep PATH VALUES", .many, "show the verdict for each value of a setting",
      examples: ["sweep client.os iOS 8, iOS 9", "sweep seed 1..5"], completing: .path
    ) { session, argument in try session.sweep(argument) },
    .init(
      "minimal [OS, …]", .many, "find the smallest ATS exception that allows the load",
      examples: ["minimal", "minimal iOS 9, iOS 18.4"], completing: .system
    ) { session, argument in try session.minimal(argument) },
  ]

  // Finding and opening scenarios.

  static let finding: [ShellCommand] = [
    .init(
      "list [WHAT]", .find, "list all scenarios, the scenarios of a lesson, or all rules, words and so on",
      examples: ["list", "list L1"]
    ) {
      session, argument in try session.list(argument)
    },
    .init(
      "open SCENARIO [CASE]", .find, "open a scenario by id or path, or one of its cases",
      examples: ["open L1-15", "open L1-15 iOS 8 has no ATS"], completing: .scenario
    ) { session, argument in try session.open(argument) },
    .init("info", .find, "describe the open scenario and its cases", examples: ["info"]) { session, _ in
      try session.info()
    },
  ]

  // Saving and controlling the session.

  static let keeping: [ShellCommand] = [
    .init(
      "save FILE", .session, "save this session as a script that you can replay", examples: ["save lesson.txt"],
      completing: .file,
      isKept: false
    ) { session, argument in try session.save(argument) },
    .init(
      "sheet FILE", .learn, "save the questions and answers of a quiz for 'trustlab grade'",
      examples: ["sheet ann.json"],
      completing: .file, isKept: false
    ) { session, argument in try session.sheet(argument) },
    .init(
      "student [NAME]", .session, "select the student; the same name always gets the same questions",
      examples: ["student alice"]
    ) { session, argument in try session.student(argument) },
    .init(
      "export FORMAT FILE", .session, "save the whole run as text, markdown, html, mermaid, svg, slide (16:9) or json",
      examples: ["export mermaid", "export svg run.svg"], completing: .oneOf(RunFormat.allCases.map(\.rawValue))
    ) { session, argument in try session.export(argument) },
    .init(
      "ascii on|off", .session, "draw with ASCII characters only", examples: ["ascii on"],
      completing: .oneOf(["on", "off"])
    ) {
      session, argument in try session.ascii(argument)
    },
    .init("legend", .session, "explain the symbols on the screen", examples: ["legend"]) { session, _ in
      session.legend()
    },
    .init(
      "help [COMMAND]", .session, "list the commands, or describe one", examples: ["help goto"], completing: .command
    ) {
      session, argument in try session.help(argument)
    },
    .init("quit", .session, "end the session", examples: ["quit"], isKept: false) { _, _ in
      Session.Output(text: "", quits: true)
    },
  ]
}

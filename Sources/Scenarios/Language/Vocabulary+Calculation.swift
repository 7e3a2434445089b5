extension Vocabulary {
  /// The sections of a calculation.
  static let calculations = [calculation, step, risks]

  /// What describes connections, and cannot stand beside a calculation.
  static let connectionKeys = [
    "authorities", "certificates", "server", "servers", "client", "network", "request", "requests", "connections",
    "timeline",
  ]

  static let calculation = WordSection(
    "calculation",
    "Textbook RSA with toy numbers, step by step: + - * / mod ^, gcd, lcm, inverse(a, n), root(k, x), "
      + "floorRoot(k, x), hash(x), number(text), and == != < <= > >= in checks.",
    [
      Word("given", .named(.text), "numbers (3233, 0xca1) and texts that are there from the start, by name"),
      Word(
        "parties", .named(.list(.text)),
        "who is given which values; what eavesdropper or interceptor is given travels in the clear"),
      Word(
        "steps", .list(.either([.text, .section("step")])),
        "n = p * q, in order; a name that stands for something already is tried to be come by in another way"),
      Word(
        "mutant", .named(.text), "a rule, and the comparison that a faulty program makes in the place of its checks"),
      Word("risks", .section("risks"), "what attackers are after: the goals are computed from it"),
    ])

  static let step = WordSection(
    "step", "A step of a calculation, with more to say about it.",
    [
      Word("step", .text, "a name and what it is given: n = p * q"),
      Word("check", .text, "a comparison that must hold: m == N3"),
      Word("rule", .text, "the rule that a check is about; application.equation-fails, if left out"),
      Word("by", .text, "the party that does it; the first that has all it takes, if left out"),
      Word("why", .text, "what it is for, in a sentence"),
    ])

  static let risks = WordSection(
    "risks", "What attackers are after, by the names of values.",
    [
      Word("eavesdropping", .list(.text), "what nobody else shall read"),
      Word("tampering", .list(.text), "what was sent and what arrived, which shall be equal"),
      Word("impersonation", .list(.text), "keys by which their owner is known"),
    ])
}

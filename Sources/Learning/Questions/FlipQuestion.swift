import Explanation
import Scenarios
import Simulator
import TLS

/// A question about which change of one line changes the result. Any other line with the same effect is also right.
///
/// The engine runs the changed scenario and reports the cost of the change.
struct FlipQuestion {
  let subject: Subject
  let student: Student
  let player: ScenarioPlayer
  /// The answers of earlier questions, which are not used again.
  var used: Set<String> = []

  /// The maximum number of options.
  private static let count = 4

  func question() throws(Diagnostics) -> Question? {
    guard subject.isOver, subject.isCertain else { return nil }
    for aim in aims {
      guard let (change, outcome) = working(for: aim) else { continue }
      let wrong = failing(aim, besides: change)
      guard !wrong.isEmpty else { continue }
      return question(aim, change, outcome, wrong)
    }
    return nil
  }

  /// Returns the question whose answer is this change.
  ///
  /// The result is nil if the change does not reach the aim, or if there is no wrong option.
  func question(for change: Assignment, _ aim: Aim) throws(Diagnostics) -> Question? {
    guard let outcome = outcome(of: change), aim.isReached(by: outcome) else { return nil }
    let wrong = failing(aim, besides: change)
    return wrong.isEmpty ? nil : question(aim, change, outcome, wrong)
  }

  private func question(_ aim: Aim, _ change: Assignment, _ outcome: Outcome, _ wrong: [Assignment]) -> Question {
    let label = "flip/\(subject.scenario.name)"
    let choice = Choice(
      right: Question.Option(change.description), wrong: wrong.map { Question.Option($0.description) })
    let (options, place) = choice.arranged(for: student, label)
    let last = Question.letter(options.count - 1)
    return Question(
      kind: .flip, scenario: subject.scenario.name,
      text: "\(standing) Which line changes the scenario so that \(aim.words)?",
      given: [], options: options,
      format: "type one of 'answer a' to 'answer \(last)', or your own line: answer PATH = VALUE",
      hints: hints(aim) + [Choice.narrowing(options, place, student, label)],
      solution: .change(change, aim), reason: .sentence(Self.reason(Cost(of: outcome, instead: subject.outcome, aim))))
  }

  private static func reason(_ cost: Cost) -> String {
    (cost.isHarmful ? cost.sentences : []).joined(separator: " ") + (cost.isHarmful ? " " : "")
      + "Any other line with this effect is also right."
  }

  /// The possible aims of a change. The question is asked after the run, because the aim reveals the verdict.
  private var aims: [Aim] {
    switch subject.outcome.verdict.word {
    case .accepted:
      student.shuffled(isAboutKeys ? [.refused, .overheard] : [.refused], for: "aim/\(subject.scenario.name)")
        .filter { !$0.isReached(by: subject.outcome) }
    case .refused, .hangs: [.accepted]
    case .notApplicable: []
    }
  }

  /// Whether the lesson is about keys. A leaked secret is a useful option only in such lessons.
  private var isAboutKeys: Bool { ["L0-", "L1-", "L2-", "L7-", "L8-"].contains { subject.scenario.id.hasPrefix($0) } }

  /// A sentence about the current result, such as `Now it is refused: ats.insecure-http.`
  private var standing: String {
    let because = subject.outcome.verdict.because.map(\.id).joined(separator: ", ")
    return "The result now is \(subject.outcome.verdict.word.rawValue)" + (because.isEmpty ? "." : ": \(because).")
  }

  /// Returns a line that reaches the aim. Another case of the file contains the line, so it fits the subject.
  ///
  /// Of these lines, it is the one with the lowest cost that was not yet an answer.
  private func working(for aim: Aim) -> (Assignment, Outcome)? {
    let lines = aim == .overheard ? leaks(Self.tellingLeaks) : siblings
    let reaching = lines.filter { !used.contains($0.description) }.compactMap { line -> (Assignment, Outcome)? in
      guard let outcome = outcome(of: line), aim.isReached(by: outcome) else { return nil }
      return (line, outcome)
    }
    return student.shuffled(reaching, for: "working/\(subject.scenario.name)").min { left, right in
      Cost(of: left.1, instead: subject.outcome, aim).lost.count
        < Cost(of: right.1, instead: subject.outcome, aim).lost.count
    }
  }

  /// Returns lines that can be played but do not reach the aim. They come from other cases and from popular advice.
  private func failing(_ aim: Aim, besides change: Assignment) -> [Assignment] {
    let own = student.shuffled(
      aim == .overheard ? leaks(Self.vainLeaks) : siblings, for: "own/\(subject.scenario.name)")
    let usual = student.shuffled(self.usual(aim), for: "usual/\(subject.scenario.name)")
    var seen = Set([change.description])
    var failing: [Assignment] = []
    for line in own + usual where failing.count < Self.count - 1 {
      guard seen.insert(line.description).inserted, line.description.count <= Self.longest,
        let changed = try? line.applied(to: subject.scenario, beside: subject.file.cases),
        changed.tree.difference(from: subject.scenario.tree) != nil, let result = try? player.play(changed),
        !aim.isReached(by: result.outcome)
      else { continue }
      failing.append(line)
    }
    return failing
  }

  private func outcome(of line: Assignment) -> Outcome? {
    guard line.description.count <= Self.longest,
      let changed = try? line.applied(to: subject.scenario, beside: subject.file.cases)
    else {
      return nil
    }
    return try? player.play(changed).outcome
  }

  /// The maximum length of a line that fits on a screen with three others.
  private static let longest = 200

  private var siblings: [Assignment] {
    var seen: Set<String> = []
    return subject.file.cases.filter { $0.caseName != subject.scenario.caseName }
      .compactMap { Assignment(from: subject.scenario, to: $0) }.filter { seen.insert($0.description).inserted }
  }

  /// The secrets that only allow a third party to decrypt the recording.
  private static let tellingLeaks = [
    ValueName(.masterSecret), ValueName(.premasterSecret), ValueName(.writeKey, of: .client),
    ValueName(.writeKey, of: .server),
  ]
  /// The secrets that decrypt nothing, or that allow more than decrypting the recording.
  private static let vainLeaks = [
    ValueName(.random, of: .client), ValueName(.random, of: .server), ValueName(.key),
    ValueName(.verifyData, of: .client),
  ]

  private func leaks(_ names: [ValueName]) -> [Assignment] {
    guard let plan = subject.end.world.plans.last else { return [] }
    return names.map {
      $0.kind == .key ? plan.server.tls.privateKeyName : plan.scope.name($0)
    }
    .compactMap { try? Assignment(reading: "network = [eavesdrop, { leak: \($0), after: 30 days }]") }
  }

  /// Returns changes from popular advice, regardless of the problem.
  private func usual(_ aim: Aim) -> [Assignment] {
    let given = subject.scenario.tree["calculation"]?["given"]?.entries ?? []
    let toys = ["7", "11", "3"].flatMap { number in given.map { "calculation.given.\($0.key) = \(number)" } }
    let texts =
      subject.scenario.calculation == nil
      ? [
        "client.infoPlist = { NSAllowsArbitraryLoads: true }", "client.os = iOS 17", "client.os = iOS 9",
        "server.versions = [TLSv1.2]", "client.alpn = [http/1.1]", "seed = 7", "network = [eavesdrop]",
        "server.cipherSuites = [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]",
      ] : toys
    return texts.compactMap { try? Assignment(reading: $0) }
  }

  private func hints(_ aim: Aim) -> [String] {
    if aim == .overheard {
      return [
        "Look at the leaked secret: who has it, and what can be computed from it?",
        "Compare: does it decrypt the recording, or does it prove an identity?",
      ]
    }
    let hints = Hints(subject)
    return [hints.place, hints.comparison]
  }
}

/// The cost of a change that reaches the aim: the attackers' goals that are reachable only after the change.
struct Cost {
  let lost: [(goal: Goal, before: Goal.State, after: Goal.State)]
  private let aim: Aim
  private let outcome: Outcome

  /// Computes the cost by comparing the new outcome with the previous one.
  init(of outcome: Outcome, instead before: Outcome, _ aim: Aim) {
    self.aim = aim
    self.outcome = outcome
    // Only an accepted run exchanges content. The purpose of the flip may be the loss of a goal.
    guard aim == .accepted, outcome.verdict.word == .accepted else {
      lost = []
      return
    }
    lost = Goal.allCases.compactMap { goal in
      let (old, new) = (before.goals[goal] ?? .notApplicable, outcome.goals[goal] ?? .notApplicable)
      return Aim.isLost(new) && !Aim.isLost(old) ? (goal, old, new) : nil
    }
  }

  var isHarmful: Bool { !lost.isEmpty }

  /// The cost in sentences, beginning with the harm.
  var sentences: [String] {
    guard aim == .accepted, outcome.verdict.word == .accepted else { return [] }
    guard isHarmful else {
      let isLost = Goal.allCases.contains { outcome.goals[$0].map(Aim.isLost) == true }
      return [
        isLost
          ? "The change lets attackers reach no further goal."
          : "The change is safe: in this run, no attacker reaches a goal."
      ]
    }
    let goals = lost.map { "\($0.goal.rawValue) is \($0.after.rawValue) (was \($0.before.rawValue))" }
    return ["Harmful: the client accepts, but \(goals.joined(separator: ", "))."]
  }
}

extension Assignment {
  /// Returns the changed scenario. Other cases of the file may still use settings that this case no longer uses.
  func applied(to scenario: Scenario, beside others: [Scenario]) throws(Diagnostics) -> Scenario {
    try scenario.changing(try change(in: scenario.tree), beside: others)
  }

  /// Finds the single line in which `other` differs from `scenario`; nil if there is none or more than one.
  init?(from scenario: Scenario, to other: Scenario) {
    let pendingValues = Scenario.wordsAboutIt + ["cases", "sweep"]
    guard var node = other.tree.without(pendingValues).difference(from: scenario.tree.without(pendingValues)) else {
      return nil
    }
    var segments: [String] = []
    while case .map(let entries, _) = node, entries.count == 1, let entry = entries.first {
      segments.append(entry.key)
      node = entry.value
      // A new map counts as one line.
      if Self.node(at: segments, in: scenario.tree)?.entries == nil { break }
    }
    guard node.entries == nil || Self.node(at: segments, in: scenario.tree)?.entries == nil, !segments.isEmpty,
      segments.allSatisfy({ !$0.isEmpty && !$0.contains("\"") })
    else { return nil }
    self.init(ScenarioPath(segments: segments), node)
  }

  private static func node(at segments: [String], in tree: Node) -> Node? {
    segments.reduce(Optional(tree)) { node, segment in node?[segment] }
  }
}

/// The aim of a change.
public enum Aim: String, Sendable, Hashable {
  /// The client accepts.
  case accepted
  /// The client refuses.
  case refused
  /// The client accepts, and a third party can read the content but can neither change it nor impersonate the server.
  case overheard

  /// Returns whether the outcome reaches the aim.
  public func isReached(by outcome: Outcome) -> Bool {
    switch self {
    case .accepted: outcome.verdict.word == .accepted
    // A limit of the simulation shows nothing about TLS.
    case .refused: outcome.verdict.word == .refused && !outcome.verdict.isLimit
    case .overheard:
      outcome.verdict.word == .accepted && outcome.goals[.eavesdropping].map(Self.isLost) == true
        && outcome.goals[.tampering] == .prevented && outcome.goals[.impersonation] == .prevented
    }
  }

  static func isLost(_ state: Goal.State) -> Bool { [.possible, .later].contains(state) }

  /// The aim in words.
  var words: String {
    switch self {
    case .accepted: "the client accepts"
    case .refused: "the client refuses"
    case .overheard: "the client accepts, and a third party can read the content but do nothing more"
    }
  }
}

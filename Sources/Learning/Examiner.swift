import Cryptography
import Scenarios
import Simulator

/// Asks about runs, and judges answers by playing them.
public struct Examiner: Sendable {
  let player: ScenarioPlayer
  /// Who is asked.
  public let student: Student

  /// An examiner of `student` who plays with `player`.
  public init(player: ScenarioPlayer, student: Student = Student()) {
    self.player = player
    self.student = student
  }

  /// The question of this kind about `subject`: never about what the student has already seen, nor about what the engine
  /// does not know. Nil when there is none.
  ///
  /// - Throws: `Diagnostics` when a file that the scenario names cannot be used.
  public func question(_ kind: Question.Kind, about subject: Subject) throws(Diagnostics) -> Question? {
    try question(kind, about: subject, used: [:])
  }

  /// The question of this kind, whose answer is, where there are several to ask for, one that was right less often.
  func question(
    _ kind: Question.Kind, about subject: Subject, used: [String: Int]
  ) throws(Diagnostics) -> Question? {
    switch kind {
    case .verdict: return VerdictQuestion(subject: subject, student: student).question()
    case .reason: return ReasonQuestion(subject: subject, student: student).question()
    case .risk: return RiskQuestion(subject: subject, student: student, used: used).question()
    case .whoKnows: return KnowledgeQuestion(subject: subject, student: student, used: used).question()
    case .order: return OrderQuestion(subject: subject, student: student).question()
    case .compute: return ComputeQuestion(subject: subject, student: student).question()
    case .flip:
      return try FlipQuestion(subject: subject, student: student, player: player, used: Set(used.keys)).question()
    case .minimal: return try MinimalQuestion(subject: subject, player: player).question()
    case .versions: return try VersionsQuestion(subject: subject, player: player).question()
    case .detective: return DetectiveQuestion(subject: subject, student: student, player: player).question()
    case .bug: return BugQuestion(subject: subject, student: student).question()
    }
  }

  /// The first question about `subject` among these kinds.
  ///
  /// - Throws: `Diagnostics` when a file that the scenario names cannot be used.
  public func question(
    among kinds: [Question.Kind], about subject: Subject
  ) throws(Diagnostics) -> Question? {
    for kind in kinds {
      if let question = try question(kind, about: subject) { return question }
    }
    return nil
  }

  /// All kinds, in the order in which this student meets them in a scenario; but for L3 to L5, the verdict before its
  /// reason.
  public func kinds(for scenario: String) -> [Question.Kind] {
    if Self.isAboutTrust(scenario) { return kindsOfTrust(for: scenario) }
    let first: [Question.Kind] = [.verdict, .compute, .risk, .whoKnows]
    let others = Question.Kind.allCases.filter { kind in
      // Whoever has not met the keys of a property list is not asked for a dictionary of them.
      !first.contains(kind) && kind != .reason && (kind != .minimal || Self.isAboutSettings(scenario))
    }
    var kinds = student.shuffled(first, for: "kinds/\(scenario)") + student.shuffled(others, for: "others/\(scenario)")
    kinds.insert(.reason, at: (kinds.firstIndex(of: .verdict) ?? 0) + 1)
    return kinds
  }

  /// In the lessons about certificates, trust and names what matters is who is accepted and why, not who has which key.
  private func kindsOfTrust(for scenario: String) -> [Question.Kind] {
    let first = student.shuffled([Question.Kind.verdict, .reason, .versions], for: "kinds/\(scenario)")
    let others = Question.Kind.allCases.filter { !first.contains($0) && $0 != .whoKnows && $0 != .minimal }
    return first + student.shuffled(others, for: "others/\(scenario)") + [.whoKnows]
  }

  private static func isAboutSettings(_ scenario: String) -> Bool {
    ["L9-", "L10-", "L14-"].contains { scenario.hasPrefix($0) }
  }

  private static func isAboutTrust(_ scenario: String) -> Bool {
    ["L3-", "L4-", "L5-"].contains { scenario.hasPrefix($0) }
  }
}

/// A question with options, of which one is right.
struct Choice {
  let right: Question.Option
  let wrong: [Question.Option]

  /// The options in this student's order, and the place of the right one.
  func arranged(for student: Student, _ label: String) -> (options: [Question.Option], solution: Question.Solution) {
    let options = student.shuffled([right] + wrong, for: label)
    return (options, .option(options.firstIndex(of: right) ?? 0))
  }

  /// How such a question is answered.
  static func format(_ count: Int) -> String {
    let last = Question.letter(count - 1)
    return "type 'answer a' to 'answer \(last)'; behind it 1, 2 or 3 if you like: guessed, think so, "
      + "certain (no second try)"
  }
}

/// Who is asked: the same student is always asked the same, another one with other numbers and in another order.
///
/// Nothing is random: all follows from the id, so that a teacher can print any student's sheet again.
public struct Student: Sendable, Hashable {
  /// Any text: a name, a number; empty for whoever did not say.
  public let id: String

  /// The student called `id`.
  public init(_ id: String = "") { self.id = id }

  /// A number from 0 up to, not including, `count`; 0 when there is nothing to choose from.
  func choice(of count: Int, for label: String) -> Int {
    var random = stream(label)
    return Self.number(below: count, &random)
  }

  /// The items in an order of this student's own (R. Durstenfeld's shuffle).
  func shuffled<Item>(_ items: [Item], for label: String) -> [Item] {
    var items = items
    var random = stream(label)
    for end in items.indices.reversed() { items.swapAt(end, Self.number(below: end + 1, &random)) }
    return items
  }

  /// One of the items; nil when there is none.
  public func pick<Item>(_ items: [Item], for label: String) -> Item? {
    let place = choice(of: items.count, for: label)
    return items.indices.contains(place) ? items[place] : nil
  }

  private func stream(_ label: String) -> DeterministicRandom {
    DeterministicRandom(seed: .number(0), label: "student/\(id)/\(label)")
  }

  private static func number(below count: Int, _ random: inout DeterministicRandom) -> Int {
    guard count > 1 else { return 0 }
    // 32 bits for a handful of things: the bias is below one in a hundred million.
    let number = random.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}

import Cryptography
import Scenarios
import Simulator

/// Generates questions about runs, and grades answers by running them.
public struct Examiner: Sendable {
  let player: ScenarioPlayer
  /// The student to whom the questions are put.
  public let student: Student

  /// Creates an examiner of `student` that plays runs with `player`.
  public init(player: ScenarioPlayer, student: Student = Student()) {
    self.player = player
    self.student = student
  }

  /// Returns a question of this kind about `subject`; nil if there is none.
  ///
  /// A question is never about a fact that the student has already seen or that the engine does not know.
  ///
  /// - Throws: `Diagnostics` if a file that the scenario names cannot be used.
  public func question(_ kind: Question.Kind, about subject: Subject) throws(Diagnostics) -> Question? {
    try question(kind, about: subject, used: [:])
  }

  /// Returns a question of this kind. If several answers are possible, the examiner prefers the one that was right
  /// least often.
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

  /// Returns the first question about `subject` of one of these kinds.
  ///
  /// - Throws: `Diagnostics` if a file that the scenario names cannot be used.
  public func question(
    among kinds: [Question.Kind], about subject: Subject
  ) throws(Diagnostics) -> Question? {
    for kind in kinds {
      if let question = try question(kind, about: subject) { return question }
    }
    return nil
  }

  /// Returns all kinds in the order of this student's questions about a scenario.
  ///
  /// The question about the verdict comes before the question about its reason, except in L3 to L5.
  public func kinds(for scenario: String) -> [Question.Kind] {
    if Self.isAboutTrust(scenario) { return kindsOfTrust(for: scenario) }
    let first: [Question.Kind] = [.verdict, .compute, .risk, .whoKnows]
    let others = Question.Kind.allCases.filter { kind in
      // Only lessons that introduce property list keys ask for a dictionary.
      !first.contains(kind) && kind != .reason && (kind != .minimal || Self.isAboutSettings(scenario))
    }
    var kinds = student.shuffled(first, for: "kinds/\(scenario)") + student.shuffled(others, for: "others/\(scenario)")
    kinds.insert(.reason, at: (kinds.firstIndex(of: .verdict) ?? 0) + 1)
    return kinds
  }

  /// Returns the kinds for lessons about certificates, trust and names. Verdicts and reasons come first, and keys last.
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

/// A multiple-choice question with one right option.
struct Choice {
  let right: Question.Option
  let wrong: [Question.Option]

  /// Returns the options in this student's order, and the index of the right one.
  func arranged(for student: Student, _ label: String) -> (options: [Question.Option], solution: Question.Solution) {
    let options = student.shuffled([right] + wrong, for: label)
    return (options, .option(options.firstIndex(of: right) ?? 0))
  }

  /// Returns the instruction for answering a question with this many options.
  static func format(_ count: Int) -> String {
    let last = Question.letter(count - 1)
    return "type one of 'answer a' to 'answer \(last)'. You can add 1, 2 or 3 for your confidence: 1 guessed, "
      + "2 fairly sure, 3 certain (no second try)"
  }
}

/// A student. The same student always gets the same questions, while another student gets different numbers and a
/// different order.
///
/// Nothing is random, because all choices are derived from the id. A teacher can therefore print any student's sheet
/// again.
public struct Student: Sendable, Hashable {
  /// The student's name, number or any other text; empty if the student gave none.
  public let id: String

  /// Creates the student with the id `id`.
  public init(_ id: String = "") { self.id = id }

  /// Returns a number from 0 up to, but not including, `count`; 0 if there is no choice.
  func choice(of count: Int, for label: String) -> Int {
    var random = stream(label)
    return Self.number(below: count, &random)
  }

  /// Returns the items in this student's order (R. Durstenfeld's shuffle).
  func shuffled<Item>(_ items: [Item], for label: String) -> [Item] {
    var items = items
    var random = stream(label)
    for end in items.indices.reversed() { items.swapAt(end, Self.number(below: end + 1, &random)) }
    return items
  }

  /// Returns one of the items; nil if there is none.
  public func pick<Item>(_ items: [Item], for label: String) -> Item? {
    let place = choice(of: items.count, for: label)
    return items.indices.contains(place) ? items[place] : nil
  }

  private func stream(_ label: String) -> DeterministicRandom {
    DeterministicRandom(seed: .number(0), label: "student/\(id)/\(label)")
  }

  private static func number(below count: Int, _ random: inout DeterministicRandom) -> Int {
    guard count > 1 else { return 0 }
    // For a few items, 32 bits are enough: the bias is below one in a hundred million.
    let number = random.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(number % UInt64(count))
  }
}

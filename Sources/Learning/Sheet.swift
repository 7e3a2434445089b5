import Cryptography
import Scenarios

/// What a student was asked and has answered in the quizzes of a session, in order, with a seal over all of it.
///
/// With a teacher's key the seal is an HMAC (RFC 2104) that nobody can make without it. Without one it is a checksum that
/// anybody can compute: it shows a change by hand, and nothing more.
public struct Sheet: Sendable, Hashable {
  /// One question, and what became of it.
  public struct Entry: Sendable, Hashable {
    /// The case that it was about.
    public var scenario: String
    /// What was asked for.
    public var kind: String
    /// The question itself.
    public var asked: String
    /// The answers in order, as they were typed.
    public var answers: [String]
    /// How many hints were taken.
    public var hints: Int
    /// How sure the student was of the last answer, 1 to 3; 0 when it was not said.
    public var confidence: Int
    /// What became of it, a word of `Score.Result`.
    public var result: String
    /// The right answer as it would be typed.
    public var right: String

    /// An entry of these parts.
    public init(
      scenario: String, kind: String, asked: String, answers: [String], hints: Int, confidence: Int, result: String,
      right: String
    ) {
      (self.scenario, self.kind, self.asked, self.answers) = (scenario, kind, asked, answers)
      (self.hints, self.confidence, self.result, self.right) = (hints, confidence, result, right)
    }

    /// Whether the answer was right in the end.
    public var isRight: Bool { Score.Result(rawValue: result)?.isRight == true }
    /// Whether it was right at once, and without help.
    public var isAlone: Bool { result == Score.Result.alone.rawValue }
    /// Whether the student was certain, and wrong.
    public var isConfidentMistake: Bool { confidence == 3 && !isRight }
    /// What makes it the same question on the sheets of a class: the scenario and the kind.
    public var place: String { "\(scenario.prefix { $0 != "/" }) \(kind)" }
  }

  /// Who seals and who checks: whoever has the teacher's key, or anybody.
  public enum Key: Sendable, Hashable {
    /// The bytes of the teacher's class file.
    case teacher([UInt8])
    /// A key that everybody knows.
    case everybody

    var bytes: [UInt8] {
      switch self {
      case .teacher(let bytes): bytes
      case .everybody: Array("trustlab sheet".utf8)
      }
    }
  }

  /// The lesson.
  public var lesson: String
  /// Whose it is.
  public var student: String
  /// How often this student had begun a quiz on the lesson: more than once is a rehearsal.
  public var begun: Int
  /// The questions in the order in which they were asked.
  public var entries: [Entry]
  /// The code after each entry, the last of which covers all of them.
  public var codes: [[UInt8]]
  /// Whether a teacher's key was used.
  public var isTeachers: Bool

  /// A sheet as it was read.
  public init(
    lesson: String, student: String, begun: Int, entries: [Entry], codes: [[UInt8]], isTeachers: Bool
  ) {
    (self.lesson, self.student, self.begun) = (lesson, student, begun)
    (self.entries, self.codes, self.isTeachers) = (entries, codes, isTeachers)
  }

  /// The sheet of `progress` on `lesson`, sealed with `key`; nil where no quiz on it was begun in this session.
  public init?(_ progress: Progress, lesson: String, key: Key) {
    let own = progress.asked.filter { $0.isOfQuiz && $0.subject.scenario.id.hasPrefix("\(lesson)-") }
    guard !own.isEmpty else { return nil }
    let entries = own.map { one in
      Entry(
        scenario: one.isOpen ? one.subject.scenario.id : one.question.scenario, kind: one.question.kind.rawValue,
        asked: one.question.text, answers: one.answers, hints: one.hints, confidence: one.confidence ?? 0,
        result: one.result.rawValue, right: one.isOpen ? "" : one.question.answer)
    }
    self.init(
      lesson: lesson, student: progress.student.id, begun: progress.begun[lesson] ?? 1, entries: entries, codes: [],
      isTeachers: key != .everybody)
    codes = codes(key)
  }

  /// The codes that the entries have under `key`: each covers the one before, so that none can be left out or moved.
  public func codes(_ key: Key) -> [[UInt8]] {
    let prepared = HMAC.Key(.sha256, key.bytes)
    var last = prepared.authenticationCode(Self.bytes(["sheet 1", lesson, student, "\(begun)", "\(entries.count)"]))
    return entries.map { entry in
      let parts = [
        entry.scenario, entry.kind, entry.asked, "\(entry.hints)", "\(entry.confidence)", entry.result, entry.right,
        "\(entry.answers.count)",
      ]
      last = prepared.authenticationCode(last + Self.bytes(parts + entry.answers))
      return last
    }
  }

  /// Each text behind its length: no two lists have the same bytes.
  private static func bytes(_ texts: [String]) -> [UInt8] {
    texts.flatMap { text in
      let bytes = Array(text.utf8)
      return withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian, Array.init) + bytes
    }
  }

  /// What a seal says.
  public enum Seal: Sendable, Hashable {
    /// The teacher's key made it.
    case sealed
    /// Nobody's hand changed it; whoever has the program can make it.
    case unaltered
    /// It does not fit, from the entry with this number on.
    case altered(from: Int)
    /// It needs the class file.
    case needsKey
    /// The class has a key, and it was made without.
    case withoutKey
  }

  /// What the seal says to whoever has `key`.
  public func seal(_ key: Key) -> Seal {
    if isTeachers, key == .everybody { return .needsKey }
    let expected = codes(isTeachers ? key : .everybody)
    for (place, code) in expected.enumerated() where !codes.indices.contains(place) || codes[place] != code {
      return .altered(from: place + 1)
    }
    guard codes.count == expected.count else { return .altered(from: expected.count + 1) }
    if !isTeachers { return key == .everybody ? .unaltered : .withoutKey }
    return .sealed
  }
}

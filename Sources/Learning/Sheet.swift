import Cryptography
import Scenarios

/// The questions and answers of a student in the quizzes of a session, in order, with a seal.
///
/// With a teacher's key, the seal is an HMAC (RFC 2104), which can only be computed with the key. Without a teacher's
/// key, the seal is a checksum that anyone can compute. It only reveals changes made by hand.
public struct Sheet: Sendable, Hashable {
  /// A question on the sheet, with its result.
  public struct Entry: Sendable, Hashable {
    /// The case that the question was about.
    public var scenario: String
    /// The kind of the question.
    public var kind: String
    /// The text of the question.
    public var asked: String
    /// The student's answers in order, as typed.
    public var answers: [String]
    /// The number of hints that the student used.
    public var hints: Int
    /// The student's confidence in the last answer, from 1 to 3; 0 if the student gave none.
    public var confidence: Int
    /// The result of the question, a raw value of `Score.Result`.
    public var result: String
    /// The right answer as a student would type it.
    public var right: String

    /// Creates an entry of a sheet.
    public init(
      scenario: String, kind: String, asked: String, answers: [String], hints: Int, confidence: Int, result: String,
      right: String
    ) {
      (self.scenario, self.kind, self.asked, self.answers) = (scenario, kind, asked, answers)
      (self.hints, self.confidence, self.result, self.right) = (hints, confidence, result, right)
    }

    /// Whether the final answer was right.
    public var isRight: Bool { Score.Result(rawValue: result)?.isRight == true }
    /// Whether the first answer was right and no help was used.
    public var isAlone: Bool { result == Score.Result.alone.rawValue }
    /// Whether the student was certain, but wrong.
    public var isConfidentMistake: Bool { confidence == 3 && !isRight }
    /// The scenario and the kind, which identify the same question on all sheets of a class.
    public var place: String { "\(scenario.prefix { $0 != "/" }) \(kind)" }
  }

  /// The key with which a sheet is sealed: the teacher's key, or a public key.
  public enum Key: Sendable, Hashable {
    /// The bytes of the teacher's class file.
    case teacher([UInt8])
    /// A public key that is part of the program.
    case everybody

    var bytes: [UInt8] {
      switch self {
      case .teacher(let bytes): bytes
      case .everybody: Array("trustlab sheet".utf8)
      }
    }
  }

  /// The id of the lesson.
  public var lesson: String
  /// The id of the student.
  public var student: String
  /// The number of quizzes on the lesson that the student had started. More than one means practice.
  public var begun: Int
  /// The questions in order.
  public var entries: [Entry]
  /// The MAC after each entry. The last one covers all entries.
  public var codes: [[UInt8]]
  /// Whether the sheet was sealed with a teacher's key.
  public var isTeachers: Bool

  /// Creates a sheet from its parts, without a check of the seal.
  public init(
    lesson: String, student: String, begun: Int, entries: [Entry], codes: [[UInt8]], isTeachers: Bool
  ) {
    (self.lesson, self.student, self.begun) = (lesson, student, begun)
    (self.entries, self.codes, self.isTeachers) = (entries, codes, isTeachers)
  }

  /// Creates the sheet of `progress` on `lesson`, sealed with `key`; nil if the session has no quiz on the lesson.
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

  /// Computes the MACs of the entries with `key`. Each MAC covers the previous one, so that no entry can be removed or
  /// moved.
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

  /// Encodes each text after its length, so that different lists always have different bytes.
  private static func bytes(_ texts: [String]) -> [UInt8] {
    texts.flatMap { text in
      let bytes = Array(text.utf8)
      return withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian, Array.init) + bytes
    }
  }

  /// The result of checking a sheet's seal.
  public enum Seal: Sendable, Hashable {
    /// The seal was created with the teacher's key.
    case sealed
    /// The sheet was not changed by hand, but anyone with the program could have created the seal.
    case unaltered
    /// The seal is wrong for this entry and all later entries.
    case altered(from: Int)
    /// The check needs the teacher's class file.
    case needsKey
    /// The class has a key, but the sheet was sealed without it.
    case withoutKey
  }

  /// Checks the seal with `key`.
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

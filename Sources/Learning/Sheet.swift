import Cryptography
import Scenarios

/// The questions and answers of a student in the quizzes of a session, in order, with a seal.
///
/// With a teacher's key, the seal is an HMAC (RFC 2104) that cannot be made without the key. Without one it is a
/// checksum, which anyone can compute: it reveals only changes by hand.
public struct Sheet: Sendable, Hashable {
  /// One question and its result.
  public struct Entry: Sendable, Hashable {
    /// The case that the question was about.
    public var scenario: String
    /// The kind of the question.
    public var kind: String
    /// The question itself.
    public var asked: String
    /// The answers in order, as typed.
    public var answers: [String]
    /// The number of hints used.
    public var hints: Int
    /// The student's confidence in the last answer, 1 to 3; 0 if none was given.
    public var confidence: Int
    /// The result, a word of `Score.Result`.
    public var result: String
    /// The right answer as a student would type it.
    public var right: String

    /// Creates an entry.
    public init(
      scenario: String, kind: String, asked: String, answers: [String], hints: Int, confidence: Int, result: String,
      right: String
    ) {
      (self.scenario, self.kind, self.asked, self.answers) = (scenario, kind, asked, answers)
      (self.hints, self.confidence, self.result, self.right) = (hints, confidence, result, right)
    }

    /// Whether the answer was right in the end.
    public var isRight: Bool { Score.Result(rawValue: result)?.isRight == true }
    /// Whether the answer was right at once and without help.
    public var isAlone: Bool { result == Score.Result.alone.rawValue }
    /// Whether the student was certain, but wrong.
    public var isConfidentMistake: Bool { confidence == 3 && !isRight }
    /// The scenario and the kind, which identify the same question on the sheets of a class.
    public var place: String { "\(scenario.prefix { $0 != "/" }) \(kind)" }
  }

  /// The key of a seal: the teacher's, or a public one.
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

  /// The lesson.
  public var lesson: String
  /// The student's id.
  public var student: String
  /// The number of quizzes on the lesson that the student had started. More than one means practice.
  public var begun: Int
  /// The questions in order.
  public var entries: [Entry]
  /// The MAC after each entry. The last one covers all entries.
  public var codes: [[UInt8]]
  /// Whether a teacher's key was used.
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

  /// Computes the MACs of the entries with `key`. Each covers the previous one, so that no entry can be removed or
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

  /// Encodes each text after its length, so that different lists have different bytes.
  private static func bytes(_ texts: [String]) -> [UInt8] {
    texts.flatMap { text in
      let bytes = Array(text.utf8)
      return withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian, Array.init) + bytes
    }
  }

  /// The result of checking a seal.
  public enum Seal: Sendable, Hashable {
    /// The seal was made with the teacher's key.
    case sealed
    /// The sheet was not changed by hand, but anyone with the program can make this seal.
    case unaltered
    /// The seal does not match from the entry with this number on.
    case altered(from: Int)
    /// The check needs the class file.
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

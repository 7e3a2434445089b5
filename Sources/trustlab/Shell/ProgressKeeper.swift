import Foundation
import Learning
import Rendering

/// Saves the progress of each student in a file between sessions.
///
/// The folder is `TRUSTLAB_PROGRESS`, or the state folder of the XDG Base Directory Specification.
struct ProgressKeeper {
  private let folder: String
  private var student: String?
  private var kept: Set<String> = []
  private var quizzes: [String: Int] = [:]
  private var hasFailed = false

  /// Creates the keeper; nil if no folder is known or `TRUSTLAB_PROGRESS` is `off`.
  init?(_ environment: [String: String]) {
    if let named = environment["TRUSTLAB_PROGRESS"] {
      guard !named.isEmpty, named != "off" else { return nil }
      folder = named
    } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      folder = "\(state)/trustlab/progress"
    } else if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
      folder = "\(home)/.local/state/trustlab/progress"
    } else {
      return nil
    }
  }

  /// Returns the file name for a student. All bytes of the name except ASCII letters and digits are percent-encoded.
  static func name(of student: String) -> String {
    let plain = student.utf8.map { byte -> String in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    return (plain.isEmpty ? "nobody" : "student-\(plain)") + ".json"
  }

  private func path(of student: String) -> String { "\(folder)/\(Self.name(of: student))" }

  /// Adds the saved progress of the student. Returns a message for the user; nil if there is none.
  mutating func load(into progress: inout Learning.Progress) -> String? {
    student = progress.student.id
    kept = []
    quizzes = [:]
    let path = path(of: progress.student.id)
    guard let data = FileManager.default.contents(atPath: path) else {
      return "your progress is saved in \(folder); --no-progress turns this off\n"
    }
    guard data.count <= Self.largest, let json = try? JSONValue(reading: Array(data)),
      case .array(let played)? = json["played"], case .object(let counts)? = json["quizzes"]
    else {
      // The damaged file is kept, because the user may be able to repair it.
      let names = (1...1000).map { "\(path).damaged-\($0)" }
      let aside = names.first { !FileManager.default.fileExists(atPath: $0) } ?? "\(path).damaged"
      let isMoved = (try? FileManager.default.moveItem(atPath: path, toPath: aside)) != nil
      hasFailed = !isMoved
      return "the progress file \(path) is damaged: "
        + (isMoved
          ? "TrustLab renamed it to \(aside), and starts without progress\n"
          : "TrustLab leaves it unchanged, and saves no progress\n")
    }
    for case .string(let id) in played { kept.insert(id) }
    for count in counts { if case .integer(let number) = count.value { quizzes[count.name] = number } }
    let isNew = progress.played.isEmpty && !kept.isEmpty
    progress.played.formUnion(kept)
    for (lesson, number) in quizzes { progress.begun[lesson, default: 0] += number }
    return isNew
      ? "you have already played \(kept.count == 1 ? "1 scenario" : "\(kept.count) scenarios"), "
        + "according to \(folder); type 'lessons' to continue\n"
      : nil
  }

  /// Saves new progress. Returns a message if this fails, but only once.
  mutating func keep(_ progress: inout Learning.Progress) -> String? {
    var said: String?
    if student != progress.student.id { said = load(into: &progress) }
    guard !hasFailed, progress.played != kept || progress.begun != quizzes else { return said }
    (kept, quizzes) = (progress.played, progress.begun)
    let json: JSONValue = [
      "trustlab": 1, "student": .string(progress.student.id), "played": .array(kept.sorted().map { .string($0) }),
      "quizzes": .object(quizzes.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) }),
    ]
    let path = path(of: progress.student.id)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      // The write is atomic, because the session may end at any moment.
      try Data((json.text(pretty: true) + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      hasFailed = true
      return (said ?? "") + "cannot save progress in \(folder): the session continues without saving\n"
    }
    return said
  }

  private static let largest = 1 << 20
}

extension Session {
  /// The work that the user would lose by leaving now; nil for none.
  var loss: String? {
    if let quiz = teaching.quiz { return "the quiz on \(quiz.lesson.id), at question \(quiz.done)," }
    if teaching.open != nil { return "the open question" }
    if let opened, !opened.changes.isEmpty { return "the changes in \(opened.scenario.id)" }
    return forks.isEmpty ? nil : "the runs kept as \(forks.map(\.name).joined(separator: ", "))"
  }
}

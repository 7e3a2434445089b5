import Foundation
import Learning
import Rendering
import Scenarios
import Simulator

/// The commands that save a session or its run.
extension Session {
  /// Writes the lines of the session as a script that replays it.
  mutating func save(_ argument: String) throws -> Output {
    let path = Self.unquoted(argument)
    guard !path.isEmpty else { throw Diagnostics("'save' requires the name of a file", hint: "save lesson.txt") }
    let lines = journal.map { $0.allSatisfy(\.isWhitespace) ? "step" : $0 }
    let head = "# A session of trustlab. Replay it: trustlab repl --script \(path)\n"
    try keep(head + lines.map { $0 + "\n" }.joined(), in: path)
    return say("wrote \(path): \(lines.count) command\(lines.count == 1 ? "" : "s")")
  }

  /// Writes the sealed answer sheet of the lesson with the latest quiz.
  mutating func sheet(_ argument: String) throws -> Output {
    let path = Self.unquoted(argument)
    guard !path.isEmpty else { throw Diagnostics("'sheet' requires the name of a file", hint: "sheet ann.json") }
    let last = teaching.asked.last { $0.isOfQuiz }
    let lesson = last.map { String($0.subject.scenario.id.prefix { $0 != "-" }) } ?? ""
    guard let sheet = Sheet(teaching, lesson: lesson, key: sealing) else {
      throw Diagnostics("there is no quiz to write to an answer sheet", hint: "start a quiz with 'quiz L0'")
    }
    try keep(SheetFile.text(of: sheet), in: path)
    let seal =
      sealing == .everybody
      ? "sealed without a class key, so grading detects edits by hand but not a forged seal"
      : "sealed with the class key"
    let count = sheet.entries.count == 1 ? "1 question" : "\(sheet.entries.count) questions"
    return say("wrote \(path): \(count) on \(lesson), \(seal)")
  }

  /// Selects the student for later questions. A saved session also contains this line.
  mutating func student(_ id: String) throws -> Output {
    guard !id.isEmpty else {
      let name = teaching.student.id
      return Output(
        text: name.isEmpty ? "no student is selected: select one with 'student alice'" : "the student is \(name)")
    }
    let isPlain = id.allSatisfy { $0.isLetter || $0.isNumber || " .-_@".contains($0) }
    guard id.count <= 60, isPlain else {
      throw Diagnostics(
        "'\(id.prefix(60))' is not a valid student name", hint: "use at most 60 letters and digits: alice, 17")
    }
    guard id != teaching.student.id else { return Output(text: "the student is \(id)") }
    // Each student has a record, and may return to it later.
    others[teaching.student.id] = teaching
    teaching = others.removeValue(forKey: id) ?? Progress(student: Student(id))
    let open =
      teaching.open.map { "; the question about \($0.subject.scenario.id) is still open: 'predict' shows it" } ?? ""
    return say("the next questions are for \(id)\(open)")
  }

  /// Writes the whole run in the format of `trustlab run --format`, to a file or to the output.
  mutating func export(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let words = argument.split(separator: " ", maxSplits: 1).map(String.init)
    let names = RunFormat.allCases.map(\.rawValue)
    guard let name = words.first else {
      throw Diagnostics(
        "'export' requires a format", hint: "use one of \(names.joined(separator: ", ")): export svg run.svg")
    }
    guard let format = RunFormat(rawValue: name.lowercased()) else {
      throw Diagnostics("unknown format '\(name)'", hint: Spelling.hint(for: name, among: names))
    }
    var result = workbench.player.judge(opened.finished, as: opened.scenario)
    if !opened.changes.isEmpty {
      result.judgement = Judgement(skippedBecause: "the file's expectation does not apply to a changed scenario")
    }
    let text = format.text(of: RunView(result, cases: opened.file.cases.map(\.caseName)), depth)
    guard words.count > 1, words[1] != "-" else { return Output(text: text) }
    let path = Self.unquoted(words[1])
    try keep(text.hasSuffix("\n") ? text : text + "\n", in: path)
    return say("wrote \(path)")
  }

  /// Writes a file. It overwrites only files that this session wrote or that have the same content.
  private mutating func keep(_ text: String, in path: String) throws {
    let bytes = Array(text.utf8)
    let old = FileManager.default.contents(atPath: path)
    if let old, !old.isEmpty, !written.contains(path), !old.elementsEqual(bytes) {
      throw Diagnostics(
        "the file '\(path)' already exists with other content", hint: "choose another name, or delete the file")
    }
    try OutputFile.write(bytes, to: path)
    written.insert(path)
  }
}

/// The commands that compare runs and undo changes.
extension Session {
  mutating func undo() throws -> Output {
    _ = try requireOpened()
    guard let before = earlier.popLast() else {
      throw Diagnostics("there is no change to undo", hint: "make a change, such as 'set client.os = iOS 9'")
    }
    let undone = undone(on: before)
    opened = before
    return say("undone: \(undone)\nat step \(before.position) of \(name(of: before))")
  }

  /// Returns a description of the action that `undo` reverts: a change, or the return to a kept run.
  private func undone(on before: Opened) -> String {
    guard let opened else { return "" }
    let isChange = opened.changes.count == before.changes.count + 1 && opened.written.name == before.written.name
    if isChange, let last = opened.changes.last { return last }
    let fork = forks.last { $0.opened.key == opened.key }
    return "the return to " + (fork.map { "the run kept as \($0.name)" } ?? "another run")
  }

  /// Keeps the current run under a name.
  mutating func fork(_ name: String) throws -> Output {
    let opened = try requireOpened()
    let usual = (1...).lazy.map { "fork-\($0)" }.first { name in !forks.contains { $0.name == name } }
    let name = name.isEmpty ? usual ?? "fork" : name
    guard Int(name) == nil, !Self.reserved.contains(name), name.utf8.count <= 40, name.allSatisfy(\.isOfName) else {
      throw Diagnostics(
        "'\(name)' is not a valid name for a run",
        hint: "use one word of letters and digits that is not a number: fork before")
    }
    forks.removeAll { $0.name == name }
    forks.append((name, opened))
    return say("this run is kept as \(name): 'diff \(name)' compares a run with it, 'goto \(name)' returns to it")
  }

  mutating func returnTo(_ fork: Opened, called name: String) throws -> Output {
    if let opened { earlier.append(opened) }
    opened = fork
    return say("at step \(fork.position) of \(self.name(of: fork)), in the run kept as \(name); 'undo' goes back")
  }

  /// Compares two runs. By default, these are the latest kept run, or else the case in the file, and the current run.
  func diff(_ argument: String) throws -> Output {
    let opened = try requireOpened()
    let names = argument.split(separator: " ").map(String.init)
    guard names.count <= 2 else { throw Diagnostics("'diff' compares at most two runs", hint: "diff before now") }
    let first = try run(called: names.first ?? forks.last?.name ?? "file", opened)
    let second = try run(called: names.count > 1 ? names[1] : "now", opened)
    return showTable(DifferenceView(first, second).document())
  }

  private func run(called name: String, _ opened: Opened) throws -> DifferenceView.Run {
    switch name {
    case "now":
      let changes = opened.changes.isEmpty ? "" : " (\(opened.changes.joined(separator: "; ")))"
      return .init("now: \(self.name(of: opened))\(changes)", opened.scenario, opened.finished)
    case "file":
      var simulation = try workbench.player.simulation(of: opened.written)
      simulation.run()
      return .init(
        "file: \(isAsked(about: opened) ? opened.written.id : opened.written.name)", opened.written, simulation)
    default:
      guard let fork = forks.first(where: { $0.name == name }) else {
        throw Diagnostics(
          "there is no run with the name '\(name)'",
          hint: Spelling.hint(for: name, among: forks.map(\.name) + Self.reserved))
      }
      return .init("\(name): \(self.name(of: fork.opened))", fork.opened.scenario, fork.opened.finished)
    }
  }

  /// The names of the runs that always exist.
  static let reserved = ["now", "file"]
}

extension Character {
  /// Whether the name of a kept run may contain the character. Spaces and control characters are not allowed.
  fileprivate var isOfName: Bool { isLetter || isNumber || "-_.+".contains(self) }
}

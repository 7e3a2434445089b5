import ArgumentParser
import Explanation
import Foundation
import Learning
import Scenarios
import Synchronization

/// `trustlab check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say what is wrong with scenario files, without playing them.",
    discussion: """
      Examples:
        trustlab check my-scenario.yaml
        trustlab check --watch my-scenarios   # again after each change, until Ctrl-C
        trustlab describe L1-15 --full | trustlab check -

      Slips are reported with file, line and column, all that can be told at once: those in what the scenario refers \
      to (files, property lists) come when the file itself is right. The exit status is 2 when there is one.
      """)

  @Argument(help: "Files or folders; - is standard input.")
  var files: [String]

  @Flag(help: "Look again whenever a file, or one that it names, changes, comes or goes, and say what is different.")
  var watch = false

  @OptionGroup var input: StandardInputOptions

  func run() throws {
    if watch {
      guard !files.contains("-") else {
        throw Diagnostics("--watch looks at files, and standard input is none", hint: "leave --watch or - out")
      }
      return try CheckWatch(files: files).run()
    }
    var workbench = Workbench()
    workbench.folder = input.folder
    var hasErrors = false
    let paths = try workbench.paths(among: files)
    for path in paths {
      do throws(Diagnostics) {
        let file = try workbench.read(path)
        Console.out(try ScenarioCheck(workbench: workbench, paths: paths).summary(of: file))
      } catch {
        Console.complain(error.description)
        hasErrors = true
      }
    }
    if hasErrors { throw UnreadableInput() }
  }
}

/// What a scenario on standard input does not say itself.
struct StandardInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the paths start from that standard input names; left out, the working directory.", valueName: "folder"))
  var folder: String?
}

/// What is checked of a file that was read.
struct ScenarioCheck {
  let workbench: Workbench
  /// All files that are checked.
  var paths: [String] = []

  /// That a file is right, and how many cases it has; what is odd in it is remarked on.
  ///
  /// - Throws: `Diagnostics` with what is wrong in what the file refers to.
  func summary(of file: ScenarioFile) throws(Diagnostics) -> String {
    try checkLesson(of: file)
    try SiblingFiles(workbench: workbench, paths: paths + [file.path]).check(file)
    for scenario in file.cases { try check(scenario, of: file) }
    try workbench.remark(on: file, file.cases)
    return "\(file.path): ok, \(file.cases.count) \(file.cases.count == 1 ? "case" : "cases")"
  }

  /// A lesson that there is not is one that nobody finds the scenario in; without a curriculum nobody knows.
  private func checkLesson(of file: ScenarioFile) throws(Diagnostics) {
    guard let main = file.cases.first, let lesson = main.about.lesson, let mark = main.tree["lesson"]?.mark,
      let lessons = try? ScenarioLibrary.curriculum().lessons()
    else { return }
    let known = lessons.map(\.id) + lessons.flatMap(\.all)
    guard !known.contains(lesson) else { return }
    throw file.showing(
      Diagnostics("there is no lesson '\(lesson)'", hint: Spelling.hint(for: lesson, among: known), at: mark))
  }

  /// Issues its certificates and reads the files it names, so that those are checked too.
  private func check(_ scenario: Scenario, of file: ScenarioFile) throws(Diagnostics) {
    do throws(Diagnostics) { _ = try workbench.player.simulation(of: scenario) } catch { throw file.showing(error) }
  }
}

/// Checks files again whenever one of them changes: by looking at them, which works on every file system.
struct CheckWatch {
  let files: [String]
  /// How often it looks.
  private static let pause: UInt32 = 300_000

  private struct State {
    let bytes: [UInt8]
    /// The files that it names, as they were.
    var named: [String: Stamp] = [:]
    /// What was said of it.
    var lines: [String] = []

    /// Whether it, or a file that it names, is otherwise now.
    func isOld(_ bytes: [UInt8]?) -> Bool { self.bytes != bytes || named.contains { Stamp($0.key) != $0.value } }
  }

  /// What tells that a file was written anew.
  private struct Stamp: Equatable {
    let date: Date?
    let size: Int?

    init(_ path: String) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      (date, size) = (attributes?[.modificationDate] as? Date, attributes?[.size] as? Int)
    }
  }

  func run() throws {
    Interruption.catchSignal()
    var states: [String: State] = [:]
    let first = try paths()
    Console.complain("watching \(first.count) \(first.count == 1 ? "file" : "files"); Ctrl-C ends")
    var isFirst = true
    while !Interruption.isRequested {
      let paths = isFirst ? first : ((try? paths()) ?? [])
      for gone in states.keys.sorted() where !paths.contains(gone) {
        states[gone] = nil
        Console.out("\(gone): gone")
      }
      for path in paths where !Interruption.isRequested { look(at: path, &states) }
      isFirst = false
      usleep(Self.pause)
    }
    Interruption.clear()
  }

  private func paths() throws -> [String] { try files.flatMap(Workbench().paths) }

  private func look(at path: String, _ states: inout [String: State]) {
    // A file that is being written may be away for a moment.
    guard let bytes = try? ScenarioLibrary.read(path) else { return }
    let old = states[path]
    guard old?.isOld(bytes) ?? true else { return }
    var state = State(bytes: bytes)
    let named = Mutex<[String: Stamp]>([:])
    // The baseline may have changed too: a bench reads it anew.
    let workbench = Workbench(noting: { file in named.withLock { $0[file] = Stamp(file) } })
    do throws(Diagnostics) {
      let file = try workbench.library(of: path).reader.read(bytes, path: path)
      state.lines = [try ScenarioCheck(workbench: workbench).summary(of: file)]
    } catch {
      state.lines = error.all.map(\.description)
    }
    state.named = named.withLock(\.self)
    states[path] = state
    say(state.lines, path, before: old?.lines)
  }

  /// What is said of a file now; of one that was looked at before, also what is mended.
  private func say(_ lines: [String], _ path: String, before: [String]?) {
    guard let before else { return Console.out(lines.joined(separator: "\n")) }
    let mended = before.filter { Self.isSlip($0) && !lines.map(Self.message).contains(Self.message($0)) }
    for slip in mended { Console.out("\(path): mended: \(Self.message(slip))") }
    Console.out(lines.joined(separator: "\n"))
  }

  private static func isSlip(_ line: String) -> Bool { line.contains(": error: ") }

  /// What a slip says, wherever it stands.
  private static func message(_ slip: String) -> String {
    let line = slip.split(separator: "\n").first.map(String.init) ?? slip
    guard let range = line.range(of: ": error: ") else { return line }
    return String(line[range.upperBound...])
  }
}

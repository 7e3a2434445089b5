import ArgumentParser
import Explanation
import Foundation
import Learning
import Scenarios
import Synchronization

/// The `trustlab check` command.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report errors in scenario files. Only files with 'kills' are played.",
    discussion: """
      Examples:
        trustlab check my-scenario.yaml
        trustlab check --watch my-scenarios   # recheck after each change
        trustlab describe L1-15 --full | trustlab check -

      Each error has its file, line and column. TrustLab reports errors in referenced files and property lists only if \
      the scenario file itself is valid. The exit status is 2 if there is an error.
      """)

  @Argument(help: "The files or folders to check; - is standard input.")
  var files: [String]

  @Flag(help: "Check a file again when it, or a file that it refers to, changes. Report the differences.")
  var watch = false

  @OptionGroup var input: StandardInputOptions

  func run() throws {
    if watch {
      guard !files.contains("-") else {
        throw Diagnostics("--watch cannot watch standard input", hint: "remove --watch or -")
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

/// The options for a scenario on standard input.
struct StandardInputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that the paths in standard input are relative to. Default: the working directory.",
      valueName: "folder"))
  var folder: String?
}

/// Checks a scenario file and the files that it refers to.
struct ScenarioCheck {
  let workbench: Workbench
  /// The paths of all files that the command checks.
  var paths: [String] = []

  /// Returns a line with the number of the file's cases, and prints warnings about the file.
  ///
  /// - Throws: `Diagnostics` if a referenced file is invalid.
  func summary(of file: ScenarioFile) throws(Diagnostics) -> String {
    try checkLesson(of: file)
    try SiblingFiles(workbench: workbench, paths: paths + [file.path]).check(file)
    for scenario in file.cases { try check(scenario, of: file) }
    try checkClaims(of: file)
    try workbench.remark(on: file, file.cases)
    return "\(file.path): ok, \(file.cases.count) \(file.cases.count == 1 ? "case" : "cases")"
  }

  /// Reports an unknown lesson, because readers would not find the scenario. The check needs the curriculum.
  private func checkLesson(of file: ScenarioFile) throws(Diagnostics) {
    guard let main = file.cases.first, let lesson = main.about.lesson, let mark = main.tree["lesson"]?.mark,
      let lessons = try? ScenarioLibrary.curriculum().lessons()
    else { return }
    let known = lessons.map(\.id) + lessons.flatMap(\.all)
    guard !known.contains(lesson) else { return }
    throw file.showing(
      Diagnostics("no such lesson: '\(lesson)'", hint: Spelling.hint(for: lesson, among: known), at: mark))
  }

  /// Plays the file with each mutant that it claims to kill.
  private func checkClaims(of file: ScenarioFile) throws(Diagnostics) {
    let siblings = SiblingFiles(workbench: workbench, paths: paths + [file.path])
    let run = TestRun([.file(file)], player: workbench.player, sibling: siblings.file)
    guard let claim = run.falseClaims(of: file).first else { return }
    throw file.showing(
      Diagnostics(
        "\(claim.path): expected \(claim.expected), found \(claim.found)",
        hint: "remove the mutant from 'kills', or add a case whose verdict it changes", at: file.root["kills"]?.mark))
  }

  /// Issues the certificates and reads the referenced files, which are thereby checked too.
  private func check(_ scenario: Scenario, of file: ScenarioFile) throws(Diagnostics) {
    do throws(Diagnostics) { _ = try workbench.player.simulation(of: scenario) } catch { throw file.showing(error) }
  }
}

/// Checks files again whenever one of them changes. Changes are found by polling, which works on every file system.
struct CheckWatch {
  let files: [String]
  /// The time between two polls, in microseconds.
  private static let pause: UInt32 = 300_000

  private struct State {
    let bytes: [UInt8]
    /// The files that the scenario names, in the state in which they were last read.
    var named: [String: Stamp] = [:]
    /// The messages of the last check.
    var lines: [String] = []

    /// Returns whether the scenario or a file that it names has changed.
    func isOld(_ bytes: [UInt8]?) -> Bool { self.bytes != bytes || named.contains { Stamp($0.key) != $0.value } }
  }

  /// The attributes that change when a file is written.
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
    Console.complain("watching \(first.count) \(first.count == 1 ? "file" : "files"); press Ctrl-C to stop")
    var isFirst = true
    while !Interruption.isRequested {
      let paths = isFirst ? first : ((try? paths()) ?? [])
      for gone in states.keys.sorted() where !paths.contains(gone) {
        states[gone] = nil
        Console.out("\(gone): deleted")
      }
      for path in paths where !Interruption.isRequested { look(at: path, &states) }
      isFirst = false
      usleep(Self.pause)
    }
    Interruption.clear()
  }

  private func paths() throws -> [String] { try files.flatMap(Workbench().paths) }

  private func look(at path: String, _ states: inout [String: State]) {
    // A file may be briefly missing while another program writes it.
    guard let bytes = try? ScenarioLibrary.read(path) else { return }
    let old = states[path]
    guard old?.isOld(bytes) ?? true else { return }
    var state = State(bytes: bytes)
    let named = Mutex<[String: Stamp]>([:])
    // The baseline may also have changed, so read it again.
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

  /// Prints the messages about a file and, except in the first check, the errors that are now fixed.
  private func say(_ lines: [String], _ path: String, before: [String]?) {
    guard let before else { return Console.out(lines.joined(separator: "\n")) }
    let mended = before.filter { Self.isSlip($0) && !lines.map(Self.message).contains(Self.message($0)) }
    for slip in mended { Console.out("\(path): fixed: \(Self.message(slip))") }
    Console.out(lines.joined(separator: "\n"))
  }

  private static func isSlip(_ line: String) -> Bool { line.contains(": error: ") }

  /// Returns the text of an error without its place.
  private static func message(_ slip: String) -> String {
    let line = slip.split(separator: "\n").first.map(String.init) ?? slip
    guard let range = line.range(of: ": error: ") else { return line }
    return String(line[range.upperBound...])
  }
}

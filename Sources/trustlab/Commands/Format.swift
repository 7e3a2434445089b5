import ArgumentParser
import Foundation
import Scenarios

/// The `trustlab format` command.
struct Format: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Rewrite scenario files in canonical form.",
    discussion: """
      Examples:
        trustlab format my-scenario.yaml
        trustlab format --check my-scenarios   # list noncanonical files
        trustlab format - < my-scenario.yaml   # write to standard output

      The canonical form orders keys as in 'trustlab list words', indents by two spaces, and limits lists and maps in \
      brackets to 120 columns. Formatting keeps the meaning, comments, quotes and line breaks, and removes a byte \
      order mark.

      The exit status is 1 if --check finds a file that is not in canonical form, and 2 if a file cannot be read.
      """)

  @Argument(help: "The files or folders to format; - is standard input.")
  var files: [String]

  @Flag(help: "List the files that are not in canonical form, without changing them.")
  var check = false

  func run() throws {
    if files == ["-"] { return try filter() }
    let workbench = Workbench()
    var (changed, hasErrors) = (0, false)
    for path in try workbench.paths(among: files) {
      do throws(Diagnostics) {
        if try format(path) { changed += 1 }
      } catch {
        Console.complain(error.description)
        hasErrors = true
      }
    }
    if hasErrors { throw UnreadableInput() }
    if check, changed > 0 { throw NotAsExpected() }
  }

  /// Formats or checks a file. Returns whether the file was not in canonical form.
  private func format(_ path: String) throws(Diagnostics) -> Bool {
    let bytes = try ScenarioLibrary.read(path)
    let text = try ScenarioFormat.text(of: bytes, path: path)
    guard Array(text.utf8) != bytes else { return false }
    if check {
      Console.out("\(path): not in canonical form")
    } else {
      do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
        throw Diagnostics("cannot write '\(path)'", hint: "check that you have permission to write to it")
      }
      Console.out("\(path): formatted")
    }
    return true
  }

  private func filter() throws {
    let bytes = ScenarioLibrary.standardInput()
    let text = try ScenarioFormat.text(of: bytes, path: "<stdin>")
    guard !check else {
      if Array(text.utf8) != bytes { throw NotAsExpected() }
      return
    }
    Console.put(text)
  }
}

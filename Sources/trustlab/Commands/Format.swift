import ArgumentParser
import Foundation
import Scenarios

/// `trustlab format`
struct Format: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Write scenario files in their canonical form.",
    discussion: """
      Examples:
        trustlab format my-scenario.yaml
        trustlab format --check my-scenarios   # list files that are not canonical
        trustlab format - < my-scenario.yaml   # standard input to standard output

      Keys stand in the order of 'trustlab list words', two spaces deep; lines of lists and maps in brackets have 120 \
      columns at most. Comments, quotes and what stands on lines of its own stay, and what the file says does too; a \
      byte order mark goes.

      The exit status is 1 when --check found a file that is not in canonical form, 2 when one cannot be read.
      """)

  @Argument(help: "Files or folders; - is standard input.")
  var files: [String]

  @Flag(help: "Name the files that are not in canonical form, and write nothing.")
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

  /// Whether the file was, or is, not in canonical form.
  private func format(_ path: String) throws(Diagnostics) -> Bool {
    let bytes = try ScenarioLibrary.read(path)
    let text = try ScenarioFormat.text(of: bytes, path: path)
    guard Array(text.utf8) != bytes else { return false }
    if check {
      Console.out("\(path): not in canonical form")
    } else {
      do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
        throw Diagnostics("the file '\(path)' cannot be written", hint: "may you write it?")
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

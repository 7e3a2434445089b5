import ArgumentParser
import Foundation
import Learning
import Rendering
import Scenarios

/// The `trustlab grade` command.
struct GradeCommand: ParsableCommand {
  /// The format of the report.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "grade",
    abstract:
      "Grade the answer sheets of a class, check their seals, and list the hardest questions and confident mistakes.",
    discussion: """
      Examples:
        trustlab grade sheets/*.json --class class.key
        trustlab grade sheets/*.json --class class.key --format csv > grades.csv
        trustlab grade sheets/*.json --class class.key --overrule ann:3=right

      To save an answer sheet, a student types 'quiz L1' in the REPL, answers the questions, and types 'sheet \
      ann.json'. The teacher can create a class file of at least 16 bytes, and pass it to 'repl' and 'grade' with \
      --class. TrustLab then seals the sheets with the key in this file (HMAC-SHA256). Anyone who can read the class \
      file can seal a sheet. Without a class file, grading detects only changes made to a sheet by hand.

      The exit status is 1 if a seal is not valid, and 2 if a file is not a sheet. All other sheets are graded.
      """)

  @Argument(help: "The answer sheets, as written by the REPL command 'sheet FILE'.")
  var files: [String]

  @Option(name: .customLong("class"), help: "The class file, whose key seals the sheets.")
  var classFile: String?

  @Option(help: "The corrected grade of an answer: STUDENT:NUMBER=right or =wrong. Can be repeated.")
  var overrule: [String] = []

  @Option(help: "The output format: text, csv or json.")
  var format = Format.text

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let key = try classFile.map(ClassFile.key) ?? .everybody
    var overrulings: [GradeReport.Overruling] = []
    for text in overrule { overrulings.append(try GradeReport.Overruling(text)) }
    var rows: [GradeReport.Row] = []
    var hasDamage = false
    for file in files {
      do throws(Diagnostics) {
        guard let bytes = FileManager.default.contents(atPath: file) else {
          throw Diagnostics(
            "cannot read the sheet '\(file)'", hint: "check that it is a file, and that you have permission to read it")
        }
        let sheet = try SheetFile.sheet(Array(bytes), file: file)
        rows.append(.init(file: file, sheet: sheet, seal: sheet.seal(key)))
      } catch {
        hasDamage = true
        Console.complain(error.description)
      }
    }
    let report = GradeReport(rows, overrulings: overrulings)
    for one in report.unused {
      Console.complain("warning: --overrule has no effect: no sheet of '\(one.student)' has a question \(one.number)")
    }
    if !rows.isEmpty { try write(report) }
    if hasDamage { throw UnreadableInput() }
    if !report.isClean { throw NotAsExpected() }
  }

  private func write(_ report: GradeReport) throws {
    switch format {
    case .text: try output.write(report.document().text(output.style(styling)))
    case .csv: try output.write(report.csv())
    case .json: try output.write(report.json.text(pretty: true))
    }
  }
}

/// The teacher's class file, whose bytes are the key of the class.
enum ClassFile {
  /// Returns the key in the file at `path`.
  ///
  /// - Throws: `Diagnostics` if the file cannot be read or is too short to be a secret.
  static func key(_ path: String) throws -> Sheet.Key {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Diagnostics("cannot read the class file '\(path)'", hint: "create one: openssl rand -out \(path) 32")
    }
    guard data.count >= 16, data.count <= 1 << 16 else {
      throw Diagnostics(
        "the class file '\(path)' has \(data.count) bytes instead of 16 to 65536",
        hint: "create one: openssl rand -out \(path) 32")
    }
    return .teacher(Array(data))
  }
}

import ArgumentParser
import Foundation
import Learning
import Rendering
import Scenarios

/// `trustlab grade`
struct GradeCommand: ParsableCommand {
  /// How the report is written.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "grade",
    abstract: "Read the saved sheets of a class: scores, hardest questions, confident mistakes, seals.",
    discussion: """
      Examples:
        trustlab grade sheets/*.json --class class.key
        trustlab grade sheets/*.json --class class.key --format csv > grades.csv
        trustlab grade sheets/*.json --class class.key --overrule ann:3=right

      A student saves a sheet in the shell: 'quiz L1', answers, 'sheet ann.json'. With --class FILE, a file of 16 bytes \
      or more that the teacher keeps, given to 'repl' and to 'grade', sheets are sealed with its key (HMAC-SHA256); \
      whoever can read FILE can seal. Without one, changes by hand are noticed and nothing else.

      The exit status is 1 where a seal does not fit, 2 where a file is no sheet; all others are graded nevertheless.
      """)

  @Argument(help: "Sheets, as 'sheet FILE' of the shell writes them.")
  var files: [String]

  @Option(name: .customLong("class"), help: "The class file whose key the sheets are sealed with.")
  var classFile: String?

  @Option(help: "Let an answer count: STUDENT:NUMBER=right or =wrong; may be given again.")
  var overrule: [String] = []

  @Option(help: "text, csv or json.")
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
          throw Diagnostics("the sheet '\(file)' cannot be read", hint: "is it a file, and may you read it?")
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
      Console.complain("warning: no sheet of '\(one.student)' has a question \(one.number) to overrule")
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

/// The file that a teacher keeps, whose bytes are the key of a class.
enum ClassFile {
  /// The key in the file at `path`.
  ///
  /// - Throws: `Diagnostics` when it cannot be read or is too short to be a secret.
  static func key(_ path: String) throws -> Sheet.Key {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Diagnostics("the class file '\(path)' cannot be read", hint: "make one: openssl rand -out \(path) 32")
    }
    guard data.count >= 16, data.count <= 1 << 16 else {
      throw Diagnostics(
        "the class file '\(path)' has \(data.count) bytes, a key has 16 to 65536",
        hint: "make one: openssl rand -out \(path) 32")
    }
    return .teacher(Array(data))
  }
}

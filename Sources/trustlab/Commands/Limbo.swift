import ArgumentParser
import Foundation
import Laboratory
import Rendering
import Scenarios
import Trust

/// The `trustlab limbo` command.
struct Limbo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limbo",
    abstract: "Evaluate the chains in an x509-limbo file, and report results that differ from the expected results.",
    discussion: """
      The first part of a case's id selects the requirements: those of the CA/Browser Forum for webpki::…, otherwise \
      those of RFC 5280. TrustLab skips a case that needs an unsupported feature, and prints the reason. If a case has \
      no validation time, TrustLab uses the current time. Results may differ in webpki:: cases whose common name is \
      not a copy of a name in subjectAltName: the Baseline Requirements (7.1.4.3) do not allow it.

      Examples:
        trustlab limbo limbo.json
        trustlab limbo limbo.json --only 'rfc5280::nc::*'
        trustlab limbo limbo.json --format json

      Exit status: 0 all results agree, 1 some results differ, 2 unreadable input.
      """)

  @Argument(help: ArgumentHelp("The file in x509-limbo format; '-' is standard input.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("A glob pattern for the ids of the cases; * matches any text.", valueName: "glob"))
  var only: String?

  @OptionGroup var validation: ValidatorOptions

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let cases = try self.cases()
    let mutant = try validation.mutant(ofValidatorsIn: "limbo")
    let enforcement = mutant?.enforcement(in: .validator) ?? .standard
    let now = Clock.now
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let run = LimboRun(
      ParallelMap.results(of: cases, jobs: jobs) {
        $0.evaluated(now: now, enforcement: enforcement)
      })
    let view = LimboView(run)
    Console.out(format == .json ? view.json().text(pretty: true) : view.document().text(styling.style))
    if !run.agrees { throw NotAsExpected() }
  }

  private func cases() throws -> [LimboCase] {
    let all = try read()
    guard let only else { return all }
    let cases = all.filter { fnmatch(only, $0.id, 0) == 0 }
    guard !cases.isEmpty else {
      throw Diagnostics(
        "no case matches '\(only)'", hint: "use a glob pattern for ids such as \(all.first?.id ?? "a::b")")
    }
    return cases
  }

  private func read() throws -> [LimboCase] {
    let bytes = try CertificateFiles.read(
      file, maximumSize: Self.maximumSize, wanted: "a file in x509-limbo format", checking: checkKind)
    do {
      return try LimboFile(JSONValue(reading: bytes)).cases
    } catch let error as JSONError {
      throw Diagnostics([error.diagnostic(in: file, bytes)])
    } catch let error as LimboFile.Invalid {
      throw Diagnostics(
        "\(name) is not an x509-limbo file: \(error.path.isEmpty ? "" : "\(error.path) is ")\(error.message)",
        hint: "use version 1 of the format, described at x509-limbo.com")
    }
  }

  /// Detects binary and PEM files, to report a better error than a JSON syntax error.
  private func checkKind(of bytes: ArraySlice<UInt8>) throws {
    let start = bytes.prefix(4096)
    guard !start.contains(where: { $0 < 9 }) else {
      throw Diagnostics("\(name) is binary, not JSON", hint: "pass a file in x509-limbo format")
    }
    let text = String(decoding: start, as: UTF8.self)
    guard text.contains("{") || !text.contains("-----BEGIN ") else {
      throw Diagnostics("\(name) is PEM, not JSON", hint: "evaluate a PEM chain with 'trustlab verify'")
    }
  }

  /// The size limit, which is five times the size of the whole x509-limbo suite.
  private static let maximumSize = 1 << 28

  private var name: String { file == "-" ? "standard input" : "'\(file)'" }
}

extension JSONError {
  /// Returns the error with its place in a file of these bytes.
  fileprivate func diagnostic(in file: String, _ bytes: [UInt8]) -> Diagnostic {
    let before = bytes.prefix(offset)
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    let rest = bytes[start...].prefix { $0 != 10 }.prefix(max(0, offset - start) + 100)
    let column = String(decoding: bytes[start..<max(start, offset)], as: UTF8.self).unicodeScalars.count + 1
    return Diagnostic(
      message, hint: "write a single JSON value in the file",
      at: SourceMark(file: file, line: before.count { $0 == 10 } + 1, column: column),
      line: String(decoding: rest, as: UTF8.self))
  }
}

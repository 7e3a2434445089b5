import ArgumentParser
import Foundation
import Laboratory
import Rendering
import Scenarios
import Trust

/// `trustlab limbo`
struct Limbo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limbo",
    abstract: "Evaluate the chains of an x509-limbo file, and say where the answers differ from its own.",
    discussion: """
      The first part of a case's id chooses whose demands are held against its chain: those of the CA/Browser Forum \
      for webpki::…, else those of RFC 5280. A case that asks for something which is not modelled is skipped with the \
      reason. Cases without a time are evaluated as of now. Answers may differ in webpki:: cases whose leaf has a \
      common name that is no copy of a name in subjectAltName: the Baseline Requirements (7.1.4.3) refuse it.

      Examples:
        trustlab limbo limbo.json
        trustlab limbo limbo.json --only 'rfc5280::nc::*'
        trustlab limbo limbo.json --format json

      Exit status: 0 all answers agree, 1 some differ, 2 unreadable input.
      """)

  @Argument(help: ArgumentHelp("A file in x509-limbo's format; '-' is standard input.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("Only cases whose ids match; * is any text.", valueName: "glob"))
  var only: String?

  @OptionGroup var validation: ValidatorOptions

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let cases = try self.cases()
    let mutant = try validation.mutant(ofValidatorsIn: "limbo")
    let enforcement = mutant?.enforcement ?? .standard
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
      throw Diagnostics("no case is called like '\(only)'", hint: "ids look like \(all.first?.id ?? "a::b")")
    }
    return cases
  }

  private func read() throws -> [LimboCase] {
    let bytes = try CertificateFiles.read(
      file, maximumSize: Self.maximumSize, wanted: "a file in x509-limbo's format", checking: checkKind)
    do {
      return try LimboFile(JSONValue(reading: bytes)).cases
    } catch let error as JSONError {
      throw Diagnostics([error.diagnostic(in: file, bytes)])
    } catch let error as LimboFile.Invalid {
      throw Diagnostics(
        "\(name) is no x509-limbo file: \(error.path.isEmpty ? "" : "\(error.path) is ")\(error.message)",
        hint: "the format is described at x509-limbo.com; its version is 1")
    }
  }

  /// What cannot be JSON is called by what it is.
  private func checkKind(of bytes: ArraySlice<UInt8>) throws {
    let start = bytes.prefix(4096)
    guard !start.contains(where: { $0 < 9 }) else {
      throw Diagnostics("\(name) is binary, not JSON", hint: "name a file in x509-limbo's format")
    }
    let text = String(decoding: start, as: UTF8.self)
    guard text.contains("{") || !text.contains("-----BEGIN ") else {
      throw Diagnostics("\(name) is PEM, not JSON", hint: "'trustlab verify' evaluates the chain in a PEM file")
    }
  }

  /// Five times what the whole suite takes.
  private static let maximumSize = 1 << 28

  private var name: String { file == "-" ? "standard input" : "'\(file)'" }
}

extension JSONError {
  /// The same with its place in a file of these bytes.
  fileprivate func diagnostic(in file: String, _ bytes: [UInt8]) -> Diagnostic {
    let before = bytes.prefix(offset)
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    let rest = bytes[start...].prefix { $0 != 10 }.prefix(max(0, offset - start) + 100)
    let column = String(decoding: bytes[start..<max(start, offset)], as: UTF8.self).unicodeScalars.count + 1
    return Diagnostic(
      message, hint: "the file must be one JSON value",
      at: SourceMark(file: file, line: before.count { $0 == 10 } + 1, column: column),
      line: String(decoding: rest, as: UTF8.self))
  }
}

import Foundation
import Testing

/// The examples in the help of one command.
struct HelpExamples: Sendable, CustomTestStringConvertible {
  /// The command, such as `trustlab ats lint`.
  let command: String
  /// The examples as a shell reads them; one that ends with `|` or `\` continues on the next line.
  private(set) var examples: [String] = []

  var testDescription: String { command }

  /// The help of all commands: a heading names each.
  static let page: String = {
    let pages = [["--help"], ["manual", "--markdown"]].map { words in
      (try? Program.run(words, environment: ["COLUMNS": "80", "NO_COLOR": "1"]).output) ?? ""
    }
    return "## trustlab\n" + pages.joined(separator: "\n")
  }()

  /// All commands, in the order of the page.
  static let all: [HelpExamples] = {
    var found: [HelpExamples] = []
    var isBelowExamples = false
    for line in page.split(separator: "\n") {
      if line.hasPrefix("## ") { found.append(HelpExamples(command: String(line.dropFirst(3)))) }
      if line.hasPrefix("  "), isBelowExamples {
        found[found.count - 1].add(String(line.drop { $0 == " " }))
      } else {
        isBelowExamples = ["Example:", "Examples:"].contains(line)
      }
    }
    return found
  }()

  private mutating func add(_ line: String) {
    if let last = examples.last, last.hasSuffix("|") || last.hasSuffix("\\") {
      examples[examples.count - 1] = "\(last)\n\(line)"
    } else {
      examples.append(line)
    }
  }
}

@Suite("The examples in the help")
struct HelpExampleTests {
  /// The beginnings of examples that are not run, with the reason; a line feed ends each example.
  private static let notRun = [
    "trustlab connect": "needs the network",
    "trustlab verify --connect": "needs the network",
    "openssl s_client": "needs the network",
    "trustlab ats diagnostics https://api.example/\n": "needs the network",
    "trustlab ats minimal --url https://api.example/ --os \"iOS 17\" --live": "needs the network",
    "trustlab serve": "listens until it is stopped",
    "trustlab web": "listens until it is stopped",
    "trustlab site --output site\n": "takes minutes; tested elsewhere",
    "curl": "needs the server of the example before",
    "trustlab check --watch": "runs until it is stopped",
    "plutil": "exists on Apple's systems only",
    "tshark": "may not be installed",
    "trustlab test  ": "takes minutes; tested elsewhere",
    "trustlab mutate  ": "takes minutes; tested elsewhere",
    "trustlab coverage  ": "takes a minute; tested elsewhere",
    "trustlab clients": "takes minutes; tested elsewhere",
    "trustlab list rules --format markdown": "takes a minute; tested elsewhere",
    "trustlab matrix pins --format svg": "takes a minute; tested elsewhere",
  ]

  @Test("every command has an example, whose lines fit a terminal of 80 columns")
  func help() {
    #expect(HelpExamples.all.count > 25)
    for command in HelpExamples.all { #expect(!command.examples.isEmpty, "\(command.command) has no example") }
    // The Markdown indents by two columns more than the help, which breaks longer lines.
    for line in HelpExamples.page.split(separator: "\n") where line.hasPrefix("    ") {
      #expect(line.count <= 82, "\(line)")
    }
    let examples = HelpExamples.all.flatMap(\.examples)
    for (beginning, reason) in Self.notRun {
      #expect(examples.contains { "\($0)\n".hasPrefix(beginning) }, "no example begins with: \(beginning) (\(reason))")
    }
  }

  @Test("the examples work as printed in a copy of docs/examples", arguments: HelpExamples.all)
  func examples(_ help: HelpExamples) throws {
    let folder = Program.temporary.appendingPathComponent(UUID().uuidString)
    try FileManager.default.copyItem(at: Program.root.appendingPathComponent("docs/examples"), to: folder)
    if help.examples.contains(where: { $0.hasPrefix("git ") }) {
      let commit = "git -c user.name=x -c user.email=x@example.com -c commit.gpgsign=false commit --quiet -m x"
      #expect(try Self.shell("git init --quiet -b main && git add . && \(commit)", in: folder).status == 0)
    }
    for example in help.examples {
      if Self.notRun.keys.contains(where: { "\(example)\n".hasPrefix($0) }) { continue }
      let (status, errors) = try Self.shell(example, in: folder)
      let isGood = [0, 1].contains(status) && !errors.split(separator: "\n").contains { $0.hasPrefix("error:") }
      #expect(isGood, "\(example)\nexit status \(status)\n\(errors)")
    }
  }

  /// The exit status of a shell command, and its standard error.
  private static func shell(_ command: String, in folder: URL) throws -> (status: Int32, errors: String) {
    let usual = ProcessInfo.processInfo.environment
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    process.environment = usual.merging([
      "PATH": "\(Program.url.deletingLastPathComponent().path):\(usual["PATH"] ?? "")", "NO_COLOR": "1",
      "TRUSTLAB_SCENARIOS": Program.root.appendingPathComponent("Scenarios").path, "TRUSTLAB_HISTORY": "off",
      "TRUSTLAB_CACHE": Program.temporary.appendingPathComponent("keys").path,
    ]) { $1 }
    let errors = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let data = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

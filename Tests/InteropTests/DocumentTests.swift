import Foundation
import Oracles
import Testing

/// Compares the documents with the program's output.
@Suite("The documents")
struct DocumentTests {
  private static let script = Program.root.appendingPathComponent(".ci/documents").path

  /// The output of the script, with any exit status.
  private static func report(_ arguments: String...) throws -> String {
    let call = ["sh", "-c", "python3 \"$0\" \"$@\" || true", script] + arguments
    return try #require(Command.output(call))
  }

  static let pages: [String] = {
    let docs = Program.root.appendingPathComponent("docs").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: docs)) ?? []
    return ["README.md", "CONTRIBUTING.md"] + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
  }()

  @Test("every console block prints the output that the page shows", .needs(.python), arguments: pages)
  func console(page: String) throws {
    let path = Program.root.appendingPathComponent(page).path
    let output = try Self.report("check", Program.url.path, path)
    #expect(output.hasSuffix(" 0 failed\n"), "\(output)")
  }

  @Test("every link leads to an existing file and heading", .needs(.python))
  func links() throws {
    let output = try Self.report("links")
    #expect(output.hasSuffix(" 0 failed\n"), "\(output)")
  }

  @Test(
    "references and pictures match the program's output; 'make references' writes them",
    arguments: [
      ("docs/rules.md", "list rules --format markdown"), ("docs/words.md", "list words --format markdown"),
      ("docs/commands.md", "manual --markdown"), ("docs/pictures/L0-03.svg", "run L0-03 --format svg"),
      ("docs/pictures/L1-01.svg", "run L1-01 --format svg"), ("docs/pictures/L1-15.svg", "run L1-15 --format svg"),
      ("docs/pictures/timeline.svg", "matrix timeline L12-20 --format svg"),
    ])
  func references(file: String, command: String) throws {
    let made = try Program.run(command.split(separator: " ").map(String.init))
    let kept = try String(contentsOf: Program.root.appendingPathComponent(file), encoding: .utf8)
    #expect(made.output.trimmingCharacters(in: .newlines) == kept.trimmingCharacters(in: .newlines), "\(file)")
    if file.hasSuffix(".svg") { #expect(kept.contains("prefers-color-scheme:dark") && kept.contains("<title>")) }
  }

  @Test("every picture of a page is checked")
  func pictures() throws {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Program.root.appendingPathComponent("docs/pictures").path)
    #expect(names.sorted() == ["L0-03.svg", "L1-01.svg", "L1-15.svg", "timeline.svg"])
    let text = try Self.pages.map { try String(contentsOf: Program.root.appendingPathComponent($0), encoding: .utf8) }
      .joined()
    for name in names { #expect(text.contains("pictures/\(name)"), "\(name) is shown nowhere") }
  }

  @Test("the README is one page")
  func length() throws {
    let text = try String(contentsOf: Program.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
    #expect(text.split(whereSeparator: \.isWhitespace).count <= 1200)
  }

  @Test("the check of a page fails if the page shows other output", .needs(.python))
  func drift() throws {
    let page = try Program.folder([
      "page.md": Data(
        "```console\n$ trustlab explain premaster_secret\nnothing of the kind\n```\n[gone](gone.md)\n".utf8)
    ]).appendingPathComponent("page.md").path
    let check = try Self.report("check", Program.url.path, page)
    #expect(check.hasSuffix("0 passed, 1 failed\n") && check.contains("master secret"), "\(check)")
    #expect(try Self.report("links", page).hasSuffix("0 passed, 1 failed\n"))
  }
}

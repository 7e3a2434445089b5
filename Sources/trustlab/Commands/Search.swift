import ArgumentParser
import Foundation
import Learning
import Rendering
import Scenarios

/// `trustlab search`
struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find scenarios, rules, keys, error codes, API names, terms and documents.",
    discussion: """
      Examples:
        trustlab search forward secrecy
        trustlab search -9802
        trustlab search AFSSLPinningModePublicKey
        trustlab search 根证书
        trustlab search 'HTTP load failed (kCFStreamErrorDomainSSL, -9802)'

      Prints one line for each result, best first: the command that opens it, its kind, and what it says. Words may be \
      parts of words, in English or in Chinese; a phrase in quotes may be a line of a log. In the shell, '/WORDS' does the \
      same.

      The exit status is 0 when something was found, and 1 when nothing was; then the nearest words are named.
      """)

  @Argument(parsing: .allUnrecognized, help: "The words to find.")
  var words: [String] = []

  @Option(help: "How many results to print; JSON has all of them.")
  var limit = 20

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let query = words.filter { $0 != "--" }.joined(separator: " ")
    guard query.contains(where: { !$0.isWhitespace }) else {
      throw Diagnostics("search for what?", hint: "trustlab search forward secrecy")
    }
    guard limit > 0 else { throw Diagnostics("--limit is a number above 0", hint: "--limit 20") }
    let index = SearchIndex.installed()
    let view = SearchView(query, in: index, limit: limit)
    if format == .json {
      Console.out(view.json.text(pretty: true))
    } else if !view.isEmpty {
      Console.out(view.document(width: styling.style.width).text(styling.style))
    }
    guard view.isEmpty else { return }
    Console.complain(Diagnostics.nothingFound(query, in: index).description)
    throw NotAsExpected()
  }
}

extension Diagnostics {
  /// A search without a result: what was looked for, and the nearest words.
  static func nothingFound(_ query: String, in index: SearchIndex) -> Diagnostics {
    let near = index.nearest(to: query)
    let hint =
      near.isEmpty
      ? "'trustlab list words' and 'trustlab list rules' print the words there are"
      : "the nearest words are \(near.map { "'\($0)'" }.joined(separator: ", "))"
    return Diagnostics("nothing found for '\(query.prefix(80))'", hint: hint)
  }
}

extension SearchIndex {
  /// Everything that comes with the program: its tables, its scenarios, its lessons and its documents.
  static func installed() -> SearchIndex {
    SearchIndex(tables + scenarios() + lessons() + documents())
  }

  /// Scenarios by their titles; their texts are searched as they are written, which needs no reader of scenarios.
  private static func scenarios() -> [SearchEntry] {
    guard let folder = ScenarioLibrary.curriculumFolder else { return [] }
    return ScenarioLibrary.scenarioPaths(below: folder).compactMap { path in
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
      let id = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
      let line = text.utf8.split(separator: 0x0a).first { $0.starts(with: "title: ".utf8) }
      let title = line.map { Substring($0).dropFirst(7) } ?? ""
      return SearchEntry(
        .scenario, id, others: [String(title)], summary: String(title), text: text, command: ["run", id])
    }
  }

  private static func lessons() -> [SearchEntry] {
    ((try? ScenarioLibrary.curriculum().lessons()) ?? []).map { lesson in
      SearchEntry(
        .lesson, lesson.id, others: [lesson.title], summary: "\(lesson.title). \(lesson.goal)",
        text: "\(lesson.goal) \(lesson.about) \(lesson.introduces.joined(separator: ", "))",
        command: ["lesson", lesson.id])
    }
  }

  private static func documents() -> [SearchEntry] {
    // Rules and words are found in the tables that their pages are made from; what changed is no place to learn.
    let sections = Documents.installed(
      omitting: ["docs/rules.md", "docs/words.md", "CHANGELOG.md", "CONTRIBUTING.md"]
    ).sections
    return sections.map { section in
      SearchEntry(
        section.place.hasPrefix("docs/commands.md") ? .command : .document, section.title, summary: section.title,
        text: section.lines.joined(separator: "\n"), command: ["explain", section.place])
    }
  }
}

import ArgumentParser
import Foundation
import Learning
import Rendering
import Scenarios

/// The `trustlab search` command.
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

      TrustLab prints one line for each result, best match first: the command that opens it, its kind and a summary. A \
      search word matches parts of words, in English or Chinese. You can also search for a log line in quotes. In the \
      REPL, type '/WORDS' to search.

      The exit status is 0 if there are results, otherwise 1. Without results, TrustLab suggests similar words.
      """)

  @Argument(parsing: .allUnrecognized, help: "The words to search for.")
  var words: [String] = []

  @Option(help: "The maximum number of results to print. JSON output contains all results.")
  var limit = 20

  @Option(help: "The output format: text or json.")
  var format = OutputFormat.text

  @OptionGroup var styling: StyleOptions

  func run() throws {
    let query = words.filter { $0 != "--" }.joined(separator: " ")
    guard query.contains(where: { !$0.isWhitespace }) else {
      throw Diagnostics("there is nothing to search for", hint: "add words: trustlab search forward secrecy")
    }
    guard limit > 0 else { throw Diagnostics("--limit must be greater than 0", hint: "write --limit 20") }
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
  /// Returns the error for a search without results, with the nearest words as a hint.
  static func nothingFound(_ query: String, in index: SearchIndex) -> Diagnostics {
    let near = index.nearest(to: query)
    let hint =
      near.isEmpty
      ? "'trustlab list words' and 'trustlab list rules' list the known words"
      : "try a similar word: \(near.map { "'\($0)'" }.joined(separator: ", "))"
    return Diagnostics("no results for '\(query.prefix(80))'", hint: hint)
  }
}

extension SearchIndex {
  /// Returns the index of all installed tables, scenarios, lessons and documents.
  static func installed() -> SearchIndex {
    SearchIndex(tables + scenarios() + lessons() + documents())
  }

  /// Returns the entries for the scenarios. Searching their source text is faster than parsing them.
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
    // The search tables already cover the rules and words pages, and change logs teach nothing.
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

import Scenarios
import URLLoading

/// The results of a search, best first, with one line each and the command that opens the result.
public struct SearchView: Sendable {
  private let query: String
  private let results: [SearchEntry]
  private let limit: Int

  /// Creates the results for `query`. The text shows at most `limit`, and an entry for a device log line is first.
  public init(_ query: String, in index: SearchIndex, limit: Int = 20) {
    self.query = query
    self.limit = limit
    let line = LogLine(query).flatMap { _ in
      SearchEntry(.logLine, query, summary: "the errors in this log line", command: ["explain", query])
    }
    results = [line].compactMap(\.self) + index.results(for: query)
  }

  /// Whether the search had no result.
  public var isEmpty: Bool { results.isEmpty }

  /// Returns a line for each result that fits into `width` columns. The text is omitted if the command leaves no room
  /// for it.
  public func document(width: Int) -> Document {
    let shown = results.prefix(limit)
    let column = min(shown.map { DisplayWidth.of($0.commandLine) }.max() ?? 0, width / 2)
    var lines = shown.map { line(of: $0, column: column, width: width) }
    if results.count > limit {
      lines.append(RichText("… and \(results.count - limit) more results: --limit \(results.count)", .dim))
    }
    return Document([.preformatted(lines, indent: 0)])
  }

  /// All results as JSON: `{trustlab, query, results: [{kind, name, summary, command}]}`.
  public var json: JSONValue {
    [
      "trustlab": 1, "query": .string(query),
      "results": .array(
        results.map {
          [
            "kind": .string($0.kind.rawValue), "name": .string($0.name), "summary": .string($0.summary),
            "command": .string($0.commandLine),
          ]
        }),
    ]
  }

  private func line(of entry: SearchEntry, column: Int, width: Int) -> RichText {
    let command = entry.commandLine
    let space = String(repeating: " ", count: max(2, column + 2 - DisplayWidth.of(command)))
    let kind = "\(entry.kind.rawValue): "
    let room = width - DisplayWidth.of(command) - space.count - kind.count
    guard room > 12 else { return RichText([Span(command, .name), Span("  \(entry.kind.rawValue)", .dim)]) }
    return RichText([
      Span(command, .name), Span(space), Span(kind, .dim), Span(Self.cut(entry.summary, to: room)),
    ])
  }

  /// Returns the beginning of a text that fits into `width` columns, on one line.
  private static func cut(_ text: String, to width: Int) -> String {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard DisplayWidth.of(text) > width else { return text }
    var cut = ""
    var columns = 0
    for character in text {
      columns += DisplayWidth.of(String(character))
      guard columns < width else { break }
      cut.append(character)
    }
    return cut.trimmingSuffix { $0.isWhitespace } + "…"
  }
}

extension String {
  fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
    var text = self
    while let last = text.last, isTrimmed(last) { text.removeLast() }
    return text
  }
}

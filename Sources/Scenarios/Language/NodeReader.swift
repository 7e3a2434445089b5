import Explanation

/// Collects the problems of a file, so that all of them are reported at once.
package final class DiagnosticSink {
  package private(set) var all: [Diagnostic] = []
  /// The number of reports, including repetitions in other cases. Callers compare it to avoid reporting the
  /// consequences of a reported mistake.
  private(set) var reports = 0
  /// The number of errors, including repetitions in other cases.
  private(set) var errors = 0
  private let lines: [String: [String]]

  /// The folder for relative paths in the file; empty for the current folder.
  let folder: String

  /// Creates a sink that can show the lines of these files.
  package init(lines: [String: [String]], folder: String = "") {
    self.lines = lines
    self.folder = folder
  }

  func error(_ message: String, hint: String = "", at mark: SourceMark) { add(message, hint, mark, .error) }

  func warning(_ message: String, hint: String = "", at mark: SourceMark) { add(message, hint, mark, .warning) }

  private func add(_ message: String, _ hint: String, _ mark: SourceMark, _ severity: Diagnostic.Severity) {
    reports += 1
    if severity == .error { errors += 1 }
    let file = lines[mark.file] ?? []
    let line = file.indices.contains(mark.line - 1) ? file[mark.line - 1] : nil
    let diagnostic = Diagnostic(message, hint: hint, at: mark, line: line, severity: severity)
    if !all.contains(diagnostic) { all.append(diagnostic) }
  }

  /// Returns the collected warnings.
  ///
  /// - Throws: all diagnostics, if at least one is an error.
  package func finish() throws(Diagnostics) -> [Diagnostic] {
    if all.contains(where: { $0.severity == .error }) { throw Diagnostics(all) }
    return all
  }
}

/// Reads a node as a value of the type that its place requires. Reports a node of another type and returns nil for it.
package struct NodeReader {
  package let node: Node
  /// The name that messages use for this place: `server.presents`.
  let path: String
  let sink: DiagnosticSink

  /// Creates a reader of `node`, which messages call `path`.
  package init(node: Node, path: String, sink: DiagnosticSink) {
    self.node = node
    self.path = path
    self.sink = sink
  }

  package func fail(_ message: String, hint: String = "") { sink.error(message, hint: hint, at: node.mark) }

  /// Returns the result of `read`. Reports a nil result without an error, so that no written value is silently lost.
  func reading<Result>(_ read: (NodeReader) -> Result?) -> Result? {
    let before = sink.errors
    let result = read(self)
    if result == nil, sink.errors == before { fail("cannot read \(place)") }
    return result
  }

  /// Reads a map that has only keys of `section`.
  package func map(_ section: WordSection) -> MapReader? {
    guard let entries = node.entries else {
      fail("\(place) must be a map, not \(node.kind)", hint: meantMap(section))
      return nil
    }
    let known = section.words.map(\.name)
    for entry in entries where !known.contains(entry.key) {
      let place = path.isEmpty ? "" : " in \(path)"
      let home = path.isEmpty ? Vocabulary.home(of: entry.key) : nil
      sink.error(
        "unknown key '\(entry.key)'\(place)",
        hint: home.map { "it belongs under '\($0)': write \($0): { \(entry.key): \(entry.value.flowText) }" }
          ?? inRow(entry, of: section) ?? LikelyWord.hint(for: entry.key, among: known), at: entry.mark)
    }
    return MapReader(reader: self, entries: entries)
  }

  /// Returns the map that a scalar or a list probably means: `expect: accepted`, `attackers: [passive]`.
  private func meantMap(_ section: WordSection) -> String {
    if section.name == "request", let items = node.items {
      return "for several loads, write requests: [\(items.map(\.flowText).joined(separator: ", "))]"
    }
    let word = node.items?.count == 1 ? node.items?.first : node
    if case .scalar(let text, _, _)? = word,
      let key = section.words.first(where: { $0.shape.choices.contains(text) })
    {
      return "write { \(key.name): \(text) }"
    }
    return "its keys are \(section.words.map(\.name).joined(separator: ", "))"
  }

  /// Reports changes that are directly in a row. They belong under `with`.
  private func inRow(_ entry: Node.Entry, of section: WordSection) -> String? {
    guard section.name == "case", let first = ScenarioPath(entry.key)?.segments.first else { return nil }
    if ScenarioParts.keysOfTheFile.contains(first) {
      return "'\(first)' belongs at the top of the file; write a row for each value instead"
    }
    let known = ScenarioParts.section.words.words.map(\.name)
    return known.contains(first)
      ? "a row's changes belong under 'with': write with: { \(entry.key): \(entry.value.flowText) }" : nil
  }

  /// Reads a map whose keys are names that the author chose. Calls `read` for each entry in order.
  func named<Result>(_ read: (String, SourceMark, NodeReader) -> Result?) -> [Result] {
    guard let entries = node.entries else {
      fail("\(place) must be a map, not \(node.kind)")
      return []
    }
    return entries.compactMap { entry in
      NodeReader(node: entry.value, path: "\(path).\(entry.key)", sink: sink)
        .reading { read(entry.key, entry.mark, $0) }
    }
  }

  /// Reads a list and calls `read` for each item.
  package func list<Result>(_ read: (NodeReader) -> Result?) -> [Result]? {
    guard case .list(let items, _) = node else {
      fail("\(place) must be a list, not \(node.kind)", hint: node.entries == nil ? "write [\(node.flowText)]" : "")
      return nil
    }
    return items.enumerated().compactMap { index, item in
      NodeReader(node: item, path: "\(path)[\(index)]", sink: sink).reading(read)
    }
  }

  package func text(hint: @autoclosure () -> String = "") -> String? {
    guard case .scalar(let text, _, _) = node, !node.isNull else {
      fail("\(place) must be a text, not \(node.kind)", hint: hint())
      return nil
    }
    return text
  }

  package func integer(_ range: ClosedRange<Int>) -> Int? {
    guard case .scalar(let text, false, _) = node, let number = Int(text), range.contains(number) else {
      fail(
        "\(place) must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(shown)",
        hint: plainNumber(range))
      return nil
    }
    return number
  }

  package func choice(_ words: [String], called noun: String) -> String? {
    guard let text = text(hint: meantChoice(of: words)) else { return nil }
    guard words.contains(text) else {
      fail("unknown \(noun) '\(text)'", hint: LikelyWord.hint(for: text, among: words))
      return nil
    }
    return text
  }

  /// Returns a hint for a list or a map: the keyword that is its only item, or the known keywords.
  private func meantChoice(of words: [String]) -> String {
    let written = node.items?.count == 1 ? node.items?.first?.text : nil
    if let written, words.contains(written) { return "write \(written), without brackets" }
    return LikelyWord.hint(for: written ?? "", among: words)
  }

  func date() -> Instant? {
    guard let text = text() else { return nil }
    guard let instant = Instant(text) else {
      fail("'\(text)' is not a date", hint: Self.meantDate(by: text) ?? "write 2016-11-01T00:00:00Z or 2016-11-01")
      return nil
    }
    return instant
  }

  /// Returns a hint with the date that the author meant: `31.10.2016`, `2016/10/31`, `2016-10-31 12:00`, or the last
  /// day of its month.
  private static func meantDate(by text: String) -> String? {
    // The scenario language cannot express a date before the year 0 or after 9999.
    if let instant = local(text) {
      return Instant(instant.description).map { "write \($0): the same moment in UTC" }
    }
    let numbers = text.split { !$0.isNumber }.map(String.init)
    func padded(_ text: String) -> String { text.utf8.count == 1 ? "0\(text)" : text }
    guard numbers.count >= 3, numbers.allSatisfy({ $0.utf8.count <= 4 }) else { return lastDay(of: text) }
    let isYearFirst = numbers[0].utf8.count == 4
    let parts = isYearFirst ? Array(numbers.prefix(3)) : numbers.prefix(3).reversed()
    let day = "\(parts[0])-\(padded(parts[1]))-\(padded(parts[2]))"
    guard Instant(day) != nil else { return lastDay(of: text) }
    // In 3/4/2016, either number can be the month.
    if !isYearFirst, !text.contains(".") { return "write the year first: \(day) if the second number is the month" }
    let times = numbers.dropFirst(3).prefix(3).map(padded)
    let time = (times + ["00", "00", "00"]).prefix(3).joined(separator: ":")
    return times.isEmpty ? "write \(day)" : Instant("\(day)T\(time)Z").map { _ in "write \(day)T\(time)Z" }
  }

  /// Returns the instant of a local time with its offset from UTC: `2016-11-01T00:00:00+02:00` (RFC 3339 section 5.6).
  private static func local(_ text: String) -> Instant? {
    guard text.utf8.count > 6, text.contains("T") else { return nil }
    let offset = text.suffix(6)
    let numbers = offset.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let sign = offset.first, sign == "+" || sign == "-", numbers.count == 2,
      numbers.allSatisfy({ $0.utf8.count == 2 }), let hours = Int64(numbers[0]), let minutes = Int64(numbers[1]),
      (0...23).contains(hours), (0...59).contains(minutes), let time = Instant("\(text.dropLast(6))Z")
    else { return nil }
    let ahead = (hours * 60 + minutes) * 60
    return time.adding(seconds: sign == "+" ? -ahead : ahead)
  }

  /// Returns a hint for a day that does not exist in its month: `2016-02-30`.
  private static func lastDay(of text: String) -> String? {
    let month = text.prefix(7)
    guard text.utf8.count >= 10, Instant("\(month)-01") != nil,
      let last = (28...31).last(where: { Instant("\(month)-\($0)") != nil })
    else { return nil }
    return "the last day of \(month) is \(month)-\(last)"
  }

  /// Returns a hint for a number with a unit: `1 year` is 365 days.
  private func plainNumber(_ range: ClosedRange<Int>) -> String {
    guard case .scalar(let text, let isQuoted, _) = node else { return "" }
    if let number = slip(text) {
      let nearest = min(max(number, range.lowerBound), range.upperBound)
      if isQuoted, nearest == number { return "write \(number), without quotes" }
      return nearest == number ? "write \(number)" : "the nearest is \(nearest)"
    }
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 2, let number = Int(parts[0]), (0...1000).contains(number),
      let key = path.split(separator: ".").last
    else { return "" }
    let days = ["day": 1, "week": 7, "month": 30, "year": 365]
    let unit = parts[1].hasSuffix("s") ? String(parts[1].dropLast()) : parts[1]
    return key == "days" ? days[unit].map { "write \(key): \(number * $0)" } ?? "" : "write \(key): \(number)"
  }

  /// Returns the whole number that the author meant by `8O80`, `8_080`, `three` or `3.0`; nil if there is none.
  private func slip(_ text: String) -> Int? {
    let words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    if let number = words.firstIndex(of: text.lowercased()) { return number }
    let whole = text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    let letters: [Character: Character] = ["O": "0", "o": "0", "l": "1", "I": "1"]
    guard whole.contains(where: \.isNumber) else { return nil }
    return Int(String(whole.filter { !"_, '".contains($0) }.map { letters[$0] ?? $0 }))
  }

  /// Reads a duration and returns it in seconds: `30 days`, `1 hour`.
  func duration() -> Int64? {
    guard let text = text() else { return nil }
    let parts = text.split(separator: " ")
    let units: [String: Int64] = ["second": 1, "minute": 60, "hour": 3600, "day": 86_400]
    let unit = parts.last.map { $0.hasSuffix("s") ? String($0.dropLast()) : String($0) } ?? ""
    guard parts.count == 2, let number = Int64(parts[0]), (0...36_500).contains(number), let seconds = units[unit]
    else {
      let days = ["week": 7, "month": 30, "year": 365]
      let meant = parts.count == 2 ? days[unit].flatMap { days in Int(parts[0]).map { (days, $0) } } : nil
      let isNear = meant.map { (0...100).contains($0.1) } ?? false
      fail(
        "'\(text)' is not a duration",
        hint: meant.flatMap { isNear ? "write \($0.0 * $0.1) days" : nil }
          ?? "write 30 days, 12 hours, 5 minutes or 1 second")
      return nil
    }
    return number * seconds
  }

  /// Reads a Boolean value: `true` or `false`.
  func flag() -> Bool? {
    guard case .scalar(let text, let quoted, _) = node, ["true", "false"].contains(text) else {
      fail("\(place) must be true or false, not \(shown)")
      return nil
    }
    guard !quoted else {
      fail("\(place) must be true or false, not the text \"\(text)\"", hint: "write \(text), without quotation marks")
      return nil
    }
    return text == "true"
  }

  /// Returns the place of `key` in this map, or the place of the map if it lacks the key.
  func mark(of key: String) -> SourceMark { node.entries?.first { $0.key == key }?.mark ?? node.mark }

  /// The name of the place in messages. The file itself has no path.
  private var place: String { path.isEmpty ? "a scenario" : path }

  /// The node as text, short enough for a message.
  var shown: String {
    guard case .scalar(let text, _, _) = node else { return node.kind }
    return text.count > 40 ? "'\(text.prefix(40))…'" : "'\(text)'"
  }
}

/// The keys of a map that was checked against a vocabulary section.
package struct MapReader {
  let reader: NodeReader
  let entries: [Node.Entry]

  /// Returns a reader for the value under `key`; nil if the map does not have the key.
  package subscript(key: String) -> NodeReader? {
    guard let entry = entries.first(where: { $0.key == key }) else { return nil }
    let path = reader.path.isEmpty ? key : "\(reader.path).\(key)"
    return NodeReader(node: entry.value, path: path, sink: reader.sink)
  }
}

import Cryptography
import Explanation

/// Reads scenario files strictly, and reports all problems at once, each with its place.
public struct ScenarioReader: Sendable {
  package let baseline: YAMLDocument
  private let baselineFile: String
  /// Whether an author is changing the file. A case that then changes nothing is a warning: its value may have been moved
  /// to the main case.
  package var isEditing = false

  /// Creates a reader whose defaults are in `baseline`, the bytes of the file called `file`.
  ///
  /// - Throws: `Diagnostics` if the baseline itself is not valid YAML.
  public init(baseline: [UInt8], file: String) throws(Diagnostics) {
    self.baseline = try YAMLDocument(baseline, file: file)
    baselineFile = file
  }

  /// Reads the cases of the file at `path` from its bytes.
  ///
  /// - Throws: `Diagnostics` with all errors in the file.
  public func read(_ bytes: [UInt8], path: String) throws(Diagnostics) -> ScenarioFile {
    let document = try YAMLDocument(bytes, file: path)
    return try read(document.root, lines: document.lines, path: path)
  }

  /// Reads the cases of a tree in place of the file at `path`, for an editor of scenarios.
  ///
  /// - Throws: `Diagnostics` with all errors in the tree.
  public func read(_ root: Node, lines: [String], path: String) throws(Diagnostics) -> ScenarioFile {
    let location = ScenarioLocation(path: path)
    let sink = DiagnosticSink(lines: [path: lines, baselineFile: baseline.lines], folder: location.folder)
    let file = NodeReader(node: root, path: "", sink: sink)
    var parts = ScenarioParts()
    guard file.read(ScenarioParts.section, into: &parts) != nil else { throw Diagnostics(sink.all) }
    let merged = baseline(for: root).laidOver(by: root.without("cases", "sweep"))
    baseline.root.checkRemovals(in: root.without("cases", "sweep"), sink)
    let epoch = merged["clock"].flatMap { NodeReader(node: $0, path: "clock", sink: sink).date() }
    checkEmpty(root, sink: sink)
    let main = CaseRow(
      name: Scenario.mainCase, tree: merged, expect: parts.expect, sibling: parts.sibling,
      siblingMark: root["sibling"]?.mark, removed: Removals().adding(root.without("cases", "sweep")))
    // The file's `after` describes the run of the file, not the run of a row.
    var base = main
    base.tree = merged.without("after")
    var rows = [main]
    rows += parts.cases.map { self.rows($0, over: base) } ?? []
    rows += parts.sweep.map { sweep($0, over: base) } ?? []
    checkNames(of: rows, sink: sink)
    let cases = rows.compactMap { row in
      CaseReading(location: location, epoch: epoch, row: row, sink: sink).scenario()
    }
    ReferenceCheck(cases: cases, file: path, sink: sink).run()
    IdleAttackCheck(cases: cases, sink: sink).run()
    IdleSettingCheck(cases: cases, file: path, sink: sink).run()
    let warnings = try sink.finish()
    return ScenarioFile(id: location.id, path: path, cases: cases, warnings: warnings, root: root, lines: lines)
  }

  /// Returns the baseline without the keys that the file replaces as a whole.
  private func baseline(for root: Node) -> Node {
    func has(_ key: String) -> Bool { root[key].map { !$0.isNull } ?? false }
    if has("calculation") { return baseline.root.without(ScenarioParts.keysOfConnections) }
    var replaced: [String] = []
    for key in ["authorities", "certificates"] where root[key] != nil { replaced.append(key) }
    if has("requests") || has("connections") { replaced.append("request") }
    return baseline.root.without(replaced)
  }

  /// Reports an empty key that is not in the baseline. It removes nothing, so its value is probably missing.
  private func checkEmpty(_ root: Node, sink: DiagnosticSink) {
    let keys = ["servers", "requests", "connections", "timeline", "calculation"]
    for entry in root.entries ?? [] where keys.contains(entry.key) && entry.value.isNull {
      guard baseline.root[entry.key] == nil else { continue }
      sink.error("'\(entry.key)' is empty", hint: "remove the key, or write its value", at: entry.mark)
    }
  }

  /// The path of the key `after` that a case itself sets.
  private static let after = ScenarioPath(segments: ["after"])

  private func rows(_ reader: NodeReader, over file: CaseRow) -> [CaseRow] {
    var rows: [CaseRow] = []
    for item in reader.list({ $0 }) ?? [] {
      var row = RowParts()
      guard let map = item.read(RowParts.section, into: &row) else { continue }
      guard let name = row.name else {
        if map["name"] == nil {
          item.fail("the case has no name", hint: "write { name: …, with: { … }, expect: { … } }")
        }
        continue
      }
      // A row's expectation replaces all expectations of the file, including those of its parts.
      let base = row.expect == nil ? file.tree : file.tree.withoutExpectationsOfParts
      let reports = reader.sink.reports
      var tree = row.changes.map { base.laidOver(byRow: $0.node, reader.sink) } ?? base
      // A misspelt path also changes nothing, and has already been reported.
      if let changes = row.changes, reader.sink.reports == reports { checkChange(changes, in: name, over: base, tree) }
      if let after = map["after"] { tree = tree.laidOver(by: after.node, at: Self.after, mark: after.node.mark) }
      if let with = row.changes, with.node.entries == nil { with.fail("\(with.path) must be a map of paths") }
      rows.append(
        CaseRow(
          name: name, mark: map["name"]?.node.mark, tree: tree, expect: row.expect ?? file.expect,
          sibling: row.sibling ?? file.sibling, siblingMark: map["sibling"]?.node.mark ?? file.siblingMark,
          removed: file.removed.adding(row: row.changes?.node)))
    }
    return rows
  }

  /// Reports a row that changes nothing, because its values are already set or an empty map removes nothing.
  private func checkChange(_ changes: NodeReader, in name: String, over base: Node, _ tree: Node) {
    for entry in changes.node.entries ?? [] {
      guard entry.value.entries?.isEmpty == true, let path = ScenarioPath(entry.key),
        let old = path.segments.reduce(base as Node?, { $0?[$1] }), old.entries?.isEmpty == false
      else { continue }
      return changes.sink.error(
        "'\(entry.key): {}' changes nothing, because maps are merged by key",
        hint: "write null to remove: \(entry.key): null",
        at: entry.mark)
    }
    guard let first = changes.node.entries?.first, tree.isSame(as: base) else { return }
    let message = "the case '\(name)' changes nothing: all values in 'with' are already set"
    let hint = "write another value, or null to remove: \(first.key): null"
    if isEditing {
      changes.sink.warning(message, hint: hint, at: first.mark)
    } else {
      changes.sink.error(message, hint: hint, at: first.mark)
    }
  }

  /// Returns one case for every combination of the values of the swept paths.
  private func sweep(_ reader: NodeReader, over file: CaseRow) -> [CaseRow] {
    var rows = [file]
    rows[0].name = ""
    guard let entries = reader.node.entries else {
      reader.fail(
        "a sweep must be a map of paths, not \(reader.node.kind)", hint: "write { client.os: [iOS 8, iOS 9] }")
      return []
    }
    for entry in entries {
      guard let path = ScenarioPath(entry.key), case .list(let items, _) = entry.value, !items.isEmpty
      else {
        reader.sink.error(
          "a sweep needs a path and a list of values", hint: "write client.os: [iOS 8, iOS 9]", at: entry.mark)
        return []
      }
      let values = once(items, path, reader.sink)
      guard rows.count * values.count <= 1000 else {
        reader.sink.error("a sweep may have at most 1000 cases", hint: "sweep fewer values", at: entry.mark)
        return []
      }
      rows = rows.flatMap { row in
        values.map { value in
          CaseRow(
            name: (row.name.isEmpty ? "" : row.name + ", ") + "\(path) = \(value.flowText)",
            mark: value.mark,
            tree: row.tree.laidOver(
              by: .init(key: entry.key, mark: entry.mark, value: value), at: path, reader.sink), expect: row.expect,
            sibling: row.sibling, siblingMark: row.siblingMark, removed: row.removed.adding(value, at: path))
        }
      }
    }
    return rows.filter { !$0.name.isEmpty }
  }

  /// Returns the values of a sweep without duplicates. A repeated value would create a second case with the same name.
  private func once(_ values: [Node], _ path: ScenarioPath, _ sink: DiagnosticSink) -> [Node] {
    var seen: Set<String> = []
    return values.filter { value in
      let isNew = seen.insert(value.flowText).inserted
      if !isNew {
        sink.error(
          "'\(value.flowText)' appears twice in the sweep of \(path)", hint: "remove one of the two", at: value.mark)
      }
      return isNew
    }
  }

  private func checkNames(of rows: [CaseRow], sink: DiagnosticSink) {
    var seen: Set<String> = []
    for row in rows where !seen.insert(row.name).inserted {
      sink.error(
        "two cases are called '\(row.name)'", hint: "give each case its own name; the file itself is 'main'",
        at: row.mark ?? row.expect?.node.mark ?? row.tree.mark)
    }
  }
}

/// A row of `cases` or of a `sweep`, or the case of the file itself.
struct CaseRow {
  var name: String
  /// The place of the row's name or swept value; nil for the file itself.
  var mark: SourceMark?
  var tree: Node
  let expect: NodeReader?
  let sibling: String?
  /// The place where the file names the sibling.
  var siblingMark: SourceMark?
  /// The values that the file or the row removes from the tree.
  var removed = Removals()
}

/// The place of a scenario file, and the scenario's id from its name.
struct ScenarioLocation {
  let path: String

  var id: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
    return name
  }

  /// The folder for relative paths in the file; empty for the current folder.
  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension Node {
  /// Returns this map without some of its keys.
  package func without(_ keys: String...) -> Node { without(keys) }

  /// Returns this map without some of its keys.
  package func without(_ keys: [String]) -> Node {
    guard case .map(let entries, let mark) = self else { return self }
    return .map(entries.filter { !keys.contains($0.key) }, mark)
  }

  /// The scenario without the expectations of individual loads, connections and dates.
  var withoutExpectationsOfParts: Node {
    guard case .map(let entries, let mark) = self else { return self }
    return .map(
      entries.map { entry in
        guard ["requests", "connections", "timeline"].contains(entry.key),
          case .list(let items, let place) = entry.value
        else { return entry }
        return Entry(key: entry.key, mark: entry.mark, value: .list(items.map { $0.without("expect") }, place))
      }, mark)
  }

  /// The node in YAML's flow style, on one line.
  public var flowText: String { flowText(isInBrackets: false) }

  private func flowText(isInBrackets: Bool) -> String {
    switch self {
    case .scalar(let text, let quoted, _):
      YAMLScalar.line(text, quoted: quoted || text.isEmpty, isInBrackets: isInBrackets)
    case .list(let items, _): "[\(items.map { $0.flowText(isInBrackets: true) }.joined(separator: ", "))]"
    case .map(let entries, _):
      entries.isEmpty
        ? "{}"
        : "{ \(entries.map { "\(YAMLScalar.key($0.key)): \($0.value.flowText(isInBrackets: true))" }.joined(separator: ", ")) }"
    }
  }
}

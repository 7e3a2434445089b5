import Cryptography
import Explanation

/// Reads scenario files: strictly, all that is wrong at once, each with its place.
public struct ScenarioReader: Sendable {
  package let baseline: YAMLDocument
  private let baselineFile: String

  /// A reader that takes what a file leaves out from `baseline`, the bytes of the file called `file`.
  ///
  /// - Throws: `Diagnostics` when the baseline itself is not YAML.
  public init(baseline: [UInt8], file: String) throws(Diagnostics) {
    self.baseline = try YAMLDocument(baseline, file: file)
    baselineFile = file
  }

  /// Reads the cases of the file `path`, whose bytes are given.
  ///
  /// - Throws: `Diagnostics` with all that is wrong in it.
  public func read(_ bytes: [UInt8], path: String) throws(Diagnostics) -> ScenarioFile {
    let document = try YAMLDocument(bytes, file: path)
    return try read(document.root, lines: document.lines, path: path)
  }

  /// Reads the cases of a tree that stands for the file `path`, as an editor of scenarios does.
  ///
  /// - Throws: `Diagnostics` with all that is wrong in it.
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
    // What the file's own run has shown is not what a row shows.
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

  /// The baseline without what the file replaces as a whole.
  private func baseline(for root: Node) -> Node {
    func has(_ key: String) -> Bool { root[key].map { !$0.isNull } ?? false }
    if has("calculation") { return baseline.root.without(ScenarioParts.keysOfConnections) }
    var replaced: [String] = []
    for key in ["authorities", "certificates"] where root[key] != nil { replaced.append(key) }
    if has("requests") || has("connections") { replaced.append("request") }
    return baseline.root.without(replaced)
  }

  /// A key that takes nothing away, for the baseline does not have it, would say nothing: what was to stand under it is
  /// not there.
  private func checkEmpty(_ root: Node, sink: DiagnosticSink) {
    let keys = ["servers", "requests", "connections", "timeline", "calculation"]
    for entry in root.entries ?? [] where keys.contains(entry.key) && entry.value.isNull {
      guard baseline.root[entry.key] == nil else { continue }
      sink.error("nothing stands under '\(entry.key)'", hint: "leave the key out, or fill it", at: entry.mark)
    }
  }

  /// Where a case says what its run has shown.
  private static let after = ScenarioPath(segments: ["after"])

  private func rows(_ reader: NodeReader, over file: CaseRow) -> [CaseRow] {
    var rows: [CaseRow] = []
    for item in reader.list({ $0 }) ?? [] {
      var row = RowParts()
      guard let map = item.read(RowParts.section, into: &row) else { continue }
      guard let name = row.name else {
        if map["name"] == nil { item.fail("a case has a name", hint: "write { name: …, with: { … }, expect: { … } }") }
        continue
      }
      // What the row expects stands for all that the file expects, of its parts too.
      let base = row.expect == nil ? file.tree : file.tree.withoutExpectationsOfParts
      let reports = reader.sink.reports
      var tree = row.changes.map { base.laidOver(byRow: $0.node, reader.sink) } ?? base
      // A slip in a path changes nothing either, and was reported.
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

  /// Reports a row that is the file's own case: a value that is already there, or an empty map, which merges with what is
  /// there and removes nothing.
  private func checkChange(_ changes: NodeReader, in name: String, over base: Node, _ tree: Node) {
    for entry in changes.node.entries ?? [] {
      guard entry.value.entries?.isEmpty == true, let path = ScenarioPath(entry.key),
        let old = path.segments.reduce(base as Node?, { $0?[$1] }), old.entries?.isEmpty == false
      else { continue }
      return changes.sink.error(
        "'\(entry.key): {}' changes nothing: maps merge by key", hint: "write null to remove: \(entry.key): null",
        at: entry.mark)
    }
    guard let first = changes.node.entries?.first, tree.isSame(as: base) else { return }
    changes.sink.error(
      "the case '\(name)' changes nothing: all of 'with' is what the file says",
      hint: "write another value, or null to remove: \(first.key): null", at: first.mark)
  }

  /// One case for every combination of the values that the swept paths are given.
  private func sweep(_ reader: NodeReader, over file: CaseRow) -> [CaseRow] {
    var rows = [file]
    rows[0].name = ""
    guard let entries = reader.node.entries else {
      reader.fail("a sweep is a map of paths, not \(reader.node.kind)", hint: "write { client.os: [iOS 8, iOS 9] }")
      return []
    }
    for entry in entries {
      guard let path = ScenarioPath(entry.key), case .list(let items, _) = entry.value, !items.isEmpty
      else {
        reader.sink.error(
          "a sweep gives a path a list of values", hint: "write client.os: [iOS 8, iOS 9]", at: entry.mark)
        return []
      }
      let values = once(items, path, reader.sink)
      guard rows.count * values.count <= 1000 else {
        reader.sink.error("a sweep makes at most 1000 cases", hint: "sweep fewer values", at: entry.mark)
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

  /// The values of a sweep, each once: one that stands there again would be a second case of one name.
  private func once(_ values: [Node], _ path: ScenarioPath, _ sink: DiagnosticSink) -> [Node] {
    var seen: Set<String> = []
    return values.filter { value in
      let isNew = seen.insert(value.flowText).inserted
      if !isNew {
        sink.error("'\(value.flowText)' is swept twice for \(path)", hint: "remove one of the two", at: value.mark)
      }
      return isNew
    }
  }

  private func checkNames(of rows: [CaseRow], sink: DiagnosticSink) {
    var seen: Set<String> = []
    for row in rows where !seen.insert(row.name).inserted {
      sink.error(
        "two cases are called '\(row.name)'", hint: "every case has a name of its own; the file alone is 'main'",
        at: row.mark ?? row.expect?.node.mark ?? row.tree.mark)
    }
  }
}

/// A row of `cases` or of a `sweep`, or the file alone.
struct CaseRow {
  var name: String
  /// Where the name stands, or the value it follows from; nil for the file alone.
  var mark: SourceMark?
  var tree: Node
  let expect: NodeReader?
  let sibling: String?
  /// Where it is named.
  var siblingMark: SourceMark?
  /// What the tree lacks because the file, or the row, takes it away.
  var removed = Removals()
}

/// Where a scenario file lies, and the id that its name gives it.
struct ScenarioLocation {
  let path: String

  var id: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    for ending in [".yaml", ".yml"] where name.hasSuffix(ending) { return String(name.dropLast(ending.count)) }
    return name
  }

  /// The folder that paths in the file start from; empty for the working directory.
  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

extension Node {
  /// This map without some of its keys.
  package func without(_ keys: String...) -> Node { without(keys) }

  /// This map without some of its keys.
  package func without(_ keys: [String]) -> Node {
    guard case .map(let entries, let mark) = self else { return self }
    return .map(entries.filter { !keys.contains($0.key) }, mark)
  }

  /// This scenario without what single loads, connections and dates expect.
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
  public var flowText: String {
    switch self {
    case .scalar(let text, let quoted, _): quoted || text.isEmpty ? "\"\(text)\"" : text
    case .list(let items, _): "[\(items.map(\.flowText).joined(separator: ", "))]"
    case .map(let entries, _):
      entries.isEmpty ? "{}" : "{ \(entries.map { "\($0.key): \($0.value.flowText)" }.joined(separator: ", ")) }"
    }
  }
}

import Explanation
import Simulator

/// Writes the observed results into the failed expectations of a file, in canonical form.
///
/// Keeps every comment, the order of keys, the line breaks and the byte order mark of the file. Marks the expectations
/// as `unreviewed` until a person has read them.
///
/// A comment on a removed part of a value moves above its replacement. A comment on a removed key moves above the next
/// key, or to the end.
///
/// Does not write results that would hide a problem: an attack that never applied, or a failed sibling. If no keyword
/// can express a result, the other results are written, and the case still fails.
public struct Blessing: Sendable {
  /// A case whose expectation is not written, or a single keyword of it, with the reason.
  public struct Refusal: Sendable, Hashable, CustomStringConvertible {
    /// The name of the file and of the case.
    public let name: String
    /// The unchanged keyword with its parent; nil for the whole expectation.
    public let word: String?
    /// The reason, without a final period.
    public let reason: String

    /// The refusal and its reason in words.
    public var description: String {
      "\(word.map { "\($0) of \(name)" } ?? name) is not written: \(reason)"
    }
  }

  /// The file with the observed results; the original text if there is nothing to write.
  public private(set) var text: String
  /// The cases with a new expectation, even if some mismatches are left.
  public private(set) var blessed: [String] = []
  /// The failed cases and keywords that are left unchanged.
  public private(set) var refused: [Refusal] = []
  private var tree: SourceTree
  /// The original file, with which every case was compared.
  private let before: SourceTree
  /// The paths of the changes in the file.
  private var places: [[SourceTree.Step]] = []
  private let file: ScenarioFile
  private let results: [CaseResult]

  /// Writes the results of a file after all of its cases were played.
  ///
  /// - Parameters:
  ///   - file: the original file.
  ///   - bytes: its text, in UTF-8.
  ///   - results: the result of each case of the file.
  ///   - isWanted: whether a case may be written.
  ///   - isFailed: whether the sibling with this id, from another file, fails; nil if there is no such case.
  /// - Throws: `Diagnostics` if the file has parts that cannot be rewritten, or if it would lose a comment.
  public init(
    _ file: ScenarioFile, bytes: [UInt8], results: [CaseResult], isWanted: (Scenario) -> Bool = { _ in true },
    isFailed: (String) -> Bool? = { _ in nil }
  ) throws(Diagnostics) {
    tree = try ScenarioFormat.tree(of: bytes, path: file.path)
    text = String(decoding: bytes, as: UTF8.self)
    self.file = file
    self.results = results
    before = tree
    let failed = results.filter { isWanted($0.scenario) && $0.judgement.result == .failed }
    // Accepted cases depend on no other case. Refused cases depend on accepted cases, which come first.
    for result in failed.filter(\.isAccepted) + failed.filter({ !$0.isAccepted }) {
      let reason = obstacle(to: result) ?? self.isFailed(result, isFailed) ?? sharing(with: result)
      if let reason {
        refused.append(Refusal(name: result.scenario.name, word: nil, reason: reason))
      } else {
        bless(result)
      }
    }
    keepInherited()
    let order = results.map(\.scenario.name)
    blessed.sort { order.firstIndex(of: $0) ?? 0 < order.firstIndex(of: $1) ?? 0 }
    guard !blessed.isEmpty else { return }
    let (mark, rest) = ByteOrderMark.split(bytes)
    let old = String(decoding: rest, as: UTF8.self)
    text =
      mark + (SourceChange.text(of: tree, at: places, over: before, old) ?? SourceChange.whole(of: tree, over: old))
    let comments = try ScenarioFormat.tree(of: Array(text.utf8), path: file.path).root.comments
    guard comments.sorted() == before.root.comments.sorted() else {
      throw Diagnostics(
        "the results cannot be written without losing a comment",
        hint: "move each comment in the file's expectations to its own line, above its subject",
        at: SourceMark(file: file.path, line: 1, column: 1))
    }
  }

  // MARK: Refusals

  private func obstacle(to result: CaseResult) -> String? {
    let mismatches = result.judgement.mismatches
    if let idle = mismatches.first(where: { $0.path == "network" || $0.path.hasSuffix(".network") }) {
      return "expected \(idle.expected), but \(idle.found): fix 'network' first"
    }
    return nil
  }

  /// Returns the reason why a related case forbids a change: its sibling, or a case that names it as sibling. Nil if
  /// there is none.
  private func isFailed(_ result: CaseResult, _ isFailed: (String) -> Bool?) -> String? {
    guard !result.isAccepted else { return nil }
    let scenario = result.scenario
    let others = results.filter { $0.scenario.name != scenario.name && isAccepted($0) }
    if scenario.expectsAcceptance {
      // Refused cases that name no sibling use another accepted case.
      let leaning = results.first { other in
        !isAccepted(other) && file.sibling(of: other.scenario)?.name == scenario.name
          && (others.isEmpty || other.scenario.sibling != nil)
      }
      return leaning.map {
        "\($0.scenario.name) needs it as its accepted sibling: fix this case first"
      }
    }
    if let own = file.sibling(of: scenario), let sibling = results.first(where: { $0.scenario.name == own.name }) {
      let isHeld = scenario.sibling == nil ? !others.isEmpty : isAccepted(sibling)
      return isHeld ? nil : "its sibling \(own.name) fails: fix the sibling first"
    }
    guard let name = scenario.sibling else { return nil }
    return isFailed(name) == false ? nil : "its sibling \(name) fails or does not exist: fix the sibling first"
  }

  /// Returns whether a case is accepted and is expected to be accepted, originally or after a change.
  private func isAccepted(_ result: CaseResult) -> Bool {
    guard result.isAccepted else { return false }
    let name = result.scenario.name
    return blessed.contains(name) && !refused.contains { $0.name == name }
      || result.scenario.expectsAcceptance && result.judgement.result == .passed
  }

  /// Returns the reason why the file's expectation stays unchanged: a case of the sweep passes with it. Nil if no case
  /// does.
  ///
  /// The cases of a sweep have no expectation other than the file's.
  private func sharing(with result: CaseResult) -> String? {
    guard result.scenario.caseName == Scenario.mainCase else { return nil }
    let shared = results.first { $0.judgement.result == .passed && expectation(of: $0.scenario) == nil }
    return shared.map {
      "\($0.scenario.name) of its sweep passes with the same expectation: write each value as a row of 'cases'"
    }
  }

  // MARK: Changes

  /// If the file's expectation has changed, copies the old one to the rows without an expectation.
  ///
  /// A new expectation of a later date or of a load does not affect rows.
  private mutating func keepInherited() {
    guard places.contains([.key("expect")]) else { return }
    for result in results where !blessed.contains(result.scenario.name) {
      guard let row = row(of: result.scenario), tree.root["cases"]?.children[row]["expect"] == nil,
        var kept = expectation(of: result.scenario)
      else { continue }
      if kept.children.isEmpty { kept.set("verdict", .usual("accepted")) }
      write(kept, for: result.scenario)
    }
  }

  /// Writes the observed results of one case, if keywords can express them.
  private mutating func bless(_ result: CaseResult) {
    let scenario = result.scenario
    guard let item = expectation(of: scenario) else {
      let reason = "the cases of a sweep share one expectation: change it by hand"
      return refused.append(Refusal(name: scenario.name, word: nil, reason: reason))
    }
    let isMain = scenario.caseName == Scenario.mainCase
    var open = Outcome.loads(result.connections)[...]
    var done: Set<String> = []
    var written: [(place: [SourceTree.Step], item: SourceTree.Item)] = []
    for (number, date) in scenario.dates.enumerated() {
      let loads = Array(open.prefix(date.calculation == nil ? date.connections.count : 1))
      open = open.dropFirst(date.connections.count)
      let prefix = scenario.later.isEmpty ? "" : "\(date.clock.day)."
      let place: [SourceTree.Step] = number == 0 ? [] : [.key("timeline"), .index(number - 1)]
      // A row shares its later dates and single loads with the file.
      guard var own = number == 0 ? item : isMain ? tree.root[place + [.key("expect")]] : nil else { continue }
      let held = write(&own, of: date, loads, prefix, result)
      if !held.isEmpty { written.append((place + [.key("expect")], own)) }
      done.formUnion(held)
      guard isMain, scenario.later.isEmpty else { continue }
      let key = tree.root["requests"] == nil ? "connections" : "requests"
      for (index, connection) in date.connections.enumerated() where loads.indices.contains(index) {
        let place: [SourceTree.Step] = [.key(key), .index(index), .key("expect")]
        guard var own = tree.root[place], let expectation = connection.expectation else { continue }
        let prefix = connection.name.map { "\($0)." } ?? ""
        let held = Self.write(&own, over: expectation, loads[index], prefix, result)
        if !held.isEmpty { written.append((place, own)) }
        done.formUnion(held)
      }
    }
    for left in result.judgement.mismatches where done.insert(left.path).inserted {
      refused.append(Refusal(name: scenario.name, word: left.path, reason: Self.reason(for: left)))
    }
    guard !written.isEmpty else { return }
    blessed.append(scenario.name)
    for (place, item) in written {
      if place.count == 1 {
        write(item, for: scenario)
      } else {
        tree.root[place] = item
        places.append(place)
      }
    }
  }

  /// Returns the reason why a failed keyword is left unchanged.
  private static func reason(for mismatch: Judgement.Mismatch) -> String {
    mismatch.found == "none"
      ? "the result is none, which the scenario language cannot express: remove the word, or fix the cause"
      : "it does not match, and its value can only be changed by hand"
  }

  /// Writes the results of one date, for the whole case and for each named load. Returns the paths that now pass.
  private func write(
    _ item: inout SourceTree.Item, of date: Scenario, _ loads: [Outcome], _ prefix: String, _ result: CaseResult
  ) -> Set<String> {
    var held: Set<String> = []
    if !date.isJudgedByParts {
      let expectation = date.expectation ?? Expectation()
      held = Self.write(&item, over: expectation, Outcome(of: loads), prefix, result)
    }
    for (name, expectation) in date.expectation?.connections ?? [:] {
      guard let outcome = loads.first(where: { $0.name == name }) ?? Judge.part(name, of: result.connections),
        var connections = item["connections"], var part = connections[name]
      else { continue }
      held.formUnion(Self.write(&part, over: expectation, outcome, "\(name).", result))
      connections[name] = part
      item["connections"] = connections
    }
    return held
  }

  private static func write(
    _ item: inout SourceTree.Item, over expectation: Expectation, _ outcome: Outcome, _ prefix: String,
    _ result: CaseResult
  ) -> Set<String> {
    let mismatches = Judge(simulation: result.simulation).mismatches(outcome, expectation)
    guard !mismatches.isEmpty else { return [] }
    let observation = Observation(outcome: outcome, simulation: result.simulation)
    var written = item
    written.write(observation, over: mismatches)
    let held = mismatches.map(\.path).filter { written.isWritten($0, as: observation) }
    if !held.isEmpty { item = written }
    return Set(held.map { prefix + $0 })
  }

  /// Returns the `expect` section of a case in the file; nil for a case of a sweep.
  ///
  /// For a row without an expectation, it is a copy of the file's original expectation.
  private func expectation(of scenario: Scenario) -> SourceTree.Item? {
    let empty = SourceTree.Item(key: "expect", name: "expect", content: .map([], isFlow: true))
    if scenario.caseName == Scenario.mainCase { return tree.root["expect"] ?? empty }
    guard let row = row(of: scenario) else { return nil }
    var copy = before.root["expect"] ?? empty
    copy.removeComments()
    return tree.root["cases"]?.children[row]["expect"] ?? copy
  }

  private func row(of scenario: Scenario) -> Int? {
    tree.root["cases"]?.children.firstIndex { row in
      guard case .scalar(let lines, let style)? = row["name"]?.content, let line = lines.first else { return false }
      let name = style == .quoted ? String(line.dropFirst().dropLast()) : line
      return lines.count == 1 && name == scenario.caseName
    }
  }

  private mutating func write(_ item: SourceTree.Item, for scenario: Scenario) {
    guard scenario.caseName != Scenario.mainCase else {
      tree.root.put(item, by: "scenario")
      places.append([.key("expect")])
      return
    }
    guard let row = row(of: scenario), var cases = tree.root["cases"], case .list(var rows, let isFlow) = cases.content
    else { return }
    rows[row]["expect"] = item
    places.append([.key("cases"), .index(row), .key("expect")])
    cases.content = .list(rows, isFlow: isFlow)
    tree.root["cases"] = cases
  }
}

extension CaseResult {
  /// Whether the client accepted the connection, regardless of the expectation.
  fileprivate var isAccepted: Bool { outcome.verdict.word == .accepted }
}

extension SourceTree.Item {
  /// Writes the observed results in place of the failed values.
  fileprivate mutating func write(_ observation: Observation, over mismatches: [Judgement.Mismatch]) {
    let paths = Set(mismatches.map(\.path))
    set("unreviewed", .usual("true"))
    for word in Expectation.words {
      let name = word.entry.word.name
      for part in word.parts where paths.contains("\(name).\(part.entry.word.name)") {
        var map = self[name] ?? SourceTree.Item(key: name, name: name, content: .map([], isFlow: true))
        if let node = part.observed(observation) { map.set(part.entry.word.name, node) }
        put(map, by: "expect")
      }
      if paths.contains(name), let node = word.observed(observation) { set(name, node) }
    }
    // An accepted connection has no deciding layer and no refusing rule; any other has both.
    if paths.contains("verdict") {
      for word in Expectation.words where ["layer", "because"].contains(word.entry.word.name) {
        let name = word.entry.word.name
        let isAccepted = observation.outcome.verdict.word == .accepted
        guard !isAccepted, let node = word.observed(observation) else {
          remove(name)
          continue
        }
        // A value that is already present passes at this point.
        if self[name] == nil { set(name, node) }
      }
      if observation.outcome.errors.isEmpty { remove("errors") }
    }
  }

  /// Returns whether the mismatched keyword now has the observed value, or was removed because of it.
  fileprivate func isWritten(_ path: String, as observation: Observation) -> Bool {
    let words = path.split(separator: ".").map(String.init)
    guard let word = Expectation.words.first(where: { $0.entry.word.name == words.first }) else { return false }
    let isGone = word.parts.isEmpty && self[word.entry.word.name] == nil
    return (word.parts.isEmpty ? [word] : word.parts).contains {
      $0.isObservable(as: words.last ?? "") && (isGone || $0.observed(observation) != nil)
    }
  }

  fileprivate mutating func set(_ name: String, _ node: Node) {
    if let list = self[name]?.listing(node) { return put(list, by: "expect") }
    var item = SourceTree.Item(node)
    (item.key, item.name) = (YAMLScalar.key(name), name)
    if let old = self[name] {
      item.leading = old.leading + old.innerComments.map(SourceTree.Line.comment)
      item.comment = old.comment
    }
    put(item, by: "expect")
  }

  /// Replaces the entry with the same name, or inserts the new entry in the usual order of keys.
  fileprivate mutating func put(_ item: SourceTree.Item, by section: String) {
    if self[item.name] == nil { insert(item, by: section) } else { self[item.name] = item }
  }

  /// Removes an entry. Its comments move to the next entry, or to the end.
  private mutating func remove(_ name: String) {
    guard case .map(var entries, let isFlow) = content, let place = entries.firstIndex(where: { $0.name == name })
    else { return }
    let comments = entries.remove(at: place).comments.map(SourceTree.Line.comment)
    if entries.indices.contains(place) {
      entries[place].leading = comments + entries[place].leading
    } else {
      closing = comments + closing
    }
    content = .map(entries, isFlow: isFlow)
  }

  /// Removes the comments from this item and its descendants.
  mutating func removeComments() {
    (leading, comment, closing) = ([], nil, [])
    switch content {
    case .scalar(let lines, let style):
      guard style == .block, let header = lines.first else { return }
      content = .scalar([String(header.prefix { !$0.isWhitespace })] + lines.dropFirst(), style: style)
    case .list(var items, let isFlow):
      for index in items.indices { items[index].removeComments() }
      content = .list(items, isFlow: isFlow)
    case .map(var entries, let isFlow):
      for index in entries.indices { entries[index].removeComments() }
      content = .map(entries, isFlow: isFlow)
    }
  }

  /// Creates an item in flow style from a node that no file contains.
  init(_ node: Node) {
    switch node {
    case .scalar(let text, let quoted, _):
      let written = YAMLScalar.flow(text, quoted: quoted) ?? YAMLScalar.flow(text, quoted: true)
      self.init(content: .scalar([written ?? ""], style: .plain))
    case .list(let items, _): self.init(content: .list(items.map { SourceTree.Item($0) }, isFlow: true))
    case .map(let entries, _):
      let items = entries.map { entry in
        var item = SourceTree.Item(entry.value)
        (item.key, item.name) = (YAMLScalar.key(entry.key), entry.key)
        return item
      }
      self.init(content: .map(items, isFlow: true))
    }
  }
}

extension ExpectedWord {
  fileprivate func isObservable(as name: String) -> Bool {
    entry.word.name == name
      && !["knowledge", "values", "equal", "different", "neverOnWire", "absent", "advised"].contains(name)
  }
}

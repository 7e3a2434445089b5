import Explanation
import Simulator

/// What was observed, written into the expectations of a file that did not hold: with every comment, the order of keys,
/// the line ends and the byte order mark of the file, in the canonical form, and marked `unreviewed` until a person has
/// read it.
///
/// What was said of a part of a value that is no longer there stands above the value that has taken its place; what was
/// said of a word that is taken away, above the word that follows, or below all.
///
/// Nothing is written that would hide something: an attack that met nothing, a sibling that fails. Where no word says
/// what came of one of a case's words, the others are written, and the case still fails by that one.
public struct Blessing: Sendable {
  /// A case whose expectation is not written, or a word of it, and why.
  public struct Refusal: Sendable, Hashable, CustomStringConvertible {
    /// The case's name, with the file's.
    public let name: String
    /// The word that is left as it is, with what it stands in; nil where the whole expectation is.
    public let word: String?
    /// Why it is not written, without a final period.
    public let reason: String

    /// What is not written, and why.
    public var description: String {
      "\(word.map { "\($0) of \(name)" } ?? name) is not written: \(reason)"
    }
  }

  /// The file with what was observed; the old one where there is nothing to write.
  public private(set) var text: String
  /// The cases that were given another expectation, if not in all that did not hold.
  public private(set) var blessed: [String] = []
  /// The cases that did not come out as expected and are left as they are, and the words that are.
  public private(set) var refused: [Refusal] = []
  private var tree: SourceTree
  /// The file as it was read, which every case was held against.
  private let before: SourceTree
  /// Where something was written.
  private var places: [[SourceTree.Step]] = []
  private let file: ScenarioFile
  private let results: [CaseResult]

  /// The blessing of a file after all of its cases were played.
  ///
  /// - Parameters:
  ///   - file: the file as it was read.
  ///   - bytes: its text, in UTF-8.
  ///   - results: what has come of each of its cases.
  ///   - isWanted: which cases may be written.
  ///   - isFailed: whether a sibling in another file fails, by its id; nil where there is none.
  /// - Throws: `Diagnostics` where the file has what could not be written again, or a comment that would be lost.
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
    // What is accepted leans on nothing, and what is refused on what is accepted by then.
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
        "what was observed cannot be written without losing a comment",
        hint: "give each comment in the file's expectations a line of its own above what it is about",
        at: SourceMark(file: file.path, line: 1, column: 1))
    }
  }

  // MARK: What is not written

  private func obstacle(to result: CaseResult) -> String? {
    let mismatches = result.judgement.mismatches
    if let idle = mismatches.first(where: { $0.path == "network" || $0.path.hasSuffix(".network") }) {
      return "\(idle.expected), and \(idle.found): mend the network first"
    }
    return nil
  }

  /// Why the case that this one leans on, or those that lean on it, forbid it; nil where they do not.
  private func isFailed(_ result: CaseResult, _ isFailed: (String) -> Bool?) -> String? {
    guard !result.isAccepted else { return nil }
    let scenario = result.scenario
    let others = results.filter { $0.scenario.name != scenario.name && isAccepted($0) }
    if scenario.expectsAcceptance {
      // Those that lean on it and stay refused find another that is accepted, if they name none.
      let leaning = results.first { other in
        !isAccepted(other) && file.sibling(of: other.scenario)?.name == scenario.name
          && (others.isEmpty || other.scenario.sibling != nil)
      }
      return leaning.map {
        "it is the accepted sibling of \($0.scenario.name), which would prove nothing: mend it first"
      }
    }
    if let own = file.sibling(of: scenario), let sibling = results.first(where: { $0.scenario.name == own.name }) {
      let isHeld = scenario.sibling == nil ? !others.isEmpty : isAccepted(sibling)
      return isHeld ? nil : "its sibling \(own.name) fails: mend that first"
    }
    guard let name = scenario.sibling else { return nil }
    return isFailed(name) == false ? nil : "its sibling \(name) fails, or is not found: mend that first"
  }

  /// Whether a case is accepted, and expected to be: by now, or as it was.
  private func isAccepted(_ result: CaseResult) -> Bool {
    guard result.isAccepted else { return false }
    let name = result.scenario.name
    return blessed.contains(name) && !refused.contains { $0.name == name }
      || result.scenario.expectsAcceptance && result.judgement.result == .passed
  }

  /// The cases of a sweep have no expectation but the file's: why that is not written where one of them holds; nil where
  /// none does.
  private func sharing(with result: CaseResult) -> String? {
    guard result.scenario.caseName == Scenario.mainCase else { return nil }
    let shared = results.first { $0.judgement.result == .passed && expectation(of: $0.scenario) == nil }
    return shared.map { "\($0.scenario.name) of its sweep holds by the same expectation: write each as a row of cases" }
  }

  // MARK: What is written

  /// Rows without expectations keep the one that they were held against, once the file has another: a later date or a
  /// load that was given one changes nothing of it.
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

  /// Writes what was observed of one case, as far as there are words for it.
  private mutating func bless(_ result: CaseResult) {
    let scenario = result.scenario
    guard let item = expectation(of: scenario) else {
      let reason = "it is one of a sweep, which share one expectation: write that by hand"
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
      // What a row says of later dates, or of single loads, it shares with the file.
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

  /// Why nothing is written over a word that does not hold.
  private static func reason(for mismatch: Judgement.Mismatch) -> String {
    mismatch.found == "none"
      ? "there is none, which no word says: take the word away, or mend what comes before it"
      : "it does not hold, and what stands there is written by hand"
  }

  /// Writes what was observed on one date, as a whole and of loads by their names; returns what holds by that.
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

  /// The `expect` of a case as it stands in the file; of a row without one a copy of what the file
  /// expected when the row was played, whatever was written since; nil for one of a sweep.
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
  /// Whether the client accepted, whatever was expected.
  fileprivate var isAccepted: Bool { outcome.verdict.word == .accepted }
}

extension SourceTree.Item {
  /// Writes what was observed over the words that did not hold.
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
    // An accepted connection has no layer that decided and no rule that refused it; any other has both.
    if paths.contains("verdict") {
      for word in Expectation.words where ["layer", "because"].contains(word.entry.word.name) {
        let name = word.entry.word.name
        let isAccepted = observation.outcome.verdict.word == .accepted
        guard !isAccepted, let node = word.observed(observation) else {
          remove(name)
          continue
        }
        // What stands there holds by now.
        if self[name] == nil { set(name, node) }
      }
      if observation.outcome.errors.isEmpty { remove("errors") }
    }
  }

  /// Whether the word that a mismatch is about says what was observed by now, or is gone because of it.
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

  /// Puts an entry in the place of the one of its name, else where its word belongs.
  fileprivate mutating func put(_ item: SourceTree.Item, by section: String) {
    if self[item.name] == nil { insert(item, by: section) } else { self[item.name] = item }
  }

  /// Takes an entry away, and hands its comments to the one that follows, or puts them below all.
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

  /// Takes the comments away from it, and from all that stands in it.
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

  /// A tree that was read from no file, in brackets.
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

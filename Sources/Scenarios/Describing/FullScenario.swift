/// A scenario with everything it leaves out written down: what the baseline says, what the reader takes for granted,
/// and each case as the smallest difference from the file.
struct FullScenario {
  let file: ScenarioFile
  let baseline: Node

  /// What the baseline has and no case uses: a file could not say it, for what is not used is a slip.
  private var unused: Set<String> {
    let names = Set(file.cases.flatMap { $0.authorities + $0.certificates }.map(\.name))
    let dates = file.cases.flatMap(\.dates)
    var unused: Set<String> = []
    while true {
      let used = dates.reduce(into: Set<String>()) { $0.formUnion($1.usedNames(without: unused)) }
      let found = names.subtracting(used)
      if found == unused { return unused }
      unused = found
    }
  }

  /// The tree of a file that plays as this one does, whatever else the baseline may come to say.
  var tree: Node {
    guard let main = file.scenario(named: Scenario.mainCase) else { return file.root }
    let unused = unused
    let full = CaseExpansion(main, without: unused).tree
    var entries = full.entries ?? []
    let mark = file.root.mark
    func add(_ key: String, _ value: Node?) {
      if let value { entries.append(.init(key: key, mark: mark, value: value)) }
    }
    add("sibling", file.root["sibling"])
    add("expect", file.root["expect"])
    let rows = file.cases.filter { $0.caseName != Scenario.mainCase }.map { row($0, over: full, without: unused) }
    if !rows.isEmpty { add("cases", .list(rows, mark)) }
    return Self.removing(from: baseline, what: .map(entries, mark)).ordered(by: Vocabulary.scenario)
  }

  private func row(_ scenario: Scenario, over full: Node, without unused: Set<String>) -> Node {
    let mark = file.root.mark
    let written = file.root["cases"]?.items?.first {
      if case .scalar(scenario.caseName, _, _) = $0["name"] { return true }
      return false
    }
    var entries = [Node.Entry(key: "name", mark: mark, value: .text(scenario.caseName, mark))]
    if let change = CaseExpansion(scenario, without: unused).tree.difference(from: full) {
      entries.append(.init(key: "with", mark: mark, value: change))
    }
    for key in ["expect", "sibling"] {
      if let value = written?[key] { entries.append(.init(key: key, mark: mark, value: value)) }
    }
    return .map(entries, mark)
  }

  /// `tree` with `null` for what the baseline has and it has not: else that would come back when it is read.
  private static func removing(from baseline: Node, what tree: Node, isTop: Bool = true) -> Node {
    guard case .map(var entries, let mark) = tree, let old = baseline.entries else { return tree }
    for entry in old {
      if let index = entries.firstIndex(where: { $0.key == entry.key }) {
        // A file's own hierarchy replaces the baseline's.
        if isTop, ["authorities", "certificates"].contains(entry.key) { continue }
        entries[index].value = removing(from: entry.value, what: entries[index].value, isTop: false)
      } else if !(isTop && (entry.key == "request" || tree["calculation"] != nil)) {
        entries.append(.init(key: entry.key, mark: mark, value: .scalar("null", quoted: false, mark)))
      }
    }
    return .map(entries, mark)
  }
}

extension ScenarioReader {
  /// `file` as YAML with every default written down, in lines of 80 columns; it plays as `file` does.
  public func fullText(of file: ScenarioFile) -> String {
    YAMLText.text(of: FullScenario(file: file, baseline: baseline.root).tree)
  }
}

extension Node {
  /// A text, quoted where it must be.
  static func text(_ text: String, _ mark: SourceMark) -> Node {
    let plain = Node.scalar(text, quoted: false, mark)
    return YAMLScalar.isPlain(text) && !plain.isNull ? plain : .scalar(text, quoted: true, mark)
  }

  /// This map with its keys in the order of a section of the vocabulary.
  func ordered(by section: WordSection) -> Node {
    guard case .map(let entries, let mark) = self else { return self }
    let places = Dictionary(section.words.enumerated().map { ($1.name, $0) }) { first, _ in first }
    let sorted = entries.enumerated().sorted { left, right in
      (places[left.element.key] ?? .max, left.offset) < (places[right.element.key] ?? .max, right.offset)
    }
    return .map(sorted.map(\.element), mark)
  }
}

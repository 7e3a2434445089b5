import Advice
import ArgumentParser
import Explanation
import Foundation
import Rendering
import Scenarios
import URLLoading

/// What shall make a build fail.
struct GateOptions: ParsableArguments {
  /// How bad it must be.
  typealias Severity = AppTransportSecurity.LintFinding.Severity

  @Option(name: .customLong("fail-on"), help: "The least severity that fails: error (the default), warning or note.")
  var failOn = Severity.error

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Rules that fail whatever their severity.", valueName: "rule"))
  var deny: [String] = []

  @Option(parsing: .upToNextOption, help: ArgumentHelp("Rules that are passed over.", valueName: "rule"))
  var allow: [String] = []

  @Option(
    help: ArgumentHelp(
      "What was there before and shall not fail; entries that are no longer found are named.", valueName: "file"))
  var baseline: String?

  @Option(
    help: ArgumentHelp("Write everything that is found into this baseline, and fail on nothing.", valueName: "file"))
  var writeBaseline: String?

  @Option(
    help: ArgumentHelp(
      "What shall not fail, with reasons: a YAML list of { rule, key, file, reason }; key and file may be left out.",
      valueName: "file"))
  var suppressions: String?

  /// The gate that these options make for a command called `name`, whose findings are of `rules`.
  ///
  /// - Parameter list: the property list that loads are decided by, as `RepositoryPaths` knows it; nil where the findings
  ///   are about files themselves.
  /// - Throws: `Diagnostics` about a rule that there is not, or a file that cannot be read.
  func gate(of name: String, rules: [Rule], decidingBy list: String? = nil) throws -> Gate {
    let known = rules.map(\.id)
    for rule in deny + allow where !known.contains(rule) {
      throw Diagnostics(
        "unknown rule '\(rule)'", hint: Gate.hint(for: rule, among: known) + "; 'trustlab list rules' prints them")
    }
    if let both = deny.first(where: allow.contains) {
      throw Diagnostics("'\(both)' is denied and allowed", hint: "name it once")
    }
    if baseline != nil, writeBaseline != nil {
      throw Diagnostics("a baseline is read or written", hint: "leave out --baseline to write it anew")
    }
    // One file of reasons serves every command that has a gate.
    let others = (Rule.propertyLists + DecisionsView.rules).map(\.id).filter { !known.contains($0) }
    return Gate(
      name: name, failOn: failOn, denied: Set(deny), allowed: Set(allow), rules: Set(known), list: list,
      baseline: try baseline.map { try Gate.baseline(at: $0, of: name, decidingBy: list) } ?? [],
      suppressions: try suppressions.map { try Gate.suppressions(at: $0, rules: known + others) } ?? [],
      written: writeBaseline)
  }
}

extension AppTransportSecurity.LintFinding.Severity: ExpressibleByArgument {}

/// Decides which findings make a build fail.
struct Gate {
  /// What is told apart of a finding: lines may move.
  struct Item: Hashable {
    let file: String
    let rule: String
    let key: String
    /// What it is about in detail, where every one of several keys may have its reason. Items are told apart without.
    var keys: [String] = []

    static func == (left: Item, right: Item) -> Bool {
      (left.file, left.rule, left.key) == (right.file, right.rule, right.key)
    }

    func hash(into hasher: inout Hasher) {
      for text in [file, rule, key] { hasher.combine(text) }
    }

    /// An item for every one of its keys.
    fileprivate var parts: [Item] { keys.map { Item(file: file, rule: rule, key: $0) } }

    fileprivate var words: String { "\(file): \(rule)\(key.isEmpty ? "" : " at \(key)")" }
  }

  /// Something that shall not fail, and why.
  struct Suppression: Hashable {
    let rule: String
    var key: String?
    /// A file or a load, as it stands there.
    var file: String?
    /// The same as a path from the repository's folder.
    var path: String?
    let reason: String

    /// Whether `place`, a file or a load, is meant, or any is.
    fileprivate func isAbout(_ place: String) -> Bool {
      guard let file, let path else { return true }
      return place == file || place == path || place.hasSuffix("/\(path)")
    }
  }

  let name: String
  let failOn: GateOptions.Severity
  let denied: Set<String>
  let allowed: Set<String>
  /// What the command finds.
  let rules: Set<String>
  /// The property list that loads are decided by; nil where there is none, or files themselves are looked at.
  let list: String?
  let baseline: [Item]
  let suppressions: [Suppression]
  let written: String?
  private var seen: Set<Item> = []
  /// What was looked at: files, folders and, of decisions, loads.
  private var looked: Set<String> = []
  private var failing: [(item: Item, severity: GateOptions.Severity)] = []
  /// What is found and not shown, by why it is not.
  private var passedOver: [String: Set<Item>] = [:]

  init(
    name: String, failOn: GateOptions.Severity, denied: Set<String>, allowed: Set<String>, rules: Set<String>,
    list: String?, baseline: [Item], suppressions: [Suppression], written: String?
  ) {
    self.name = name
    self.failOn = failOn
    self.denied = denied
    self.allowed = allowed
    self.rules = rules
    self.list = list
    self.baseline = baseline
    self.suppressions = suppressions
    self.written = written
  }

  /// Notes that `place`, a folder or a file or a load, is looked at: nothing else can be stale.
  mutating func looks(at place: String) { looked.insert(place) }

  /// Whether `file` was looked at, or a folder that it lies in.
  private func isLooked(at file: String) -> Bool {
    if looked.contains(file) || looked.contains("") { return true }
    var folder = file[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      if looked.contains(String(folder)) { return true }
    }
    return false
  }

  /// Whether a finding is to be shown: it is neither allowed nor suppressed nor in the baseline. It is counted.
  mutating func shows(_ item: Item, _ severity: GateOptions.Severity) -> Bool {
    if allowed.contains(item.rule) {
      passedOver["by --allow", default: []].insert(item)
      return false
    }
    let isNew = seen.insert(item).inserted
    if isPassed(item) {
      passedOver[baseline.contains(item) ? "in the baseline" : "suppressed", default: []].insert(item)
      return false
    }
    if isNew, fails(item, severity) { failing.append((item, severity)) }
    return true
  }

  /// Whether a finding makes the build fail.
  func fails(_ item: Item, _ severity: GateOptions.Severity) -> Bool {
    if allowed.contains(item.rule) || isPassed(item) || written != nil { return false }
    return denied.contains(item.rule) || severity <= failOn
  }

  /// Whether a finding is not to be shown.
  func hides(_ item: Item) -> Bool { allowed.contains(item.rule) || isPassed(item) }

  private func isPassed(_ item: Item) -> Bool {
    isSuppressed(item) || !item.keys.isEmpty && item.parts.allSatisfy(isSuppressed) || baseline.contains(item)
  }

  /// What is found and not shown, in words; nil for nothing.
  private var remark: String? {
    let parts = ["in the baseline", "suppressed", "by --allow"].compactMap { reason in
      passedOver[reason].map { "\($0.count) \(reason)" }
    }
    return parts.isEmpty ? nil : "note: found and passed over: \(parts.joined(separator: ", "))"
  }

  /// Says what was passed over, names what is stale, writes the baseline where one is wanted, and fails where something shall fail.
  ///
  /// - Throws: `NotAsExpected`.
  func close() throws {
    if let remark { Console.complain(remark) }
    for item in baseline where !seen.contains(item) && isLooked(at: item.file) {
      Console.complain("note: no longer found, so that the baseline can do without it: \(item.words)")
    }
    for suppression in suppressions where rules.contains(suppression.rule) && isLooked(at: suppression) {
      if seen.contains(where: { item in ([item] + item.parts).contains { covers(suppression, $0) } }) { continue }
      let place = [suppression.file, suppression.key].compactMap(\.self).joined(separator: " ")
      Console.complain(
        "note: nothing is suppressed by \(suppression.rule)\(place.isEmpty ? "" : " (\(place))"): \(suppression.reason)"
      )
      if let meant = entry(like: suppression) { Console.complain("hint: what is found would be: \(meant)") }
    }
    nameMissingFiles()
    if let written {
      let items = seen.sorted { ($0.file, $0.rule, $0.key) < ($1.file, $1.rule, $1.key) }
      let findings = items.map { item -> JSONValue in
        ["file": .string(item.file), "rule": .string(item.rule), "keyPath": .string(item.key)]
      }
      let about = [JSONValue.Member("trustlab", 1), .init("baseline", .string(name))]
      let plist = list.map { [JSONValue.Member("plist", .string($0))] } ?? []
      let json = JSONValue.object(about + plist + [.init("findings", .array(findings))])
      try OutputFile.write(Array((json.text(pretty: true) + "\n").utf8), to: written)
      Console.complain("wrote \(written): \(items.count) findings")
      return
    }
    if failing.isEmpty { return }
    // What is shown as an error tells by itself why the build fails.
    let rules = Set(failing.filter { $0.severity != .error }.map(\.item.rule)).sorted()
    if !rules.isEmpty { Console.complain("error: fails by --deny or --fail-on: \(rules.joined(separator: ", "))") }
    throw NotAsExpected()
  }
}

// What suppressions are about.
extension Gate {
  /// The key of an Info.plist that settings stand under.
  private static let outer = AppTransportSecurity.Key.appTransportSecurity.name
  /// The key that stands beside it.
  private static let beside = AppTransportSecurity.Key.pinningRequired.name

  private var isOfLoads: Bool { name == "ats decide" }

  private func isSuppressed(_ item: Item) -> Bool { suppressions.contains { covers($0, item) } }

  private func covers(_ suppression: Suppression, _ item: Item) -> Bool {
    suppression.rule == item.rule && coversKey(suppression, item) && coversFile(suppression, item)
  }

  /// Names the files of suppressions that are not there where one that was looked at is called nearly so: a file that was
  /// not looked at is no slip by itself.
  private func nameMissingFiles() {
    let paths = RepositoryPaths()
    for suppression in suppressions where rules.contains(suppression.rule) && !isLooked(at: suppression) {
      guard let file = suppression.file, let path = suppression.path, !paths.hasFile(path),
        let meant = Spelling.nearest(to: path, among: looked.union([list].compactMap(\.self)).sorted(), within: 3)
      else { continue }
      Console.complain("note: \(suppression.rule) is suppressed in '\(file)', which is not there")
      Console.complain("hint: did you mean '\(meant)'?")
    }
  }

  /// Whether a suppression is about the key of an item, or one that it stands under, with or without
  /// `NSAppTransportSecurity`: findings about a list have it, and decisions do not.
  private func coversKey(_ suppression: Suppression, _ item: Item) -> Bool {
    guard let key = suppression.key else { return true }
    var spellings = [item.key]
    if item.key.hasPrefix("\(Self.outer).") {
      spellings.append(String(item.key.dropFirst(Self.outer.count + 1)))
    } else if isOfLoads, item.key == "default" {
      // Nothing in the settings decided: they are shown as a whole.
      spellings.append(Self.outer)
    } else if isOfLoads || key != Self.outer {
      // What stands beside the settings is not in them.
      spellings.append("\(Self.outer).\(item.key)")
    }
    return spellings.contains { $0 == key || $0.hasPrefix("\(key).") }
  }

  /// Whether a suppression is about the file of an item, or of a load about the list that decides.
  private func coversFile(_ suppression: Suppression, _ item: Item) -> Bool {
    [item.file, list].compactMap(\.self).contains(where: suppression.isAbout)
  }

  /// Whether what a suppression is about was looked at: one that names no file is about all.
  private func isLooked(at suppression: Suppression) -> Bool {
    guard let path = suppression.path else { return true }
    return isLooked(at: path) || looked.contains(where: suppression.isAbout) || list.map(suppression.isAbout) == true
  }

  /// The entry that would suppress what was found by the rule of `suppression`, next to what it says and in its file;
  /// nil where nothing was.
  private func entry(like suppression: Suppression) -> String? {
    let found = seen.filter { $0.rule == suppression.rule && coversFile(suppression, $0) }
    // What decided may stand above the keys that a finding shows, and would cover those of others.
    let candidates = found.flatMap { $0.keys.isEmpty ? [$0] : $0.parts }
      .sorted { ($0.file, $0.key) < ($1.file, $1.key) }
    let nearest = Spelling.nearest(to: suppression.key ?? "", among: candidates.map(fullKey), within: 80)
    guard let item = candidates.first(where: { fullKey(of: $0) == nearest }) ?? candidates.first else { return nil }
    let key = fullKey(of: item)
    let words = [
      ("rule", item.rule), ("key", key), ("file", list ?? item.file), ("reason", suppression.reason),
    ]
    let texts = words.filter { !$0.1.isEmpty }.map { "\($0.0): \(Self.written($0.1))" }
    return "- { \(texts.joined(separator: ", ")) }"
  }

  /// The key of an item as every command takes it; empty where no key is the cause.
  private func fullKey(of item: Item) -> String {
    guard isOfLoads, item.key != Self.beside else { return item.key }
    return item.key == "default" ? "" : "\(Self.outer).\(item.key)"
  }

  /// A text in YAML's flow style: what is no plain word stands in quotes.
  private static func written(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._/$()-".contains($0)) }
    return isPlain ? text : JSONValue.string(text).text(pretty: false)
  }
}

extension Gate {
  /// What was meant by a rule that there is not: one whose own part was written without its layer, or the nearest.
  static func hint(for rule: String, among known: [String]) -> String {
    let whole = known.first { $0.hasSuffix(".\(rule)") }
    return whole.map { "did you mean '\($0)'?" } ?? Spelling.hint(for: rule, among: known)
  }
}

import Advice
import ArgumentParser
import Explanation
import Foundation
import Rendering
import Scenarios
import URLLoading

/// The options that determine whether findings fail a build.
struct GateOptions: ParsableArguments {
  /// The severity of a finding.
  typealias Severity = AppTransportSecurity.LintFinding.Severity

  @Option(
    name: .customLong("fail-on"),
    help: "The lowest severity that makes the command fail: error (the default), warning or note.")
  var failOn = Severity.error

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("The rules whose findings make the command fail, whatever their severity.", valueName: "rule"))
  var deny: [String] = []

  @Option(parsing: .upToNextOption, help: ArgumentHelp("The rules to ignore.", valueName: "rule"))
  var allow: [String] = []

  @Option(
    help: ArgumentHelp(
      "The baseline of known findings, which TrustLab ignores. It reports entries that no longer occur.",
      valueName: "file"
    ))
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "The baseline file to write, with all current findings. No finding then makes the command fail.",
      valueName: "file"))
  var writeBaseline: String?

  @Option(
    help: ArgumentHelp(
      "The findings to ignore: a YAML list of { rule, key, file, reason }. The key and file are optional.",
      valueName: "file"))
  var suppressions: String?

  /// Creates the gate for the command called `name`, with findings of `rules`.
  ///
  /// - Parameter list: The property list that decides about loads, as a path from `RepositoryPaths`; nil if findings
  ///   are about files.
  /// - Throws: `Diagnostics` about an unknown rule or an unreadable file.
  func gate(of name: String, rules: [Rule], decidingBy list: String? = nil) throws -> Gate {
    let known = rules.map(\.id)
    for rule in deny + allow where !known.contains(rule) {
      throw Diagnostics(
        "unknown rule '\(rule)'", hint: Gate.hint(for: rule, among: known) + "; 'trustlab list rules' lists them")
    }
    if let both = deny.first(where: allow.contains) {
      throw Diagnostics(
        "the rule '\(both)' is both denied and allowed", hint: "pass it to only one of --deny and --allow")
    }
    if baseline != nil, writeBaseline != nil {
      throw Diagnostics(
        "--baseline and --write-baseline cannot be used together", hint: "remove --baseline to write the baseline again"
      )
    }
    // One suppressions file serves every command with a gate.
    let others = (Rule.propertyLists + DecisionsView.rules).map(\.id).filter { !known.contains($0) }
    return Gate(
      name: name, failOn: failOn, denied: Set(deny), allowed: Set(allow), rules: Set(known), list: list,
      baseline: try baseline.map { try Gate.baseline(at: $0, of: name, decidingBy: list) } ?? [],
      suppressions: try suppressions.map { try Gate.suppressions(at: $0, rules: known + others) } ?? [],
      written: writeBaseline)
  }
}

extension AppTransportSecurity.LintFinding.Severity: ExpressibleByArgument {}

/// Decides which findings fail the build.
struct Gate {
  /// The identity of a finding. It contains no line number, because lines move.
  struct Item: Hashable {
    let file: String
    let rule: String
    let key: String
    /// The keys that the finding is about, if each key may have its own suppression. The keys are not part of the
    /// identity.
    var keys: [String] = []

    static func == (left: Item, right: Item) -> Bool {
      (left.file, left.rule, left.key) == (right.file, right.rule, right.key)
    }

    func hash(into hasher: inout Hasher) {
      for text in [file, rule, key] { hasher.combine(text) }
    }

    /// The items for each single key.
    fileprivate var parts: [Item] { keys.map { Item(file: file, rule: rule, key: $0) } }

    fileprivate var words: String { "\(file): \(rule)\(key.isEmpty ? "" : " at \(key)")" }
  }

  /// An entry of the suppressions file: a finding that does not fail the build, with the reason.
  struct Suppression: Hashable {
    let rule: String
    var key: String?
    /// The file or load, as written in the suppressions file.
    var file: String?
    /// The file as a path relative to the repository.
    var path: String?
    let reason: String

    /// Returns whether the suppression applies to `place`, which is a file or a load.
    fileprivate func isAbout(_ place: String) -> Bool {
      guard let file, let path else { return true }
      return place == file || place == path || place.hasSuffix("/\(path)")
    }
  }

  let name: String
  let failOn: GateOptions.Severity
  let denied: Set<String>
  let allowed: Set<String>
  /// The ids of the rules that the command can report.
  let rules: Set<String>
  /// The property list whose settings decide about loads; nil if there is none, or if the command checks files.
  let list: String?
  let baseline: [Item]
  let suppressions: [Suppression]
  let written: String?
  private var seen: Set<Item> = []
  /// The files and folders that were checked, or the loads that were decided.
  private var looked: Set<String> = []
  private var failing: [(item: Item, severity: GateOptions.Severity)] = []
  /// The hidden findings, by the reason why they are hidden.
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

  /// Records that the command checked `place`, which is a file, folder or load. Only entries about checked places can
  /// be stale.
  mutating func looks(at place: String) { looked.insert(place) }

  /// Returns whether the command checked `file` or a folder above it.
  private func isLooked(at file: String) -> Bool {
    if looked.contains(file) || looked.contains("") { return true }
    var folder = file[...]
    while let slash = folder.lastIndex(of: "/") {
      folder = folder[..<slash]
      if looked.contains(String(folder)) { return true }
    }
    return false
  }

  /// Counts a finding and returns whether to show it. A finding is hidden if it is allowed, suppressed or in the
  /// baseline.
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

  /// Returns whether a finding fails the build.
  func fails(_ item: Item, _ severity: GateOptions.Severity) -> Bool {
    if allowed.contains(item.rule) || isPassed(item) || written != nil { return false }
    return denied.contains(item.rule) || severity <= failOn
  }

  /// Returns whether a finding is hidden.
  func hides(_ item: Item) -> Bool { allowed.contains(item.rule) || isPassed(item) }

  private func isPassed(_ item: Item) -> Bool {
    isSuppressed(item) || !item.keys.isEmpty && item.parts.allSatisfy(isSuppressed) || baseline.contains(item)
  }

  /// The note with the number of hidden findings; nil if there are none.
  private var remark: String? {
    let parts = ["in the baseline", "suppressed", "by --allow"].compactMap { reason in
      passedOver[reason].map { "\($0.count) \(reason)" }
    }
    return parts.isEmpty ? nil : "note: ignored findings: \(parts.joined(separator: ", "))"
  }

  /// Reports hidden findings and stale entries, writes the baseline if requested, and throws if a finding fails the
  /// build.
  ///
  /// - Throws: `NotAsExpected` if a finding fails the build.
  func close() throws {
    if let remark { Console.complain(remark) }
    for item in baseline where !seen.contains(item) && isLooked(at: item.file) {
      Console.complain("note: this baseline entry no longer occurs, so you can remove it: \(item.words)")
    }
    for suppression in suppressions where rules.contains(suppression.rule) && isLooked(at: suppression) {
      if seen.contains(where: { item in ([item] + item.parts).contains { covers(suppression, $0) } }) { continue }
      let place = [suppression.file, suppression.key].compactMap(\.self).joined(separator: " ")
      Console.complain(
        "note: no finding matches the suppression of \(suppression.rule)\(place.isEmpty ? "" : " (\(place))"): "
          + suppression.reason
      )
      if let meant = entry(like: suppression) {
        Console.complain("hint: to suppress the finding that does occur, write: \(meant)")
      }
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
    // A finding that is already printed as an error explains the failure.
    let rules = Set(failing.filter { $0.severity != .error }.map(\.item.rule)).sorted()
    if !rules.isEmpty {
      Console.complain("error: the build fails because of --deny or --fail-on: \(rules.joined(separator: ", "))")
    }
    throw NotAsExpected()
  }
}

// The matching of suppressions and findings.
extension Gate {
  /// The Info.plist key of the settings dictionary.
  private static let outer = AppTransportSecurity.Key.appTransportSecurity.name
  /// The key next to the settings dictionary.
  private static let beside = AppTransportSecurity.Key.pinningRequired.name

  private var isOfLoads: Bool { name == "ats decide" }

  private func isSuppressed(_ item: Item) -> Bool { suppressions.contains { covers($0, item) } }

  private func covers(_ suppression: Suppression, _ item: Item) -> Bool {
    suppression.rule == item.rule && coversKey(suppression, item) && coversFile(suppression, item)
  }

  /// Reports suppressions of missing files if a checked file has a similar name. A file that exists but was not checked
  /// is not an error.
  private func nameMissingFiles() {
    let paths = RepositoryPaths()
    for suppression in suppressions where rules.contains(suppression.rule) && !isLooked(at: suppression) {
      guard let file = suppression.file, let path = suppression.path, !paths.hasFile(path),
        let meant = Spelling.nearest(to: path, among: looked.union([list].compactMap(\.self)).sorted(), within: 3)
      else { continue }
      Console.complain("note: \(suppression.rule) is suppressed in '\(file)', which does not exist")
      Console.complain("hint: did you mean '\(meant)'?")
    }
  }

  /// Returns whether a suppression names the item's key or a key above it.
  ///
  /// The prefix `NSAppTransportSecurity` is optional, because findings about a property list have the prefix and
  /// decisions do not.
  private func coversKey(_ suppression: Suppression, _ item: Item) -> Bool {
    guard let key = suppression.key else { return true }
    var spellings = [item.key]
    if item.key.hasPrefix("\(Self.outer).") {
      spellings.append(String(item.key.dropFirst(Self.outer.count + 1)))
    } else if isOfLoads, item.key == "default" {
      // No key decided, so the settings are shown as a whole.
      spellings.append(Self.outer)
    } else if isOfLoads || key != Self.outer {
      // A key next to the settings is not inside them.
      spellings.append("\(Self.outer).\(item.key)")
    }
    return spellings.contains { $0 == key || $0.hasPrefix("\(key).") }
  }

  /// Returns whether a suppression names the file of an item, or the property list that decides about its load.
  private func coversFile(_ suppression: Suppression, _ item: Item) -> Bool {
    [item.file, list].compactMap(\.self).contains(where: suppression.isAbout)
  }

  /// Returns whether the command checked the subject of a suppression. A suppression without a file applies to
  /// everything.
  private func isLooked(at suppression: Suppression) -> Bool {
    guard let path = suppression.path else { return true }
    return isLooked(at: path) || looked.contains(where: suppression.isAbout) || list.map(suppression.isAbout) == true
  }

  /// Returns the suppression of the most similar finding with the same rule and file; nil if there is none.
  private func entry(like suppression: Suppression) -> String? {
    let found = seen.filter { $0.rule == suppression.rule && coversFile(suppression, $0) }
    // The deciding key may be above the shown keys, and a suppression of it would also cover other findings.
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

  /// Returns the key of an item in the form that every command accepts; empty if no key is the cause.
  private func fullKey(of item: Item) -> String {
    guard isOfLoads, item.key != Self.beside else { return item.key }
    return item.key == "default" ? "" : "\(Self.outer).\(item.key)"
  }

  /// Returns a text in YAML's flow style, quoted unless it is a plain word.
  private static func written(_ text: String) -> String {
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._/$()-".contains($0)) }
    return isPlain ? text : JSONValue.string(text).text(pretty: false)
  }
}

extension Gate {
  /// Returns a hint for an unknown rule: the known rule with this name after its layer, or the nearest name.
  static func hint(for rule: String, among known: [String]) -> String {
    let whole = known.first { $0.hasSuffix(".\(rule)") }
    return whole.map { "did you mean '\($0)'?" } ?? Spelling.hint(for: rule, among: known)
  }
}

import Explanation
import Foundation
import Rendering
import Scenarios
import URLLoading

// The files of a gate: the baseline, and the suppressions with their reasons.
extension Gate {
  static func baseline(at path: String, of name: String, decidingBy list: String?) throws -> [Item] {
    let hint = "write the baseline again: trustlab \(name) … --write-baseline \(path)"
    guard path == "-" || FileManager.default.fileExists(atPath: path) else {
      throw Diagnostics(
        "no such baseline: '\(path)'",
        hint: "create the baseline: trustlab \(name) … --write-baseline \(path)")
    }
    let bytes = try AppSettings.bytes(path, "a baseline file")
    guard let json = try? JSONValue(reading: bytes), json.members != nil else {
      throw Diagnostics("'\(path)' is not a baseline", hint: hint)
    }
    guard let version = json["trustlab"] else {
      let missing = ["trustlab", "baseline", "findings"].filter { json[$0] == nil }.map { "'\($0)'" }
      throw Diagnostics("'\(path)' is not a baseline: it has no \(missing.joined(separator: ", no "))", hint: hint)
    }
    guard version == .integer(1) else {
      throw Diagnostics("the baseline '\(path)' has an unsupported version", hint: hint)
    }
    guard json["baseline"]?.text == name else {
      throw Diagnostics(
        "'\(path)' is a baseline for '\(json["baseline"]?.text ?? "nothing")', not for '\(name)'", hint: hint)
    }
    // Any property list can decide the same load, so a baseline applies only to the property list that it was written
    // for.
    if let other = json["plist"]?.text, let list, other != list {
      throw Diagnostics("'\(path)' is a baseline for '\(other)', not for '\(list)'", hint: hint)
    }
    guard case .array(let findings)? = json["findings"] else {
      throw Diagnostics("the baseline '\(path)' has no array 'findings'", hint: hint)
    }
    // Paths are made relative to the repository. Loads are not paths.
    let paths = RepositoryPaths()
    return try findings.map { finding in
      guard let file = finding["file"]?.text, let rule = finding["rule"]?.text, let key = finding["keyPath"]?.text
      else {
        throw Diagnostics("a finding in '\(path)' lacks 'file', 'rule' or 'keyPath'", hint: hint)
      }
      return Item(file: name == "ats lint" ? paths.listed(file) : file, rule: rule, key: key)
    }
  }

  /// Reads a list of suppressions such as `{ rule: plist.app-review, key:
  /// NSAppTransportSecurity.NSAllowsArbitraryLoads, reason: a browser }`.
  static func suppressions(at path: String, rules: [String]) throws -> [Suppression] {
    let bytes = try AppSettings.bytes(path, "a suppressions file")
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard lines.contains(where: { line in line.first { !$0.isWhitespace }.map { $0 != "#" } ?? false }) else {
      throw Diagnostics(
        "'\(path)' is empty", hint: "write \(example), or remove --suppressions",
        at: SourceMark(file: path, line: 1, column: 1))
    }
    let document = try YAMLDocument(bytes, file: path)
    guard let items = document.root.items else {
      throw Diagnostics("\(path): the suppressions are not a list", hint: "write \(example)")
    }
    var faults: [Diagnostic] = []
    let read = items.compactMap { item -> Suppression? in
      do throws(Diagnostics) { return try suppression(item, in: document, rules: rules) } catch {
        faults += error.all
        return nil
      }
    }
    if !faults.isEmpty { throw Diagnostics(faults) }
    return read
  }

  private static let example = "- { rule: plist.app-review, reason: it is a browser }"

  /// Reads one entry of the list.
  private static func suppression(
    _ item: Node, in document: YAMLDocument, rules: [String]
  ) throws(Diagnostics) -> Suppression {
    func fail(_ message: String, _ hint: String, _ mark: SourceMark) -> Diagnostics {
      let line = document.lines.indices.contains(mark.line - 1) ? document.lines[mark.line - 1] : nil
      return Diagnostics([Diagnostic(message, hint: hint, at: mark, line: line, severity: .error)])
    }
    guard let entries = item.entries else { throw fail("the suppression is not a map", "write \(example)", item.mark) }
    var words: [String: String] = [:]
    for entry in entries {
      let keys = ["rule", "key", "file", "reason"]
      guard keys.contains(entry.key) else {
        throw fail("unknown key '\(entry.key)'", Spelling.hint(for: entry.key, among: keys), entry.mark)
      }
      guard case .scalar(let text, _, _) = entry.value else {
        throw fail("the value of '\(entry.key)' is not a string", "write \(example)", entry.mark)
      }
      words[entry.key] = text
    }
    guard let rule = words["rule"], rules.contains(rule) else {
      throw fail(
        words["rule"].map { "unknown rule '\($0)'" } ?? "the suppression names no rule",
        hint(for: words["rule"] ?? "", among: rules), item.mark)
    }
    guard let reason = words["reason"], !reason.allSatisfy(\.isWhitespace) else {
      throw fail("the suppression of '\(rule)' has no reason", "add reason: WHY", item.mark)
    }
    return Suppression(
      rule: rule, key: words["key"], file: words["file"], path: words["file"].map(RepositoryPaths().listed),
      reason: reason)
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}

import Explanation
import Scenarios
import URLLoading

extension LintView {
  /// Everything as JSON, version 1: the files with their findings, and the sums.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "systems": .strings(systems.map(\.description)), "files": .array(files.map(\.json)),
      "errors": .integer(count(.error)), "warnings": .integer(count(.warning)), "notes": .integer(count(.note)),
      "unreadable": .integer(unreadable),
    ]
  }
}

extension LintView.File {
  fileprivate var json: JSONValue {
    switch result {
    case .success(let (file, findings)):
      return [
        "file": .string(path), "settings": .string(file.origin.word), "findings": .array(findings.map(\.json)),
      ]
    case .failure(let error):
      return ["file": .string(path), "error": .array(error.all.map(\.json))]
    }
  }
}

extension Diagnostic {
  fileprivate var json: JSONValue {
    [
      "message": .string(message), "hint": .string(hint), "line": mark.map { .integer($0.line) } ?? .null,
      "column": mark.map { .integer($0.column) } ?? .null,
    ]
  }
}

extension AppTransportSecurity.Configuration.Origin {
  /// What was linted, as JSON says it.
  fileprivate var word: String {
    switch self {
    case .infoPlist: "NSAppTransportSecurity"
    case .dictionaryItself: "whole file"
    case .absent: "absent"
    case .notADictionary: "not a dictionary"
    }
  }
}

extension AppTransportSecurity.LintFinding.Spot {
  var members: [JSONValue.Member] {
    [
      .init("keyPath", .string(keyPath)), .init("keys", .strings(path)),
      .init("line", place.map { .integer($0.line) } ?? .null),
      .init("column", place.map { .integer($0.column) } ?? .null),
    ]
  }
}

extension AppTransportSecurity.LintFinding {
  fileprivate var json: JSONValue {
    let confidence = self.confidence.note.map { [JSONValue.Member("confidence", .string($0))] } ?? []
    return .object(
      [
        .init("rule", .string(rule.id)), .init("clause", .string(rule.clause.description)),
        .init("severity", .string(severity.rawValue)),
      ] + spot.members + [
        .init("message", .string(message)), .init("found", .string(found)), .init("meant", .optional(meant)),
      ] + (caution.map { [JSONValue.Member("caution", .string($0))] } ?? []) + [
        .init("effect", .string(effect)), .init("systems", .string(systems)),
      ] + confidence + [
        .init("fix", .string(rule.fix)), .init("related", .array(related.map { .object($0.members) })),
      ])
  }
}

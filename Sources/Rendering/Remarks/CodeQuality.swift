import Cryptography
import Explanation
import Scenarios
import URLLoading

/// An entry of GitLab's code quality report, whose format is a subset of the Code Climate engine format.
struct CodeQualityIssue {
  /// The severity, as GitLab names it.
  enum Severity: String {
    case info, minor, major, critical
  }

  let description: String
  let check: String
  let severity: Severity
  let path: String
  let line: Int
  /// The part that distinguishes the entry in addition to its check and path, because lines may move.
  let subject: String

  /// Returns a report of these issues.
  ///
  /// GitLab merges issues with the same fingerprint. The fingerprints of issues that differ only in their line
  /// therefore contain a number.
  static func report(_ issues: [CodeQualityIssue]) -> JSONValue {
    var seen: [[String]: Int] = [:]
    return .array(
      issues.map { issue in
        let path = issue.path.hasPrefix("./") ? String(issue.path.dropFirst(2)) : issue.path
        let parts = [issue.check, path, issue.subject]
        seen[parts, default: 0] += 1
        let text = (parts + ["\(seen[parts] ?? 1)"]).joined(separator: "\n")
        return [
          "description": .string(issue.description), "check_name": .string(issue.check),
          "fingerprint": .string(Hex.string(Hash.sha256.digest(Array(text.utf8)))),
          "severity": .string(issue.severity.rawValue),
          "location": ["path": .string(path), "lines": ["begin": .integer(issue.line)]],
        ]
      })
  }
}

extension RemarkReport {
  /// GitLab's code quality report, which a merge request shows next to its changes.
  public func codeQuality() -> JSONValue {
    CodeQualityIssue.report(
      files.flatMap { file -> [CodeQualityIssue] in
        let obstacles = (file.obstacle?.all ?? []).map { diagnostic in
          CodeQualityIssue(
            description: diagnostic.sentences, check: "plist.unreadable", severity: .critical, path: file.path,
            line: diagnostic.mark?.line ?? 1, subject: diagnostic.message)
        }
        return obstacles
          + file.remarks.map { remark in
            CodeQualityIssue(
              description: remark.text, check: remark.rule.id, severity: remark.severity.codeQuality, path: file.path,
              line: remark.spot.place?.line ?? 1, subject: "\(remark.spot.keyPath)\n\(remark.message)")
          }
      })
  }
}

extension Diagnostic {
  /// The problem and the fix on one line.
  var sentences: String { hint.isEmpty ? message : "\(message). \(hint)" }
}

extension Remark.Severity {
  fileprivate var codeQuality: CodeQualityIssue.Severity {
    switch self {
    case .error: .major
    case .warning: .minor
    case .note: .info
    }
  }
}

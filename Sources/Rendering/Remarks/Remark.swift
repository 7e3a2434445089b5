import Advice
import Explanation
import Scenarios
import URLLoading

/// A remark about a place in a property list, in the terms of code scanning, editors and CIs.
public struct Remark: Sendable {
  /// The severity of a remark.
  public typealias Severity = AppTransportSecurity.LintFinding.Severity
  /// A place in a property list.
  public typealias Spot = AppTransportSecurity.LintFinding.Spot

  /// The rule that it is based on.
  public let rule: Rule
  /// The severity in the report.
  public let severity: Severity
  /// The place that it is about.
  public let spot: Spot
  /// The problem, without a full stop.
  public let message: String
  /// The fix, without a full stop; empty if there is none.
  public let advice: String
  /// The complete text, in sentences.
  public let text: String
  /// Related places.
  public let related: [Spot]
  /// Whether it makes the build fail.
  public let isFailing: Bool
}

/// The remarks about some property lists, in the formats that other programs read.
public struct RemarkReport: Sendable {
  /// One property list.
  public struct File: Sendable {
    /// The path that the user gave.
    let path: String
    /// Its lines; empty if the file is not text, or cannot be read.
    let lines: [String]
    let remarks: [Remark]
    /// The reason why it cannot be read; nil if it can.
    let obstacle: Diagnostics?

    /// The line at `place`; nil if the file has none that can be shown.
    func line(at place: PropertyList.Place) -> String? {
      lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
    }
  }

  let files: [File]
  /// The rules that the remarks are based on.
  let rules: [Rule]

  /// The same report, with the files renamed by `name`.
  ///
  /// CI services write paths relative to their own folder.
  public func naming(_ name: (String) -> String) -> RemarkReport {
    RemarkReport(
      files: files.map { .init(path: name($0.path), lines: $0.lines, remarks: $0.remarks, obstacle: $0.obstacle) },
      rules: rules)
  }

  /// Whether a remark makes the build fail.
  public var isFailing: Bool { files.contains { $0.obstacle != nil || $0.remarks.contains(where: \.isFailing) } }

  /// Each remark on its own line, in the format that Xcode shows next to the source, with its key path.
  ///
  /// A remark that fails the build is an error here, whatever its severity: a phase that fails must print an error.
  public var xcode: String {
    files.flatMap { file in
      file.remarks.map { remark in
        let place = remark.spot.place.map { ":\($0)" } ?? ":1:1"
        let advice = remark.advice.isEmpty ? "" : " \(remark.advice)"
        let key = remark.spot.path.isEmpty ? "" : " (\(remark.spot.keyPath))"
        let level = (remark.isFailing ? .error : remark.severity).rawValue
        let words = "\(level): \(remark.message).\(advice)\(key) [\(remark.rule.id)]"
        // A key may contain line breaks.
        return "\(file.path)\(place): \(words.split(whereSeparator: \.isNewline).joined(separator: " "))"
      }
    }.joined(separator: "\n")
  }
}

import Advice
import Explanation
import Scenarios
import URLLoading

/// A remark about a place in a property list, for code scanning, editors and CI services.
public struct Remark: Sendable {
  /// The severity of a remark.
  public typealias Severity = AppTransportSecurity.LintFinding.Severity
  /// A place in a property list.
  public typealias Spot = AppTransportSecurity.LintFinding.Spot

  /// The rule that the remark is based on.
  public let rule: Rule
  /// The severity of the remark in the report.
  public let severity: Severity
  /// The place that the remark is about.
  public let spot: Spot
  /// The description of the problem, without a final period.
  public let message: String
  /// The fix, without a final period; empty if there is none.
  public let advice: String
  /// The complete text of the remark, in sentences.
  public let text: String
  /// The places that are related to the remark.
  public let related: [Spot]
  /// Whether the remark makes the build fail.
  public let isFailing: Bool
}

/// The remarks about property lists, in formats for other programs.
public struct RemarkReport: Sendable {
  /// A property list with its remarks.
  public struct File: Sendable {
    /// The path of the property list, as the user wrote it.
    let path: String
    /// The lines of the file; empty if the file is not text or cannot be read.
    let lines: [String]
    let remarks: [Remark]
    /// The reason why the file cannot be read; nil if it was read.
    let obstacle: Diagnostics?

    /// Returns the line at `place`; nil if the file has no lines to show.
    func line(at place: PropertyList.Place) -> String? {
      lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
    }
  }

  let files: [File]
  /// The rules that the remarks are based on.
  let rules: [Rule]

  /// Returns this report with the files renamed by `name`.
  ///
  /// CI services write paths relative to their own folder.
  public func naming(_ name: (String) -> String) -> RemarkReport {
    RemarkReport(
      files: files.map { .init(path: name($0.path), lines: $0.lines, remarks: $0.remarks, obstacle: $0.obstacle) },
      rules: rules)
  }

  /// Whether any remark makes the build fail.
  public var isFailing: Bool { files.contains { $0.obstacle != nil || $0.remarks.contains(where: \.isFailing) } }

  /// The remarks in the format that Xcode shows next to the source, one on each line.
  ///
  /// A remark that makes the build fail is printed as an error, whatever its severity, because a build phase that fails
  /// must print an error.
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

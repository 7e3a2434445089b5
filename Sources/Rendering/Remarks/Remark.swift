import Advice
import Explanation
import Scenarios
import URLLoading

/// Something that there is to say about a place in a property list, as code scanning, editors and CIs take it.
public struct Remark: Sendable {
  /// How bad it is.
  public typealias Severity = AppTransportSecurity.LintFinding.Severity
  /// Where it is.
  public typealias Spot = AppTransportSecurity.LintFinding.Spot

  /// The rule that it rests on.
  public let rule: Rule
  /// How bad it is.
  public let severity: Severity
  /// Where it is.
  public let spot: Spot
  /// What is wrong, without a full stop.
  public let message: String
  /// What to do about it, without a full stop; empty where nothing helps.
  public let advice: String
  /// All there is to say, in sentences.
  public let text: String
  /// Other places that it is about.
  public let related: [Spot]
  /// Whether it makes the build fail.
  public let isFailing: Bool
}

/// What there is to say about some property lists, in the forms that other programs read.
public struct RemarkReport: Sendable {
  /// One property list.
  public struct File: Sendable {
    /// As the user named it.
    let path: String
    /// Its lines; empty where it is no text, or cannot be read.
    let lines: [String]
    /// What there is to say about it.
    let remarks: [Remark]
    /// Why it cannot be read; nil where it can.
    let obstacle: Diagnostics?

    /// The line at `place`, nil where the file has none that can be shown.
    func line(at place: PropertyList.Place) -> String? {
      lines.indices.contains(place.line - 1) ? lines[place.line - 1] : nil
    }
  }

  let files: [File]
  /// The rules that remarks may rest on.
  let rules: [Rule]

  /// The same report, whose files are called as `name` has it: services around a build count paths from a folder of
  /// theirs.
  public func naming(_ name: (String) -> String) -> RemarkReport {
    RemarkReport(
      files: files.map { .init(path: name($0.path), lines: $0.lines, remarks: $0.remarks, obstacle: $0.obstacle) },
      rules: rules)
  }

  /// Whether any of it makes the build fail.
  public var isFailing: Bool { files.contains { $0.obstacle != nil || $0.remarks.contains(where: \.isFailing) } }

  /// Every remark in a line of its own, as Xcode shows it beside the source, with the key that it is about. What makes the
  /// build fail is an error there, however bad it is: a phase that fails without one tells nobody why.
  public var xcode: String {
    files.flatMap { file in
      file.remarks.map { remark in
        let place = remark.spot.place.map { ":\($0)" } ?? ":1:1"
        let advice = remark.advice.isEmpty ? "" : " \(remark.advice)"
        let key = remark.spot.path.isEmpty ? "" : " (\(remark.spot.keyPath))"
        let level = (remark.isFailing ? .error : remark.severity).rawValue
        let words = "\(level): \(remark.message).\(advice)\(key) [\(remark.rule.id)]"
        // A key may have line breaks in it.
        return "\(file.path)\(place): \(words.split(whereSeparator: \.isNewline).joined(separator: " "))"
      }
    }.joined(separator: "\n")
  }
}

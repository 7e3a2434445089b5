import Explanation
import URLLoading

/// What the lint finds in an App Transport Security dictionary that the system passes over in silence: a scenario is
/// played as iOS would, but its author should know.
struct InfoPlistRemarks {
  let findings: [AppTransportSecurity.LintFinding]
  /// Where something stands.
  let mark: (AppTransportSecurity.LintFinding.Spot) -> SourceMark

  func diagnostics() -> [Diagnostic] {
    findings.filter(\.isPassedOver).map { finding in
      Diagnostic(
        finding.message, hint: "\(finding.advice) (\(finding.effect))", at: mark(finding.spot), severity: .warning)
    }
  }
}

extension InfoPlistRemarks {
  /// Remarks on a dictionary that stands in a scenario; what no place is known of is marked with `fallback`.
  init(_ configuration: AppTransportSecurity.Configuration, in scenario: Scenario, fallback: SourceMark) {
    self.init(findings: AppTransportSecurity.lint(settings: configuration.dictionary)) { spot in
      var node = scenario.tree["client"]?["infoPlist"]
      var mark = fallback
      for key in spot.path {
        guard let entry = node?.entries?.first(where: { $0.key == key }) else { break }
        mark = entry.mark
        node = entry.value
      }
      return mark
    }
  }

  /// Remarks on a property list that was read from the file at `path`.
  init(_ infoPlist: PropertyList, inFile path: String, fallback: SourceMark) {
    self.init(findings: AppTransportSecurity.lint(infoPlist)) { spot in
      spot.place.map { SourceMark(file: path, line: $0.line, column: $0.column) } ?? fallback
    }
  }
}

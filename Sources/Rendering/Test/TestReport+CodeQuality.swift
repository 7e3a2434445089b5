import Scenarios

extension TestReport {
  /// Returns the problems of a case for GitLab's code quality report: its mismatches, or the reason why it cannot run.
  ///
  /// - Parameter path: the path of the file, relative to the root of the GitLab project.
  static func issues(_ entry: TestRun.Entry, path: String) -> [CodeQualityIssue] {
    if let obstacle = entry.obstacle {
      return obstacle.all.filter { $0.severity == .error }.map { diagnostic in
        let line = diagnostic.mark.flatMap { $0.file == entry.file ? $0.line : nil } ?? entry.line
        return CodeQualityIssue(
          description: "\(entry.name): \(diagnostic.sentences)", check: "scenario.unreadable", severity: .critical,
          path: path, line: line, subject: "\(entry.name)\n\(diagnostic.message)")
      }
    }
    return (entry.judgement?.mismatches ?? []).map { mismatch in
      let verdict = mismatch.verdict ?? entry.verdict
      let reason = verdict.map { ". It was \(summary(of: $0))" } ?? ""
      let fix = verdict?.because.first.map { ". \($0.fix)" } ?? ""
      return CodeQualityIssue(
        description: "\(entry.name): \(mismatch.sentence)\(reason)\(fix)", check: "scenario.not-as-expected",
        severity: .major, path: path, line: entry.line, subject: "\(entry.name)\n\(mismatch.path)")
    }
  }
}

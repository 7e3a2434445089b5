import Scenarios

extension TestReport {
  /// What is wrong with a case, for GitLab's code quality report: what is not as expected, or why it cannot be played.
  static func issues(_ entry: TestRun.Entry) -> [CodeQualityIssue] {
    if let obstacle = entry.obstacle {
      return obstacle.all.filter { $0.severity == .error }.map { diagnostic in
        let line = diagnostic.mark.flatMap { $0.file == entry.file ? $0.line : nil } ?? entry.line
        return CodeQualityIssue(
          description: "\(entry.name): \(diagnostic.message)", check: "scenario.unreadable", severity: .critical,
          path: entry.file, line: line, subject: "\(entry.name)\n\(diagnostic.message)")
      }
    }
    return (entry.judgement?.mismatches ?? []).map { mismatch in
      CodeQualityIssue(
        description: "\(entry.name): \(mismatch.sentence)", check: "scenario.not-as-expected", severity: .major,
        path: entry.file, line: entry.line, subject: "\(entry.name)\n\(mismatch.path)")
    }
  }
}

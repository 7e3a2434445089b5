import Explanation

// The mutants that a file claims to kill.
extension TestRun {
  /// Returns a mismatch for each mutant in `kills` that no verdict of the file detects.
  ///
  /// A claim is true if the mutant changes the verdict of a case, and the accepted sibling of this case keeps its
  /// verdict. A run with a mutant checks no claims.
  ///
  /// - Parameter file: the file that makes the claims.
  public func falseClaims(of file: ScenarioFile) -> [Judgement.Mismatch] {
    guard player.mutant == nil else { return [] }
    var seen: Set<String> = []
    let names = file.cases.flatMap(\.about.kills).filter { seen.insert($0).inserted }
    return names.compactMap { name in Mutant.named(name).flatMap { falseClaim($0, of: file) } }
  }

  private func falseClaim(_ mutant: Mutant, of file: ScenarioFile) -> Judgement.Mismatch? {
    let mutated = player.having(mutant)
    var brokenSibling: String?
    for scenario in file.cases where mutated.changesVerdict(of: scenario, played: player) {
      let sibling = TestPlan.sibling(of: TestPlan.Job(scenario: scenario, file: file), in: self)?.scenario
      guard let sibling, mutated.changesVerdict(of: sibling, played: player) else { return nil }
      brokenSibling = sibling.name
    }
    return Judgement.Mismatch(
      path: "kills", expected: "a verdict that \(mutant.name) changes",
      found: brokenSibling.map { "the sibling \($0) is not accepted either" } ?? "none")
  }
}

extension ScenarioPlayer {
  /// Returns whether the mutant of this player changes the verdict of a case, or the case then does not end.
  ///
  /// - Parameters:
  ///   - scenario: the case.
  ///   - correct: a player without the mutant.
  fileprivate func changesVerdict(of scenario: Scenario, played correct: ScenarioPlayer) -> Bool {
    guard let usual = try? correct.run(scenario, limit: .max),
      correct.verdictMismatches(usual.simulation, as: scenario).isEmpty,
      let run = try? run(scenario, limit: usual.limitWithMutant)
    else { return false }
    return !run.isOver || !verdictMismatches(run.simulation, as: scenario).isEmpty
  }
}

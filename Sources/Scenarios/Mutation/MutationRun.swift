import Foundation
import Simulator

/// Plays scenarios with mutants and reports which expectations notice.
///
/// The first pass plays every case without a mutant and records the rules that it reaches. A mutant is then played only
/// with the cases that reach it.
public struct MutationRun: Sendable {
  /// A case without a mutant.
  private struct Baseline: Sendable {
    let scenario: Scenario
    /// The number of steps after which a run with a mutant counts as endless.
    let limit: Int
    let facts: RuleWitness.Facts
  }

  /// A mutant with the cases that reach it.
  private struct Plan: Sendable {
    let mutant: Mutant
    /// The cases whose run reaches the fault.
    let runs: [Baseline]
    /// The cases of which only the trials reach the fault.
    let trials: [Baseline]
    /// The cases that ask for the rule without violating it. They may reveal the mutant by a goal.
    let asked: [Baseline]

    /// Whether playing stops after two files, because very many cases reach the fault.
    var stopsEarly: Bool { runs.count > 300 || mutant.reach == .settings || mutant.reach == .everything }
  }

  private let files: [ScenarioFile]
  private let mutants: [Mutant]
  private let player: ScenarioPlayer

  /// Creates a run of `mutants` over every case in `files`.
  ///
  /// - Parameters:
  ///   - files: the files whose cases are played.
  ///   - mutants: the mutants to play.
  ///   - player: a player without a mutant.
  public init(_ files: [ScenarioFile], _ mutants: [Mutant], player: ScenarioPlayer) {
    self.files = files
    self.mutants = mutants
    self.player = player
  }

  /// Plays all cases without a mutant, then each mutant with the cases that reach it.
  ///
  /// - Parameters:
  ///   - jobs: the number of threads.
  ///   - progress: receives the finished number and the total number of cases or mutants, from one thread at a time.
  /// - Throws: `Diagnostics` if a case cannot be played or fails without a mutant.
  public func report(
    jobs: Int, progress: @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(Diagnostics) -> MutationReport {
    let cases = files.flatMap { file in file.cases.map { (file: file, scenario: $0) } }
    let results = ParallelMap.results(of: cases, jobs: jobs, progress: progress) { item in
      Result { () throws(Diagnostics) in try baseline(item.scenario, of: item.file) }
    }
    var baselines: [Baseline] = []
    for result in results { baselines.append(try result.get()) }
    let plans = plans(baselines)
    let entries = ParallelMap.results(of: plans, jobs: jobs, progress: progress) { plan in entry(plan) }
    let order = Dictionary(uniqueKeysWithValues: mutants.enumerated().map { ($0.element.name, $0.offset) })
    return MutationReport(
      entries: entries.sorted { order[$0.mutant.name, default: 0] < order[$1.mutant.name, default: 0] },
      cases: cases.count)
  }

  /// Plays a case without a mutant.
  private func baseline(_ scenario: Scenario, of file: ScenarioFile) throws(Diagnostics) -> Baseline {
    let witness = RuleWitness(mutants)
    let player = player.witnessed(by: witness)
    let run: ScenarioPlayer.LimitedRun
    do throws(Diagnostics) { run = try player.run(scenario, limit: .max) } catch { throw file.showing(error) }
    _ = run.simulation.outcome.verdict
    witness.endRun()
    let judgement = player.judge(run.simulation, as: scenario).judgement
    if let mismatch = judgement.mismatches.first {
      throw Diagnostics(
        "\(scenario.name) fails without a mutant: \(mismatch)", hint: "run 'trustlab test \(scenario.id)' first")
    }
    return Baseline(scenario: scenario, limit: run.limitWithMutant, facts: witness.facts)
  }

  /// Returns the mutants with their cases, the longest work first.
  private func plans(_ baselines: [Baseline]) -> [Plan] {
    mutants.map { mutant in
      let violating = plan(mutant, baselines, queries: false)
      let isIdle = violating.runs.isEmpty && violating.trials.isEmpty
      let asking = plan(mutant, baselines, queries: true)
      if isIdle { return asking }
      let known = Set((violating.runs + violating.trials).map(\.scenario.name))
      let asked = (asking.runs + asking.trials).filter { !known.contains($0.scenario.name) }
      return Plan(mutant: mutant, runs: violating.runs, trials: violating.trials, asked: asked)
    }.sorted { $0.runs.count + $0.trials.count > $1.runs.count + $1.trials.count }
  }

  private func plan(_ mutant: Mutant, _ baselines: [Baseline], queries: Bool) -> Plan {
    var (runs, trials): ([Baseline], [Baseline]) = ([], [])
    for baseline in baselines {
      if mutant.isReached(by: baseline.facts.run, queries: queries) {
        runs.append(baseline)
      } else if mutant.isReached(by: baseline.facts.trials, queries: queries) {
        trials.append(baseline)
      }
    }
    return Plan(mutant: mutant, runs: runs, trials: trials, asked: [])
  }

  private func entry(_ plan: Plan) -> MutationReport.Entry {
    let player = player.having(plan.mutant)
    var kills: [MutationReport.Effect] = []
    var isComplete = true
    for baseline in plan.runs {
      if let kill = kill(baseline, player) { kills.append(kill) }
      if plan.stopsEarly, Set(kills.map(\.id)).count >= 2 {
        isComplete = false
        break
      }
    }
    // Only the goals depend on trials, so they cannot change a verdict.
    let isExcluded = Equivalence.all[plan.mutant.name]?.kind.isExcluded == true
    let notice = kills.isEmpty ? firstNotice(plan.runs + plan.trials + (isExcluded ? [] : plan.asked), player) : nil
    let reached = plan.runs.count + plan.trials.count
    let state: MutationReport.State =
      if !kills.isEmpty {
        .killed
      } else if isExcluded {
        .equivalent
      } else if notice != nil {
        .noticed
      } else {
        reached == 0 ? .notReached : .survived
      }
    return MutationReport.Entry(
      mutant: plan.mutant, state: state, kills: kills, notices: [notice].compactMap(\.self), reached: reached,
      isComplete: isComplete)
  }

  /// Plays a case with a mutant, and returns the expectation about a verdict that fails; nil if none fails.
  private func kill(_ baseline: Baseline, _ player: ScenarioPlayer) -> MutationReport.Effect? {
    let scenario = baseline.scenario
    guard let run = try? player.run(scenario, limit: baseline.limit) else { return nil }
    guard run.isOver else {
      return effect(
        Judgement.Mismatch(path: "end", expected: "an end", found: "none after \(run.steps) steps"), in: scenario)
    }
    return player.verdictMismatches(run.simulation, as: scenario).first.map { effect($0, in: scenario) }
  }

  private func firstNotice(_ baselines: [Baseline], _ player: ScenarioPlayer) -> MutationReport.Effect? {
    for baseline in baselines {
      if let notice = notice(baseline, player) { return notice }
    }
    return nil
  }

  /// Plays a case with a mutant, and returns the first failing expectation about a reason, path or goal.
  private func notice(_ baseline: Baseline, _ player: ScenarioPlayer) -> MutationReport.Effect? {
    let scenario = baseline.scenario
    guard let run = try? player.run(scenario, limit: baseline.limit), run.isOver else { return nil }
    let mismatches = player.judge(run.simulation, as: scenario).judgement.mismatches
    return mismatches.first(where: \.isNotice).map { effect($0, in: scenario) }
  }

  private func effect(_ mismatch: Judgement.Mismatch, in scenario: Scenario) -> MutationReport.Effect {
    MutationReport.Effect(
      id: scenario.id, name: scenario.name, path: mismatch.path, expected: mismatch.expected, found: mismatch.found,
      isOverStrict: mismatch.expected == Verdict.Word.accepted.rawValue)
  }
}

extension Judgement.Mismatch {
  /// Whether the mismatch shows that a reason, path or goal is different, rather than only the wording or an override.
  fileprivate var isNotice: Bool {
    let kinds = ["because", "layer", "path", "trustResult", "goals", "verdict", "executed", "content"]
    return path.split(separator: ".").contains { kinds.contains(String($0)) }
  }
}

extension ScenarioPlayer {
  /// A run that may have been stopped.
  struct LimitedRun {
    let simulation: Simulation
    let steps: Int
    /// Whether the run ended by itself.
    let isOver: Bool

    /// The number of steps after which the same run with a mutant counts as endless.
    var limitWithMutant: Int { 4 * steps + 400 }
  }

  /// Plays a case for at most `limit` steps.
  func run(_ scenario: Scenario, limit: Int) throws(Diagnostics) -> LimitedRun {
    var simulation = try simulation(of: scenario)
    var steps = 0
    while steps < limit, simulation.step() { steps += 1 }
    if let obstacle = simulation.obstacle { throw obstacle.diagnostics(in: scenario) }
    return LimitedRun(simulation: simulation, steps: steps, isOver: simulation.isFinished)
  }

  /// Returns this player with a witness of all uses of rules.
  func witnessed(by witness: RuleWitness) -> ScenarioPlayer {
    var setup = cast
    setup.witness = witness
    return ScenarioPlayer(cast: setup)
  }

  /// Returns this player with programs that have `mutant`.
  func having(_ mutant: Mutant) -> ScenarioPlayer {
    var setup = cast
    setup.mutant = mutant
    return ScenarioPlayer(cast: setup)
  }
}

import Endpoint
import Explanation
import Foundation
import PKIX
import Simulator

/// Runs scenarios and compares their results with the expectations.
public struct ScenarioPlayer: Sendable {
  let cast: ScenarioSetup
  /// The historical bug of every program that can have it; nil for none.
  public var mutant: Mutant? { cast.mutant }

  /// Creates a player whose clients, servers and attackers come from `cast`.
  public init(cast: ScenarioSetup) { self.cast = cast }

  /// Returns a run of `scenario` before its first step.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func simulation(of scenario: Scenario) throws(Diagnostics) -> Simulation {
    Simulation(try cast.world(of: scenario))
  }

  /// Runs one case from its first step to its last and compares it with its expectation, regardless of its sibling.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used, or the target of a redirect cannot be played.
  public func play(_ scenario: Scenario) throws(Diagnostics) -> CaseResult { try play(scenario, until: { false }) }

  /// Plays one case like `play(_:)`, and ends it with an error after the first step at which `isOver` returns true.
  public func play(_ scenario: Scenario, until isOver: () -> Bool) throws(Diagnostics) -> CaseResult {
    var simulation = try simulation(of: scenario)
    while simulation.step() {
      if isOver() { throw Diagnostics("the run takes too long", hint: "use fewer requests or smaller keys") }
    }
    if let obstacle = simulation.obstacle {
      let clock = simulation.accounts.last?.plan.clock
      throw obstacle.diagnostics(in: scenario.dates.first { $0.clock == clock } ?? scenario)
    }
    return judge(simulation, as: scenario)
  }

  /// Compares a finished run of `scenario` with its expectation.
  public func judge(_ simulation: Simulation, as scenario: Scenario) -> CaseResult {
    let connections = Outcome.connections(of: simulation)
    let mismatches = mismatches(connections, of: scenario, by: Judge(simulation: simulation))
    return CaseResult(
      scenario: scenario, simulation: simulation, outcome: Outcome(of: connections), connections: connections,
      judgement: Judgement(mismatches), mutant: mutant)
  }

  /// Returns the verdicts in a finished run of `scenario` that differ from the expected ones.
  func verdictMismatches(_ simulation: Simulation, as scenario: Scenario) -> [Judgement.Mismatch] {
    var judge = Judge(simulation: simulation)
    judge.comparesOnlyVerdicts = true
    return mismatches(Outcome.connections(of: simulation), of: scenario, by: judge)
  }

  private func mismatches(
    _ connections: [Outcome], of scenario: Scenario, by judge: Judge
  ) -> [Judgement.Mismatch] {
    var mismatches: [Judgement.Mismatch] = []
    var open = Outcome.loads(connections)[...]
    for date in scenario.dates {
      let own = Array(open.prefix(date.calculation == nil ? date.connections.count : 1))
      open = open.dropFirst(date.connections.count)
      mismatches += judge.mismatches(own, parts: connections, on: date, isOnly: scenario.later.isEmpty)
    }
    return mismatches
  }
}

extension ScenarioPlayer {
  /// Returns the certificates of `scenario` by the author's names, CAs first.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func certificates(of scenario: Scenario) throws(Diagnostics) -> [(name: String, certificate: Certificate)] {
    try cast.certificates(of: scenario)
  }

  /// Returns the certificates and keys of `scenario` as files.
  ///
  /// - Parameters:
  ///   - scenario: a case that makes connections.
  ///   - now: the date that replaces the scenario's clock; every date moves by the same difference. Nil changes
  ///     nothing.
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func export(of scenario: Scenario, now: Instant? = nil) throws(Diagnostics) -> PKIExport {
    guard scenario.calculation == nil else {
      throw Diagnostics(
        "a calculation has no certificates and no keys", hint: "export a scenario with connections",
        at: scenario.tree["calculation"]?.mark)
    }
    let clock = scenario.clock.secondsSince1970
    let (shift, overflow) = (now?.secondsSince1970 ?? clock).subtractingReportingOverflow(clock)
    let hierarchy = try cast.hierarchy(of: scenario, shift: overflow ? 0 : shift)
    return try PKIExport(scenario, hierarchy, date: now ?? scenario.clock)
  }

  /// Returns the servers of a scenario, to which real clients can connect.
  ///
  /// - Parameters:
  ///   - scenario: a case that makes connections.
  ///   - now: the date that replaces the scenario's clock; every date moves by the same difference. Nil changes
  ///     nothing.
  /// - Throws: `Diagnostics` if a file cannot be used, or a server's protocol is not supported.
  public func servers(
    of scenario: Scenario, now: Instant? = nil
  ) throws(Diagnostics) -> [(host: String, configuration: ServerEndpoint.Configuration)] {
    guard scenario.calculation == nil else {
      throw Diagnostics(
        "a calculation has no server", hint: "use a scenario with connections",
        at: scenario.tree["calculation"]?.mark)
    }
    return try cast.servers(of: scenario, now: now)
  }

  /// Returns warnings about the property lists of `scenario`: keys and values that iOS silently ignores.
  ///
  /// - Throws: `Diagnostics` if a file cannot be used.
  public func remarks(on scenario: Scenario) throws(Diagnostics) -> [Diagnostic] { try cast.remarks(on: scenario) }

  /// Runs `scenario` once for each of `values`, merged into the node at `path`, on all processors.
  ///
  /// - Parameters:
  ///   - path: the path of the changed value.
  ///   - values: the new values.
  ///   - scenario: the original case.
  ///   - others: cases of the same file, which may use names that a changed case no longer uses.
  ///   - progress: receives the finished number and the total number, from one thread at a time.
  ///   - isInterrupted: called before each run; after it returns true, the remaining values have no outcome.
  /// - Returns: The outcome for each played value in order, or the errors of the changed scenario.
  public func sweep(
    _ path: ScenarioPath, over values: [Node], of scenario: Scenario, beside others: [Scenario] = [],
    progress: @Sendable (Int, Int) -> Void = { _, _ in }, isInterrupted: @Sendable () -> Bool = { false }
  ) -> [Result<Outcome, Diagnostics>] {
    let jobs = ProcessInfo.processInfo.activeProcessorCount
    let results = ParallelMap.results(of: values, jobs: jobs, progress: progress) { value in
      isInterrupted()
        ? nil
        : Result { () throws(Diagnostics) in
          try play(try scenario.changing(path, to: value, beside: others)).outcome
        }
    }
    return results.prefix { $0 != nil }.compactMap(\.self)
  }
}

/// The result of a case that was run and compared with its expectation.
public struct CaseResult: Sendable {
  /// The case that was run.
  public let scenario: Scenario
  /// The run, from its first step to its last.
  public let simulation: Simulation
  /// The outcome of the run.
  public let outcome: Outcome
  /// The outcome of each connection.
  public let connections: [Outcome]
  /// The comparison of the outcome with the expectation.
  public var judgement: Judgement
  /// The historical bug of every program that can have it; nil for none.
  public var mutant: Mutant?
}

extension CaseResult: CustomStringConvertible, CustomReflectable {
  /// The message of a failed test: `L1-15: failed`, followed by a line for each mismatch.
  public var description: String { "\(scenario.name): \(judgement)" }

  /// An empty mirror, because a run has thousands of lines.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Judgement: CustomStringConvertible {
  /// The word `failed`, followed by a line for each mismatch.
  public var description: String {
    let reason = reason.map { ", \($0)" } ?? ""
    return ([result.rawValue + reason] + mismatches.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension Judgement.Mismatch: CustomStringConvertible {
  /// The mismatch in words: `verdict: expected refused, found accepted`.
  public var description: String { "\(path): expected \(expected), found \(found)" }
}

/// The result of a test. The test has a result, while the tested client has a verdict.
public struct Judgement: Sendable, Hashable {
  /// The result of the comparison with the expectation.
  public enum Result: String, Sendable, Hashable, CaseIterable {
    case passed
    case failed
    case skipped
  }

  /// An expected value that differs from the observed value.
  public struct Mismatch: Sendable, Hashable {
    /// The path of the expected value: `verdict`, `knowledge.eavesdropper.knows`.
    public let path: String
    /// The expected value.
    public let expected: String
    /// The observed value.
    public let found: String
    /// The verdict of the load with the mismatch; nil if the mismatch is about all loads.
    public var verdict: Verdict?
  }

  /// The result of the comparison with the expectation.
  public let result: Result
  /// All differences between the outcome and the expectation.
  public let mismatches: [Mismatch]
  /// The reason why the test was skipped; nil if it was not.
  public let reason: String?

  /// Creates the result of a test: passed if there are no mismatches, otherwise failed.
  public init(_ mismatches: [Mismatch]) {
    result = mismatches.isEmpty ? .passed : .failed
    self.mismatches = mismatches
    reason = nil
  }

  /// Creates the result of a skipped test with the reason.
  public init(skippedBecause reason: String) {
    result = .skipped
    mismatches = []
    self.reason = reason
  }
}

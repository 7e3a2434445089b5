import Endpoint
import Explanation
import Foundation
import PKIX
import Simulator

/// Plays scenarios and judges what came out.
public struct ScenarioPlayer: Sendable {
  let cast: Cast
  /// The historical bug of every party that can have it; nil for none.
  public var mutant: Mutant? { cast.mutant }

  /// A player of scenarios whose parties come from `cast`.
  public init(cast: Cast) { self.cast = cast }

  /// A run of `scenario` that has not begun.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func simulation(of scenario: Scenario) throws(Diagnostics) -> Simulation {
    Simulation(try cast.world(of: scenario))
  }

  /// Plays one case from its first step to its last and judges it, its sibling aside.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used, or when a redirect leads to what cannot be played.
  public func play(_ scenario: Scenario) throws(Diagnostics) -> CaseResult {
    var simulation = try simulation(of: scenario)
    simulation.run()
    if let obstacle = simulation.obstacle {
      let clock = simulation.accounts.last?.plan.clock
      throw obstacle.diagnostics(in: scenario.dates.first { $0.clock == clock } ?? scenario)
    }
    return judge(simulation, as: scenario)
  }

  /// Judges a finished run of `scenario`.
  public func judge(_ simulation: Simulation, as scenario: Scenario) -> CaseResult {
    let connections = Outcome.connections(of: simulation)
    let judge = Judge(simulation: simulation)
    var mismatches: [Judgement.Mismatch] = []
    var open = Outcome.loads(connections)[...]
    for date in scenario.dates {
      let own = Array(open.prefix(date.calculation == nil ? date.connections.count : 1))
      open = open.dropFirst(date.connections.count)
      mismatches += judge.mismatches(own, parts: connections, on: date, isOnly: scenario.later.isEmpty)
    }
    return CaseResult(
      scenario: scenario, simulation: simulation, outcome: Outcome(of: connections), connections: connections,
      judgement: Judgement(mismatches), mutant: mutant)
  }
}

extension ScenarioPlayer {
  /// The certificates of `scenario` by the author's names, authorities first.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func certificates(of scenario: Scenario) throws(Diagnostics) -> [(name: String, certificate: Certificate)] {
    try cast.certificates(of: scenario)
  }

  /// The certificates and keys of `scenario` as files.
  ///
  /// - Parameters:
  ///   - scenario: a case that makes connections.
  ///   - now: the day that shall stand for the scenario's clock; every date moves along. Nil leaves all as it is.
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func export(of scenario: Scenario, now: Instant? = nil) throws(Diagnostics) -> PKIExport {
    guard scenario.calculation == nil else {
      throw Diagnostics(
        "a calculation has no certificates and no keys", hint: "toy numbers make no real ones",
        at: scenario.tree["calculation"]?.mark)
    }
    let clock = scenario.clock.secondsSince1970
    let (shift, overflow) = (now?.secondsSince1970 ?? clock).subtractingReportingOverflow(clock)
    let hierarchy = try cast.hierarchy(of: scenario, shift: overflow ? 0 : shift)
    return try PKIExport(scenario, hierarchy, date: now ?? scenario.clock)
  }

  /// The servers of a scenario as they are, for real clients to ask.
  ///
  /// - Parameters:
  ///   - scenario: a case that makes connections.
  ///   - now: the day that shall stand for the scenario's clock; every date moves along. Nil leaves all as it is.
  /// - Throws: `Diagnostics` when a file it names cannot be used, or a server speaks what is not played.
  public func servers(
    of scenario: Scenario, now: Instant? = nil
  ) throws(Diagnostics) -> [(host: String, configuration: ServerEndpoint.Configuration)] {
    guard scenario.calculation == nil else {
      throw Diagnostics(
        "a calculation has no server", hint: "toy numbers make no real connection",
        at: scenario.tree["calculation"]?.mark)
    }
    return try cast.servers(of: scenario, now: now)
  }

  /// What is odd in the property lists of `scenario`: keys and values that iOS passes over in silence.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func remarks(on scenario: Scenario) throws(Diagnostics) -> [Diagnostic] { try cast.remarks(on: scenario) }

  /// What comes out of `scenario` when each of `values` is laid over what stands at `path`, in the order of the values;
  /// played on all processors.
  ///
  /// - Parameters:
  ///   - path: what is changed.
  ///   - values: what it is changed to, one after the other.
  ///   - scenario: the case that is changed.
  ///   - others: cases of the same file, which may use what a changed one uses no more.
  ///   - progress: told how many are done of how many, by one thread at a time.
  ///   - isInterrupted: asked before each run; once it is so, the values that are left are not played and have no outcome.
  /// - Returns: For each value that was played its outcome, or what is wrong with the scenario that it makes.
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

/// One case, played and judged.
public struct CaseResult: Sendable {
  /// The case.
  public let scenario: Scenario
  /// The run, from its first step to its last.
  public let simulation: Simulation
  /// What came of it.
  public let outcome: Outcome
  /// What came of each connection.
  public let connections: [Outcome]
  /// Whether that is what was expected.
  public var judgement: Judgement
  /// The historical bug that every party had that can have it; nil for none.
  public var mutant: Mutant?
}

extension CaseResult: CustomStringConvertible, CustomReflectable {
  /// `L1-15: failed`, and a line for each mismatch: what a test that fails shows.
  public var description: String { "\(scenario.name): \(judgement)" }

  /// Nothing beside the description: a run is thousands of lines.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Judgement: CustomStringConvertible {
  /// `failed`, and a line for each mismatch.
  public var description: String {
    let reason = reason.map { ", \($0)" } ?? ""
    return ([result.rawValue + reason] + mismatches.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension Judgement.Mismatch: CustomStringConvertible {
  /// `verdict: expected refused, found accepted`
  public var description: String { "\(path): expected \(expected), found \(found)" }
}

/// What a test says: the subject has a verdict, the test has a result.
public struct Judgement: Sendable, Hashable {
  /// Whether what came out is what was expected.
  public enum Result: String, Sendable, Hashable, CaseIterable {
    case passed
    case failed
    case skipped
  }

  /// One expectation that did not hold.
  public struct Mismatch: Sendable, Hashable {
    /// What was expected about: `verdict`, `knowledge.eavesdropper.knows`.
    public let path: String
    /// What the scenario expects.
    public let expected: String
    /// What came out.
    public let found: String
    /// What came of the one load that it is about; nil where it is about all of them.
    public var verdict: Verdict?
  }

  /// Whether what came out is what was expected.
  public let result: Result
  /// Everything that is not as expected.
  public let mismatches: [Mismatch]
  /// Why the test was skipped.
  public let reason: String?

  /// A test that passed, or failed by these.
  public init(_ mismatches: [Mismatch]) {
    result = mismatches.isEmpty ? .passed : .failed
    self.mismatches = mismatches
    reason = nil
  }

  /// A test that says nothing, for a reason.
  public init(skippedBecause reason: String) {
    result = .skipped
    mismatches = []
    self.reason = reason
  }
}

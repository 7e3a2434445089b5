import Explanation
import PKIX
import Simulator

/// Plays scenarios and judges what came out.
public struct ScenarioPlayer: Sendable {
  let cast: Cast

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
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func play(_ scenario: Scenario) throws(Diagnostics) -> CaseResult {
    var simulation = try simulation(of: scenario)
    simulation.run()
    return judge(simulation, as: scenario)
  }

  /// Judges a finished run of `scenario`.
  public func judge(_ simulation: Simulation, as scenario: Scenario) -> CaseResult {
    let outcome = simulation.outcome
    let connections = Outcome.connections(of: simulation)
    let judge = Judge(simulation: simulation)
    var mismatches: [Judgement.Mismatch] = []
    var open = Outcome.loads(connections)[...]
    for date in scenario.dates {
      let own = Array(open.prefix(date.calculation == nil ? date.connections.count : 1))
      open = open.dropFirst(date.connections.count)
      mismatches += judge.mismatches(own, on: date, isOnly: scenario.later.isEmpty)
    }
    return CaseResult(
      scenario: scenario, simulation: simulation, outcome: outcome, connections: connections,
      judgement: Judgement(mismatches))
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
  /// - Parameter now: the day that shall stand for the scenario's clock; every date moves along. Nil leaves all as it is.
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func export(of scenario: Scenario, now: Instant? = nil) throws(Diagnostics) -> PKIExport {
    guard scenario.calculation == nil else {
      throw Diagnostics(
        "a calculation has no certificates and no keys to export", hint: "toy numbers make no real ones",
        at: scenario.tree["calculation"]?.mark)
    }
    let clock = scenario.clock.secondsSince1970
    let (shift, overflow) = (now?.secondsSince1970 ?? clock).subtractingReportingOverflow(clock)
    let hierarchy = try cast.hierarchy(of: scenario, shift: overflow ? 0 : shift)
    return try PKIExport(scenario, hierarchy, date: now ?? scenario.clock)
  }

  /// What is odd in the property lists of `scenario`: keys and values that iOS passes over in silence.
  ///
  /// - Throws: `Diagnostics` when a file it names cannot be used.
  public func remarks(on scenario: Scenario) throws(Diagnostics) -> [Diagnostic] { try cast.remarks(on: scenario) }
}

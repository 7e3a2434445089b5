import Cryptography
import Laboratory
import Scenarios
import Simulator

/// A case of a scenario that can be an argument of a test.
///
/// Its description is short, and its failure names the reason.
///
/// ```swift
/// @Test(arguments: try ScenarioCase.all(in: "Scenarios"))
/// func connection(_ scenario: ScenarioCase) throws { try scenario.check() }
/// ```
public struct ScenarioCase: Sendable, CustomStringConvertible, CustomReflectable {
  /// The scenario that the case plays.
  public let scenario: Scenario
  let file: ScenarioFile
  private let siblings: Siblings
  let player: ScenarioPlayer

  init(_ scenario: Scenario, of file: ScenarioFile, siblings: Siblings, player: ScenarioPlayer) {
    self.scenario = scenario
    self.file = file
    self.siblings = siblings
    self.player = player
  }

  /// The name in a list of tests, such as `L1-15`, or `L1-15/iOS 8 has no ATS` for a row.
  public var description: String { scenario.name }

  /// An empty mirror, so that tests show only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Plays the case without checking the scenario's expectations, for a test that has its own.
  ///
  /// - Throws: `Diagnostics` if a file of the scenario cannot be used.
  public func play() throws(Diagnostics) -> CaseResult {
    do throws(Diagnostics) { return try player.play(scenario) } catch { throw file.showing(error) }
  }

  /// Plays the case and its accepted sibling, and evaluates them as `trustlab test` does.
  ///
  /// - Throws: `ScenarioFailure` if an expectation fails, or if the sibling of a refused case is not accepted, so that
  /// the refusal proves nothing. `Diagnostics` if a file cannot be used.
  public func check() throws {
    let name = scenario.caseName
    let run = TestRun(
      [.file(file)], player: player, isWanted: { $0.caseName == name }, sibling: siblings.file(ofID:))
    for entry in run.entries() {
      if let obstacle = entry.obstacle { throw obstacle }
      guard let judgement = entry.judgement, judgement.result != .passed else { continue }
      throw ScenarioFailure(scenario: scenario, line: entry.line, judgement: judgement, outcome: try play().outcome)
    }
  }
}

/// The locations that are searched for siblings of refused cases: the case's folder, then the curriculum.
struct Siblings: Sendable {
  let library: ScenarioLibrary?

  func file(ofID id: String) -> ScenarioFile? {
    for library in [library, try? ScenarioLibrary.curriculum()].compactMap(\.self) {
      if let path = library.path(ofID: id), let file = try? library.file(at: path) { return file }
    }
    return nil
  }
}

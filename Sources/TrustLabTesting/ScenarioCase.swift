import Cryptography
import Laboratory
import Scenarios
import Simulator

/// One case of a scenario as an argument of a test: short to read where it is listed, and telling where it fails.
///
/// ```swift
/// @Test(arguments: try ScenarioCase.all(in: "Scenarios"))
/// func connection(_ scenario: ScenarioCase) throws { try scenario.check() }
/// ```
public struct ScenarioCase: Sendable, CustomStringConvertible, CustomReflectable {
  /// The case itself.
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

  /// `L1-15`, or `L1-15/iOS 8 has no ATS` for a row: what a list of tests shows.
  public var description: String { scenario.name }

  /// Nothing beside the description.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Plays the case, for a test that says itself what must come out; what the scenario expects is not asked.
  ///
  /// - Throws: `Diagnostics` when a file that it names cannot be used.
  public func play() throws(Diagnostics) -> CaseResult {
    do throws(Diagnostics) { return try player.play(scenario) } catch { throw file.showing(error) }
  }

  /// Plays the case and judges it as `trustlab test` does, its accepted sibling with it.
  ///
  /// - Throws: `ScenarioFailure` when something is not as expected, or when the sibling of a refusal is none: then the
  ///   refusal proves nothing. `Diagnostics` when a file cannot be used.
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

/// Where the siblings of refused cases are looked for: in the folder of the case, then in the curriculum.
struct Siblings: Sendable {
  let library: ScenarioLibrary?

  func file(ofID id: String) -> ScenarioFile? {
    for library in [library, try? ScenarioLibrary.curriculum()].compactMap(\.self) {
      if let path = library.path(ofID: id), let file = try? library.file(at: path) { return file }
    }
    return nil
  }
}

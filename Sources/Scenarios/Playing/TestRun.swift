/// Plays every case of some files; a refusal whose accepted sibling fails proves nothing and is skipped.
public struct TestRun: Sendable {
  /// One case: what came of it, or why it could not be played.
  public enum Entry: Sendable {
    /// The case was played.
    case played(CaseResult)
    /// A file that the case names cannot be used.
    case unplayable(Scenario, Diagnostics)

    /// The case.
    public var scenario: Scenario {
      switch self {
      case .played(let result): result.scenario
      case .unplayable(let scenario, _): scenario
      }
    }

    /// The test's result; a case that cannot be played has failed.
    public var result: Judgement.Result {
      switch self {
      case .played(let result): result.judgement.result
      case .unplayable: .failed
      }
    }
  }

  /// Every case in the order of the files.
  public private(set) var entries: [Entry] = []

  /// Plays every case of `files` that `isWanted`.
  ///
  /// - Parameters:
  ///   - sibling: finds the file of a sibling that is not among `files`, by its id.
  ///   - progress: told how many cases of how many have been played.
  public init(
    _ files: [ScenarioFile], player: ScenarioPlayer, isWanted: (Scenario) -> Bool = { _ in true },
    sibling: (String) -> ScenarioFile? = { _ in nil }, progress: (Int, Int) -> Void = { _, _ in }
  ) {
    let wanted = files.flatMap { file in file.cases.filter(isWanted).map { (file, $0) } }
    var played: [String: Entry] = [:]
    func play(_ scenario: Scenario) -> Entry {
      let key = "\(scenario.file)/\(scenario.caseName)"
      if let known = played[key] { return known }
      let entry: Entry
      do throws(Diagnostics) { entry = .played(try player.play(scenario)) } catch {
        entry = .unplayable(scenario, error)
      }
      played[key] = entry
      return entry
    }
    for (index, (file, scenario)) in wanted.enumerated() {
      var entry = play(scenario)
      let other = Self.sibling(of: scenario, in: file, files: files, elsewhere: sibling)
      if case .played(var result) = entry, let reason = Self.doubt(about: scenario, other, other.map(play)?.result) {
        result.judgement = Judgement(skippedBecause: reason)
        entry = .played(result)
      }
      if case .unplayable(_, let diagnostics) = entry { entry = .unplayable(scenario, file.showing(diagnostics)) }
      entries.append(entry)
      progress(index + 1, wanted.count)
    }
  }

  /// How many cases have this result.
  public func count(_ result: Judgement.Result) -> Int { entries.count { $0.result == result } }

  /// Why a refused case proves nothing; nil when its sibling passed, or it never had one.
  private static func doubt(about scenario: Scenario, _ sibling: Scenario?, _ result: Judgement.Result?) -> String? {
    guard !scenario.expectsAcceptance else { return nil }
    guard let sibling else { return scenario.sibling.map { "its sibling \($0) is not found" } }
    return result == .failed ? "its sibling \(sibling.name) failed" : nil
  }

  /// The accepted case that a refused one differs from: the one it names, else the first accepted one of its file.
  private static func sibling(
    of scenario: Scenario, in file: ScenarioFile, files: [ScenarioFile], elsewhere: (String) -> ScenarioFile?
  ) -> Scenario? {
    guard !scenario.expectsAcceptance else { return nil }
    guard let name = scenario.sibling else { return file.cases.first { $0.expectsAcceptance } }
    if let own = file.scenario(named: name) { return own }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    let other = files.first { $0.id == parts[0] } ?? elsewhere(parts[0])
    if parts.count == 2 { return other?.scenario(named: parts[1]) }
    return other?.cases.first { $0.expectsAcceptance }
  }
}

extension Scenario {
  /// Whether every expectation of the case is that the client accepts.
  public var expectsAcceptance: Bool {
    ([expectation] + connections.map(\.expectation)).allSatisfy { $0?.expectsAcceptance ?? true }
  }
}

/// What a run of tests plays: every case once, siblings included, whoever asks for it.
struct TestPlan {
  /// An entry of the run to be.
  enum Item {
    /// The case at this index of `scenarios`, its file, and the sibling it leans on, when it has one.
    case scenario(Int, ScenarioFile, Sibling?)
    case unreadable(path: String, Diagnostics)
  }

  /// The accepted case that a refused one differs from.
  struct Sibling {
    let name: String
    /// Its index in `scenarios`; nil when there is no such case.
    let index: Int?
  }

  /// The entries, in order.
  private(set) var items: [Item] = []
  /// The cases to play, none twice.
  private(set) var scenarios: [Scenario] = []
  private var indices: [String: Int] = [:]

  init(
    _ sources: [TestRun.Source], shard: Shard, isWanted: (Scenario) -> Bool, elsewhere: (String) -> ScenarioFile?
  ) {
    let files = sources.compactMap { source -> ScenarioFile? in
      if case .file(let file) = source { return file }
      return nil
    }
    var position = 0
    for source in sources {
      switch source {
      case .unreadable(let path, let diagnostics):
        if shard.has(position) { items.append(.unreadable(path: path, diagnostics)) }
        position += 1
      case .file(let file):
        for scenario in file.cases where isWanted(scenario) {
          if shard.has(position) { add(scenario, of: file, files: files, elsewhere: elsewhere) }
          position += 1
        }
      }
    }
  }

  private mutating func add(
    _ scenario: Scenario, of file: ScenarioFile, files: [ScenarioFile], elsewhere: (String) -> ScenarioFile?
  ) {
    let own = index(of: scenario)
    let sibling = Self.sibling(of: scenario, in: file, files: files, elsewhere: elsewhere)
    let leaned = sibling.map { Sibling(name: $0.name, index: index(of: $0)) }
    let missing = scenario.expectsAcceptance ? nil : scenario.sibling.map { Sibling(name: $0, index: nil) }
    items.append(.scenario(own, file, leaned ?? missing))
  }

  private mutating func index(of scenario: Scenario) -> Int {
    let key = "\(scenario.file)/\(scenario.caseName)"
    if let known = indices[key] { return known }
    indices[key] = scenarios.count
    scenarios.append(scenario)
    return scenarios.count - 1
  }

  /// The case it names, else the first accepted one of its file.
  private static func sibling(
    of scenario: Scenario, in file: ScenarioFile, files: [ScenarioFile], elsewhere: (String) -> ScenarioFile?
  ) -> Scenario? {
    guard !scenario.expectsAcceptance else { return nil }
    guard let name = scenario.sibling else { return file.cases.first { $0.expectsAcceptance } }
    if let own = file.scenario(named: name) { return own }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    guard let id = parts.first else { return nil }
    let other = files.first { $0.id == id } ?? elsewhere(id)
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

import Explanation
import Simulator
import Trust
import URLLoading

extension NodeReader {
  /// An `expect:` section.
  func expectation() -> Expectation? {
    guard let map = map(Vocabulary.expectation) else { return nil }
    var expectation = Expectation()
    expectation.verdict = map["verdict"]?.choice(Verdict.Word.allCases.map(\.rawValue), called: "verdict")
      .flatMap(Verdict.Word.init)
    expectation.layer = map["layer"]?.choice(Layer.deciding.map(\.rawValue), called: "layer").flatMap(Layer.init)
    expectation.because = map["because"]?.rules()
    expectation.overridden = map["overridden"]?.rules()
    expectation.decidedBy = map["decidedBy"]?.text()
    expectation.appReview = map["appReview"]?.list {
      $0.choice(AppTransportSecurity.Key.catalogue.map(\.name), called: "key")
    }
    expectation.path = map["path"]?.list { $0.text() }
    expectation.issuerSources = map["issuerSources"]?.list {
      $0.choice(IssuerSource.allCases.map(\.rawValue), called: "source of issuers")
    }
    expectation.errors = map["errors"]?.list { $0.appError() }
    expectation.trustResult = map["trustResult"]?.choice(
      SecTrustResultType.allCases.map(\.description), called: "SecTrustResultType")
    expectation.cipherSuite = map["cipherSuite"]?.cipherSuite()?.name
    expectation.content = map["content"]?.text()
    let server = map["server"]?.map(Vocabulary.serverExpectation)
    expectation.serverVerdict = server?["verdict"]?.choice(Verdict.Word.allCases.map(\.rawValue), called: "verdict")
      .flatMap(Verdict.Word.init)
    expectation.serverBecause = server?["because"]?.rules()
    expectation.executed = map["executed"]?.list { $0.text() }
    expectation.goals = map["goals"]?.goals() ?? [:]
    expectation.knowledge = map["knowledge"]?.named { $2.knowledge(of: Party($0), mark: $1) } ?? []
    let values = map["values"]?.named { name, _, reader in reader.text().map { (name, $0) } } ?? []
    expectation.values = Dictionary(values) { first, _ in first }
    expectation.equal = map["equal"]?.list { $0.list { $0.text() } } ?? []
    expectation.different = map["different"]?.list { $0.list { $0.text() } } ?? []
    expectation.neverOnWire = map["neverOnWire"]?.list { $0.text() } ?? []
    let connections = map["connections"]?.named { name, _, reader in reader.expectation().map { (name, $0) } } ?? []
    expectation.connections = Dictionary(connections) { first, _ in first }
    checkConsistency(of: expectation)
    return expectation
  }

  /// A list of rule ids that exist.
  private func rules() -> [String]? {
    list { $0.choice(RuleCatalogue.idsOfConnections, called: "rule") }
  }

  private func appError() -> AppError? {
    guard let text = text() else { return nil }
    guard let error = AppError(text) else {
      fail("'\(text)' is not an error", hint: "write NSURLErrorDomain -1200; 'trustlab list errors' prints all")
      return nil
    }
    return error
  }

  private func goals() -> [Goal: Goal.State] {
    guard let map = map(Vocabulary.goals) else { return [:] }
    var goals: [Goal: Goal.State] = [:]
    for goal in Goal.allCases {
      goals[goal] = map[goal.rawValue]?.choice(Vocabulary.goalWords, called: "state").flatMap(Goal.State.init)
    }
    return goals
  }

  private func knowledge(of party: Party, mark: SourceMark) -> Expectation.KnowledgeExpectation? {
    guard let map = map(Vocabulary.knowledge) else { return nil }
    return .init(
      party: party, knows: map["knows"]?.list { $0.text() } ?? [], lacks: map["lacks"]?.list { $0.text() } ?? [],
      mark: mark)
  }

  private func checkConsistency(of expectation: Expectation) {
    guard expectation.expectsAcceptance, expectation.verdict != nil else { return }
    if expectation.because?.isEmpty == false || expectation.layer != nil {
      fail(
        "an accepted connection has no layer that decided and no rule that refused it",
        hint: "remove 'layer' and 'because', or name the overridden rules under 'overridden'")
    }
  }
}

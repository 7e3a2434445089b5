import Explanation
import Scenarios
import Simulator

/// What a party knows, and how it came by it.
public struct KnowledgeView: Sendable {
  private let party: Party
  private let simulation: any TracedRun

  /// A view of what `party` knows by now.
  public init(party: Party, simulation: any TracedRun) {
    self.party = party
    self.simulation = simulation
  }

  /// What the party knows, each with how it came by it, and what it lacks.
  public func document() -> Document {
    let knowledge = simulation.knowledge(of: party)
    var document = Document()
    document.heading("What \(party.name) knows")
    let rows = knowledge.values.map { id -> [RichText] in
      let how = knowledge.proof(of: id)?.last?.how
      return [RichText("✓", .good), RichText(id, .name), "\(Self.way(how, by: party))"]
    }
    document.blocks.append(.table(header: [], rows: rows, indent: 2))
    let lacks = simulation.trace.valueNames.filter { !knowledge.knows($0) }
    if !lacks.isEmpty {
      document.bullet(RichText("✗", .dim), "lacks \(lacks.joined(separator: ", "))", indent: 2)
    }
    return document
  }

  /// How `party` comes by a value, carried out from what it holds to the value itself; or that it cannot, and what it
  /// lacks. It has the command that computes the value again, and with the depth `numbers` one for each step.
  public static func proof(
    of id: Value.ID, as party: Party, in simulation: any TracedRun, _ depth: Depth = .story
  ) -> Document {
    if let execution = Execution(of: id, as: party, in: simulation) {
      return ProofView(execution, simulation).document(depth, isAsked: true)
    }
    if let later = laterProof(of: id, as: party, in: simulation, depth) { return later }
    var document = Document()
    document.bullet(RichText("✗", .bad), "\(party.name) cannot come by \(id)")
    return document + obstacles(to: id, simulation.knowledge(of: party), simulation)
  }

  /// The proof of a value that `party` computes in a later step, and for which it has everything by now; nil if it lacks
  /// something, or never computes it.
  private static func laterProof(
    of id: Value.ID, as party: Party, in simulation: any TracedRun, _ depth: Depth
  ) -> Document? {
    let knowledge = simulation.knowledge(of: party)
    guard var whole = simulation as? Simulation, simulation.trace.values[id] != nil else { return nil }
    whole.run()
    guard case .computed(_, let inputs)? = whole.knowledge(of: party).way(to: id),
      inputs.allSatisfy(knowledge.knows), let execution = Execution(of: id, as: party, in: whole)
    else { return nil }
    var document = Document()
    document.bullet(
      RichText("…", .strong), "\(party.name) has everything that \(id) takes, and computes it in a later step:")
    return document + ProofView(execution, whole).document(depth, isAsked: true)
  }

  private static func obstacles(to id: Value.ID, _ knowledge: Knowledge, _ simulation: any TracedRun) -> Document {
    var document = Document()
    guard let value = simulation.trace.values[id] else {
      let hint =
        Spelling.nearest(to: "\(id)", among: simulation.trace.valueNames.map(\.description)).map {
          ": did you mean '\($0)'?"
        } ?? ""
      document.paragraph("there is no value '\(id)' in this run so far\(hint)", indent: 2)
      return document
    }
    for derivation in value.derivations {
      switch derivation {
      case .generated(let by): document.paragraph("only \(by.name) made it", indent: 2)
      case .published: break
      case .computed(let method, let inputs):
        let missing = inputs.filter { !knowledge.knows($0) }.joined(separator: ", ")
        document.paragraph("\(method) lacks \(missing)", indent: 2)
      }
    }
    return document
  }

  /// How a value was come by, in words.
  static func way(_ how: Value.Derivation?, by party: Party) -> String {
    switch how {
    case nil: "it leaked"
    case .generated(let maker): maker == party ? "its own" : "made by \(maker.name)"
    case .published: "seen on the network"
    case .computed(let method, let inputs):
      inputs.allSatisfy { method.description.contains($0.description) }
        ? method.description : "\(method) from \(inputs.joined(separator: ", "))"
    }
  }

  /// What each party knows in the end, and what none of them does, as members of a run's JSON.
  static func json(of simulation: any TracedRun) -> [JSONValue.Member] {
    let knowledge = simulation.parties.map { simulation.knowledge(of: $0) }
    let unknown = simulation.trace.valueNames.filter { id in !knowledge.contains { $0.knows(id) } }
    return [
      .init("knowledge", .object(knowledge.map { .init($0.party.name, .strings($0.values)) })),
      .init("knownToNobody", .strings(unknown)),
    ]
  }

  /// Every value, and which party has it in the end.
  static func table(_ simulation: any TracedRun) -> Document {
    let parties = simulation.parties
    let knowledge = parties.map { simulation.knowledge(of: $0) }
    let isKnown = simulation.trace.valueNames.map { id in knowledge.contains { $0.knows(id) } }
    let names = zip(simulation.trace.valueNames, isKnown)
    let rows = names.filter(\.1).map { id, _ in
      [RichText(id, .name)] + knowledge.map { $0.knows(id) ? RichText("✓", .good) : RichText("·", .dim) }
    }
    var document = Document()
    if !rows.isEmpty {
      document.blocks.append(.table(header: ["value"] + parties.map { "\($0.name)" }, rows: rows, indent: 2))
    }
    let others = names.filter { !$0.1 }.map(\.0).joined(separator: ", ")
    if !others.isEmpty { document.paragraph(RichText("none of them knows \(others)", .dim), indent: 2) }
    return document
  }
}

/// Who knows one value, and how each came by it.
public struct KnowersView: Sendable {
  private let value: Value.ID
  private let simulation: any TracedRun

  /// A view of who knows `value` by now.
  public init(of value: Value.ID, in simulation: any TracedRun) {
    self.value = value
    self.simulation = simulation
  }

  /// One line for every party.
  public func document() -> Document {
    let twins = simulation.calculation?.names(equalTo: value) ?? []
    let rows = simulation.parties.map { party -> [RichText] in
      let knowledge = simulation.knowledge(of: party)
      guard knowledge.knows(value) else {
        if let other = twins.first(where: knowledge.knows) {
          return [RichText("=", .strong), RichText(party.name, .strong), "has the same number as \(other)"]
        }
        return [RichText("✗", .dim), "\(party.name)", RichText("does not come by it", .dim)]
      }
      let how = knowledge.proof(of: value)?.last?.how
      return [RichText("✓", .good), RichText(party.name, .strong), "\(KnowledgeView.way(how, by: party))"]
    }
    var document = Document()
    document.heading(RichText("Who knows \(value)"))
    document.blocks.append(.table(header: [], rows: rows, indent: 2))
    return document
  }
}

import Explanation
import Simulator

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

import Explanation
import Simulator

/// The proofs of what third parties reach in a connection, carried out.
struct GoalProofs {
  private let outcome: Outcome
  private let run: any TracedRun
  private let depth: Depth
  private let proofs: [(goal: Goal, execution: Execution)]

  /// With `numbers`, searches are carried out however long they take; otherwise only those of a moment.
  init(_ outcome: Outcome, _ run: any TracedRun, _ depth: Depth) {
    self.outcome = outcome
    self.run = run
    self.depth = depth
    let limit = depth == .numbers ? Execution.searchLimit : Execution.quickSearchLimit
    var proofs: [(goal: Goal, execution: Execution)] = []
    for goal in Goal.allCases {
      guard let evidence = outcome.evidence[goal] else { continue }
      let execution = Execution(
        of: evidence.value, as: evidence.party, in: run, limit: limit, after: proofs.map(\.execution))
      if let execution { proofs.append((goal, execution)) }
    }
    self.proofs = proofs
  }

  /// For each goal, by which value it is reached, and how the proof went; with `numbers` every step.
  var document: Document {
    var document = Document()
    if proofs.isEmpty { return document }
    document.blocks.append(.space)
    document.paragraph("How, carried out", indent: 2)
    var shown: Set<Value.ID> = []
    for (goal, execution) in proofs {
      let view = ProofView(execution, run)
      let isNew = !execution.steps.allSatisfy { shown.contains($0.value) }
      if depth == .numbers, isNew || !execution.holds {
        document.paragraph(RichText("\(goal.rawValue)", .strong), indent: 4)
        document += view.document(depth, indent: 6)
        shown.formUnion(execution.steps.map(\.value))
      } else if execution.holds {
        document.bullet(
          RichText("✓", .good), "\(goal.rawValue): \(execution.party.name) comes by \(execution.value)", indent: 4)
        document.paragraph("\(view.summary)", indent: 6)
      } else {
        document += view.document(depth, indent: 4)
      }
    }
    return document
  }

  /// The proofs as JSON, in the order of the goals.
  var json: [JSONValue] {
    proofs.map { goal, execution in
      var members: [JSONValue.Member] = [.init("goal", .string(goal.rawValue))]
      if let name = outcome.name { members.append(.init("connection", .string(name))) }
      return .object(members + ProofView(execution, run).json)
    }
  }
}

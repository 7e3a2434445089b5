import Endpoint
import Explanation

/// Why a goal is in its state: who did, knows or noticed what.
public enum GoalReason: Sendable, Hashable {
  /// Nothing was exchanged.
  case nothingExchanged
  /// Plain HTTP protects nothing.
  case plain
  /// The client accepted an interceptor that showed this path, the leaf first.
  case accepted(path: [String])
  /// What arrived was not what was sent, and nobody noticed.
  case unnoticed
  /// The server decrypts for whoever asks, which is all that its key has to do in an RSA key exchange.
  case oracle
  /// Violated rules by which an attack was noticed.
  case noticed([Rule])
  /// A party has this value, or comes by it.
  case has(Party, Value.ID)
  /// Rules about who the server is were violated and overridden.
  case overridden([Rule])
  /// This leak opens it.
  case leak(Trace.Leak)
  /// Nobody has what it takes.
  case nobody
}

extension GoalAssessment {
  /// Why each goal is in its state.
  func reasons() -> [Goal: GoalReason] {
    let states = goals()
    let openings = openings()
    return Dictionary(
      uniqueKeysWithValues: Goal.allCases.map { goal in
        (goal, reason(for: goal, states[goal] ?? .notApplicable, openings[goal]))
      })
  }

  private func reason(for goal: Goal, _ state: Goal.State, _ opening: Trace.Leak?) -> GoalReason {
    switch state {
    case .notApplicable: .nothingExchanged
    case .prevented: .nobody
    case .later: opening.map(GoalReason.leak) ?? .nobody
    case .detected: .noticed(noticed)
    case .possible: possibility(of: goal)
    }
  }

  private func possibility(of goal: Goal) -> GoalReason {
    if !isSecure { return .plain }
    if isAcceptedInterception, goal != .eavesdropping { return .accepted(path: path) }
    if goal == .tampering, isInterfered { return .unnoticed }
    if goal == .impersonation, hasOracle { return .oracle }
    if goal != .eavesdropping, !overridden.isEmpty { return .overridden(overridden) }
    let wanted: [Value.ID]
    switch goal {
    case .eavesdropping: wanted = content
    case .tampering: wanted = recordKeys
    case .impersonation: wanted = pathKeys.sorted()
    }
    for knowledge in thirdParties(with: before) {
      if let value = wanted.first(where: knowledge.knows) { return .has(knowledge.party, value) }
    }
    return .unnoticed
  }
}

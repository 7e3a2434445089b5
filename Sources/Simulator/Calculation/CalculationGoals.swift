import Explanation

/// Computes the three goals of a calculation from each party's knowledge, the received values and the checks.
struct CalculationGoals {
  let calculation: Calculation
  let simulation: Simulation
  let verdict: Verdict
  private let thirdParties: [Knowledge]

  init(calculation: Calculation, simulation: Simulation, verdict: Verdict) {
    self.calculation = calculation
    self.simulation = simulation
    self.verdict = verdict
    thirdParties = [Party.eavesdropper, .interceptor].map(simulation.knowledge)
  }

  func goals() -> [Goal: Goal.State] {
    [.eavesdropping: eavesdropping, .tampering: tampering, .impersonation: impersonation]
  }

  private var eavesdropping: Goal.State {
    guard isThere(calculation.risks.eavesdropping) else { return .notApplicable }
    return isKnown(calculation.risks.eavesdropping) ? .possible : .prevented
  }

  private var tampering: Goal.State {
    let values = calculation.risks.tampering
    guard isThere(values) else { return .notApplicable }
    if Set(values.map { calculation.quantities[$0] }).count == 1 { return .prevented }
    return verdict.word == .refused ? .detected : .possible
  }

  /// The state of impersonation.
  ///
  /// Impersonation is possible if a third party knows a key. Otherwise, the state depends on whether an attacker tried
  /// to impersonate the key's owner.
  private var impersonation: Goal.State {
    guard isThere(calculation.risks.impersonation) else { return .notApplicable }
    if isKnown(calculation.risks.impersonation) { return .possible }
    guard simulation.trace.steps.contains(where: { $0.from == .interceptor }) else { return .prevented }
    return verdict.word == .refused ? .detected : .possible
  }

  /// Returns whether all values that attackers try to obtain exist.
  private func isThere(_ values: [Value.ID]) -> Bool {
    !values.isEmpty && values.allSatisfy { simulation.trace.values[$0] != nil }
  }

  private func isKnown(_ values: [Value.ID]) -> Bool {
    thirdParties.contains { knowledge in values.contains(where: knowledge.knows) }
  }
}

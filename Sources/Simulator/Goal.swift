import Endpoint
import Explanation

/// One of the three risks, as what an attacker could do.
public enum Goal: String, Sendable, Hashable, CaseIterable {
  /// A third party learns the content.
  case eavesdropping
  /// A third party changes the content unnoticed.
  case tampering
  /// A third party passes as the server.
  case impersonation

  /// Whether an attacker reaches the goal.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Nothing was exchanged.
    case notApplicable = "not-applicable"
    /// Nobody could.
    case prevented
    /// Someone tried, and an endpoint noticed.
    case detected
    /// Once a named secret has leaked.
    case later
    /// It happened, or could, unnoticed.
    case possible
  }
}

/// Computes the three goals of a connection from what was exchanged, known and accepted.
struct GoalAssessment {
  let trace: Trace
  /// Begins the names of the connection's values.
  let prefix: String
  let isSecure: Bool
  let findings: [Finding]
  /// The names of the keys on the certificate path: whoever has one can pass as the server.
  let pathKeys: Set<Value.ID>

  func goals() -> [Goal: Goal.State] {
    guard !content.isEmpty else {
      return Dictionary(uniqueKeysWithValues: Goal.allCases.map { ($0, .notApplicable) })
    }
    return [.eavesdropping: eavesdropping, .tampering: tampering, .impersonation: impersonation]
  }

  /// For each goal that is reached later: the leak that opens it.
  func openings() -> [Goal: Trace.Leak] {
    let states = goals()
    var openings: [Goal: Trace.Leak] = [:]
    if states[.eavesdropping] == .later {
      let leaks = trace.leaks
      openings[.eavesdropping] = leaks.indices.first { isRead(with: leaks[...$0]) }.map { leaks[$0] }
    }
    if states[.impersonation] == .later {
      openings[.impersonation] = trace.leaks.first { pathKeys.contains($0.secret) }
    }
    return openings
  }

  private var content: [Value.ID] { trace.valueNames.filter { $0.hasPrefix("\(prefix)application_data.") } }

  private var eavesdropping: Goal.State {
    if isRead(with: []) { return .possible }
    return isRead(with: trace.leaks[...]) ? .later : .prevented
  }

  /// Whether the eavesdropper comes by any of the content with these secrets.
  private func isRead(with leaks: ArraySlice<Trace.Leak>) -> Bool {
    let knowledge = Knowledge(of: .eavesdropper, in: trace, disclosed: Set(leaks.map(\.secret)))
    return content.contains(where: knowledge.knows)
  }

  /// Whoever has the keys while the connection stands can forge its records; later it is over.
  private var tampering: Goal.State {
    guard isSecure else { return .possible }
    let now = Knowledge(of: .eavesdropper, in: trace)
    return now.knows("\(prefix)server_write_key") || now.knows("\(prefix)client_write_key") || isUnauthenticated
      ? .possible : .prevented
  }

  private var impersonation: Goal.State {
    guard isSecure, !isUnauthenticated else { return .possible }
    return pathKeys.isDisjoint(with: trace.leaks.map(\.secret)) ? .prevented : .later
  }

  /// A server that was accepted although who it is was not settled may be anyone.
  private var isUnauthenticated: Bool {
    findings.contains { finding in
      guard finding.outcome == .violated, case .overridden = finding.weight else { return false }
      return [.chain, .name, .pin].contains(finding.rule.layer)
    }
  }
}

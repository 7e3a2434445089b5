import Endpoint
import Explanation

// What endpoints want.
extension Simulation {
  /// Queues what an endpoint wants: it thinks before it speaks, and its messages follow those already on their way.
  mutating func take(_ effects: [EndpointEffect], of end: End) {
    var thoughts: [Item] = []
    var messages: [Item] = []
    var values: [Value] = []
    var secrets: [Value] = []
    var request: HTTPRequest?
    for effect in effects {
      switch effect {
      case .derived(let value): values.append(world.weaknesses[value.id].map(value.adding) ?? value)
      case .requested(let asked): request = asked
      case .fetch(let fetch): thoughts.append(.fetch(end, fetch))
      case .found(let findings):
        // What is found after a decision belongs to it, and is shown when it is.
        if case .decision(let decider, let decision)? = messages.isEmpty ? thoughts.popLast() : nil {
          thoughts.append(.decision(decider, decision.adding(findings)))
        } else {
          trace.attach(findings)
          note(findings, by: end)
        }
      case .decided(let decision) where end == .back && !decision.findings.contains(where: \.refuses):
        // The interceptor's own client has nothing to decide that anyone waits for.
        note(decision.findings, by: end)
      case .decided(let decision) where messages.isEmpty: thoughts.append(.decision(end, decision.told(of: end)))
      case .decided(let decision): messages.append(.decision(end, decision.told(of: end)))
      case .send(let transmission):
        let shown = values.filter { $0.isPublic || $0.id == transmission.message?.valueID }
        secrets += values.filter { value in !shown.contains(value) }
        messages.append(.message(transmission, from: end, shown.filter(isNew)))
        values = []
      }
    }
    // What everyone has seen although its receiver answers nothing belongs to the message that brought it.
    trace.attach(values.filter { $0.isPublic && isNew($0) })
    secrets += values.filter { !$0.isPublic }
    let fresh = secrets.filter { computed[party(end)]?.contains($0.id) != true || isNew($0) }
    let derivations = fresh.isEmpty ? [] : [Item.derivation(party(end), fresh)]
    queue = derivations + thoughts + queue + messages
    if let request, let last = accounts.indices.last { take(accounts[last].ask(request), of: .back) }
  }

  /// Whether a value, or a way to come by it, has not been seen yet.
  private func isNew(_ value: Value) -> Bool {
    guard let known = trace.values[value.id] else { return true }
    return !value.derivations.allSatisfy(known.derivations.contains)
  }

  /// What is on its way to someone who reads no more never arrives as a step.
  mutating func dropUnread() {
    guard let account = accounts.last else { return }
    queue.removeAll { item in
      guard case .message(let transmission, let end, _) = item, transmission.message != nil else { return false }
      return account.isOver(account.peer(of: end)) && !transmission.isAlert
    }
  }

  mutating func note(_ findings: [Finding], by end: End) {
    guard let last = accounts.indices.last else { return }
    accounts[last].note(findings, by: end)
  }

  func party(_ end: End) -> Party { accounts.last?.party(of: end) ?? (end.side == .client ? .client : .server) }

  func narration(of transmission: Transmission, from end: End) -> String {
    if end == .client, let name = accounts.last?.plan.replayed {
      return "The same bytes as in \(name): whoever recorded them needs no key to send them again."
    }
    return Story.narration(of: transmission, from: party(end), as: end.side)
  }

  func newStep(_ kind: Step.Kind, _ party: Party, _ title: String, _ narration: String) -> Step {
    var step = Step(kind, at: clock, from: party, title: title, narration: narration)
    step.connection = accounts.last?.plan.name
    return step
  }
}

extension Value {
  /// Whether everyone who sees the network has it.
  fileprivate var isPublic: Bool { derivations.contains(.published) }
}

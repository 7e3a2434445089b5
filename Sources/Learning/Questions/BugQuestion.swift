import Explanation
import Scenarios
import Simulator
import URLLoading

/// A question about the step of a delegate that causes the result of the run. The numbered steps quote the delegate's
/// listing.
struct BugQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    guard !subject.isOver, subject.isCertain, let listing = DelegateListing(of: subject.scenario),
      let fault = listing.faults.first(where: isHere),
      listing.steps.indices.contains(fault.step)
    else { return nil }
    // The steps keep their order, because a program is read from top to bottom.
    let options = listing.steps.map { Question.Option($0) }
    let label = "bug/\(subject.scenario.name)"
    let solution = Question.Solution.option(fault.step)
    let ending = subject.outcome.verdict.word == .accepted ? "it accepts any server" : "the load does not continue"
    return Question(
      kind: .bug, scenario: subject.scenario.name,
      text: "The app's delegate runs these steps. Which step is the reason that \(ending)?", given: [],
      options: options,
      format: Choice.format(options.count),
      hints: [
        "Look at each challenge from the server, and at the delegate's response to it.",
        "Compare the challenges that arrive with the challenges that get exactly one response.",
        Choice.narrowing(options, solution, student, label),
      ], solution: solution, reason: .sentence("\(fault.rule): \(fault.why)"))
  }

  /// Returns whether the run shows the fault. The rule of the fault must be violated, even if it does not decide.
  private func isHere(_ fault: DelegateListing.Fault) -> Bool {
    // If the delegate accepts everything and the run is still refused, another rule is the reason.
    if fault.rule == "challenge.accepts-all", subject.outcome.verdict.word != .accepted { return false }
    return subject.outcome.findings.contains { $0.rule.id == fault.rule && $0.outcome == .violated }
  }
}

/// The steps of a delegate from the original documents, with its wrong steps and the rules that they violate.
struct DelegateListing {
  let steps: [String]
  let faults: [Fault]

  /// A wrong step, the violated rule that reveals it in a run, and the reason why the step is wrong.
  struct Fault {
    let step: Int
    let rule: String
    let why: String
  }

  private init(steps: [String], faults: [Fault]) {
    self.steps = steps
    self.faults = faults
  }

  /// Creates the listing of a scenario's delegate; nil if the delegate has no listing here.
  init?(of scenario: Scenario) {
    let names = scenario.connections.compactMap { connection in
      connection.client.delegate?.preset?.name
        ?? (connection.client.serverTrust.delegate == .acceptAll
          ? connection.client.serverTrust.delegate.rawValue : nil)
    }
    guard let listing = names.first.flatMap({ Self.all[$0] }) else { return nil }
    self = listing
  }

  /// The listings by the names of the delegates in scenarios.
  private static let all: [String: DelegateListing] = [
    "accept-all": DelegateListing(
      steps: [
        "a challenge arrives", "if its method is ServerTrust: continue, else leave it to the system",
        "create a credential from the trust without evaluation", "respond with useCredential",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.accepts-all",
          why: "the trust was never evaluated, so the credential accepts every certificate.")
      ]),
    "accept-all-twice": DelegateListing(
      steps: [
        "canAuthenticate: yes, for ServerTrust", "a challenge arrives; if its method is ServerTrust:",
        "create a credential from the trust without evaluation, and respond with useCredential",
        "respond with continueWithoutCredential",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.accepts-all",
          why: "the trust was never evaluated, so the credential accepts every certificate."),
        Fault(step: 3, rule: "challenge.second-answer", why: "the system uses only the first response."),
      ]),
    "seed-003-mode-1": DelegateListing(
      steps: [
        "make a list of spaces: host, port, https, realm 'mobile'; Default and ClientCertificate",
        "a challenge arrives; take its protection space", "if no space of the list is equal to it: cancel",
        "else: treat the server as the right one",
      ],
      faults: [
        Fault(
          step: 0, rule: "challenge.space-mismatch",
          why: "the TLS challenge has the method ServerTrust and no realm, so it equals no space of the list."),
        Fault(
          step: 0, rule: "challenge.cancelled",
          why: "the TLS challenge has the method ServerTrust and no realm, so it equals no space of the list."),
        Fault(step: 3, rule: "challenge.unanswered", why: "even the challenge of the right server gets no response."),
      ]),
    "seed-003-mode-2": DelegateListing(
      steps: [
        "make a list of spaces: host, port, https", "a challenge arrives; take host, port and protocol of its space",
        "if they are not on the list: cancel", "else: treat the server as the right one",
      ],
      faults: [
        Fault(step: 3, rule: "challenge.unanswered", why: "this branch does not respond, so the load waits."),
        Fault(
          step: 3, rule: "challenge.space-proves-nothing",
          why: "host and port come from the URL, so they do not identify the server that responds."),
      ]),
    "seed-003-basic": DelegateListing(
      steps: [
        "a challenge arrives", "if its method is Basic and nothing has failed yet: respond with the account",
        "if its method is Basic and something has failed: cancel", "else: return",
      ],
      faults: [
        Fault(
          step: 3, rule: "challenge.unanswered", why: "every other challenge, such as ServerTrust, gets no response.")
      ]),
    "seed-004": DelegateListing(
      steps: [
        "a challenge arrives; if its method is not ServerTrust: return", "if it has failed five times: return",
        "evaluate the challenge's trust, and ignore the status",
        "if the result is Proceed or Unspecified: respond with useCredential",
        "else: cancel, and cancel the connection",
      ],
      faults: [
        Fault(step: 0, rule: "challenge.unanswered", why: "a challenge with another method gets no response."),
        Fault(
          step: 1, rule: "challenge.failures-ignored", why: "after five failures, the delegate no longer responds."),
        Fault(
          step: 2, rule: "challenge.status-ignored", why: "only the status shows whether an evaluation took place."),
      ]),
    "seed-004-own-trust": DelegateListing(
      steps: [
        "a challenge arrives; if its method is not ServerTrust: return", "if it has failed five times: return",
        "evaluate the delegate's own trust variable, which was never set",
        "if the result is Proceed or Unspecified: respond with useCredential",
        "else: cancel, and cancel the connection",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.nil-trust", why: "the delegate evaluates nil, not the challenge's trust."),
        Fault(
          step: 2, rule: "challenge.not-evaluated", why: "the delegate evaluates nil, not the challenge's trust."),
        Fault(step: 0, rule: "challenge.unanswered", why: "a challenge with another method gets no response."),
      ]),
    "silent": DelegateListing(
      steps: ["a challenge arrives", "write its method to the log", "return"],
      faults: [Fault(step: 2, rule: "challenge.unanswered", why: "a delegate must respond to every challenge.")]),
    "cancel-all": DelegateListing(
      steps: ["a challenge arrives", "if it has failed before: cancel", "else: cancel too"],
      faults: [Fault(step: 2, rule: "challenge.cancelled", why: "the first challenge of every load is cancelled.")]),
  ]
}

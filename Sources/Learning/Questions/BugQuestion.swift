import Explanation
import Scenarios
import Simulator
import URLLoading

/// Find the bug: a delegate as numbered steps, in the words of its listing, of which one is why the run comes out as it
/// does.
struct BugQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    guard !subject.isOver, subject.isCertain, let listing = DelegateListing(of: subject.scenario),
      let fault = listing.faults.first(where: isHere),
      listing.steps.indices.contains(fault.step)
    else { return nil }
    // The steps keep their order: a program is read from the top.
    let options = listing.steps.map { Question.Option($0) }
    let label = "bug/\(subject.scenario.name)"
    let solution = Question.Solution.option(fault.step)
    let ending = subject.outcome.verdict.word == .accepted ? "it takes whoever answers" : "the load does not go on"
    return Question(
      kind: .bug, scenario: subject.scenario.name,
      text: "The app's delegate does this. Which step is why \(ending) here?", given: [], options: options,
      format: Choice.format(options.count),
      hints: [
        "Look at what the server asks for, and at each answer in its turn.",
        "Compare the kinds of challenges that come with those that get an answer, once and only once.",
        Choice.narrowing(options, solution, student, label),
      ], solution: solution, reason: .sentence("\(fault.rule): \(fault.why)"))
  }

  /// Whether the run shows the fault: a rule of its name is broken, whether it decides or is only remarked.
  private func isHere(_ fault: DelegateListing.Fault) -> Bool {
    // Whoever accepts all is refused, where something else refuses, by that.
    if fault.rule == "challenge.accepts-all", subject.outcome.verdict.word != .accepted { return false }
    return subject.outcome.findings.contains { $0.rule.id == fault.rule && $0.outcome == .violated }
  }
}

/// A delegate of the documents that the lessons come from, as steps, and which of them is wrong by which rule.
struct DelegateListing {
  let steps: [String]
  let faults: [Fault]

  /// A step that is wrong, the rule by which a run shows it, and why.
  struct Fault {
    let step: Int
    let rule: String
    let why: String
  }

  private init(steps: [String], faults: [Fault]) {
    self.steps = steps
    self.faults = faults
  }

  /// The listing of the delegate of a scenario; nil where it has none of these.
  init?(of scenario: Scenario) {
    let names = scenario.connections.compactMap { connection in
      connection.client.delegate?.preset?.name
        ?? (connection.client.serverTrust.delegate == .acceptAll
          ? connection.client.serverTrust.delegate.rawValue : nil)
    }
    guard let listing = names.first.flatMap({ Self.all[$0] }) else { return nil }
    self = listing
  }

  /// The listings by the names of delegates in scenarios.
  private static let all: [String: DelegateListing] = [
    "accept-all": DelegateListing(
      steps: [
        "a challenge comes", "if its method is ServerTrust: go on, else leave it to the system",
        "make a credential of the trust, as it is", "answer with useCredential",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.accepts-all",
          why: "the trust was never evaluated, so that the credential says yes to every certificate.")
      ]),
    "accept-all-twice": DelegateListing(
      steps: [
        "canAuthenticate: yes, for ServerTrust", "a challenge comes; if its method is ServerTrust:",
        "make a credential of the trust, as it is, and answer with useCredential",
        "answer with continueWithoutCredential",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.accepts-all",
          why: "the trust was never evaluated, so that the credential says yes to every certificate."),
        Fault(step: 3, rule: "challenge.second-answer", why: "the first answer counts, and the second has no effect."),
      ]),
    "seed-003-mode-1": DelegateListing(
      steps: [
        "make a list of spaces: host, port, https, realm 'mobile'; Default and ClientCertificate",
        "a challenge comes; take its protection space", "if no space of the list is equal to it: cancel",
        "else: the server is the right one",
      ],
      faults: [
        Fault(
          step: 0, rule: "challenge.space-mismatch",
          why: "the challenge of TLS has the method ServerTrust and no realm: no space of the list can be equal to it."),
        Fault(
          step: 0, rule: "challenge.cancelled",
          why: "the challenge of TLS has the method ServerTrust and no realm: no space of the list can be equal to it."),
        Fault(step: 3, rule: "challenge.unanswered", why: "the right server gets no answer either."),
      ]),
    "seed-003-mode-2": DelegateListing(
      steps: [
        "make a list of spaces: host, port, https", "a challenge comes; take host, port and protocol of its space",
        "if they are not on the list: cancel", "else: the server is the right one",
      ],
      faults: [
        Fault(step: 3, rule: "challenge.unanswered", why: "that branch answers nothing, and the load waits."),
        Fault(
          step: 3, rule: "challenge.space-proves-nothing",
          why: "host and port are those of the URL, whoever answers there."),
      ]),
    "seed-003-basic": DelegateListing(
      steps: [
        "a challenge comes", "if its method is Basic and nothing has failed yet: answer with the account",
        "if its method is Basic and something has failed: cancel", "else: return",
      ],
      faults: [
        Fault(step: 3, rule: "challenge.unanswered", why: "every other challenge, ServerTrust first, gets no answer.")
      ]),
    "seed-004": DelegateListing(
      steps: [
        "a challenge comes; if its method is not ServerTrust: return", "if it has failed five times: return",
        "evaluate the challenge's trust, whatever the status says",
        "if the result is Proceed or Unspecified: answer with useCredential", "else: cancel, and cancel the connection",
      ],
      faults: [
        Fault(step: 0, rule: "challenge.unanswered", why: "a challenge of another method gets no answer."),
        Fault(step: 1, rule: "challenge.failures-ignored", why: "after five failures nothing is answered any more."),
        Fault(
          step: 2, rule: "challenge.status-ignored", why: "the status says whether there was an evaluation at all."),
      ]),
    "seed-004-own-trust": DelegateListing(
      steps: [
        "a challenge comes; if its method is not ServerTrust: return", "if it has failed five times: return",
        "evaluate a trust of the delegate's own, which was never set",
        "if the result is Proceed or Unspecified: answer with useCredential", "else: cancel, and cancel the connection",
      ],
      faults: [
        Fault(
          step: 2, rule: "challenge.nil-trust", why: "what is evaluated is nothing, and not the challenge's trust."),
        Fault(
          step: 2, rule: "challenge.not-evaluated", why: "what is evaluated is nothing, and not the challenge's trust."),
        Fault(step: 0, rule: "challenge.unanswered", why: "a challenge of another method gets no answer."),
      ]),
    "silent": DelegateListing(
      steps: ["a challenge comes", "write its method into the log", "return"],
      faults: [Fault(step: 2, rule: "challenge.unanswered", why: "a delegate that is asked has to answer.")]),
    "cancel-all": DelegateListing(
      steps: ["a challenge comes", "if it has failed before: cancel", "else: cancel too"],
      faults: [Fault(step: 2, rule: "challenge.cancelled", why: "the first challenge of every load is cancelled.")]),
  ]
}

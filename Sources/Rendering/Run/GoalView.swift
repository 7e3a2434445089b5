import Explanation
import Simulator

/// What an attacker could do, and why.
public struct GoalView: Sendable {
  private let outcome: Outcome

  /// A view of the goals that third parties reach in a run that came to `outcome`.
  public init(_ outcome: Outcome) { self.outcome = outcome }

  /// A line for each goal, below a heading; one alone where nothing was exchanged.
  public var document: Document {
    var document = Document()
    document.paragraph("What an attacker could do", indent: 2)
    if isUntried {
      document.bullet(RichText("–", .dim), RichText(untried, .dim), indent: 4)
      return document
    }
    for goal in Goal.allCases {
      let line = line(on: goal)
      document.bullet(line.glyph, line.text, indent: 4)
    }
    if toldProxy { document.bullet(RichText("!", .warning), "besides: \(Self.readPassword)", indent: 4) }
    return document
  }

  /// Where nothing was exchanged with the server: what was said to a proxy before all the same.
  private var untried: String {
    toldProxy
      ? "nothing to attack: nothing was exchanged with the server; but \(Self.readPassword)"
      : "nothing to attack: nothing was exchanged"
  }

  private static let readPassword = "the password for the proxy travelled in the clear, where everyone read it"

  /// Whether a password was said to a proxy, which no goal of the connection through it tells.
  private var toldProxy: Bool {
    outcome.findings.contains {
      $0.rule == .cleartextPassword && $0.outcome == .violated && $0.subject == .message(.connectRequest)
    }
  }

  /// Why one goal is in its state, with every attack that was tried: for a reader who asked why it is `state`.
  public func document(on goal: Goal, asked state: Goal.State) -> Document {
    var document = Document()
    let own = outcome.goals[goal] ?? .notApplicable
    if own != state { document.paragraph("It is not \(state.rawValue):") }
    let line = line(on: goal)
    document.bullet(line.glyph, line.text)
    return document + AttemptView(outcome, on: goal).document(indent: 2)
  }

  /// Whether there was nothing that anyone could have attacked.
  private var isUntried: Bool {
    Goal.allCases.allSatisfy { goal in
      outcome.goals[goal, default: .notApplicable] == .notApplicable && outcome.reasons[goal] == .nothingExchanged
    }
  }

  /// The state of one goal, and why.
  func line(on goal: Goal) -> (glyph: RichText, text: RichText) {
    let state = outcome.goals[goal] ?? .notApplicable
    let reason = reason(of: goal)
    let kinds = untriedKinds(on: goal)
    let text = RichText("\(goal.rawValue): \(state.rawValue)") + RichText(reason.isEmpty ? "" : ", \(reason)", .dim)
    // That a goal is prevented is a claim about every kind of attack.
    guard !kinds.isEmpty else { return (state.glyph, text) }
    return (RichText("?", .warning), text + RichText("; not tried: \(kinds.joined(separator: ", "))", .warning))
  }

  /// The kinds of attack that were not tried, in words.
  private func untriedKinds(on goal: Goal) -> [String] {
    outcome.notTried.filter { $0.goal == goal }.map { Self.words($0) }
  }

  private static func words(_ attack: UntriedAttack) -> String {
    switch attack.kind {
    case .honestCertificate: "an honest certificate of \(attack.subject), whose key is not given"
    case .rc4Biases: "the biases of RC4 in repeated requests (RFC 7465)"
    case .blockCollisions: "collisions of 64-bit blocks in repeated requests (Sweet32, CVE-2016-2183)"
    case .predictableVectors: "predictable initialization vectors in repeated requests (BEAST, CVE-2011-3389)"
    case .exhaustiveSearch: "every key of \(attack.subject), within the declared budget"
    case .tripleHandshake: "the triple handshake (RFC 7627 section 1)"
    }
  }

  /// The kinds of attack that were not tried.
  var notTried: JSONValue {
    .array(
      outcome.notTried.map { attack -> JSONValue in
        [
          "goal": .string(attack.goal.rawValue), "attack": .string(attack.kind.rawValue),
          "title": .string(Self.words(attack)),
        ]
      })
  }

  /// Why each goal is in its state, in the order of the goals.
  var json: JSONValue {
    .object(
      Goal.allCases.map { goal in
        .init(goal.rawValue, .string(reason(of: goal)))
      })
  }

  /// Empty where nothing is known of the reason: that nothing was exchanged is none beside a goal that is judged.
  private func reason(of goal: Goal) -> String {
    guard let reason = outcome.reasons[goal] else { return "" }
    if reason == .nothingExchanged, outcome.goals[goal, default: .notApplicable] != .notApplicable { return "" }
    return words(reason, goal) + beyondBudget(goal)
  }

  /// The keys that are weaker than is allowed today, and what it takes to break them: more than these attackers can do.
  private func beyondBudget(_ goal: Goal) -> String {
    outcome.outOfReach.filter { $0.goal == goal }
      .map { "; beyond their budget: \($0.name) by \($0.method), \($0.strength)" }.joined()
  }

  private func words(_ reason: GoalReason, _ goal: Goal) -> String {
    switch reason {
    case .nothingExchanged where toldProxy && goal == .eavesdropping:
      "nothing was exchanged with the server; but \(Self.readPassword)"
    case .nothingExchanged: "nothing was exchanged"
    case .notOpened: "what was exchanged was not opened, and is not known"
    case .onlyRecorded: "this is a recording: nobody can be tried against its two ends"
    case .plain: Self.plain(goal)
    case .accepted(let path): Self.accepted(path)
    case .unnoticed: "what arrived is not what was sent, and nobody noticed"
    case .takenTwice: "the server carried out again what was sent once"
    case .oracle: "the server decrypts for whoever asks, all that its key does here; counted, and not carried out"
    case .blockPadding:
      "SSL 3.0 takes any padding, and who has the client ask again finds its cookie in some 256 connections a byte; "
        + "counted, and not carried out"
    case .noticed(let rules): "an endpoint noticed: \(Self.list(rules))"
    case .has(let party, let value): "the \(party) \(goal == .eavesdropping ? "reads" : "has") \(value)"
    case .counted(let party, let value, let obstacle):
      "the \(party) \(goal == .eavesdropping ? "reads" : "has") \(value), counted: \(obstacle)"
    case .tried(.replayed, nil): "\(AttemptView.words(.replayed)): it carries out again what was sent once"
    case .tried(.spliced, nil): "\(AttemptView.words(.spliced)): nothing compares the two"
    case .tried(.tripleHandshake, nil):
      "\(AttemptView.words(.tripleHandshake)): the server takes the request for the client's"
    case .tried(let means, nil): "\(AttemptView.words(means)): the client takes it"
    case .tried(let means, let obstacle?): "\(AttemptView.words(means)), counted: \(obstacle)"
    case .leak(let leak): "once \(leak.secret) leaks (\(leak.at))"
    case .beyond(let capability): "nothing protects it, but these attackers are not able to: \(capability.rawValue)"
    case .nobody: Self.nobody(goal) + besides(goal)
    case .stopped(let count, let rules): Self.stopped(count, rules) + besides(goal)
    }
  }

  private static func plain(_ goal: Goal) -> String {
    switch goal {
    case .eavesdropping: "over plain HTTP everyone on the network reads it"
    case .tampering: "over plain HTTP nothing shows a change"
    case .impersonation: "over plain HTTP a server has no identity"
    }
  }

  private static func accepted(_ path: [String]) -> String {
    guard let leaf = path.first else { return "an interceptor was accepted as the server" }
    let issuer = path.count > 1 ? ", issued by \(path[1])," : ""
    return "an interceptor with the certificate '\(leaf)'\(issuer) was accepted as the server"
  }

  private static func nobody(_ goal: Goal) -> String {
    switch goal {
    case .eavesdropping: "no third party comes by what was said"
    case .tampering: "no third party has the keys of the records"
    case .impersonation: "nobody else is taken for the server"
    }
  }

  /// A goal that is prevented between the genuine endpoints can be reached by an impostor.
  private func besides(_ goal: Goal) -> String {
    let state = outcome.goals[.impersonation]
    guard goal != .impersonation, state == .possible || state == .later else { return "" }
    return "; this holds between the client and the genuine server: an impostor has all of its own connection"
  }

  private static func stopped(_ count: Int, _ rules: [Rule]) -> String {
    "\(count) \(count == 1 ? "attempt" : "attempts"), stopped by \(list(rules))"
  }

  private static func list(_ rules: [Rule]) -> String { rules.map(\.id).joined(separator: ", ") }
}

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
    let limit = run.searchLimit ?? (depth == .numbers ? Execution.searchLimit : Execution.quickSearchLimit)
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
          view.glyph, "\(goal.rawValue): \(execution.party.name) comes by \(execution.value)", indent: 4)
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

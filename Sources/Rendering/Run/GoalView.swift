import Explanation
import Simulator

/// The goals that an attacker could reach, with the reasons.
public struct GoalView: Sendable {
  private let outcome: Outcome

  /// Creates a view of the goals that third parties reach in a run with this `outcome`.
  public init(_ outcome: Outcome) { self.outcome = outcome }

  /// The goals as text: a line for each goal below a heading, or a single line if nothing was exchanged.
  public var document: Document {
    var document = Document()
    document.paragraph("Goals of an attacker", indent: 2)
    if isUntried {
      document.bullet(RichText("–", .dim), RichText(untried, .dim), indent: 4)
      return document
    }
    for goal in Goal.allCases {
      let line = line(on: goal)
      document.bullet(line.glyph, line.text, indent: 4)
    }
    if revealsPasswordToProxy { document.bullet(RichText("!", .warning), "also: \(Self.readPassword)", indent: 4) }
    return document
  }

  /// The text for a run in which nothing was exchanged with the server. A proxy may already have received a password.
  private var untried: String {
    revealsPasswordToProxy
      ? "nothing to attack: no content was exchanged with the server, but \(Self.readPassword)"
      : "nothing to attack: no content was exchanged"
  }

  private static let readPassword = "the password for the proxy was not encrypted, so everyone on the path can read it"

  /// Whether a password was sent to a proxy. None of the connection's goals covers this.
  private var revealsPasswordToProxy: Bool {
    outcome.findings.contains {
      $0.rule == .cleartextPassword && $0.outcome == .violated && $0.subject == .message(.connectRequest)
    }
  }

  /// Returns the reason for the state of a goal, with every attempted attack. `state` is the state that the user asked
  /// about.
  public func document(on goal: Goal, asked state: Goal.State) -> Document {
    var document = Document()
    let own = outcome.goals[goal] ?? .notApplicable
    if own != state { document.paragraph("The goal is not \(state.rawValue):") }
    let line = line(on: goal)
    document.bullet(line.glyph, line.text)
    return document + AttemptView(outcome, on: goal).document(indent: 2)
  }

  /// Whether the run contains nothing to attack.
  private var isUntried: Bool {
    Goal.allCases.allSatisfy { goal in
      outcome.goals[goal, default: .notApplicable] == .notApplicable && outcome.reasons[goal] == .nothingExchanged
    }
  }

  /// Returns the state of a goal, with the reason.
  func line(on goal: Goal) -> (glyph: RichText, text: RichText) {
    let state = outcome.goals[goal] ?? .notApplicable
    let reason = reason(of: goal)
    let kinds = untriedKinds(on: goal)
    let text = RichText("\(goal.rawValue): \(state.rawValue)") + RichText(reason.isEmpty ? "" : ", \(reason)", .dim)
    // A prevented goal is a claim about every kind of attack.
    guard !kinds.isEmpty else { return (state.glyph, text) }
    return (RichText("?", .warning), text + RichText("; not tried: \(kinds.joined(separator: ", "))", .warning))
  }

  /// Returns a description of the kinds of attack that were not tried.
  private func untriedKinds(on goal: Goal) -> [String] {
    outcome.notTried.filter { $0.goal == goal }.map { Self.words($0) }
  }

  private static func words(_ attack: UntriedAttack) -> String {
    switch attack.kind {
    case .honestCertificate: "a genuine certificate from \(attack.subject), whose key the scenario does not give"
    case .rc4Biases: "the biases of RC4 in repeated requests (RFC 7465)"
    case .blockCollisions: "collisions of 64-bit blocks in repeated requests (Sweet32, CVE-2016-2183)"
    case .predictableVectors: "predictable initialization vectors in repeated requests (BEAST, CVE-2011-3389)"
    case .exhaustiveSearch: "every key of \(attack.subject), within the declared budget"
    case .tripleHandshake: "the triple handshake (RFC 7627 section 1)"
    case .clientRetry:
      "a copy of the client's early data that arrives first: the server rejects the client's own, and the client "
        + "repeats its request (RFC 8446 section 8)"
    case .bug: "other attacks that use the bug \(attack.subject)"
    case .keyHolder: "a dishonest holder of the same external key: \(attack.subject) (RFC 9257 section 4.1)"
    case .oracleSignature: "a signature of the server's, made with the answers of the padding oracle (ROBOT)"
    }
  }

  /// The kinds of attack that were not tried, as JSON.
  var notTried: JSONValue {
    .array(
      outcome.notTried.map { attack -> JSONValue in
        [
          "goal": .string(attack.goal.rawValue), "attack": .string(attack.kind.rawValue),
          "title": .string(Self.words(attack)),
        ]
      })
  }

  /// The reason for the state of each goal as JSON, in the order of the goals.
  var json: JSONValue {
    .object(
      Goal.allCases.map { goal in
        .init(goal.rawValue, .string(reason(of: goal)))
      })
  }

  /// Returns the reason for a goal's state; empty if unknown. "Nothing exchanged" is not a reason for a goal that was
  /// assessed.
  private func reason(of goal: Goal) -> String {
    guard let reason = outcome.reasons[goal] else { return "" }
    if reason == .nothingExchanged, outcome.goals[goal, default: .notApplicable] != .notApplicable { return "" }
    return words(reason, goal) + beyondBudget(goal)
  }

  /// Returns the keys below current minimum strengths that these attackers cannot break, with the work that is needed.
  private func beyondBudget(_ goal: Goal) -> String {
    outcome.outOfReach.filter { $0.goal == goal }
      .map { "; beyond their budget: \($0.name) by \($0.method), \($0.strength)" }.joined()
  }

  private func words(_ reason: GoalReason, _ goal: Goal) -> String {
    switch reason {
    case .nothingExchanged where revealsPasswordToProxy && goal == .eavesdropping:
      "no content was exchanged with the server, but \(Self.readPassword)"
    case .nothingExchanged: "no content was exchanged"
    case .notOpened: "the recording was not decrypted, so the content is not known"
    case .onlyRecorded: "no attack can be tried on the endpoints of a recording"
    case .plain: Self.plain(goal)
    case .accepted(let path): Self.accepted(path)
    case .unnoticed: "the received data differs from the sent data, and neither endpoint noticed"
    case .takenTwice: "the client sent a request once, and the server carried it out twice"
    case .oracle:
      "the server decrypts for any client, and its key is used only to decrypt; counted but not carried out"
    case .blockPadding:
      "SSL 3.0 accepts any padding, or the server reveals whether it is correct: an attacker that makes the "
        + "client repeat requests finds a cookie byte in about 256 connections; counted but not carried out"
    case .noticed(let rules): "an endpoint noticed: \(Self.list(rules))"
    case .has(let party, let value): "the \(party) \(goal == .eavesdropping ? "reads" : "has") \(value)"
    case .counted(let party, let value, let obstacle):
      "the \(party) \(goal == .eavesdropping ? "reads" : "has") \(value), counted: \(obstacle)"
    case .tried(.replayed, nil): "\(AttemptView.words(.replayed)): the server carries out the request twice"
    case .tried(.spliced, nil): "\(AttemptView.words(.spliced)): nothing binds the two handshakes together"
    case .tried(.tripleHandshake, nil):
      "\(AttemptView.words(.tripleHandshake)): the server attributes the request to the client"
    case .tried(let means, nil): "\(AttemptView.words(means)): the client accepts it"
    case .tried(let means, let obstacle?): "\(AttemptView.words(means)), counted: \(obstacle)"
    case .leak(let leak, _) where outcome.reasons[.impersonation] == .onlyRecorded:
      "for anyone with \(leak.content), which was given to decrypt the recording"
    case .leak(let leak, let obstacle): AttackWords.condition(leak, obstacle)
    case .beyond(let capability): "nothing prevents it, but these attackers lack the capability \(capability.rawValue)"
    case .nobody: Self.nobody(goal) + besides(goal)
    case .stopped(let count, let rules): Self.stopped(count, rules) + besides(goal)
    }
  }

  private static func plain(_ goal: Goal) -> String {
    switch goal {
    case .eavesdropping: "with plain HTTP, everyone on the network can read it"
    case .tampering: "with plain HTTP, nothing detects a change"
    case .impersonation: "with plain HTTP, a server has no identity"
    }
  }

  private static func accepted(_ path: [String]) -> String {
    guard let leaf = path.first else { return "an interceptor was accepted as the server" }
    let issuer = path.count > 1 ? ", issued by \(path[1])," : ""
    return "an interceptor with the certificate '\(leaf)'\(issuer) was accepted as the server"
  }

  private static func nobody(_ goal: Goal) -> String {
    switch goal {
    case .eavesdropping: "no third party obtains the content"
    case .tampering: "no third party has the record keys"
    case .impersonation: "the client accepts no other party as the server"
    }
  }

  /// Returns a remark if an impostor can reach a goal that attackers cannot reach between the genuine endpoints.
  private func besides(_ goal: Goal) -> String {
    let state = outcome.goals[.impersonation]
    guard goal != .impersonation, state == .possible || state == .later else { return "" }
    return "; this applies to the genuine server: an impostor controls its own connection completely"
  }

  private static func stopped(_ count: Int, _ rules: [Rule]) -> String {
    let attempts = "\(count) \(count == 1 ? "attempt" : "attempts")"
    return attempts + (rules.isEmpty ? ", not possible for these attackers" : ", stopped by \(list(rules))")
  }

  private static func list(_ rules: [Rule]) -> String { rules.map(\.id).joined(separator: ", ") }
}

/// The proofs of the goals that third parties reach in a connection, all carried out.
struct GoalProofs {
  private let outcome: Outcome
  private let run: any TracedRun
  private let depth: Depth
  private let proofs: [(goal: Goal, execution: Execution)]

  /// Carries out the proofs. At the depth `numbers`, every search runs to its end; otherwise only short searches do.
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

  /// The proofs as text. Each goal has the value that reaches it, and a summary or, at the depth `numbers`, every step.
  var document: Document {
    var document = Document()
    if proofs.isEmpty { return document }
    document.blocks.append(.space)
    let isCarriedOut = proofs.allSatisfy { $0.execution.quantumObstacle == nil }
    document.paragraph("\(isCarriedOut ? AttackWords.proofs : AttackWords.proofsWithoutQuantumSteps)", indent: 2)
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
          view.glyph, "\(goal.rawValue): \(execution.party.inSentence) obtains \(execution.value)", indent: 4)
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

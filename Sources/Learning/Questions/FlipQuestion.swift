import Explanation
import Scenarios
import Simulator

/// Change one line so that it comes out otherwise. Any line that does is right: the engine plays it, and says what else
/// it costs.
struct FlipQuestion {
  let subject: Subject
  let student: Student
  let player: ScenarioPlayer

  func question() throws(Diagnostics) -> Question? {
    guard subject.isOver, subject.isCertain else { return nil }
    for aim in aims {
      guard let change = working(for: aim) else { continue }
      return Question(
        kind: .flip, scenario: subject.scenario.name, text: "\(standing) Change one line so that \(aim.words).",
        given: [],
        options: [], format: format(example(besides: change, aim)),
        hints: hints(change, aim),
        solution: .change(change, aim), reason: .sentence("Any other line that reaches it would do as well."))
    }
    return nil
  }

  /// Whether a line changes it is no secret only when the end is known: so it is asked then.
  private var aims: [Aim] {
    switch subject.outcome.verdict.word {
    case .accepted:
      student.shuffled([.refused, .overheard], for: "aim/\(subject.scenario.name)")
        .filter { !$0.isReached(by: subject.outcome) }
    case .refused, .hangs: [.accepted]
    case .notApplicable: []
    }
  }

  /// `Now it is refused: ats.insecure-http.`
  private var standing: String {
    let because = subject.outcome.verdict.because.map(\.id).joined(separator: ", ")
    return "Now it is \(subject.outcome.verdict.word.rawValue)" + (because.isEmpty ? "." : ": \(because).")
  }

  private func format(_ example: Assignment?) -> String {
    example.map { "answer PATH = VALUE, as in: answer \($0)" } ?? "answer PATH = VALUE: one line, and what it shall say"
  }

  /// A line that can be played and is no answer, if possible elsewhere than the one that is known to work.
  private func example(besides change: Assignment, _ aim: Aim) -> Assignment? {
    let lines = examples
    return (lines.filter { $0.path != change.path } + lines.filter { $0.path == change.path }).first { line in
      guard let changed = try? line.applied(to: subject.scenario),
        changed.tree.difference(from: subject.scenario.tree) != nil, let result = try? player.play(changed)
      else { return false }
      return !aim.isReached(by: result.outcome)
    }
  }

  private var examples: [Assignment] {
    let given = subject.scenario.tree["calculation"]?["given"]?.entries ?? []
    let texts =
      subject.scenario.calculation == nil
      ? [
        "client.os = iOS 17", "client.os = iOS 9", "client.os = iOS 8", "client.alpn = [http/1.1]",
        "server.versions = [TLSv1.2]", "clock = 2016-06-01",
      ] : ["7", "11", "3"].flatMap { number in given.map { "calculation.given.\($0.key) = \(number)" } }
    return texts.compactMap { try? Assignment(reading: $0) }
  }

  /// The first line that is known to work: one in which another case of the file differs, or a usual one.
  private func working(for aim: Aim) -> Assignment? {
    (siblings + usual(aim)).first { change in
      guard let changed = try? change.applied(to: subject.scenario), let result = try? player.play(changed) else {
        return false
      }
      return aim.isReached(by: result.outcome)
    }
  }

  private var siblings: [Assignment] {
    subject.file.cases.filter { $0.caseName != subject.scenario.caseName }
      .compactMap { Assignment(from: subject.scenario, to: $0) }
  }

  private func usual(_ aim: Aim) -> [Assignment] {
    if subject.scenario.calculation != nil { return [] }
    let texts =
      switch aim {
      case .accepted: ["client.os = iOS 8", "client.infoPlist = { NSAllowsArbitraryLoads: true }"]
      case .refused:
        [
          "client.infoPlist = null", "server.cipherSuites = [TLS_RSA_WITH_AES_128_GCM_SHA256]",
          "server.versions = [TLSv1.0]", "clock = 2040-01-01",
        ]
      case .overheard:
        [
          "network = [eavesdrop, { leak: \(prefix)application_data.server.1, after: 1 day }]",
          "network = [eavesdrop, { leak: \(prefix)master_secret, after: 1 day }]",
        ]
      }
    return texts.compactMap { try? Assignment(reading: $0) }
  }

  private var prefix: String { subject.end.world.plans.last?.prefix ?? "" }

  private func hints(_ change: Assignment, _ aim: Aim) -> [String] {
    let object = subject.outcome.verdict.because.first.map { "It is a matter of the layer '\($0.layer.rawValue)'." }
    let first = aim == .overheard ? "Nothing that the client checks has to change." : object
    return [
      first ?? "What does a check depend on? Many lines would do.",
      "One that works is in '\(change.path.segments[0])'.", "It is: \(change.path)",
    ]
  }
}

extension Assignment {
  /// The changed scenario.
  func applied(to scenario: Scenario) throws(Diagnostics) -> Scenario { try scenario.changing(path, to: value) }

  /// The one line in which `other` differs from `scenario`; nil where it is more than one, or none.
  init?(from scenario: Scenario, to other: Scenario) {
    let unsaid = Scenario.wordsAboutIt + ["cases", "sweep"]
    guard var node = other.tree.without(unsaid).difference(from: scenario.tree.without(unsaid)) else { return nil }
    var segments: [String] = []
    while case .map(let entries, _) = node, entries.count == 1, let entry = entries.first {
      segments.append(entry.key)
      node = entry.value
      // A map that is new stands there as a whole.
      if Self.node(at: segments, in: scenario.tree)?.entries == nil { break }
    }
    guard node.entries == nil || Self.node(at: segments, in: scenario.tree)?.entries == nil, !segments.isEmpty,
      segments.allSatisfy({ !$0.isEmpty && !$0.contains("\"") })
    else { return nil }
    self.init(ScenarioPath(segments: segments), node)
  }

  private static func node(at segments: [String], in tree: Node) -> Node? {
    segments.reduce(Optional(tree)) { node, segment in node?[segment] }
  }
}

/// What a change is to bring about.
public enum Aim: String, Sendable, Hashable {
  /// The client accepts.
  case accepted
  /// The client refuses.
  case refused
  /// The client accepts, and a third party reads the content, but can neither change it nor pass as the server.
  case overheard

  /// Whether this came out.
  public func isReached(by outcome: Outcome) -> Bool {
    switch self {
    case .accepted: outcome.verdict.word == .accepted
    // What is only not played here yet teaches nothing about TLS.
    case .refused: outcome.verdict.word == .refused && !outcome.verdict.isLimit
    case .overheard:
      outcome.verdict.word == .accepted && outcome.goals[.eavesdropping].map(Self.isLost) == true
        && outcome.goals[.tampering] == .prevented && outcome.goals[.impersonation] == .prevented
    }
  }

  static func isLost(_ state: Goal.State) -> Bool { [.possible, .later].contains(state) }

  /// What is asked for.
  var words: String {
    switch self {
    case .accepted: "it is accepted"
    case .refused: "it is refused"
    case .overheard: "it is accepted, but a third party can read it, and no more than read"
    }
  }
}

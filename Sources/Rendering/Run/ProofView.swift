import Explanation
import Simulator

/// A proof of knowledge that was carried out, with its steps and their numbers.
struct ProofView {
  private let execution: Execution
  private let run: any TracedRun

  init(_ execution: Execution, _ run: any TracedRun) {
    self.execution = execution
    self.run = run
  }

  /// Returns every step with its inputs, their lengths and its result. At the depth `numbers`, it also has the command
  /// that computes it.
  ///
  /// If the user asked for the last value, its command is shown at every depth. If a proof fails, only the failing step
  /// is shown.
  func document(_ depth: Depth, isAsked: Bool = false, indent: Int = 0) -> Document {
    var document = Document()
    guard execution.holds else {
      let step = execution.steps.last?.value ?? execution.value
      document.bullet(
        RichText("✗", .bad), "the proof of \(execution.value) does not hold: it fails at \(step)", indent: indent)
      return document
    }
    document.bullet(glyph, "\(execution.party.inSentence) obtains \(execution.value)", indent: indent)
    for (index, step) in execution.steps.enumerated() {
      document.bullet("\(index + 1).", RichText(step.value, .name) + ": \(way(step))", indent: indent + 2)
      document += numbers(step, indent: indent + 5)
      let isLast = index == execution.steps.count - 1
      guard depth == .numbers || isAsked && isLast, let how = step.how else { continue }
      let value = Value(step.value, step.bytes, how)
      let encryption = execution.party == .client ? Reproduction(run).premasterEncryption(value) : nil
      for command in Reproduction(run).commands(for: value) + [encryption].compactMap(\.self) {
        document.blocks.append(.command(command, indent: indent + 7))
      }
    }
    if let result { document.bullet(RichText("✓", .good), "\(result)", indent: indent + 2) }
    return document
  }

  /// A check mark if the proof was completely carried out. Otherwise, another glyph.
  var glyph: RichText { execution.isComplete ? RichText("✓", .good) : RichText("#", .warning) }

  /// The summary of the proof: `11 steps, 7 computed, each equal to the run's; 32769 tried; …`.
  var summary: String {
    let computed = execution.steps.count { if case .computed = $0.outcome { true } else { false } }
    let count = execution.steps.count
    var parts = ["\(count) step\(count == 1 ? "" : "s"), \(computed) computed; each result equals the value in the run"]
    if execution.trials > 0 { parts.append("\(execution.trials) tried") }
    if let obstacle = execution.obstacle { parts.append(obstacle.description) }
    if let result { parts.append(result) }
    return parts.joined(separator: "; ")
  }

  /// The part of the recording that the proof's values decrypt, and its size.
  private var result: String? {
    execution.playback.map { playback in
      let isEarly = playback.secrets.allSatisfy { $0.kind == .earlyTrafficSecret }
      let part = playback.sides.count == 1 ? playback.sides.first : nil
      let recording = part.map { "the \($0)'s \(isEarly ? "early" : "application") data" } ?? "the whole recording"
      return "\(recording), decrypted with \(playback.secrets.map(\.description).joined(separator: " and ")): "
        + "\(playback.recovered) bytes, equal to the original"
    }
  }

  private func way(_ step: Execution.Step) -> String {
    guard case .computed(let method, _) = step.how else { return KnowledgeView.way(step.how, by: execution.party) }
    return method.description
  }

  private func numbers(_ step: Execution.Step, indent: Int) -> Document {
    var document = Document()
    for input in step.inputs {
      document.paragraph(
        RichText([Span("from "), Span(input.name, .name), Span("  \(ValueNumbers.elided(input.bytes))")]),
        indent: indent + 2)
    }
    let equals = step.inputs.isEmpty ? "" : "= "
    document.paragraph("\(equals)\(ValueNumbers.elided(step.bytes))", indent: step.inputs.isEmpty ? indent : indent + 2)
    switch step.outcome {
    case .computed(let computation) where !computation.remark.isEmpty:
      let trials = computation.trials.map { "\($0) tried; " } ?? ""
      document.bullet(RichText("✓", .good), "\(trials)\(computation.remark)", indent: indent + 2)
    case .postponed(let obstacle):
      document.bullet(RichText("–", .dim), "not computed, taken from the run: \(obstacle)", indent: indent + 2)
    default: break
    }
    return document
  }
}

extension ProofView {
  /// The proof as JSON, without the goal that it proves.
  var json: [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      .init("party", .string(execution.party.name)), .init("value", .string(execution.value)),
      .init("holds", .boolean(execution.holds)), .init("complete", .boolean(execution.isComplete)),
      .init("trials", .integer(execution.trials)),
      .init("steps", .array(execution.holds ? execution.steps.map(json) : [])),
    ]
    if let playback = execution.playback {
      members.append(
        .init(
          "recording",
          [
            "secrets": .strings(playback.secrets.map(\.description)),
            "sides": .strings(playback.sides.map(\.rawValue).sorted()),
            "recovered": .integer(playback.recovered), "equal": .boolean(playback.isEqual),
          ]))
    }
    return members
  }

  private func json(_ step: Execution.Step) -> JSONValue {
    var members: [JSONValue.Member] = [.init("value", .string(step.value)), .init("how", .string(word(step)))]
    if case .computed(let method, _) = step.how { members.append(.init("function", .string(method.description))) }
    let inputs = step.inputs.map { input -> JSONValue in
      ["name": .string(input.name), "length": .integer(input.bytes.count), "bytes": .string(Hex.string(input.bytes))]
    }
    members += [
      .init("inputs", .array(inputs)), .init("length", .integer(step.bytes.count)),
      .init("bytes", .string(Hex.string(step.bytes))),
    ]
    switch step.outcome {
    case .computed(let computation):
      members.append(.init("computed", .boolean(true)))
      if let trials = computation.trials { members.append(.init("trials", .integer(trials))) }
      if !computation.remark.isEmpty { members.append(.init("remark", .string(computation.remark))) }
    case .postponed(let obstacle):
      members += [.init("computed", .boolean(false)), .init("remark", .string(obstacle.description))]
    case .held, .contradicted: members.append(.init("computed", .boolean(false)))
    }
    let commands = step.how.map { Reproduction(run).commands(for: Value(step.value, step.bytes, $0)) } ?? []
    if !commands.isEmpty { members.append(.init("reproduce", .strings(commands.map(\.description)))) }
    return .object(members)
  }

  private func word(_ step: Execution.Step) -> String {
    switch step.how {
    case nil: "leaked"
    case .generated: "generated"
    case .published: "published"
    case .computed: "computed"
    }
  }
}

import Endpoint
import Explanation

extension Step {
  /// What happened, where a lane already says who did it and a heading in which connection.
  var titleInLane: String {
    if isFetch, let to { return "\(from.name) to \(to.name): \(title)" }
    let subject = "\(from.name) "
    guard kind == .derivation else { return title }
    return plain(title.hasPrefix(subject) ? String(title.dropFirst(subject.count)) : title)
  }

  /// What happened, where a heading already says in which connection.
  var titleInConnection: String { kind == .derivation ? plain(title) : title }

  /// The values that become public with a message, by name; those of its content are the message itself.
  var shownValues: [Value.ID] {
    isProtected ? [] : values.map { plain($0.id) }.filter { $0.split(separator: ".").count <= 2 }
  }

  /// A text without what begins the names of the connection's values, and of those on the interceptor's far side.
  private func plain(_ text: String) -> String {
    let own = connection.map { text.replacing("\($0).", with: "") } ?? text
    return own.replacing("upstream.", with: "")
  }

  /// Whether it is a message that someone in the middle sends or receives in place of an end.
  var isIntercepted: Bool { kind == .message && (from == .interceptor || to == .interceptor) }

  /// Glyph and style of a step: what came of its checks, or what kind of thing happened.
  var mark: Span {
    if let interference { return interference.mark }
    if kind == .attack { return Span("!", .bad) }
    if findings.contains(where: \.refuses) { return Span("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return Span("!", .warning) }
    return Span("✓", .good)
  }
}

extension Interference {
  /// Glyph and style by what was done.
  var mark: Span {
    switch kind {
    case .read: Span("◉", .warning)
    case .dropped: Span("×", .bad)
    case .replayed: Span("»", .bad)
    case .altered, .rewritten: Span("≠", .bad)
    case .injected: Span("+", .bad)
    case .unaltered: Span("·", .dim)
    }
  }
}

extension [Step] {
  /// The message of this place as it was sent never got past an attacker.
  func isStopped(at index: Int) -> Bool {
    guard indices.contains(index), self[index].kind == .message else { return false }
    return self[(index + 1)...].prefix { $0.interference.map { $0.kind != .rewritten } ?? false }
      .contains { $0.interference?.stops == true }
  }

  /// What arrives of what an attacker did in the step of this place: a message that is on its way from there; nil when
  /// nothing does, or when the next attacker has it first.
  func arrival(at index: Int) -> Interference? {
    guard indices.contains(index), let interference = self[index].interference, interference.adds,
      self[index].to != nil
    else { return nil }
    let next = indices.contains(index + 1) ? self[index + 1].interference : nil
    return next?.stops == true ? nil : interference
  }
}

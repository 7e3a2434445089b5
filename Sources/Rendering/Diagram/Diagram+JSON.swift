import Endpoint
import Explanation
import Simulator

extension Diagram {
  /// Returns the diagram as JSON. Rows refer to steps and lanes by index, and omit the contents of their steps.
  ///
  /// - Parameter steps: the steps of the run.
  func json(_ steps: [Step]) -> JSONValue {
    [
      "lanes": .array(lanes.map { ["party": .string($0.party.name), "label": .string($0.label)] }),
      "servers": .strings(servers), "rows": .array(rows.map { Self.json($0, steps) }),
    ]
  }

  private static func json(_ row: Row, _ steps: [Step]) -> JSONValue {
    switch row.content {
    case .heading(let lines):
      ["kind": "heading", "connection": .optional(row.connection), "lines": .strings(lines)]
    case .message(let message): json(message)
    case .note(let note): json(note, title: steps[note.step].title)
    case .arrival(let arrival):
      [
        "kind": "arrival", "step": .integer(arrival.step), "from": .integer(arrival.from), "to": .integer(arrival.to),
        "mark": .string(arrival.change.mark.text), "style": .string(arrival.change.mark.style.rawValue),
      ]
    }
  }

  private static func json(_ message: Message) -> JSONValue {
    let row: JSONValue = [
      "kind": "message", "step": .integer(message.step), "from": .integer(message.from), "to": .integer(message.to),
    ]
    if let words = message.words { return row.adding([.init("words", .string(words))]) }
    return message.values.isEmpty ? row : row.adding([.init("values", .strings(message.values))])
  }

  private static func json(_ note: Note, title: String) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("kind", .string(note.kind.rawValue)), .init("step", .integer(note.step)),
      .init("lane", .integer(note.lane)),
    ]
    if let mark = note.mark {
      members += [.init("mark", .string(mark.text)), .init("style", .string(mark.style.rawValue))]
    }
    if let actor = note.actor { members.append(.init("actor", .string(actor))) }
    if note.text != title { members.append(.init("text", .string(note.text))) }
    return .object(members)
  }
}

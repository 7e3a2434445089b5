import Rendering

/// A session for programs: one JSON request and one JSON answer per line.
///
/// `{"id": …, "line": "step"}` is answered with `{"trustlab": 1, "id": …, "text": …, "prompt": …}`, with `error` where
/// the line failed and `data` where pictures say more; `{"id": …, "complete": "kno"}` with the words that fit.
enum ProtocolConversation {
  /// Answers standard input until it ends or a line quits.
  static func hold(_ session: inout Session) throws {
    var isOver = false
    try RecordStream.answer(example: #"{"id": 1, "line": "step"}"#, until: { isOver }) { request in
      Interruption.clear()
      if case .string(let line)? = request["complete"] {
        return [.init("completions", .array((session.completions(of: line) ?? []).map { .string($0) }))]
      }
      guard case .string(let line)? = request["line"] else {
        throw Complaint(message: "the request has no 'line'", hint: #"write {"id": 1, "line": "step"}"#)
      }
      let output = session.evaluate(line)
      isOver = output.quits
      return members(of: output, prompt: session.prompt)
    }
  }

  private static func members(of output: Session.Output, prompt: String) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = [.init("text", .string(output.text)), .init("prompt", .string(prompt))]
    if let complaint = output.complaint {
      members.append(.init("error", ["message": .string(complaint.message), "hint": .string(complaint.hint)]))
    }
    if !output.pictures.isEmpty {
      members.append(.init("data", .object(output.pictures.map { .init($0.type, .string($0.content)) })))
    }
    return members
  }
}

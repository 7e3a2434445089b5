import Endpoint
import Explanation
import Rendering
import Scenarios
import Simulator

/// Where `run` stops: at a rule, a party or a message.
enum Stop: Sendable, Hashable, CustomStringConvertible {
  case rule(String)
  case party(String)
  case message(String)

  var description: String {
    switch self {
    case .rule(let id): "the rule \(id)"
    case .party(let name): "the party \(name)"
    case .message(let name): "the message \(name)"
    }
  }

  /// Whether `step` holds the rule against something, is done by or for the party, or is the message.
  func matches(_ step: Step) -> Bool {
    switch self {
    case .rule(let id): step.findings.contains { $0.rule.id == id }
    case .party(let name): step.from.name == name || step.to?.name == name
    case .message(let name): step.kind == .message && step.title == name
    }
  }
}

/// Stopping a run at what one waits for.
extension Session {
  mutating func stop(_ argument: String) throws -> Output {
    let words = argument.split(separator: " ").map(String.init)
    switch words.first {
    case nil: return Output(text: stopList)
    case "clear":
      let number = words.count > 1 ? Int(words[1]) : nil
      if words.count > 1 {
        guard let number, stops.indices.contains(number - 1) else {
          throw Complaint(message: "there is no stop '\(words[1])'", hint: stopList)
        }
        stops.remove(at: number - 1)
      } else {
        stops = []
      }
      return Output(text: stopList)
    default:
      let name = words[0] == "on" ? words.dropFirst().joined(separator: " ") : argument
      let stop = try self.stop(named: name)
      if !stops.contains(stop) { stops.append(stop) }
      return Output(text: "'run' stops on \(stop)")
    }
  }

  private var stopList: String {
    if stops.isEmpty { return "'run' stops nowhere: 'break on ServerHello' makes it stop there" }
    return stops.enumerated().map { "\($0.offset + 1)  \($0.element)" }.joined(separator: "\n")
  }

  private func stop(named name: String) throws -> Stop {
    let parties = opened?.now.parties.map(\.name) ?? []
    let messages = Vocabulary.messageNames
    if RuleCatalogue.rule(name) != nil { return .rule(name) }
    if let party = parties.first(where: { $0.lowercased() == name.lowercased() }) { return .party(party) }
    if let message = messages.first(where: { $0.lowercased() == name.lowercased() }) { return .message(message) }
    throw Complaint(
      message: name.isEmpty ? "stop on what?" : "'\(name)' is no rule, party or message",
      hint: Spelling.hint(for: name, among: messages + parties + RuleCatalogue.ids))
  }
}

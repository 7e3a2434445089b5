import Endpoint
import Explanation
import Simulator

/// Tests write leaked secrets as scenario files do.
extension Leak.Content: ExpressibleByStringLiteral {
  /// Creates the secret with this name.
  public init(stringLiteral text: String) { self = .secret(Value.ID(text)) }
}

extension StepEvent {
  /// A message of `side` without content, for handmade traces.
  static func message(from side: Side) -> StepEvent {
    .sent(Transmission(name: .httpRequest, bytes: [], fields: []), SentMessage(side))
  }
}

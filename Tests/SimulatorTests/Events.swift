import Endpoint
import Explanation
import Simulator

extension StepEvent {
  /// A message of `side` without content, for handmade traces.
  static func message(from side: Side) -> StepEvent {
    .sent(Transmission(name: .httpRequest, bytes: [], fields: []), SentMessage(side))
  }
}

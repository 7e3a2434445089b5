import Endpoint
import Explanation
import Simulator

extension StepEvent {
  /// A message of `side` without content, for traces made by hand.
  static func message(from side: Side) -> StepEvent {
    .sent(Transmission(name: .httpRequest, bytes: [], fields: []), SentMessage(side))
  }
}

import Endpoint
import Simulator
import TLS

extension StepEvent {
  /// A message of `side` without content, for traces made by hand.
  static func message(from side: Side) -> StepEvent {
    .sent(Transmission(name: Transmission.requestName, bytes: [], fields: []), SentMessage(side))
  }
}

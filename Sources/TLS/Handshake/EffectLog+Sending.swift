import Explanation
import Wire

extension EffectLog {
  /// Encodes a message and sends it. What the configuration asks for may be more than a message can hold.
  mutating func send(_ body: HandshakeMessage.Body) throws(HandshakeFailure) -> HandshakeMessage {
    let message = try representable { () throws in try HandshakeMessage(body) }
    add(.send(message))
    return message
  }

  /// The result of `encoding`, whose failure is this side's own.
  mutating func representable<T>(_ encoding: () throws -> T) throws(HandshakeFailure) -> T {
    do {
      return try encoding()
    } catch {
      throw failure(.internalError, .internalError, found: .word("\(error)"))
    }
  }
}

import Explanation

extension EffectLog {
  /// Declines another handshake on a connection that stands: a warning, after which the peer may go on or end it (RFC
  /// 5246 section 7.2.2, RFC 5746 section 4.5).
  mutating func declineRenegotiation(_ event: Event) {
    let finding = enforcement.check(
      .renegotiation, on: .message(event.name), false, required: .absent, found: .word(event.name))
    add(.found(finding))
    add(.sendAlert(Alert(.warning, .noRenegotiation)))
  }
}

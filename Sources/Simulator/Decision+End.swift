import Endpoint

extension Decision {
  /// The same decision; one by an end of the interceptor's does not speak of the client or the server itself.
  func told(of end: End) -> Decision {
    guard end == .front || end == .back else { return self }
    let own = end == .front ? "the server" : "the client"
    guard title.hasPrefix("\(own) ") else { return self }
    let name = end == .front ? "the interceptor, as a server," : "the interceptor, as a client,"
    return Decision(title: name + title.dropFirst(own.count), narration: narration, findings: findings)
  }
}

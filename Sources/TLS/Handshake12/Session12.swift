import Explanation

/// A session that later connections may go on with: the master secret stays, the keys become new ones with the new
/// randoms. RFC 5246 sections 7.3 and F.1.4.
public struct Session12: Sendable, Hashable {
  /// Its name: up to 32 bytes that the server drew.
  public let id: [UInt8]
  /// The suite and the master secret.
  public let schedule: KeySchedule12
  /// The name of that secret among the values: `first.master_secret`.
  public let masterSecretName: Value.ID
  /// What was agreed on in the full handshake.
  public let parameters: ConnectionParameters
}

/// The sessions that a server remembers, by their ids.
public struct SessionCache: Sendable, Hashable {
  private var sessions: [[UInt8]: Session12] = [:]

  /// A cache without sessions.
  public init() {}

  /// The session called `id`; nil when there is none.
  public subscript(id: [UInt8]) -> Session12? { sessions[id] }

  /// Remembers a session.
  public mutating func store(_ session: Session12) { sessions[session.id] = session }

  /// Forgets a session, as after a fatal alert: RFC 5246 section 7.2.2.
  public mutating func remove(_ session: Session12) { sessions[session.id] = nil }
}

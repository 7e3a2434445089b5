import Explanation
import HashTreeCollections

/// A session that later connections may go on with, in the way of its version.
public enum Session: Sendable, Hashable {
  /// By a session id that both ends remember (RFC 5246 section 7.3), or by a ticket that one keeps for both (RFC 5077).
  case tls12(Session12)

  /// The longest that a session lives: 24 hours, the upper limit that RFC 5246 section F.1.4 suggests.
  public static let lifetime: Int64 = 24 * 60 * 60

  /// Its name, as ClientHello repeats it.
  public var id: [UInt8] {
    switch self {
    case .tls12(let session): session.id
    }
  }
  /// What was agreed on in the full handshake, the version among it.
  public var parameters: ConnectionParameters {
    switch self {
    case .tls12(let session): session.parameters
    }
  }
  /// When it was established.
  public var established: Instant {
    switch self {
    case .tls12(let session): session.established
    }
  }

  /// For how many seconds from then on the server says that it goes on with it.
  public var lifetime: Int64 {
    switch self {
    case .tls12(let session): session.lifetime
    }
  }

  /// Whether a connection may still go on with it at that time.
  public func isFresh(at time: Instant) -> Bool {
    time >= established && time <= established.adding(seconds: min(lifetime, Self.lifetime))
  }
}

/// A session of TLS 1.2: the master secret stays, the keys become new ones with the new randoms. RFC 5246 sections 7.3
/// and F.1.4.
public struct Session12: Sendable, Hashable {
  /// Its name: up to 32 bytes that the server drew.
  public let id: [UInt8]
  /// The suite and the master secret.
  public let schedule: KeySchedule12
  /// The name of that secret among the values: `first.master_secret`.
  public let masterSecretName: Value.ID
  /// What was agreed on in the full handshake.
  public let parameters: ConnectionParameters
  /// When the full handshake took place.
  public let established: Instant
  /// The ticket in which the server put all this; nil where it remembers the session itself.
  public var ticket: [UInt8]?
  /// For how many seconds the server says that it goes on with it.
  public var lifetime = Session.lifetime
}

/// The sessions that a server remembers, by their ids: as many as its capacity, after which the oldest goes.
///
/// Every connection has a copy as of its beginning, so both tables are persistent: what one copy changes costs a few nodes,
/// not the whole.
public struct SessionCache: Sendable {
  /// The most sessions that are remembered.
  public let capacity: Int
  private var sessions: TreeDictionary<[UInt8], (number: Int, session: Session)> = [:]
  /// The ids of the sessions by the numbers of their coming, the first of which may be forgotten.
  private var ids: TreeDictionary<Int, [UInt8]> = [:]
  private var numbers = 0..<0

  /// A cache without sessions.
  public init(capacity: Int = 1024) { self.capacity = max(0, capacity) }

  /// How many sessions are remembered.
  public var count: Int { sessions.count }

  /// The session called `id`; nil when there is none.
  public subscript(id: [UInt8]) -> Session? { sessions[id]?.session }

  /// Remembers a session; where there is no room, the oldest is forgotten.
  public mutating func store(_ session: Session) {
    remove(session)
    sessions[session.id] = (numbers.upperBound, session)
    ids[numbers.upperBound] = session.id
    numbers = numbers.lowerBound..<numbers.upperBound + 1
    while sessions.count > capacity, let oldest = numbers.first {
      if let id = ids.removeValue(forKey: oldest) { sessions[id] = nil }
      numbers = oldest + 1..<numbers.upperBound
    }
  }

  /// Forgets a session, as after a fatal alert: RFC 5246 section 7.2.2.
  public mutating func remove(_ session: Session) {
    if let known = sessions.removeValue(forKey: session.id) { ids[known.number] = nil }
  }
}

import Explanation
import HashTreeCollections

/// A session that later connections may resume. Its form depends on the version.
public enum Session: Sendable, Hashable {
  /// A session of TLS 1.2 or an earlier version.
  ///
  /// A client resumes it with a session ID that both sides store (RFC 5246 section 7.3), or with a ticket that only the
  /// client stores (RFC 5077).
  case tls12(Session12)
  /// A session of TLS 1.3, which a client resumes with the pre-shared key of a ticket (RFC 8446 section 2.2).
  case tls13(Session13)

  /// The maximum lifetime of a session: 24 hours, the limit that RFC 5246 section F.1.4 suggests.
  public static let lifetime: Int64 = 24 * 60 * 60

  /// The session ID that a ClientHello contains to resume the session; in TLS 1.3, the ticket.
  public var id: [UInt8] {
    switch self {
    case .tls12(let session): session.id
    case .tls13(let session): session.id
    }
  }
  /// The parameters that the full handshake negotiated, such as the version.
  public var parameters: ConnectionParameters {
    switch self {
    case .tls12(let session): session.parameters
    case .tls13(let session): session.parameters
    }
  }
  /// The time at which the session was established.
  public var established: Instant {
    switch self {
    case .tls12(let session): session.established
    case .tls13(let session): session.established
    }
  }

  /// The number of seconds for which the server offers to resume the session.
  public var lifetime: Int64 {
    switch self {
    case .tls12(let session): session.lifetime
    case .tls13(let session): session.lifetime
    }
  }

  /// Whether the session is recent enough to be resumed at `time`.
  public func isFresh(at time: Instant) -> Bool {
    time >= established && time <= established.adding(seconds: min(lifetime, limit))
  }

  /// The lifetime that no server extends: seven days in TLS 1.3 (RFC 8446 section 4.6.1).
  private var limit: Int64 {
    if case .tls13 = self { Int64(NewSessionTicket13.maximumLifetime) } else { Self.lifetime }
  }
}

/// A session of TLS 1.2. Its master secret and new random values give new keys (RFC 5246 sections 7.3 and F.1.4).
public struct Session12: Sendable, Hashable {
  /// The session ID: up to 32 bytes that the server generates.
  public let id: [UInt8]
  /// The suite and the master secret.
  public let schedule: KeySchedule12
  /// The name of the master secret as a value, such as `first.master_secret`.
  public let masterSecretName: Value.ID
  /// The parameters that the full handshake negotiated.
  public let parameters: ConnectionParameters
  /// The time of the full handshake.
  public let established: Instant
  /// The ticket that contains the session; nil if the server stores the session.
  public var ticket: [UInt8]?
  /// The number of seconds for which the server offers to resume the session.
  public var lifetime = Session.lifetime
}

/// The sessions that a server stores, by ID. When the cache is full, the oldest session is removed.
///
/// Every connection starts with its own copy. Both tables are persistent data structures, so that a change to a copy is
/// cheap.
public struct SessionCache: Sendable {
  /// The maximum number of sessions.
  public let capacity: Int
  private var sessions: TreeDictionary<[UInt8], (number: Int, session: Session)> = [:]
  /// The IDs of the sessions in the order of their arrival. The first is removed when the cache is full.
  private var ids: TreeDictionary<Int, [UInt8]> = [:]
  private var numbers = 0..<0
  /// The tickets whose permission to send early data was used (RFC 8446 section 8.1).
  private var spent: TreeSet<[UInt8]> = []

  /// Creates an empty cache.
  public init(capacity: Int = 1024) { self.capacity = max(0, capacity) }

  /// The number of stored sessions.
  public var count: Int { sessions.count }

  /// Whether early data was sent with the ticket. A full memory permits no more early data.
  func isSpent(_ ticket: [UInt8]) -> Bool { spent.count >= capacity || spent.contains(ticket) }

  /// A change that one connection makes, and that later connections must know.
  public enum Change: Sendable, Hashable {
    /// A session was established.
    case established(Session)
    /// A session may not be resumed again, for example after a fatal alert (RFC 5246 section 7.2.2).
    case removed(Session)
    /// Early data was sent with a ticket.
    case spent([UInt8])
  }

  /// Makes a change that a connection reported.
  public mutating func apply(_ change: Change) {
    switch change {
    case .established(let session): store(session)
    case .removed(let session): remove(session)
    case .spent(let ticket): spend(ticket)
    }
  }

  /// Remembers that early data was sent with the ticket.
  public mutating func spend(_ ticket: [UInt8]) { if spent.count < capacity { spent.insert(ticket) } }

  /// The session with this ID; nil if there is none.
  public subscript(id: [UInt8]) -> Session? { sessions[id]?.session }

  /// Stores a session; removes the oldest if the cache is full.
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

  /// Removes a session, for example after a fatal alert (RFC 5246 section 7.2.2).
  public mutating func remove(_ session: Session) {
    if let known = sessions.removeValue(forKey: session.id) { ids[known.number] = nil }
  }
}

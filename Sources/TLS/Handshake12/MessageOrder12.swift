import Explanation

/// The order of messages in a handshake of SSL 3.0 to TLS 1.2, and the progress of one handshake.
///
/// Client, server and replay use it to determine the expected messages. The order follows the figures in RFC 5246
/// section 7.3, with CertificateStatus (RFC 6066 section 8) and NewSessionTicket (RFC 5077 section 3.1) added.
struct MessageOrder12: Sendable {
  /// One message in a figure of the RFC.
  struct Row: Sendable {
    let sender: Side
    let message: Event.Kind
    /// The conditions under which the message is sent.
    let terms: Terms
    /// Whether the sender may omit the message under these conditions.
    let isOptional: Bool

    init(_ sender: Side, _ message: Event.Kind, if terms: Terms = [], isOptional: Bool = false) {
      (self.sender, self.message, self.terms, self.isOptional) = (sender, message, terms, isOptional)
    }
  }

  /// Conditions that earlier messages establish for later messages.
  struct Terms: OptionSet, Sendable {
    let rawValue: Int

    /// The suite requires the server to authenticate with a certificate.
    static let authentication = Terms(rawValue: 1)
    /// Both sides agreed on the `status_request` extension.
    static let status = Terms(rawValue: 2)
    /// The suite requires a ServerKeyExchange message.
    static let serverKeyExchange = Terms(rawValue: 4)
    /// The server requested a client certificate.
    static let request = Terms(rawValue: 8)
    /// The server requested a client certificate in SSL 3.0. A client without one sends an alert instead of a
    /// Certificate message (RFC 6101 section 5.6.6).
    static let requestInSSL3 = Terms(rawValue: 16)
    /// The client sent a certificate.
    static let clientCertificate = Terms(rawValue: 32)
    /// Both sides agreed on the `session_ticket` extension.
    static let ticket = Terms(rawValue: 64)
  }

  /// The full handshake (RFC 5246 section 7.3, figure 1).
  static let full = [
    Row(.client, .handshake(.clientHello)),
    Row(.server, .handshake(.serverHello)),
    Row(.server, .handshake(.certificate), if: .authentication),
    Row(.server, .handshake(.certificateStatus), if: [.authentication, .status], isOptional: true),
    Row(.server, .handshake(.serverKeyExchange), if: .serverKeyExchange),
    Row(.server, .handshake(.certificateRequest), isOptional: true),
    Row(.server, .handshake(.serverHelloDone)),
    Row(.client, .handshake(.certificate), if: .request),
    Row(.client, .handshake(.certificate), if: .requestInSSL3, isOptional: true),
    Row(.client, .handshake(.clientKeyExchange)),
    Row(.client, .handshake(.certificateVerify), if: .clientCertificate),
    Row(.client, .changeCipherSpec),
    Row(.client, .handshake(.finished)),
    Row(.server, .handshake(.newSessionTicket), if: .ticket),
    Row(.server, .changeCipherSpec),
    Row(.server, .handshake(.finished)),
  ]

  /// The abbreviated handshake, which resumes a session (RFC 5246 section 7.3, figure 2).
  static let abbreviated = [
    Row(.client, .handshake(.clientHello)),
    Row(.server, .handshake(.serverHello)),
    Row(.server, .handshake(.newSessionTicket), if: .ticket),
    Row(.server, .changeCipherSpec),
    Row(.server, .handshake(.finished)),
    Row(.client, .changeCipherSpec),
    Row(.client, .handshake(.finished)),
  ]

  /// The messages with which either side may start another handshake (RFC 5246 section 7.4.1.1).
  static let afterwards = [Row(.client, .handshake(.clientHello)), Row(.server, .handshake(.helloRequest))]

  /// The remaining rows of each figure that agrees with the messages received and sent.
  private var rest = [full[...]]
  private var terms: Terms = []
  private var offer: ClientHello?
  private var isSSL3 = false

  /// Creates the order at the first message.
  init() {}

  /// The order at the end of a complete handshake.
  static let complete = {
    var order = MessageOrder12()
    order.rest = [[]]
    return order
  }()

  /// Whether the handshake is complete.
  var isComplete: Bool { rest.allSatisfy(\.isEmpty) }

  /// The rows that may follow.
  private var next: [Row] { isComplete ? Self.afterwards : rest.flatMap(reachable) }

  /// The side that sends the next message; nil after the last message.
  var sender: Side? { isComplete ? nil : next.first?.sender }

  /// The messages that `side` may send next.
  func expected(from side: Side) -> [Event.Kind] { next.filter { $0.sender == side }.map(\.message) }

  /// The optional rows at the beginning, and the first mandatory row.
  private func reachable(_ rows: ArraySlice<Row>) -> [Row] {
    let possible = rows.filter { terms.isSuperset(of: $0.terms) }
    return Array(possible.prefix { $0.isOptional } + possible.drop { $0.isOptional }.prefix(1))
  }

  /// Advances past a message of `side` if it is expected; ignores any other event.
  @discardableResult
  mutating func advance(past event: Event, from side: Side) -> Bool {
    guard event.isWellFormedMessage, advance(past: event.kind, from: side) else { return false }
    learn(event, from: side)
    return true
  }

  /// Advances past a message of `side` and all messages that it should have followed.
  mutating func skip(to event: Event, from side: Side) {
    if advance(past: event, from: side) { return }
    advance(past: event.kind, from: side, skipping: true)
    learn(event, from: side)
  }

  /// Advances past a message if only its kind is known.
  @discardableResult
  mutating func advance(past kind: Event.Kind, from side: Side, skipping: Bool = false) -> Bool {
    if isComplete {
      guard Self.afterwards.contains(where: { $0.sender == side && $0.message == kind }) else { return false }
      if kind == .handshake(.helloRequest) { return true }
      self = MessageOrder12()
    }
    let reached = rest.compactMap { rows in
      index(of: kind, from: side, in: rows, skipping: skipping).map { rows[($0 + 1)...] }
    }
    if !reached.isEmpty { rest = reached }
    return !reached.isEmpty
  }

  private func index(of kind: Event.Kind, from side: Side, in rows: ArraySlice<Row>, skipping: Bool) -> Int? {
    for (index, row) in zip(rows.indices, rows) where terms.isSuperset(of: row.terms) {
      if row.sender == side, row.message == kind { return index }
      if !skipping, !row.isOptional { return nil }
    }
    return nil
  }

  private mutating func learn(_ event: Event, from side: Side) {
    guard case .handshake(let body, _) = event else { return }
    switch body {
    case .clientHello(let hello): offer = hello
    case .serverHello(let hello): settle(hello)
    case .certificateRequest: terms.insert(isSSL3 ? .requestInSSL3 : .request)
    case .certificate(let shown) where side == .client && !shown.certificateList.isEmpty:
      terms.insert(.clientCertificate)
    default: break
    }
  }

  /// Selects the figure and sets most conditions, based on the hello messages.
  private mutating func settle(_ answer: ServerHello) {
    guard let offer else { return }
    isSSL3 = answer.serverVersion == .sslv3
    let keyExchange = answer.cipherSuite.keyExchange
    let decided: [(Terms, Bool)] = [
      (.authentication, keyExchange?.isAuthenticated != false), (.serverKeyExchange, keyExchange != .rsa),
      (.status, answer.agreed(to: .statusRequest)), (.ticket, answer.agreed(to: .sessionTicket)),
    ]
    terms = decided.reduce(into: []) { if $1.1 { $0.insert($1.0) } }
    switch Hellos(offer: offer, answer: answer).isResumed {
    case true?: rest = [Self.abbreviated.dropFirst(2)]
    case false?: break
    case nil: rest += [Self.abbreviated.dropFirst(2)]
    }
  }
}

import Explanation

/// The order of messages in a handshake of TLS 1.3, and the progress of one connection.
///
/// The order follows figures 1 to 4 in RFC 8446 section 2, with CompressedCertificate (RFC 8879) added. Each side has
/// its own position, because their messages may cross on the network.
struct MessageOrder13: Sendable {
  /// One message of one side.
  struct Row: Sendable {
    let sender: Side
    /// The message, or the alternatives.
    let messages: [HandshakeType]
    /// The conditions under which the message is sent.
    let terms: Terms
    /// Whether the sender may omit the message under these conditions.
    let isOptional: Bool

    init(_ sender: Side, _ messages: HandshakeType..., if terms: Terms = [], isOptional: Bool = false) {
      (self.sender, self.messages, self.terms, self.isOptional) = (sender, messages, terms, isOptional)
    }
  }

  /// Conditions that earlier messages establish for later messages.
  struct Terms: OptionSet, Sendable {
    let rawValue: Int

    /// The server requested another ClientHello.
    static let retry = Terms(rawValue: 1)
    /// The server uses no pre-shared key, and therefore has a certificate.
    static let authentication = Terms(rawValue: 2)
    /// The server requested a client certificate.
    static let request = Terms(rawValue: 4)
    /// The client sent a certificate.
    static let clientCertificate = Terms(rawValue: 8)
    /// The server accepted early data.
    static let earlyData = Terms(rawValue: 16)
    /// The client offered authentication after the handshake.
    static let postHandshakeAuthentication = Terms(rawValue: 32)
  }

  /// The handshake (RFC 8446 section 2).
  static let handshake = [
    Row(.client, .clientHello),
    Row(.server, .helloRetryRequest, isOptional: true),
    Row(.client, .clientHello, if: .retry),
    Row(.server, .serverHello),
    Row(.server, .encryptedExtensions),
    Row(.server, .certificateRequest, if: .authentication, isOptional: true),
    Row(.server, .certificate, .compressedCertificate, if: .authentication),
    Row(.server, .certificateVerify, if: .authentication),
    Row(.server, .finished),
    Row(.client, .endOfEarlyData, if: .earlyData),
    Row(.client, .certificate, .compressedCertificate, if: .request),
    Row(.client, .certificateVerify, if: .clientCertificate),
    Row(.client, .finished),
  ]

  /// The client's reply to a CertificateRequest after the handshake (section 4.6.2).
  private static let reply = clientRows.suffix(3)

  private static let clientRows = handshake.filter { $0.sender == .client }[...]
  private static let serverRows = handshake.filter { $0.sender == .server }[...]

  /// The remaining rows of the client, and those of the server.
  private var (clientRows, serverRows) = (Self.clientRows, Self.serverRows)
  var terms: Terms = []
  /// The sides whose handshake messages cannot be decrypted.
  var hidden: Set<Side> = []

  /// Whether `side` has sent its Finished, so that all messages after the handshake are possible.
  func isComplete(_ side: Side) -> Bool { rest(of: side).allSatisfy { !applies($0) } }

  private func rest(of side: Side) -> ArraySlice<Row> { side == .client ? clientRows : serverRows }

  private mutating func setRest(_ rows: ArraySlice<Row>, of side: Side) {
    if side == .client { clientRows = rows } else { serverRows = rows }
  }

  /// The messages that `side` may send next.
  func expected(from side: Side) -> [HandshakeType] {
    guard isComplete(side) else { return reachable(side).flatMap(\.messages) + (mayUpdate(side) ? [.keyUpdate] : []) }
    let request: [HandshakeType] = terms.contains(.postHandshakeAuthentication) ? [.certificateRequest] : []
    return side == .server ? [.newSessionTicket, .keyUpdate] + request : [.keyUpdate]
  }

  /// Whether a client that must answer a request after the handshake has not begun its answer.
  private func mayUpdate(_ side: Side) -> Bool { side == .client && clientRows.count == Self.reply.count && isOver }

  /// Whether the handshake was complete, although an answer to a later request may not be.
  private(set) var isOver = false

  /// The side that sends next, as far as it is known; nil after the last message.
  var sender: Side? {
    if reachable(.client).first?.messages == [.clientHello] { return .client }
    return [.server, .client].first { !isComplete($0) }
  }

  /// Whether the conditions of the row hold. If the other side's messages cannot be decrypted, they may hold.
  private func applies(_ row: Row) -> Bool { hidden.contains(row.sender.peer) || terms.isSuperset(of: row.terms) }

  /// The rows that `side` may send next: those up to the first that it may not omit.
  private func reachable(_ side: Side) -> [Row] {
    let rows = rest(of: side)
    let end = rows.firstIndex { applies($0) && !$0.isOptional && terms.isSuperset(of: $0.terms) }
    return rows[..<(end.map { $0 + 1 } ?? rows.endIndex)].filter(applies)
  }

  /// Advances past a message of `side`; returns whether it is expected.
  mutating func advance(past message: HandshakeType, from side: Side) -> Bool {
    guard expected(from: side).contains(message) else { return false }
    if isComplete(side), message == .certificateRequest {
      (clientRows, isOver) = (Self.reply, true)
      terms.formUnion(.request)
      terms.remove(.clientCertificate)
    }
    let rows = rest(of: side)
    if let index = rows.firstIndex(where: { applies($0) && $0.messages.contains(message) }) {
      setRest(rows[(index + 1)...], of: side)
    }
    return true
  }

  /// Skips all handshake messages of a side, because none of them can be decrypted.
  mutating func skipHandshake(of side: Side) {
    if !isOver { setRest([], of: side) }
  }
}

import Captures
import Endpoint
import TLS

// What a server has shown of itself, whatever the client made of it.
extension LiveConversation {
  private var received: [HandshakeMessage.Body] {
    moments.lazy.flatMap(\.effects).compactMap { effect in
      guard case .received(let message) = effect, case .handshake(let handshake) = message.content else { return nil }
      return handshake.body
    }
  }

  /// The server's choice; nil where it has made none.
  public var serverHello: ServerHello? {
    received.lazy.compactMap { if case .serverHello(let hello) = $0 { hello } else { nil } }.first
  }

  /// The certificates that the server presented, in DER; none where it did not come to that.
  public var certificates: [[UInt8]] {
    received.lazy.compactMap { if case .certificate(let message) = $0 { message.certificateList } else { nil } }.first
      ?? []
  }

  /// The group of the server's key exchange; nil where it has none, or a field that has no name.
  public var group: NamedGroup? {
    received.lazy.compactMap { body -> NamedGroup? in
      guard case .serverKeyExchange(.ephemeral(let signed)) = body else { return nil }
      return signed.parameters.group
    }.first
  }

  /// Whether the server has asked who the client is.
  public var hasAskedForCertificate: Bool {
    received.contains { if case .certificateRequest = $0 { true } else { false } }
  }

  /// Whether the client has answered that with no certificate: RFC 5246 section 7.4.6.
  public var hasShownNoCertificate: Bool {
    moments.lazy.flatMap(\.effects).contains { effect in
      guard case .send(let sent) = effect, case .handshake(let handshake)? = sent.message?.content,
        case .certificate(let message) = handshake.body
      else { return false }
      return message.certificateList.isEmpty
    }
  }

  /// The alert with which the server has ended the handshake; nil where it has not, or has only ended the connection.
  public var serverAlert: AlertDescription? {
    guard let alert = client.alert, alert.isFromServer, alert.description != .closeNotify else { return nil }
    return alert.description
  }
}

extension LiveConversation {
  /// What opens what travelled.
  public var keyLog: KeyLog {
    var (log, random): (KeyLog, [UInt8]?) = (KeyLog(), nil)
    for case .derived(let value) in moments.lazy.flatMap(\.effects) {
      if value.id.kind == .random, value.id.side == .client { random = value.bytes }
      guard value.id.kind == .masterSecret, let random else { continue }
      log.add(clientRandom: random, masterSecret: value.bytes)
    }
    return log
  }
}

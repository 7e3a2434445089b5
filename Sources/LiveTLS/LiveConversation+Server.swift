import Captures
import Endpoint
import TLS

// The information that a server has sent, regardless of the client's decision.
extension LiveConversation {
  private var received: [HandshakeMessage.Body] {
    moments.lazy.flatMap(\.effects).compactMap { effect in
      guard case .received(let message) = effect, case .handshake(let handshake) = message.content else { return nil }
      return handshake.body
    }
  }

  /// The server's ServerHello; nil if the server sent none.
  public var serverHello: ServerHello? {
    received.lazy.compactMap { if case .serverHello(let hello) = $0 { hello } else { nil } }.first
  }

  /// The certificates that the server presented, in DER; empty if it presented none.
  public var certificates: [[UInt8]] {
    received.lazy.compactMap { if case .certificate(let message) = $0 { message.certificateList } else { nil } }.first
      ?? []
  }

  /// The group of the server's key exchange; nil if there is none or it has no name.
  public var group: NamedGroup? {
    received.lazy.compactMap { body -> NamedGroup? in
      guard case .serverKeyExchange(.ephemeral(let signed)) = body else { return nil }
      return signed.parameters.group
    }.first
  }

  /// Whether the server has sent a CertificateRequest.
  public var hasAskedForCertificate: Bool {
    received.contains { if case .certificateRequest = $0 { true } else { false } }
  }

  /// Whether the client sent an empty Certificate message in response (RFC 5246 section 7.4.6).
  public var hasShownNoCertificate: Bool {
    moments.lazy.flatMap(\.effects).contains { effect in
      guard case .send(let sent) = effect, case .handshake(let handshake)? = sent.message?.content,
        case .certificate(let message) = handshake.body
      else { return false }
      return message.certificateList.isEmpty
    }
  }

  /// The fatal alert with which the server ended the handshake; nil if there was none, and for close_notify.
  public var serverAlert: AlertDescription? {
    guard let alert = client.alert, alert.isFromServer, alert.description != .closeNotify else { return nil }
    return alert.description
  }
}

extension LiveConversation {
  /// The secrets that decrypt the connection.
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

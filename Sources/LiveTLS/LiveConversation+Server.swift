import Captures
import Endpoint
import Explanation
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
    received.lazy.compactMap { body -> ServerHello? in
      guard case .serverHello(let hello) = body, !hello.isRetryRequest else { return nil }
      return hello
    }.first
  }

  /// The certificates that the server presented, in DER; empty if it presented none.
  public var certificates: [[UInt8]] {
    moments.lazy.flatMap(\.effects).compactMap { effect -> [[UInt8]]? in
      guard case .received(let message) = effect, !message.certificates.isEmpty else { return nil }
      return message.certificates
    }.first ?? []
  }

  /// The group of the server's key exchange; nil if there is none or it has no name.
  public var group: NamedGroup? {
    received.lazy.compactMap { body -> NamedGroup? in
      switch body {
      case .serverHello(let hello) where !hello.isRetryRequest: hello.extensions?.keyShare?.group
      case .serverKeyExchange(.ephemeral(let signed)): signed.parameters.group
      default: nil
      }
    }.first
  }

  /// Whether the server has sent a CertificateRequest.
  public var hasAskedForCertificate: Bool {
    received.contains { body in
      switch body {
      case .certificateRequest, .certificateRequest13: true
      default: false
      }
    }
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
    var values: [Value.ID: [UInt8]] = [:]
    for case .derived(let value) in moments.lazy.flatMap(\.effects) where KeyLog.needs(value.id) {
      values[value.id] = value.bytes
    }
    var log = KeyLog()
    log.add(secretsOf: client.configuration.tls.valueScope) { values[$0] }
    return log
  }
}

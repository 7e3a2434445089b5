import Endpoint
import Explanation
import Simulator
import TLS
import URLLoading

/// The words for a message: its purpose, and the information that an eavesdropper learns from the message.
struct MessageWords {
  private let transmission: Transmission
  private let message: SentMessage
  private let party: Party

  init(_ transmission: Transmission, _ message: SentMessage, by party: Party) {
    self.transmission = transmission
    self.message = message
    self.party = party
  }

  private var side: Side { message.side }

  /// The purpose of the message, in sentences.
  var narration: String {
    if let name = message.recordedIn {
      return "These are the same bytes as in \(name). An attacker that recorded them can send them again without a key."
    }
    if let status = message.status { return "\(plain) \(status.sentence)" }
    return ([plain] + [message.origin?.narration].compactMap(\.self)).joined(separator: " ")
  }

  /// The purpose of the message, without its status and origin.
  private var plain: String {
    guard let message = transmission.message else {
      if transmission.name.isAboutTunnel { return TunnelWords(transmission.bytes, side).narration }
      if transmission.name == .webSocketFrame {
        return
          "A WebSocket frame, readable by everyone on the network. A client masks its frames so that proxies do not "
          + "mistake them for HTTP. The masking key is part of the frame, so it hides nothing (RFC 6455 section 5.3)."
      }
      return "This is plain HTTP: everyone on the path can read it and could have changed it."
    }
    switch message.content {
    case .handshake(let handshake) where self.message.isTLS13:
      return MessageWords13(handshake, from: side).narration
    case .changeCipherSpec where self.message.isTLS13:
      return
        "This record has no meaning in TLS 1.3. It makes the connection look like TLS 1.2 to devices on the path (RFC "
        + "8446 appendix D.4)."
    case .handshake(let handshake):
      let narration = Self.narration(of: handshake, from: side)
      // A renegotiation is encrypted with the keys of the previous handshake.
      return message.isProtected ? narration.replacing(" (not encrypted)", with: "") : narration
    case .changeCipherSpec: return "From here on, \(party.inSentence) protects every record with the new keys."
    case .alert(let alert): return "With this alert, \(party.inSentence) reports \(alert.description)."
    case .applicationData(let content) where content.count == 1 && message.isOfImplicitVectors:
      return
        "This record contains only the first byte of the HTTP message. An eavesdropper has seen this record's "
        + "initialization vector and could test guesses (BEAST). The next record's vector depends on this record's "
        + "MAC, which is unpredictable."
    case .applicationData where !message.isEncrypted:
      return "An HTTP message that everyone can read: the record has a MAC, which detects changes, but no encryption."
    case .applicationData(let content) where Self.isCloseFrame(content):
      return "A WebSocket Close frame in a protected record (RFC 6455 section 5.5.1)."
    case .applicationData(let content):
      return HTTP2Frames.types(in: content).map { types in
        "HTTP/2 in a protected record, with these frames: \(types.joined(separator: ", ")) (RFC 9113 section 6)."
      } ?? "An HTTP message in a protected record."
    case .malformed: return "The message cannot be read."
    case .encrypted: return "A protected record that cannot be decrypted here."
    }
  }

  /// Returns whether a record contains exactly one frame with FIN and the opcode of Close (RFC 6455 section 5.2). No
  /// HTTP text begins with these bytes.
  private static func isCloseFrame(_ content: [UInt8]) -> Bool {
    guard content.count >= 2, content[0] == 0x88 else { return false }
    return content.count == 2 + (content[1] < 0x80 ? 0 : 4) + Int(content[1] & 0x7f)
  }

  private static func narration(of message: HandshakeMessage, from side: Side) -> String {
    switch message.type {
    case .clientHello where message.namesSession && message.offersTLS13:
      "The client's random number (not encrypted), the cipher suites that it accepts, and a session ID. A client that "
        + "offers TLS 1.3 often sends one although it has no session to resume (RFC 8446 appendix D.4)."
    case .clientHello where message.namesSession:
      "The client's random number (not encrypted), the cipher suites that it accepts, and the ID of a session that it "
        + "wants to resume."
    case .clientHello: "The client's random number (not encrypted) and the cipher suites that it accepts."
    case .serverHello where message.namesSession:
      "The server's random number (not encrypted), the cipher suite that it selected, and a session ID. If the session "
        + "is resumed, this is the client's ID."
    case .serverHello: "The server's random number (not encrypted) and the cipher suite that it selected."
    case .certificate where side == .client: message.clientCertificate
    case .certificate: "The server's claimed identity: its certificate and the certificates of its issuers."
    case .serverKeyExchange: "The server's ephemeral public key, signed with the key of its certificate."
    case .certificateRequest:
      "The server requests a client certificate. It names the key types and signature algorithms that it accepts, "
        + "and the CAs that it prefers."
    case .serverHelloDone: "This message ends the hello messages of the server."
    case .clientKeyExchange where message.isRSA:
      "The premaster secret, encrypted with the public key of the server's certificate. If the decryption fails, the "
        + "server continues with random bytes and reports nothing (RFC 5246 section 7.4.7.1)."
    case .clientKeyExchange:
      "The client's ephemeral public key. Each side combines its own private key with the other's public key, and "
        + "obtains the same secret."
    case .certificateVerify:
      "The client signs all previous handshake messages with the private key of its certificate. The signature proves "
        + "that the client has this key, and is valid only for this handshake."
    case .newSessionTicket:
      "The state of the session, encrypted so that only the server can read it. The client stores this ticket and "
        + "sends it later to resume the session (RFC 5077)."
    case .certificateStatus: "The CA's OCSP response about the server's certificate, stapled by the server."
    case .helloRequest: "The server requests another handshake on the same connection."
    case .finished:
      "A check value over the whole handshake, in the first message under the new keys. The check fails if any byte "
        + "was changed."
    default: "A handshake message."
    }
  }
}

extension ProtocolMessage {
  /// Whether the record is protected in a version with implicit initialization vectors (RFC 4346 section 1.1).
  fileprivate var isOfImplicitVectors: Bool { isProtected && records.allSatisfy { $0.version <= .tls10 } }
}

extension HandshakeMessage {
  /// Whether the message is a hello with a session_id.
  fileprivate var namesSession: Bool {
    switch body {
    case .clientHello(let hello): !hello.sessionID.isEmpty
    case .serverHello(let hello): !hello.sessionID.isEmpty
    default: false
    }
  }

  /// Whether the message is a ClientHello that offers TLS 1.3.
  fileprivate var offersTLS13: Bool {
    guard case .clientHello(let hello) = body else { return false }
    return hello.extensions?.supportedVersions?.contains(.tls13) == true
  }

  /// The meaning of a client's Certificate message.
  fileprivate var clientCertificate: String {
    guard case .certificate(let message) = body, !message.certificateList.isEmpty else {
      return "The client has no suitable certificate, so it sends an empty list."
    }
    return "The client's claimed identity (not encrypted): its certificate and the certificates of its issuers."
  }

  /// Whether the message is a ClientKeyExchange with an encrypted premaster secret.
  fileprivate var isRSA: Bool {
    if case .clientKeyExchange(let exchange) = body, case .rsa = exchange { true } else { false }
  }
}

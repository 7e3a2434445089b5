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
      return "The same bytes as in \(name): an attacker that recorded them needs no key to send them again."
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
          "A WebSocket frame, readable by everyone on the network. A client masks its frames, so that proxies do not "
          + "take them for HTTP. The mask precedes the frame and hides nothing (RFC 6455 section 5.3)."
      }
      return "Plain HTTP: everyone on the path can read it, and could have changed it."
    }
    switch message.content {
    case .handshake(let handshake):
      let narration = Self.narration(of: handshake, from: side)
      // A renegotiation is encrypted with the keys of the previous handshake.
      return message.isProtected ? narration.replacing(", in the clear", with: "") : narration
    case .changeCipherSpec: return "From here on, \(party) protects every record with the new keys."
    case .alert(let alert): return "\(party) sends the alert \(alert.description)."
    case .applicationData(let content) where content.count == 1 && message.isOfImplicitVectors:
      return
        "The first byte of the HTTP message, in a record of its own. An eavesdropper has seen this record's "
        + "initialization vector and could test guesses (BEAST). The next record's vector depends on this "
        + "record's MAC, which is unpredictable."
    case .applicationData where !message.isEncrypted:
      return "HTTP that everyone can read: the record has a MAC against changes, but no encryption."
    case .applicationData(let content) where Self.isCloseFrame(content):
      return "A WebSocket Close frame inside the tunnel, in a protected record (RFC 6455 section 5.5.1)."
    case .applicationData: return "HTTP inside the tunnel, in a protected record."
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
    case .clientHello where message.namesSession:
      "The client's random number, in the clear, the cipher suites that it accepts, and the ID of a session that it "
        + "wants to resume."
    case .clientHello: "The client's random number, in the clear, and the cipher suites that it accepts."
    case .serverHello where message.namesSession:
      "The server's random number, in the clear, the suite that it chose, and a session ID. It is the client's if "
        + "the session is resumed."
    case .serverHello: "The server's random number, in the clear, and the cipher suite that it chose."
    case .certificate where side == .client: message.clientCertificate
    case .certificate: "The server's claimed identity: its certificate, and the certificates of its issuers."
    case .serverKeyExchange: "The server's ephemeral public key, signed with the key of its certificate."
    case .certificateRequest:
      "The server requests a client certificate. It names the key types and signature algorithms that it accepts, "
        + "and the CAs that it prefers."
    case .serverHelloDone: "The end of the server's hello messages."
    case .clientKeyExchange where message.isRSA:
      "The premaster secret, encrypted with the public key of the server's certificate. If the decryption fails, the "
        + "server continues with random bytes and reports nothing (RFC 5246 section 7.4.7.1)."
    case .clientKeyExchange:
      "The client's ephemeral public key. Each side combines its own private key with the "
        + "other's public key, and gets the same secret."
    case .certificateVerify:
      "The client signs all handshake messages so far with its certificate's key. This proves that it has the key, "
        + "and the signature is valid for no other handshake."
    case .newSessionTicket:
      "The session, encrypted so that only the server can read it. The client keeps it and sends it to resume the "
        + "session (RFC 5077)."
    case .certificateStatus: "The CA's OCSP response about the server's certificate, stapled by the server."
    case .helloRequest: "The server requests another handshake on the same connection."
    case .finished:
      "A check of the whole handshake, and the first message under the new keys. It fails if any byte was changed."
    default: "A message of the handshake."
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

  /// The meaning of a client's Certificate message.
  fileprivate var clientCertificate: String {
    guard case .certificate(let message) = body, !message.certificateList.isEmpty else {
      return "The client has no suitable certificate, and sends an empty list."
    }
    return "The client's claimed identity, in the clear: its certificate, and the certificates of its issuers."
  }

  /// Whether the message is a ClientKeyExchange with an encrypted premaster secret.
  fileprivate var isRSA: Bool {
    if case .clientKeyExchange(let exchange) = body, case .rsa = exchange { true } else { false }
  }
}

import Endpoint
import Explanation
import Simulator
import TLS
import URLLoading

/// The words for a message: its purpose, and what an eavesdropper learns from it.
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
      return "The same bytes as in \(name): whoever recorded them needs no key to send them again."
    }
    if let status = message.status { return "\(plain) \(status.sentence)" }
    return ([plain] + [message.origin?.narration].compactMap(\.self)).joined(separator: " ")
  }

  /// What the message is for.
  private var plain: String {
    guard let message = transmission.message else {
      if transmission.name.isAboutTunnel { return TunnelWords(transmission.bytes, side).narration }
      if transmission.name == .webSocketFrame {
        return
          "A frame of the WebSocket, for everyone on the network to read. A client's is masked, for the sake of "
          + "proxies that would take it for HTTP: the mask stands before it, and hides nothing (RFC 6455 section 5.3)."
      }
      return "Plain HTTP: everyone on the network reads it, and could have changed it."
    }
    switch message.content {
    case .handshake(let handshake):
      let narration = Self.narration(of: handshake, from: side)
      // Another handshake on the connection travels under the keys of the one before.
      return message.isProtected ? narration.replacing(", in the clear", with: "") : narration
    case .changeCipherSpec: return "From here on \(party) protects every record with the new keys."
    case .alert(let alert): return "\(party) says \(alert.description)."
    case .applicationData(let content) where content.count == 1 && message.isOfImplicitVectors:
      return
        "The first byte of the HTTP, as a record of its own. Whoever listens has seen the vector of this record, and "
        + "could test guesses (BEAST); that of the next depends on this one's code, which nobody foretells."
    case .applicationData where !message.isEncrypted:
      return "HTTP for everyone to read: the record has a code against changes, and no cipher."
    case .applicationData(let content) where Self.isCloseFrame(content):
      return "A Close frame of the WebSocket inside the tunnel, as a protected record (RFC 6455 section 5.5.1)."
    case .applicationData: return "HTTP inside the tunnel, as a protected record."
    case .malformed: return "The message cannot be read."
    case .encrypted: return "A protected record that cannot be opened here."
    }
  }

  /// Whether a record has one frame with FIN and the opcode of Close, as long as it says: RFC 6455 section 5.2. No text of
  /// HTTP begins so.
  private static func isCloseFrame(_ content: [UInt8]) -> Bool {
    guard content.count >= 2, content[0] == 0x88 else { return false }
    return content.count == 2 + (content[1] < 0x80 ? 0 : 4) + Int(content[1] & 0x7f)
  }

  private static func narration(of message: HandshakeMessage, from side: Side) -> String {
    switch message.type {
    case .clientHello where message.namesSession:
      "The client's first random number, in the clear, the cipher suites it would accept, and the name of a session that "
        + "it would go on with."
    case .clientHello: "The client's first random number, in the clear, and the cipher suites it would accept."
    case .serverHello where message.namesSession:
      "The server's random number, in the clear, the one suite it chose, and the session's name: the client's, if that "
        + "one goes on."
    case .serverHello: "The server's random number, in the clear, and the one suite it chose."
    case .certificate where side == .client: message.clientCertificate
    case .certificate: "Who the server claims to be: its certificate, and those that vouch for it."
    case .serverKeyExchange: "The server's ephemeral public key, signed with the key of its certificate."
    case .certificateRequest:
      "The server asks who the client is: which kinds of key and signature will do, and whose certificates it would like."
    case .serverHelloDone: "The server has said what it has to say."
    case .clientKeyExchange where message.isRSA:
      "The premaster secret, encrypted with the public key of the server's certificate. Should it not decrypt to one, "
        + "the server goes on with random bytes and tells nobody (RFC 5246 section 7.4.7.1)."
    case .clientKeyExchange: "The client's ephemeral public key: each side's and the other's make the same secret."
    case .certificateVerify:
      "The client signs everything that was said so far with its certificate's key: it holds the key, and the "
        + "signature is good for no other handshake."
    case .newSessionTicket:
      "The session, sealed so that only the server can open it: the client keeps it and shows it another time (RFC 5077)."
    case .certificateStatus: "What the authority says of the server's certificate, brought along by the server."
    case .helloRequest: "The server would like another handshake on the same connection."
    case .finished:
      "A check over the whole handshake, the first message under the new keys: it fails where a byte arrived changed."
    default: "A message of the handshake."
    }
  }
}

extension ProtocolMessage {
  /// Whether it is protected in a version whose records begin with the end of those before: RFC 4346 section 1.1.
  fileprivate var isOfImplicitVectors: Bool { isProtected && records.allSatisfy { $0.version <= .tls10 } }
}

extension HandshakeMessage {
  /// Whether this is a hello with a session_id.
  fileprivate var namesSession: Bool {
    switch body {
    case .clientHello(let hello): !hello.sessionID.isEmpty
    case .serverHello(let hello): !hello.sessionID.isEmpty
    default: false
    }
  }

  /// What a client's Certificate says.
  fileprivate var clientCertificate: String {
    guard case .certificate(let message) = body, !message.certificateList.isEmpty else {
      return "The client has no certificate that suits, and says so with an empty list."
    }
    return "Who the client claims to be, in the clear: its certificate, and those that vouch for it."
  }

  /// Whether this is a ClientKeyExchange that carries an encrypted premaster secret.
  fileprivate var isRSA: Bool {
    if case .clientKeyExchange(let exchange) = body, case .rsa = exchange { true } else { false }
  }
}

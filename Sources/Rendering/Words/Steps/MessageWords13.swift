import Explanation
import TLS

/// The words for a handshake message of TLS 1.3.
struct MessageWords13 {
  private let message: HandshakeMessage
  private let side: Side

  init(_ message: HandshakeMessage, from side: Side) { (self.message, self.side) = (message, side) }

  /// The purpose of the message, in sentences.
  var narration: String {
    switch message.body {
    case .clientHello(let hello): clientHello(hello.extensions ?? [])
    case .serverHello(let hello) where hello.isRetryRequest:
      "The server requests another ClientHello, with a key share in another group or with a cookie."
    case .serverHello(let hello) where hello.extensions?.selectedIdentity != nil:
      "The server selected a pre-shared key, so that it needs no certificate. All handshake messages after this one are "
        + "encrypted."
    case .serverHello:
      "The server's random number, the cipher suite that it selected, and its ephemeral public key. All handshake "
        + "messages after this one are encrypted."
    case .encryptedExtensions:
      "The server's other answers to the ClientHello, such as the selected application protocol. TLS 1.2 sends them in "
        + "the clear."
    case .certificateRequest13: "The server requests a client certificate and names the signature schemes it accepts."
    case .certificate, .compressedCertificate: certificate
    case .certificateVerify:
      "The \(side) signs all previous messages with the private key of its certificate. The signature proves that the "
        + "\(side) has this key, and is valid only for this handshake."
    case .finished:
      "A check value over the whole handshake. The check fails if any byte was changed, including those of the hellos."
    case .endOfEarlyData: "The client ends its early data. From here on, it uses the keys of the handshake."
    case .newSessionTicket13:
      "A ticket with which the client can resume the session. The pre-shared key follows from the "
        + "resumption_master_secret and is not sent."
    case .keyUpdate(let update):
      "From here on, the \(side) uses its next keys. Old keys do not follow from new ones."
        + (update.request == 1 ? " The other side must update its keys too." : "")
    default: "A handshake message."
    }
  }

  private func clientHello(_ extensions: [Extension]) -> String {
    let early = extensions.contains(.earlyData) ? " Early data follows, which an attacker can replay." : ""
    return
      "The client's random number, the cipher suites that it accepts, and its ephemeral public keys, all in the clear."
      + (extensions.preSharedKeys == nil ? "" : " It offers a pre-shared key.") + early
  }

  private var certificate: String {
    if case .certificate(let shown) = message.body, shown.certificateList.isEmpty {
      return "The client has no suitable certificate, so it sends an empty list."
    }
    return "The \(side)'s claimed identity: its certificate and the certificates of its issuers. An eavesdropper does "
      + "not see them."
  }
}

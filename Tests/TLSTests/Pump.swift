#if os(Linux)
  import Cryptography
  import Explanation

  @testable import TLS

  /// A connection on a real socket.
  struct Pump {
    var connection: Connection
    let socket: Socket
    var failure: HandshakeFailure?
    var credentials: PeerCredentials?
    var data: [UInt8] = []
    var session: TLS.Session?
    var findings: [Finding] = []
    /// The names of the received and sent messages.
    var (received, sent): ([ProtocolMessage.Name], [ProtocolMessage.Name]) = ([], [])
    /// The tickets with which early data was sent.
    var spent: [[UInt8]] = []
    /// Whether the server accepted the client's early data; nil if there was none.
    var earlyDataIsAccepted: Bool?
    /// The number of completed handshakes.
    var connectedCount = 0

    init(_ connection: Connection, _ socket: Socket) {
      self.connection = connection
      self.socket = socket
    }

    mutating func perform(_ effects: [ConnectionEffect]) {
      for effect in effects {
        switch effect {
        case .send(let message):
          sent.append(message.name)
          socket.write(message.bytes)
        case .received(let message): received.append(message.name)
        case .spent(let ticket): spent.append(ticket)
        case .answeredEarlyData(let isAccepted): earlyDataIsAccepted = isAccepted
        case .evaluateCertificate(let found): credentials = found
        case .applicationData(let bytes): data += bytes
        case .failed(let found): failure = found
        case .established(let established): session = established
        case .found(let finding): findings.append(finding)
        case .connected: connectedCount += 1
        default: break
        }
      }
    }

    /// Accepts the certificate if it is that of `identity`.
    mutating func trust(_ identity: OpenSSL.Identity) throws {
      let certificate = try PublicKey(subjectPublicKeyInfo: identity.subjectPublicKeyInfo)
      perform(connection.certificateEvaluated(.accepted(certificate)))
    }

    mutating func run(until isDone: (Self) -> Bool) {
      while !isDone(self), !connection.isOver {
        let bytes = socket.read()
        if bytes.isEmpty { return }
        perform(connection.receive(bytes))
      }
    }
  }
#endif

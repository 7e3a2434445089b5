import Cryptography
import Explanation
import Wire

/// What happens to a handshake machine.
public enum Event: Sendable, Hashable {
  /// The client begins.
  case start
  /// This side wants another handshake on the connection that stands.
  case renegotiate
  /// A message has come; `body` is `message.body` (see `received(_:)`).
  case handshake(HandshakeMessage.Body, message: HandshakeMessage)
  /// A handshake message has come that cannot be decoded.
  case malformed(HandshakeType, WireError)
  /// ChangeCipherSpec has come.
  case changeCipherSpec
  /// ChangeCipherSpec has come, and is not its one byte.
  case malformedChangeCipherSpec(WireError)
  /// An alert has come.
  case alert(Alert)
  /// The record layer cannot go on.
  case recordFailed(HandshakeFailure)
  /// The answer to `Effect.evaluateCertificate`.
  case certificateEvaluated(CertificateAnswer)
  /// The answer to `Effect.chooseIdentity`: the one whose key has this name; nil shows none.
  case identityChosen(Value.ID?)

  /// A message has come.
  public static func received(_ message: HandshakeMessage) -> Event { .handshake(message.body, message: message) }

  /// The kind of event.
  public var kind: Kind {
    switch self {
    case .start: .start
    case .renegotiate: .renegotiation
    case .handshake(_, let message): .handshake(message.type)
    case .malformed(let type, _): .handshake(type)
    case .changeCipherSpec, .malformedChangeCipherSpec: .changeCipherSpec
    case .alert(let alert): .alert(alert.description)
    case .recordFailed: .recordFailure
    case .certificateEvaluated: .certificateEvaluation
    case .identityChosen: .identityChoice
    }
  }

  /// Whether a message has come that could be decoded, and that belongs to the order of a handshake.
  var isWellFormedMessage: Bool {
    switch self {
    case .handshake, .changeCipherSpec: true
    default: false
    }
  }

  /// The kind of an event, by which a machine says what it expects.
  public enum Kind: Sendable, Hashable, CustomStringConvertible {
    case start
    case renegotiation
    case handshake(HandshakeType)
    case changeCipherSpec
    case alert(AlertDescription)
    case recordFailure
    case certificateEvaluation
    case identityChoice

    /// The message's or event's name in the RFC.
    public var description: String {
      switch self {
      case .start: "start"
      case .renegotiation: "renegotiation"
      case .handshake(let type): type.description
      case .changeCipherSpec: "\(ProtocolMessage.Name.changeCipherSpec)"
      case .alert(let alert): "\(ProtocolMessage.Name.alert) (\(alert))"
      case .recordFailure: "record failure"
      case .certificateEvaluation: "certificate evaluation"
      case .identityChoice: "choice of an identity"
      }
    }
  }
}

/// The answer to "do I trust this certificate?".
public enum CertificateAnswer: Sendable, Hashable {
  /// It is trusted, and this is the key in it, which may be used so.
  case accepted(PublicKey, for: KeyPurposes = .all)
  /// It is not; the alert says why.
  case refused(AlertDescription)
}

/// What a certificate lets its key be used for, as far as TLS asks: RFC 5246 sections 7.4.2 and 7.4.6.
public struct KeyPurposes: OptionSet, Sendable, Hashable {
  /// The purposes, a bit each.
  public let rawValue: Int

  /// The purposes with these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// To sign: digitalSignature in a certificate.
  public static let signing = KeyPurposes(rawValue: 1)
  /// To decrypt a premaster secret: keyEncipherment in a certificate.
  public static let decryption = KeyPurposes(rawValue: 2)
  /// Whatever a key can do, as a certificate allows that says nothing about it.
  public static let all: KeyPurposes = [.signing, .decryption]

  /// The purposes in the words of certificates.
  var words: [String] {
    [contains(.signing) ? "digitalSignature" : nil, contains(.decryption) ? "keyEncipherment" : nil].compactMap(\.self)
  }
}

/// What a handshake machine wants done.
public enum Effect: Sendable, Hashable {
  /// Send this message.
  case send(HandshakeMessage)
  /// Send ChangeCipherSpec.
  case sendChangeCipherSpec
  /// Send this alert and go on.
  case sendAlert(Alert)
  /// Put no more than so many bytes into a record, and take no more.
  case limitFragments(Int)
  /// Protect everything that is sent from here on.
  case protectWriting(RecordKeys)
  /// Open everything that is received from here on.
  case protectReading(RecordKeys)
  /// Do I trust this certificate? The answer is an event.
  case evaluateCertificate(PeerCredentials)
  /// Who shall the client say that it is? The answer is an event.
  case chooseIdentity(CertificateRequestMessage)
  /// A rule was held against something.
  case found(Finding)
  /// A value came to be, or to be known here.
  case derived(Value)
  /// A session was established that later connections may go on with.
  case established(Session)
  /// An older session goes on.
  case resumed(Session)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// The connection is over. Unless the failure came from the peer, its alert is to be sent.
  case failed(HandshakeFailure)

  /// Whether it says something, or changes how what is said is protected: nothing of it follows a close_notify (RFC 5246
  /// section 7.2.1).
  var sendsData: Bool {
    switch self {
    case .send, .sendChangeCipherSpec, .sendAlert, .protectWriting: true
    default: false
    }
  }
}

/// What the peer shows of itself, for someone who knows certificates to judge.
public struct PeerCredentials: Sendable, Hashable {
  /// The certificates as they came, in DER, the peer's own first.
  public let certificates: [[UInt8]]
  /// The host that the client means to reach; nil where the peer is the client.
  public let host: String?
  /// The suite, whose key exchange says what the key must be able to do.
  public let cipherSuite: CipherSuite
  /// A stapled OCSP response, nil without one.
  public let ocspResponse: [UInt8]?
  /// Signed certificate timestamps from the handshake.
  public let signedCertificateTimestamps: [[UInt8]]

  /// Credentials of a server, or without a host those of a client.
  public init(
    certificates: [[UInt8]], host: String?, cipherSuite: CipherSuite, ocspResponse: [UInt8]? = nil,
    signedCertificateTimestamps: [[UInt8]] = []
  ) {
    self.certificates = certificates
    self.host = host
    self.cipherSuite = cipherSuite
    self.ocspResponse = ocspResponse
    self.signedCertificateTimestamps = signedCertificateTimestamps
  }
}

/// What both sides agreed on.
public struct ConnectionParameters: Sendable, Hashable {
  /// The version of the connection.
  public let version: ProtocolVersion
  /// The suite of the connection.
  public let cipherSuite: CipherSuite
  /// The group of an (EC)DHE key exchange.
  public let group: NamedGroup?
  /// How the server's key exchange was signed.
  public let signatureAlgorithm: SignatureAndHashAlgorithm?
  /// The host of `server_name`.
  public let serverName: String?
  /// Whether both sides know RFC 5746.
  public let hasSecureRenegotiation: Bool
  /// Whether the master secret is bound to the whole handshake: RFC 7627.
  public let hasExtendedMasterSecret: Bool
  /// The protocol inside the connection, nil where none was negotiated: RFC 7301.
  public let applicationProtocol: ApplicationProtocol?
  /// Whether the client has proved to hold the key of a certificate.
  public let hasClientCertificate: Bool
  /// Whether an older session goes on: RFC 5246 section 7.3, figure 2.
  public let isResumed: Bool
}

/// Why a connection ended: alert and reason are one value, they cannot disagree.
public struct HandshakeFailure: Error, Sendable, Hashable {
  /// What travels, or travelled: RFC 5246 section 7.2.2.
  public let alert: AlertDescription
  /// The violated rule and what was found.
  public let finding: Finding
  /// Whether this side found the reason and tells the other (`true`), or learns of it by an alert (`false`).
  public let isOwn: Bool

  /// Whether no connection goes on with the session any more: RFC 5246 section 7.2.2. That the connection was merely cut
  /// or closed is no reason: section 7.2.1.
  public var endsSession: Bool { ![.truncatedConnection, .closedEarly].contains(finding.rule) }

  /// A failure with its reason.
  public init(alert: AlertDescription, finding: Finding, isOwn: Bool = true) {
    self.alert = alert
    self.finding = finding
    self.isOwn = isOwn
  }
}

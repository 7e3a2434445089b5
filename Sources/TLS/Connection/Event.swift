import Cryptography
import Explanation
import Wire

/// An input of a handshake machine.
public enum Event: Sendable, Hashable {
  /// The client starts.
  case start
  /// This side wants a renegotiation.
  case renegotiate
  /// A message was received; `body` is `message.body` (see `received(_:)`).
  case handshake(HandshakeMessage.Body, message: HandshakeMessage)
  /// A malformed handshake message was received.
  case malformed(HandshakeType, WireError)
  /// ChangeCipherSpec was received.
  case changeCipherSpec
  /// A malformed ChangeCipherSpec was received.
  case malformedChangeCipherSpec(WireError)
  /// An alert was received.
  case alert(Alert)
  /// The record layer failed.
  case recordFailed(HandshakeFailure)
  /// The reply to `Effect.evaluateCertificate`.
  case certificateEvaluated(CertificateAnswer)
  /// The reply to `Effect.chooseIdentity`: the name of the identity's key; nil for none.
  case identityChosen(Value.ID?)

  /// The event of a received message.
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

  /// Whether the event is a well-formed message of a handshake.
  var isWellFormedMessage: Bool {
    switch self {
    case .handshake, .changeCipherSpec: true
    default: false
    }
  }

  /// The kind of an event; a machine lists the kinds that it expects.
  public enum Kind: Sendable, Hashable, CustomStringConvertible {
    case start
    case renegotiation
    case handshake(HandshakeType)
    case changeCipherSpec
    case alert(AlertDescription)
    case recordFailure
    case certificateEvaluation
    case identityChoice

    /// The RFC's name of the message or event.
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

/// The result of a certificate evaluation.
public enum CertificateAnswer: Sendable, Hashable {
  /// The certificate is trusted; its key may be used for these purposes.
  case accepted(PublicKey, for: KeyPurposes = .all)
  /// The certificate is not trusted; the alert gives the reason.
  case refused(AlertDescription)
}

/// The uses that a certificate allows for its key, as far as TLS requires them: RFC 5246 sections 7.4.2 and 7.4.6.
public struct KeyPurposes: OptionSet, Sendable, Hashable {
  /// The purposes, one bit each.
  public let rawValue: Int

  /// Creates a set of the purposes with these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Signatures: digitalSignature in a certificate.
  public static let signing = KeyPurposes(rawValue: 1)
  /// Decryption of a premaster secret: keyEncipherment in a certificate.
  public static let decryption = KeyPurposes(rawValue: 2)
  /// Every use, as in a certificate without keyUsage.
  public static let all: KeyPurposes = [.signing, .decryption]

  /// The names of the purposes in certificates.
  var words: [String] {
    [contains(.signing) ? "digitalSignature" : nil, contains(.decryption) ? "keyEncipherment" : nil].compactMap(\.self)
  }
}

/// An output of a handshake machine.
public enum Effect: Sendable, Hashable {
  /// Send this message.
  case send(HandshakeMessage)
  /// Send ChangeCipherSpec.
  case sendChangeCipherSpec
  /// Send this alert and continue.
  case sendAlert(Alert)
  /// Limit the size of records in both directions to this many bytes.
  case limitFragments(Int)
  /// Protect all records sent from now on.
  case protectWriting(RecordKeys)
  /// Decrypt all records received from now on.
  case protectReading(RecordKeys)
  /// Evaluate this certificate. The result is an event.
  case evaluateCertificate(PeerCredentials)
  /// Choose the client's identity. The choice is an event.
  case chooseIdentity(CertificateRequestMessage)
  /// A rule was checked.
  case found(Finding)
  /// A value was computed, drawn or received.
  case derived(Value)
  /// A session was established that later connections may resume.
  case established(Session)
  /// An older session was resumed.
  case resumed(Session)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// The connection ended. Unless the peer caused the failure, its alert must be sent.
  case failed(HandshakeFailure)

  /// Whether the effect sends data or changes its protection. None of these follows a close_notify (RFC 5246 section
  /// 7.2.1).
  var sendsData: Bool {
    switch self {
    case .send, .sendChangeCipherSpec, .sendAlert, .protectWriting: true
    default: false
    }
  }
}

/// The peer's certificates and related data, for evaluation outside TLS.
public struct PeerCredentials: Sendable, Hashable {
  /// The received certificates in DER, the peer's own first.
  public let certificates: [[UInt8]]
  /// The host that the client connects to; nil if the peer is the client.
  public let host: String?
  /// The suite, whose key exchange determines the required use of the key.
  public let cipherSuite: CipherSuite
  /// The stapled OCSP response; nil if there is none.
  public let ocspResponse: [UInt8]?
  /// The SCTs in the handshake.
  public let signedCertificateTimestamps: [[UInt8]]

  /// Creates the credentials of a server or, without a host, of a client.
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

/// The parameters that both sides agreed on.
public struct ConnectionParameters: Sendable, Hashable {
  /// The version of the connection.
  public let version: ProtocolVersion
  /// The suite of the connection.
  public let cipherSuite: CipherSuite
  /// The group of an (EC)DHE key exchange.
  public let group: NamedGroup?
  /// The signature algorithm of the server's key exchange.
  public let signatureAlgorithm: SignatureAndHashAlgorithm?
  /// The host of `server_name`.
  public let serverName: String?
  /// Whether both sides support RFC 5746.
  public let hasSecureRenegotiation: Bool
  /// Whether extended_master_secret was negotiated: RFC 7627.
  public let hasExtendedMasterSecret: Bool
  /// The application protocol; nil if none was negotiated (RFC 7301).
  public let applicationProtocol: ApplicationProtocol?
  /// Whether the client has proved that it has the private key of a certificate.
  public let hasClientCertificate: Bool
  /// Whether the session was resumed: RFC 5246 section 7.3, figure 2.
  public let isResumed: Bool
}

/// The reason why a connection ended. Alert and reason are one value, so that they cannot contradict each other.
public struct HandshakeFailure: Error, Sendable, Hashable {
  /// The alert that was sent or received: RFC 5246 section 7.2.2.
  public let alert: AlertDescription
  /// The violated rule and its values.
  public let finding: Finding
  /// Whether this side found the reason and sends the alert (`true`), or received the alert (`false`).
  public let isOwn: Bool

  /// Whether the session may no longer be resumed: RFC 5246 section 7.2.2. A truncated or closed connection does not
  /// end the session (section 7.2.1).
  public var endsSession: Bool { ![.truncatedConnection, .closedEarly].contains(finding.rule) }

  /// Creates a failure with its reason.
  public init(alert: AlertDescription, finding: Finding, isOwn: Bool = true) {
    self.alert = alert
    self.finding = finding
    self.isOwn = isOwn
  }
}

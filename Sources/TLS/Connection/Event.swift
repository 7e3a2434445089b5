import Cryptography
import Explanation
import Wire

/// An input of a handshake's state machine.
public enum Event: Sendable, Hashable {
  /// Starts the client's handshake.
  case start
  /// This side starts a renegotiation.
  case renegotiate
  /// This side uses its next traffic secret and, if `requestsPeer`, asks the peer to do the same (RFC 8446 section
  /// 4.6.3).
  case updateKeys(requestsPeer: Bool)
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
  /// The reply to `Effect.chooseIdentity`: the name of the chosen identity's key, or nil for none.
  case identityChosen(Value.ID?)

  /// The event of a received message.
  public static func received(_ message: HandshakeMessage) -> Event { .handshake(message.body, message: message) }

  /// The kind of event.
  public var kind: Kind {
    switch self {
    case .start: .start
    case .renegotiate: .renegotiation
    case .updateKeys: .keyUpdate
    case .handshake(_, let message): .handshake(message.type)
    case .malformed(let type, _): .handshake(type)
    case .changeCipherSpec, .malformedChangeCipherSpec: .changeCipherSpec
    case .alert(let alert): .alert(alert.description)
    case .recordFailed: .recordFailure
    case .certificateEvaluated: .certificateEvaluation
    case .identityChosen: .identityChoice
    }
  }

  /// Whether the event is a well-formed handshake message.
  var isWellFormedMessage: Bool {
    switch self {
    case .handshake, .changeCipherSpec: true
    default: false
    }
  }

  /// The kind of an event. A machine lists the kinds that it expects.
  public enum Kind: Sendable, Hashable, CustomStringConvertible {
    case start
    case renegotiation
    case keyUpdate
    case handshake(HandshakeType)
    case changeCipherSpec
    case alert(AlertDescription)
    case recordFailure
    case certificateEvaluation
    case identityChoice

    /// The message that arrives with this event; nil if none arrives.
    public var message: ProtocolMessage.Name? {
      switch self {
      case .handshake(let type): .handshake(type)
      case .changeCipherSpec: .changeCipherSpec
      case .alert: .alert
      default: nil
      }
    }

    /// The name of the message or event in the RFC.
    public var description: String {
      switch self {
      case .start: "start"
      case .renegotiation: "renegotiation"
      case .keyUpdate: "update of the keys"
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
  /// The certificate is trusted, and its key may be used for these purposes.
  case accepted(PublicKey, for: KeyPurposes = .all)
  /// The certificate is not trusted. The alert states the reason.
  case refused(AlertDescription)
}

/// The purposes for which a certificate allows its key to be used in TLS (RFC 5246 sections 7.4.2 and 7.4.6).
public struct KeyPurposes: OptionSet, Sendable, Hashable {
  /// The purposes as a bit mask.
  public let rawValue: Int

  /// Creates a set of purposes from a bit mask.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Signing, which requires digitalSignature in the certificate's keyUsage.
  public static let signing = KeyPurposes(rawValue: 1)
  /// Decrypting a premaster secret, which requires keyEncipherment in the certificate's keyUsage.
  public static let decryption = KeyPurposes(rawValue: 2)
  /// All purposes, as in a certificate without keyUsage.
  public static let all: KeyPurposes = [.signing, .decryption]

  /// The names of the purposes in a certificate's keyUsage.
  var words: [String] {
    [contains(.signing) ? "digitalSignature" : nil, contains(.decryption) ? "keyEncipherment" : nil].compactMap(\.self)
  }
}

/// An output of a handshake's state machine.
public enum Effect: Sendable, Hashable {
  /// Send this message.
  case send(HandshakeMessage)
  /// Send ChangeCipherSpec.
  case sendChangeCipherSpec
  /// Send this alert and continue.
  case sendAlert(Alert)
  /// Limit the size of records in both directions to this many bytes.
  case limitFragments(Int)
  /// Limit the size of the protected records that one side sends to this many bytes (RFC 8449).
  case limitProtectedRecords(Side, Int)
  /// Send this application data under the keys of early data.
  case sendEarlyData([UInt8])
  /// Skip up to this many bytes of early data, which this side rejected.
  case skipEarlyData(Int)
  /// Accept up to this many bytes of early data.
  case limitEarlyData(Int)
  /// Send the next messages in the clear, because the server rejected early data with a HelloRetryRequest.
  case stopProtecting
  /// Check that the record ends with the received message, because the next message has other keys (RFC 8446 section
  /// 5.1).
  case endMessage
  /// The server accepted or rejected the client's early data.
  case answeredEarlyData(Bool)
  /// Protect all records that are sent from now on with these keys.
  case protectWriting(RecordKeys)
  /// Decrypt all records that are received from now on with these keys.
  case protectReading(RecordKeys)
  /// Evaluate this certificate. The result is returned as an event.
  case evaluateCertificate(PeerCredentials)
  /// Choose the client's identity. The choice is returned as an event.
  case chooseIdentity(CertificateRequestMessage)
  /// A rule was checked.
  case found(Finding)
  /// A value was computed, drawn or received.
  case derived(Value)
  /// A session was established that later connections may resume.
  case established(Session)
  /// Early data was sent with this ticket.
  case spent([UInt8])
  /// An older session was resumed.
  case resumed(Session)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// The connection failed. Unless the peer caused the failure, this side must send the alert.
  case failed(HandshakeFailure)

  /// Whether the effect sends data or changes the protection of records. No such effect follows a close_notify (RFC
  /// 5246 section 7.2.1).
  var sendsData: Bool {
    switch self {
    case .send, .sendChangeCipherSpec, .sendAlert, .sendEarlyData, .protectWriting: true
    default: false
    }
  }
}

/// The peer's certificates and related data, which are evaluated outside TLS.
public struct PeerCredentials: Sendable, Hashable {
  /// The received certificates in DER, starting with the peer's own.
  public let certificates: [[UInt8]]
  /// The host that the client connects to; nil if the peer is the client.
  public let host: String?
  /// The cipher suite. Its key exchange determines how the certificate's key is used.
  public let cipherSuite: CipherSuite
  /// The stapled OCSP response; nil if there is none.
  public let ocspResponse: [UInt8]?
  /// The SCTs that the peer sent in the handshake.
  public let signedCertificateTimestamps: [[UInt8]]

  /// Creates the credentials of a server or, if `host` is nil, of a client.
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

/// The parameters that both sides negotiated.
public struct ConnectionParameters: Sendable, Hashable {
  /// The version of the connection.
  public let version: ProtocolVersion
  /// The suite of the connection.
  public let cipherSuite: CipherSuite
  /// The group of an ephemeral key exchange (ECDHE or DHE).
  public let group: NamedGroup?
  /// The algorithm that the server used to sign its key exchange.
  public let signatureAlgorithm: SignatureAndHashAlgorithm?
  /// The host in the `server_name` extension.
  public let serverName: String?
  /// Whether both sides support secure renegotiation (RFC 5746).
  public let hasSecureRenegotiation: Bool
  /// Whether extended_master_secret was negotiated (RFC 7627).
  public let hasExtendedMasterSecret: Bool
  /// The application protocol; nil if none was negotiated (RFC 7301).
  public let applicationProtocol: ApplicationProtocol?
  /// Whether the client proved that it has the private key of a certificate.
  public let hasClientCertificate: Bool
  /// Whether the connection resumed an earlier session (RFC 5246 section 7.3, figure 2).
  public let isResumed: Bool
}

/// The reason why a connection ended. The alert and the finding form one value, so that they cannot contradict each
/// other.
public struct HandshakeFailure: Error, Sendable, Hashable {
  /// The alert that was sent or received (RFC 5246 section 7.2.2).
  public let alert: AlertDescription
  /// The violated rule, with the required value and the value found.
  public let finding: Finding
  /// Whether this side detected the failure and sends the alert. If false, the peer sent the alert.
  public let isOwn: Bool

  /// Whether the session may no longer be resumed (RFC 5246 section 7.2.2). A truncated or closed connection does not
  /// invalidate the session (section 7.2.1).
  public var endsSession: Bool { ![.truncatedConnection, .closedEarly].contains(finding.rule) }

  /// Creates a failure from an alert and a finding.
  public init(alert: AlertDescription, finding: Finding, isOwn: Bool = true) {
    self.alert = alert
    self.finding = finding
    self.isOwn = isOwn
  }
}

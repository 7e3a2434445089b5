import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// The event of a step, with its values. `Rendering` describes the event in words.
public enum StepEvent: Sendable {
  /// A message was sent.
  case sent(Transmission, SentMessage)
  /// A client requested data for the named certificate over plain HTTP: a certificate, an OCSP response or a CRL.
  case fetchRequested(TrustFetch, certificate: String)
  /// A CA responded to a client's fetch.
  case fetchAnswered(TrustFetch.Content, by: String, ReportedStatus?)
  /// An attacker responded to a client's fetch with an older response.
  case olderStatus(url: String, seconds: Int64)
  /// A client's fetch received no response.
  case fetchFailed(TrustFetch, isBlocked: Bool)
  /// A real client fetched the certificate of an issuer.
  case issuerFetched(url: String)
  /// A party computed or generated values.
  case computed([Value])
  /// An endpoint made a decision.
  case decided(DecisionEvent, by: Speaker)
  /// An attacker acted on a message. `applies` is true if the message contained something to change.
  case attacked(Attack, applies: Bool)
  /// An interceptor rewrote a response.
  case responseRewritten
  /// An attacker used the server as a padding oracle.
  case oracleAsked(OracleAttack)
  /// An attacker replaced the padding of records under this cipher suite.
  case paddingForged(BlockPaddingAttack, CipherSuite)
  /// A secret leaked at a date, or attackers obtained a quantum computer.
  case leaked(Leak.Content, at: Instant)
  /// A secret was disclosed to the reader of a recording.
  case disclosed(Value.ID)
  /// An auditor or a monitor checked a log.
  case audited(World.Audit, World.Audit.Part)
  /// A party computed or checked a line of a calculation.
  case calculated(CalculationEvent)
  /// A recording ended with this failure of this side, and the finding about it.
  case recordingEnded(HandshakeFailure, Side, Finding)

  /// The endpoint that makes a decision.
  public enum Speaker: Sendable, Hashable {
    /// The acting party itself.
    case itself
    /// The interceptor's server, which the client connects to.
    case interceptorAsServer
    /// The interceptor's client, which connects to the server.
    case interceptorAsClient
  }

  /// The kind of the step.
  public var kind: Step.Kind {
    switch self {
    case .sent, .fetchRequested, .fetchAnswered: .message
    case .computed: .derivation
    case .calculated(let event): event.isCheck ? .decision : .derivation
    case .decided, .fetchFailed, .issuerFetched, .audited, .recordingEnded: .decision
    case .attacked, .olderStatus, .responseRewritten, .oracleAsked, .paddingForged, .leaked, .disclosed: .attack
    }
  }

  /// The name of the message; nil for other events.
  ///
  /// This property is not inlined, because the optimizer of Swift 6.3.1 fails on a copy of this switch in another
  /// module.
  @inline(never)
  public var message: MessageName? {
    switch self {
    case .sent(let transmission, _): transmission.name
    case .fetchRequested: .httpRequest
    case .fetchAnswered: .httpResponse
    default: nil
    }
  }
}

/// The context of a message that was sent.
public struct SentMessage: Sendable {
  /// The side that sent the message.
  public let side: Side
  /// The connection in which the bytes were recorded; nil for a message that is not replayed.
  public let recordedIn: String?
  /// The recorded hello on which a system's ClientHello is based.
  public let origin: HelloOrigin?
  /// The parsed content of a CertificateStatus message.
  public let status: ReportedStatus?
  /// Whether the message belongs to a handshake of TLS 1.3.
  public let isTLS13: Bool

  /// Creates the context of a message from `side`.
  public init(
    _ side: Side, recordedIn: String? = nil, origin: HelloOrigin? = nil, status: ReportedStatus? = nil,
    isTLS13: Bool = false
  ) {
    self.isTLS13 = isTLS13
    self.side = side
    self.recordedIn = recordedIn
    self.origin = origin
    self.status = status
  }
}

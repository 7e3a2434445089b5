import Endpoint
import Explanation
import PKIX
import TLS
import Trust
import URLLoading

/// What happened in a step, with the values that it is about; `Rendering` makes the words.
public enum StepEvent: Sendable {
  /// A message was sent.
  case sent(Transmission, SentMessage)
  /// A certificate, a revocation status or a CRL is requested over plain HTTP; the name of the certificate that it is for.
  case fetchRequested(TrustFetch, certificate: String)
  /// The response to such a request, by a CA.
  case fetchAnswered(TrustFetch.Content, by: String, ReportedStatus?)
  /// An attacker answers such a request with an older response.
  case olderStatus(url: String, seconds: Int64)
  /// No response came to such a request.
  case fetchFailed(TrustFetch, isBlocked: Bool)
  /// A real client fetched the certificate of an issuer.
  case issuerFetched(url: String)
  /// A party computed or drew values.
  case computed([Value])
  /// An endpoint decided.
  case decided(DecisionEvent, by: Speaker)
  /// An attacker acted on a message; whether there was something in it to change.
  case attacked(Attack, applies: Bool)
  /// An interceptor rewrote a response.
  case responseRewritten
  /// An attacker used the server as a padding oracle.
  case oracleAsked(OracleAttack)
  /// An attacker replaced the padding of records; the suite of the connection.
  case paddingForged(BlockPaddingAttack, CipherSuite)
  /// A secret leaked at a date.
  case leaked(Value.ID, at: Instant)
  /// A secret was given to the reader of a recording.
  case disclosed(Value.ID)
  /// An auditor or a monitor looked at a log.
  case audited(World.Audit, World.Audit.Part)
  /// A line of a calculation.
  case calculated(CalculationEvent)
  /// A recording ends: the failure, the side, and the finding on it.
  case recordingEnded(HandshakeFailure, Side, Finding)

  /// The endpoint that decides.
  public enum Speaker: Sendable, Hashable {
    /// The party itself.
    case itself
    /// The end of an interceptor that the client sees.
    case interceptorAsServer
    /// The end of an interceptor that the server sees.
    case interceptorAsClient
  }

  /// What kind of thing happened.
  public var kind: Step.Kind {
    switch self {
    case .sent, .fetchRequested, .fetchAnswered: .message
    case .computed: .derivation
    case .calculated(let event): event.isCheck ? .decision : .derivation
    case .decided, .fetchFailed, .issuerFetched, .audited, .recordingEnded: .decision
    case .attacked, .olderStatus, .responseRewritten, .oracleAsked, .paddingForged, .leaked, .disclosed: .attack
    }
  }

  /// The name of the message that travels; nil for other events.
  ///
  /// It is not inlined: Swift 6.3.1's optimiser fails on a copy of this switch in another module.
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

/// What is known of a message that was sent, besides its bytes.
public struct SentMessage: Sendable {
  /// The side that sent it.
  public let side: Side
  /// The connection in which the same bytes were recorded; nil for a message of its own.
  public let recordedIn: String?
  /// The recorded hello that a system's ClientHello comes from.
  public let origin: HelloOrigin?
  /// The content of a CertificateStatus.
  public let status: ReportedStatus?

  /// A message of `side`.
  public init(
    _ side: Side, recordedIn: String? = nil, origin: HelloOrigin? = nil, status: ReportedStatus? = nil
  ) {
    self.side = side
    self.recordedIn = recordedIn
    self.origin = origin
    self.status = status
  }
}

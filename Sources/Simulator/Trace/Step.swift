import Endpoint
import Explanation
import TLS
import URLLoading

/// One step of a trace.
public struct Step: Sendable {
  /// What kind of thing happened.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case message
    case decision
    case derivation
    case attack
  }

  /// Its place in the trace, from 1.
  public internal(set) var number = 0
  /// When it happened.
  public var at: Instant
  /// The connection it belongs to; nil when there is only one, or when it belongs to none.
  public var connection: String?
  /// Who acted.
  public var from: Party
  /// To whom, for a message.
  public var to: Party?
  /// What happened.
  public let event: StepEvent
  /// What kind of thing happened.
  public var kind: Kind { event.kind }
  /// The name of the message that travels; nil for other steps.
  public var message: MessageName? { event.message }
  /// What of a message reaches whom it is for.
  public enum Arrival: Sendable, Hashable {
    /// All of it, as it was sent.
    case whole
    /// Somebody changes it on its way.
    case changed
    /// Nothing.
    case none
  }

  /// What of a message reaches whom it is for.
  public var arrival = Arrival.whole
  /// The place that is asked in a conversation beside the connection, in which the certificate of an issuer is fetched, or
  /// what is known of revocation; nil for what belongs to the connection itself.
  public var fetchedURL: String?
  /// Whether it belongs to such a conversation.
  public var isFetch: Bool { fetchedURL != nil }
  /// Who passes the bytes on without reading them as what they are: a proxy through whose tunnel they travel; nil for nobody.
  public var carrier: Party?
  /// Whether a proxy is asked for a tunnel, or answers that: no bytes of the connection inside (RFC 9110 section 9.3.6).
  public var isAboutTunnel: Bool { message?.isAboutTunnel == true }
  /// Whether its records are protected.
  public var isProtected = false
  /// Whether an eavesdropper sees only ciphertext.
  public var isEncrypted = false
  /// The bytes on the wire.
  public var bytes: [UInt8] = []
  /// What the protected bytes say; empty when nothing is protected.
  public var plaintext: [UInt8] = []
  /// The fields of both, laid out when somebody looks at them: most steps of most runs are only judged.
  private var layout = OnDemand(done: Layout())
  /// The fields of `bytes`.
  public var fields: [Field] {
    get { layout.value.fields }
    set { layout = OnDemand(done: Layout(fields: newValue, plaintextFields: plaintextFields)) }
  }
  /// The fields of `plaintext`.
  public var plaintextFields: [Field] { layout.value.plaintextFields }
  /// Values that came to be, or became known to `from`, in this step.
  public var values: [Value] = []
  /// What was held against which rule.
  public var findings: [Finding] = []
  /// Secrets that became known to the eavesdropper.
  public var leaked: [Value.ID] = []
  /// What an attacker did to the message before it; nil for other steps.
  public var interference: Interference?

  /// A step in which `from` acts.
  public init(_ event: StepEvent, at: Instant, from: Party, to: Party? = nil) {
    self.event = event
    self.at = at
    self.from = from
    self.to = to
  }

  /// Makes this the step in which `transmission` travels: its bytes, what they say, and the fields of both.
  public mutating func carry(_ transmission: Transmission) {
    isProtected = transmission.isProtected
    isEncrypted = transmission.isEncrypted
    bytes = transmission.bytes
    plaintext = transmission.plaintext
    layout = transmission.layout
  }
}

extension Step {
  /// The type of the handshake message that travels; nil for other steps.
  public var handshakeType: HandshakeType? {
    guard case .sent(let transmission, _) = event else { return nil }
    return transmission.message?.handshakeType
  }

  /// Whether an alert travels.
  public var isAlert: Bool {
    guard case .sent(let transmission, _) = event else { return false }
    return transmission.isAlert
  }

  /// Whether a party lacks a quantity of the calculation.
  public var isImpossible: Bool {
    guard case .calculated(let event) = event else { return false }
    return event.isImpossible
  }

  /// Whether a ClientHello or a ServerHello travels.
  var isHello: Bool { [.clientHello, .serverHello].contains(handshakeType) }
}

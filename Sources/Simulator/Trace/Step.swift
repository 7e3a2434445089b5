import Endpoint
import Explanation
import TLS
import URLLoading

/// One step of a trace.
public struct Step: Sendable {
  /// The kind of a step.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case message
    case decision
    case derivation
    case attack
  }

  /// The number of the step in the trace, from 1.
  public internal(set) var number = 0
  /// The time of the step.
  public var at: Instant
  /// The name of the step's connection; nil if the run has one connection or the step belongs to none.
  public var connection: String?
  /// The party that acts.
  public var from: Party
  /// The receiver of the message; nil for other steps.
  public var to: Party?
  /// The event of the step.
  public let event: StepEvent
  /// The kind of the step.
  public var kind: Kind { event.kind }
  /// The name of the message; nil for other steps.
  public var message: MessageName? { event.message }
  /// The part of a message that reaches its receiver.
  public enum Arrival: Sendable, Hashable {
    /// The whole message arrives unchanged.
    case whole
    /// An attacker changes the message in transit.
    case changed
    /// No part of the message arrives.
    case none
  }

  /// The part of the message that reaches its receiver.
  public var arrival = Arrival.whole
  /// The URL of a fetched issuer certificate or revocation status; nil for a step of the connection itself.
  public var fetchedURL: String?
  /// Whether the step belongs to a fetch.
  public var isFetch: Bool { fetchedURL != nil }
  /// The proxy whose tunnel contains the bytes; nil without a tunnel.
  public var carrier: Party?
  /// Whether the message requests a tunnel or responds to the request.
  ///
  /// Its bytes do not belong to the tunnelled connection (RFC 9110 section 9.3.6).
  public var isAboutTunnel: Bool { message?.isAboutTunnel == true }
  /// Whether the records of the message are protected.
  public var isProtected = false
  /// Whether an eavesdropper only sees ciphertext.
  public var isEncrypted = false
  /// The bytes on the wire.
  public var bytes: [UInt8] = []
  /// The plaintext of the protected bytes; empty without protection.
  public var plaintext: [UInt8] = []
  /// The fields of the bytes and of the plaintext, which are computed on demand because most runs never show them.
  private var layout = OnDemand(done: Layout())
  /// The fields of `bytes`.
  public var fields: [Field] {
    get { layout.value.fields }
    set { layout = OnDemand(done: Layout(fields: newValue, plaintextFields: plaintextFields)) }
  }
  /// The fields of `plaintext`.
  public var plaintextFields: [Field] { layout.value.plaintextFields }
  /// The values that the acting party generated or learned in this step.
  public var values: [Value] = []
  /// The findings of the step: the rules that were checked, and their results.
  public var findings: [Finding] = []
  /// The secrets that the eavesdropper learned, or the quantum computer that it now has.
  public var leaked: [Leak.Content] = []
  /// The attacker's action on the message of the previous step; nil for other steps.
  public var interference: Interference?

  /// Creates a step in which `from` acts.
  public init(_ event: StepEvent, at: Instant, from: Party, to: Party? = nil) {
    self.event = event
    self.at = at
    self.from = from
    self.to = to
  }

  /// Adds a message to the step, with its bytes, its plaintext and the fields of both.
  public mutating func carry(_ transmission: Transmission) {
    isProtected = transmission.isProtected
    isEncrypted = transmission.isEncrypted
    bytes = transmission.bytes
    plaintext = transmission.plaintext
    layout = transmission.layout
  }
}

extension Step {
  /// The type of the handshake message; nil for other steps.
  public var handshakeType: HandshakeType? {
    guard case .sent(let transmission, _) = event else { return nil }
    return transmission.message?.handshakeType
  }

  /// Whether the message is an alert.
  public var isAlert: Bool {
    guard case .sent(let transmission, _) = event else { return false }
    return transmission.isAlert
  }

  /// Whether the step is a line of a calculation that lacks a quantity.
  public var isImpossible: Bool {
    guard case .calculated(let event) = event else { return false }
    return event.isImpossible
  }

  /// Whether the message is a ClientHello or a ServerHello.
  var isHello: Bool { [.clientHello, .serverHello].contains(handshakeType) }
}

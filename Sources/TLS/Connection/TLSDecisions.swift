import Explanation

/// The decisions of TLS in which implementations with historical bugs deviate, as functions.
///
/// Disabling a rule cannot describe the behaviour of a faulty implementation; these functions can. The defaults are
/// correct, and a fault replaces one or more.
public struct TLSDecisions: EngineDecisions {
  /// Returns an extra transition for an event that is unexpected in the current state.
  ///
  /// By default there is none, and the event is an unexpected_message.
  public var accepts: @Sendable (_ expected: [Event.Kind], _ event: Event) -> ExtraTransition = { _, _ in .none }
  /// Returns the secret that a server continues with; nil selects the substitute.
  ///
  /// The function receives the decrypted data and the version in the client's offer. By default there is no function,
  /// and the engine selects the decrypted secret or the substitute without a branch.
  public var premaster: (@Sendable (_ decrypted: [UInt8], _ version: ProtocolVersion) -> [UInt8]?)?
  /// Whether a server sends an alert that reveals the defect of a decrypted premaster secret. A correct server never
  /// does.
  public var tells: @Sendable (_ flaw: PremasterFlaw) -> Bool = { _ in false }
  /// Whether the padding of a CBC record is correct. The last byte of the argument is the padding length.
  ///
  /// By default there is no function, and all bytes are compared in constant time (RFC 5246 section 6.2.3.2).
  public var paddingHolds: (@Sendable (_ padding: [UInt8]) -> Bool)?
  /// Returns the alert for a CBC record whose padding or MAC may be wrong; nil accepts the record.
  ///
  /// By default there is no function, and both defects cause the same alert, bad_record_mac.
  public var answer: (@Sendable (_ paddingHolds: Bool, _ macHolds: Bool) -> AlertDescription?)?
  /// Returns the offer from which a server selects. By default there is no function: the server selects from the
  /// client's offer.
  public var reads: (@Sendable (_ offer: ClientHello, _ server: ServerConfiguration) -> ClientHello)?
  /// Whether a server may select a suite in a version. By default there is no function: the registry decides.
  public var hasSuite: (@Sendable (_ suite: CipherSuite, _ version: ProtocolVersion) -> Bool)?
  /// Returns the content of a handshake message to send. By default there is no function: the content is unchanged.
  public var sends: (@Sendable (_ body: HandshakeMessage.Body) -> HandshakeMessage.Body)?
  /// Returns the version at the beginning of a premaster secret. By default there is no function: it is the version in
  /// the client's offer (RFC 5246 section 7.4.7.1).
  public var premasterVersion: (@Sendable (_ offered: ProtocolVersion) -> ProtocolVersion)?
  /// Returns the contents of the records of a handshake message. By default there is no function.
  public var fragments: (@Sendable (_ fragments: [[UInt8]]) -> [[UInt8]])?

  /// Whether a server that must not accept a replay accepts early data.
  ///
  /// The argument states whether the ticket was used before. By default, a used ticket is not accepted.
  public var acceptsEarlyData: @Sendable (_ isSpent: Bool) -> Bool = { !$0 }

  /// Creates the correct decisions.
  public init() {}

  /// The correct decisions, without a fault.
  public static let standard = TLSDecisions()
}

extension Fault {
  /// A fault that changes TLS decisions, so that violations of `rules` are accepted.
  public static func tls(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout TLSDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// A transition that the state machine of the RFC does not have.
public enum ExtraTransition: Sendable, Hashable {
  /// No transition: the event is unexpected.
  case none
  /// The state does not change, but a handshake message is added to the transcript.
  case stays
  /// The machine skips the missing events and continues after them, if possible.
  case skips
}

/// A defect of a decrypted premaster secret (RFC 5246 section 7.4.7.1).
public enum PremasterFlaw: String, Sendable, Hashable, CaseIterable {
  /// The block does not begin with 00 02.
  case blockType = "a block that does not begin with 00 02"
  /// The padding is wrong, or the secret does not have 48 bytes.
  case padding = "wrong padding or length"
  /// The secret does not begin with the version in the client's offer.
  case version = "another version"
}

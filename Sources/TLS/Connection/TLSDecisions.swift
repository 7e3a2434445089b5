import Explanation

/// The decisions of TLS that a historical bug made differently, as named functions.
///
/// Switching off a rule cannot describe an implementation's behaviour in its place; these functions can. The defaults
/// are correct, and a fault replaces one.
public struct TLSDecisions: EngineDecisions {
  /// The extra transition of the state machine for an event in a state where others are expected.
  ///
  /// The default has none: the event is an unexpected_message.
  public var accepts: @Sendable (_ expected: [Event.Kind], _ event: Event) -> ExtraTransition = { _, _ in .none }
  /// Returns the secret that a server continues with; nil for the substitute.
  ///
  /// It depends on the decrypted data and on the version of the client's offer. The default is nil: the engine selects
  /// one or the other without a branch.
  public var premaster: (@Sendable (_ decrypted: [UInt8], _ version: ProtocolVersion) -> [UInt8]?)?
  /// Whether a server sends an alert that reveals a flaw of a decrypted premaster secret; it must not.
  public var tells: @Sendable (_ flaw: PremasterFlaw) -> Bool = { _ in false }
  /// Whether the padding of a CBC record is right; the last byte is its length.
  ///
  /// The default is nil: all bytes are compared in constant time (RFC 5246 section 6.2.3.2).
  public var paddingHolds: (@Sendable (_ padding: [UInt8]) -> Bool)?
  /// The alert for a CBC record whose padding or MAC may be wrong; nil for none.
  ///
  /// The default is nil: one alert for both, bad_record_mac.
  public var answer: (@Sendable (_ paddingHolds: Bool, _ macHolds: Bool) -> AlertDescription?)?

  /// The correct decisions.
  public init() {}

  /// The correct decisions.
  public static let standard = TLSDecisions()
}

extension Fault {
  /// A fault that changes decisions of TLS, so that violations of `rules` pass.
  public static func tls(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout TLSDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// A transition that the RFC's state machine does not have.
public enum ExtraTransition: Sendable, Hashable {
  /// No transition: the event is unexpected.
  case none
  /// The state does not change, but a message joins the transcript.
  case stays
  /// The machine continues as if the missing events had occurred, if possible.
  case skips
}

/// A flaw of a decrypted premaster secret: RFC 5246 section 7.4.7.1.
public enum PremasterFlaw: String, Sendable, Hashable, CaseIterable {
  /// The block does not begin with 00 02.
  case blockType = "a block that does not begin with 00 02"
  /// The padding is wrong, or the secret does not have 48 bytes.
  case padding = "wrong padding or length"
  /// The secret does not begin with the version of the client's offer.
  case version = "another version"
}

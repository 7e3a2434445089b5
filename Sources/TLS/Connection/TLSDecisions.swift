import Explanation

/// The decisions of TLS that a historical bug made differently, as functions with a name each: where a rule that is
/// switched off cannot say what an implementation did instead, one of these does.
///
/// All are the correct ones by default; a fault replaces one.
public struct TLSDecisions: EngineDecisions {
  /// The extra transition of the state machine for an event in a state where others are expected.
  ///
  /// The default has none: the event is an unexpected_message.
  public var accepts: @Sendable (_ expected: [Event.Kind], _ event: Event) -> ExtraTransition = { _, _ in .none }
  /// The secret that a server goes on with, of what it has decrypted and the version of the client's offer; nil for the
  /// substitute. The default is nil: the engine selects one or the other without a branch.
  public var premaster: (@Sendable (_ decrypted: [UInt8], _ version: ProtocolVersion) -> [UInt8]?)?
  /// Whether a server gives up with an alert that tells of a flaw in a decrypted premaster secret; it must not.
  public var tells: @Sendable (_ flaw: PremasterFlaw) -> Bool = { _ in false }
  /// Whether the padding of a CBC record is right: its bytes, the last of which is its length. The default is nil: all
  /// bytes are compared, in a time that does not depend on them (RFC 5246 section 6.2.3.2).
  public var paddingHolds: (@Sendable (_ padding: [UInt8]) -> Bool)?
  /// The alert for a CBC record of which padding or authentication code may be wrong; nil for none. The default is nil:
  /// one alert for both, bad_record_mac.
  public var answer: (@Sendable (_ paddingHolds: Bool, _ macHolds: Bool) -> AlertDescription?)?

  /// The correct decisions.
  public init() {}

  /// The correct decisions.
  public static let standard = TLSDecisions()
}

extension Fault {
  /// The fault that changes decisions of TLS, and so lets violations of `rules` pass.
  public static func tls(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout TLSDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// A transition that the state machine of the RFC does not have.
public enum ExtraTransition: Sendable, Hashable {
  /// No transition: the event is unexpected.
  case none
  /// The event changes nothing; a message joins the transcript all the same.
  case stays
  /// The machine goes on as if the events that had to come before had come, if it can.
  case skips
}

/// What can be wrong with a decrypted premaster secret: RFC 5246 section 7.4.7.1.
public enum PremasterFlaw: String, Sendable, Hashable, CaseIterable {
  /// The block does not begin as an encryption block does.
  case blockType = "a block that does not begin with 00 02"
  /// The padding is wrong, or what follows has not 48 bytes.
  case padding = "wrong padding or length"
  /// The secret does not begin with the version of the client's offer.
  case version = "another version"
}

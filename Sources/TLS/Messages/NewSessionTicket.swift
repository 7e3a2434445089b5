import Explanation
import Wire

/// A ticket with the session state that the server would otherwise store itself (RFC 5077 section 3.3).
///
/// ```
/// struct { uint32 ticket_lifetime_hint; opaque ticket<0..2^16-1>; } NewSessionTicket;
/// ```
public struct NewSessionTicket: Sendable, Hashable {
  /// The lifetime of the ticket in seconds, as a hint; 0 leaves it open.
  public var lifetimeHint: UInt32
  /// The ticket, which only the server can decrypt; empty if it decided against one.
  public var ticket: [UInt8]

  /// Creates a ticket with a hint.
  public init(lifetimeHint: UInt32, ticket: [UInt8]) {
    self.lifetimeHint = lifetimeHint
    self.ticket = ticket
  }

  init(_ reader: inout Reader) throws(WireError) {
    let hint = try reader.bytes("ticket_lifetime_hint", count: 4) { "\(Self.number($0)) seconds" }
    lifetimeHint = Self.number(hint)
    ticket = try reader.opaque("ticket", 0...0xffff)
  }

  private static func number(_ bytes: [UInt8]) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint32(lifetimeHint)
    try writer.opaque("ticket", 0...0xffff, ticket)
  }
}

extension [Extension] {
  /// The content of `session_ticket`; nil without one. It is the ticket that a client presents, or empty (RFC 5077
  /// section 3.2).
  var sessionTicket: [UInt8]? {
    for case .sessionTicket(let data) in self { return data }
    return nil
  }
}

import Explanation
import Wire

/// A ticket that contains the session state, so that the server need not store it (RFC 5077 section 3.3).
///
/// ```
/// struct { uint32 ticket_lifetime_hint; opaque ticket<0..2^16-1>; } NewSessionTicket;
/// ```
public struct NewSessionTicket: Sendable, Hashable {
  /// The suggested lifetime of the ticket in seconds. 0 means that the server suggests none.
  public var lifetimeHint: UInt32
  /// The ticket, which only the server can decrypt. It is empty if the server decided not to issue one.
  public var ticket: [UInt8]

  /// Creates a message with a lifetime hint and a ticket.
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
  /// The content of the `session_ticket` extension; nil if it is absent. The content is the ticket that a client
  /// presents, or empty (RFC 5077 section 3.2).
  var sessionTicket: [UInt8]? {
    for case .sessionTicket(let data) in self { return data }
    return nil
  }
}

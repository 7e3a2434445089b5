/// The part of a connection that decided first when a verdict is not `accepted`.
///
/// Raw values are the words of the scenario language and the prefixes of rule ids.
public enum Layer: String, Sendable, Hashable, CaseIterable, Comparable {
  case ats
  case handshake
  case record
  case chain
  case name
  case pin
  case challenge
  case clientAuth = "client-auth"
  case httpAuth = "http-auth"
  case application

  /// The order in which a client comes to decide.
  public static func < (left: Layer, right: Layer) -> Bool { left.position < right.position }

  private var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

/// What a rule is about: an app's property list, or the part of a connection that decided first when a verdict is not
/// `accepted`.
///
/// Raw values are the words of the scenario language and the prefixes of rule ids.
public enum Layer: String, Sendable, Hashable, CaseIterable, Comparable {
  /// What an app's property list says; it decides nothing by itself.
  case plist
  case ats
  case handshake
  case record
  case chain
  case name
  case pin
  case challenge
  case pkcs12
  case clientAuth = "client-auth"
  case httpAuth = "http-auth"
  case application

  /// The layers that can decide about a connection.
  public static let deciding = allCases.filter { $0 != .plist }

  /// The order in which a client comes to decide.
  public static func < (left: Layer, right: Layer) -> Bool { left.position < right.position }

  private var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

/// The subject area of a rule: an app's property list, or a part of a connection.
///
/// The layer of a verdict is the first part that refused the connection.
///
/// Raw values are words of the scenario language and prefixes of rule ids.
public enum Layer: String, Sendable, Hashable, CaseIterable, Comparable {
  /// The content of an app's property list. A rule of this layer alone refuses no connection.
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

  /// The layers whose rules can refuse a connection.
  public static let deciding = allCases.filter { $0 != .plist }

  /// Orders layers as a client evaluates them.
  public static func < (left: Layer, right: Layer) -> Bool { left.position < right.position }

  private var position: Int { Self.allCases.firstIndex(of: self) ?? Self.allCases.count }
}

import Explanation

/// A party that requires HTTP authentication (RFC 9110 sections 11.6 and 11.7).
public enum HTTPAsker: Sendable, Hashable {
  /// The server that the URL names.
  case server
  /// A proxy between the client and the server.
  case proxy

  /// The status line without the HTTP version.
  var status: String { self == .server ? "401 Unauthorized" : "407 Proxy Authentication Required" }
  /// The status code of the challenge.
  public var code: Int { self == .server ? 401 : 407 }
  /// The name of the field that contains the challenges.
  public var challengeField: String { self == .server ? "WWW-Authenticate" : "Proxy-Authenticate" }
  /// The rule that an unauthenticated client violates.
  var rule: Rule { self == .server ? .unauthorized : .proxyUnauthorized }
}

import Cryptography
import Explanation
import URLLoading

/// The HTTP authentication of a server.
public struct AuthenticationDescription: Sendable {
  /// The authentication schemes, in the order of the header fields.
  public internal(set) var schemes = [HTTPAuthenticationScheme.basic]
  /// The name of the protection space.
  public internal(set) var realm = ""
  /// The passwords by user name.
  public internal(set) var users: [String: String] = [:]
  /// The number of wrong passwords after which an account is locked; nil for no limit.
  public internal(set) var lockAfter: Int?
  /// The body of the 401 or 407 response.
  public internal(set) var body = "unauthorized"
  /// The parameters of the Digest scheme.
  public internal(set) var digest = DigestDescription()

  /// Every key of `authentication`.
  static let section = Section<AuthenticationDescription>(
    "authentication",
    "HTTP authentication by a server, which responds with 401 until the client is authenticated (RFC 9110 section "
      + "11.6).",
    [
      .term(
        "schemes", .list(.choice(called: "authentication scheme").named("authentication scheme")),
        "the authentication schemes, in the order of the header fields: Basic, Digest, NTLM, Negotiate", into: \.schemes
      ),
      .term("realm", .text, "the name of the protection space", into: \.realm),
      .term("users", .named(.text), "the passwords by user name: { alice: secret }", into: \.users),
      .term(
        "lockAfter", .integer(1...1000),
        "the number of wrong passwords after which an account is locked; default: no limit",
        into: \.lockAfter),
      .term("body", .text, "the body of the 401 or 407 response, which the app can read", into: \.body),
      .term(
        "digest", .section(DigestDescription.section) { DigestDescription() }, "the parameters of the Digest scheme",
        into: \.digest),
    ])

  /// The policy with which the authenticator checks requests.
  var policy: HTTPAuthenticator.Policy {
    var policy = HTTPAuthenticator.Policy(
      schemes: schemes, realm: realm, users: users, lockAfter: lockAfter,
      algorithms: digest.algorithms.compactMap { DigestAuthentication.Algorithm($0) },
      countsRequests: digest.quality == .auth, staleness: digest.staleness)
    policy.body = body
    return policy
  }

  var sentence: String {
    let lock = lockAfter.map { ", and locks an account after \($0) wrong password\($0 == 1 ? "" : "s")" } ?? ""
    return "It asks for a name and a password in the realm '\(realm)' by \(schemes.map(\.rawValue).listed)\(lock)."
  }
}

/// The parameters of a server's Digest scheme (RFC 7616 section 3.3).
public struct DigestDescription: Sendable {
  /// The quality of protection that the server offers (`qop`).
  enum Quality: String, Sendable, CaseIterable {
    case auth
    case none
  }

  var algorithms = ["MD5"]
  var quality = Quality.auth
  var staleness = HTTPAuthenticator.Staleness.never

  static let section = Section<DigestDescription>(
    "digest", "The parameters of a server's Digest scheme (RFC 7616 section 3.3).",
    [
      .term(
        "algorithm",
        .oneOrMany(.choice(DigestAuthentication.Algorithm.names, called: "Digest algorithm")),
        "the algorithms, best first: MD5, MD5-sess, SHA-256, SHA-256-sess; default: MD5", into: \.algorithms),
      .term(
        "qop", .choice(called: "quality of protection"),
        "the quality of protection: auth counts requests, none does not (as in RFC 2069); default: auth",
        into: \.quality),
      .term(
        "stale", .choice(called: "staleness"),
        "whether the server rejects a client's first nonce as stale (once); default: never", into: \.staleness),
    ])
}

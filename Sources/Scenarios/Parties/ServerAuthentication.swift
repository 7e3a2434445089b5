import Cryptography
import Explanation
import URLLoading

/// How a server asks over HTTP who the client is.
public struct AuthenticationDescription: Sendable {
  /// The schemes it offers, in the order of its header fields.
  public internal(set) var schemes = [HTTPAuthenticationScheme.basic]
  /// What it calls its protection space.
  public internal(set) var realm = ""
  /// The passwords by name.
  public internal(set) var users: [String: String] = [:]
  /// How many wrong passwords lock an account; nil where none does.
  public internal(set) var lockAfter: Int?
  /// What the response that asks says in its body.
  public internal(set) var body = "unauthorized"
  /// What Digest says.
  public internal(set) var digest = DigestDescription()

  /// Every word of `authentication`.
  static let section = Section<AuthenticationDescription>(
    "authentication", "How a server asks over HTTP who the client is: 401 until it knows (RFC 9110 section 11.6).",
    [
      .term(
        "schemes", .list(.choice(called: "authentication scheme").named("authentication scheme")),
        "the schemes it offers, in the order of its header fields: Basic, Digest, NTLM, Negotiate", into: \.schemes),
      .term("realm", .text, "what it calls its protection space", into: \.realm),
      .term("users", .named(.text), "the passwords by name: { alice: secret }", into: \.users),
      .term(
        "lockAfter", .integer(1...1000), "how many wrong passwords lock an account; none do, if left out",
        into: \.lockAfter),
      .term("body", .text, "what the 401 or 407 has as its body: what an app that is handed it can read", into: \.body),
      .term("digest", .section(DigestDescription.section) { DigestDescription() }, "what Digest says", into: \.digest),
    ])

  /// How the server judges requests.
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

/// What the Digest scheme of a server says: RFC 7616 section 3.3.
public struct DigestDescription: Sendable {
  /// `qop`.
  enum Quality: String, Sendable, CaseIterable {
    case auth
    case none
  }

  var algorithms = ["MD5"]
  var quality = Quality.auth
  var staleness = HTTPAuthenticator.Staleness.never

  static let section = Section<DigestDescription>(
    "digest", "What the Digest scheme of a server says (RFC 7616 section 3.3).",
    [
      .term(
        "algorithm",
        .oneOrMany(.choice(DigestAuthentication.Algorithm.names, called: "algorithm of Digest")),
        "its algorithms, best first: MD5, MD5-sess, SHA-256, SHA-256-sess; MD5, if left out", into: \.algorithms),
      .term(
        "qop", .choice(called: "quality of protection"),
        "whether requests are counted (auth) or not, as in RFC 2069 (none); auth, if left out", into: \.quality),
      .term(
        "stale", .choice(called: "staleness"),
        "whether it calls the first nonce that a client uses stale (once); never, if left out", into: \.staleness),
    ])
}

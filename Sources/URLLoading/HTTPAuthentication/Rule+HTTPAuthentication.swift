import Explanation

extension Rule {
  /// The server accepts the client's credentials.
  public static let unauthorized = Rule(
    .httpAuth, "unauthorized", "A request for a protected resource contains credentials that the server accepts.",
    .rfc(9110, "15.5.2"),
    fix: "Respond to the challenge with the user name and password that the server has for this protection space. "
      + "URLSession calls the task's delegate, not the session's.")

  /// The proxy accepts the client's credentials.
  public static let proxyUnauthorized = Rule(
    .httpAuth, "proxy-unauthorized", "A request through a proxy contains the credentials that the proxy requires.",
    .rfc(9110, "15.5.8"),
    fix: "In the task's delegate, respond to the proxy's challenge (isProxy) with the proxy's own user name and "
      + "password. For a load without a delegate, add them to the credential storage.")

  /// The app does not set header fields that the loader reserves.
  public static let reservedField = Rule(
    .httpAuth, "reserved-field",
    "An app does not set the header field Authorization, which the URL Loading System "
      + "reserves.",
    .apple("URLSessionConfiguration.httpAdditionalHeaders"),
    fix:
      "Respond to the challenge with a credential. A header field that the app sets is sent before any challenge, and "
      + "only once.",
    decides: false)

  /// The account is not locked.
  public static let accountLocked = Rule(
    .httpAuth, "account-locked",
    "The account is not locked: the number of wrong passwords is below the server's limit.",
    .rfc(9110, "15.5.4"),
    fix: "Have the account unlocked, and make the delegate check previousFailureCount before it responds again.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// The client and the server have a scheme in common.
  public static let noHTTPScheme = Rule(
    .httpAuth, "no-scheme", "The server or proxy offers an authentication scheme that the client supports.",
    .rfc(9110, "11.6.1"),
    fix: "Offer Basic (over https), Digest with MD5 and qop auth, or NTLM as well.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// The credentials are for the realm of the challenge.
  public static let realmMismatch = Rule(
    .httpAuth, "realm-mismatch", "The credentials are for the realm that the server names; realms are case-sensitive.",
    .rfc(9110, "11.5"), fix: "Store and look up credentials under the exact realm of the challenge.", decides: false)

  /// A password is sent only inside TLS.
  public static let cleartextPassword = Rule(
    .httpAuth, "cleartext", "A password is sent only over TLS, because Base64 is not encryption.", .rfc(7617, "4"),
    fix: "Load the resource over https.", decides: false)

  /// The challenge can be parsed.
  public static let malformedChallenge = Rule(
    .httpAuth, "malformed-challenge",
    "The header field WWW-Authenticate or Proxy-Authenticate has the syntax that HTTP defines.", .rfc(9110, "11.6.1"),
    fix: "Make the server put quotes around realm and nonce, and commas between parameters.", decides: false)

  /// The credentials can be parsed.
  public static let malformedCredentials = Rule(
    .httpAuth, "malformed-credentials", "The header field Authorization has the syntax of its authentication scheme.",
    .rfc(9110, "11.6.2"),
    fix: "Use a user name without colons and control characters, and the parameters of the scheme.", decides: false)

  /// The nonce comes from the server, and the server still accepts it.
  public static let staleNonce = Rule(
    .httpAuth, "stale-nonce", "The server issued the nonce and still accepts it.", .rfc(7616, "3.3"),
    fix: "No fix is needed: the client repeats the request with the new nonce and the same credential.", decides: false)

  /// The server accepts each request only once.
  public static let replayedNonce = Rule(
    .httpAuth, "replayed-nonce", "The Digest nonce count increases with every request.", .rfc(7616, "3.4"),
    fix: "Look for an attacker that replays a recorded request.", decides: false)

  /// The rules of HTTP authentication.
  public static let httpAuthentication: [Rule] = [
    .unauthorized, .proxyUnauthorized, .reservedField, .accountLocked, .noHTTPScheme, .realmMismatch,
    .cleartextPassword, .malformedChallenge,
    .malformedCredentials, .staleNonce, .replayedNonce,
  ]
}

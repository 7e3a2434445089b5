import Explanation

extension Rule {
  /// The server accepts the client's credentials.
  public static let unauthorized = Rule(
    .httpAuth, "unauthorized", "A request for a protected resource has credentials that the server accepts.",
    .rfc(9110, "15.5.2"),
    fix: "Answer the challenge with the name and the password that the server has for this protection space. "
      + "URLSession calls the task's delegate, not the session's.")

  /// The proxy accepts the client's credentials.
  public static let proxyUnauthorized = Rule(
    .httpAuth, "proxy-unauthorized", "A request through a proxy has the credentials that the proxy requires.",
    .rfc(9110, "15.5.8"),
    fix: "Answer the challenge whose protection space isProxy with the proxy's own name and password, in the delegate "
      + "of the task. For a load without a delegate, put them into the credential storage.")

  /// The app does not set header fields that the loader reserves.
  public static let reservedField = Rule(
    .httpAuth, "reserved-field", "An app does not set the field Authorization, which the URL Loading System reserves.",
    .apple("URLSessionConfiguration.httpAdditionalHeaders"),
    fix:
      "Answer the challenge with a credential. A field that the app sets is sent before any challenge, and only once.",
    decides: false)

  /// The account is not locked.
  public static let accountLocked = Rule(
    .httpAuth, "account-locked", "The account is not locked: it had fewer wrong passwords than the server's limit.",
    .rfc(9110, "15.5.4"),
    fix: "Have the account unlocked, and let the delegate look at previousFailureCount before it answers again.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// The client and the server have a scheme in common.
  public static let noHTTPScheme = Rule(
    .httpAuth, "no-scheme", "The server or proxy offers an authentication scheme that the client can use.",
    .rfc(9110, "11.6.1"),
    fix: "Have Basic (over https), Digest with MD5 and qop auth, or NTLM offered as well.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// The credentials are for the realm of the challenge.
  public static let realmMismatch = Rule(
    .httpAuth, "realm-mismatch", "Credentials are for the realm that the server names; case matters.",
    .rfc(9110, "11.5"), fix: "Store and look up credentials under exactly the realm of the challenge.", decides: false)

  /// A password is sent only inside TLS.
  public static let cleartextPassword = Rule(
    .httpAuth, "cleartext", "A password is sent only inside TLS: Base64 hides nothing.", .rfc(7617, "4"),
    fix: "Load the resource over https.", decides: false)

  /// The challenge can be parsed.
  public static let malformedChallenge = Rule(
    .httpAuth, "malformed-challenge",
    "WWW-Authenticate, and Proxy-Authenticate of a proxy, has the syntax of HTTP.", .rfc(9110, "11.6.1"),
    fix: "Let the server put quotes around realm and nonce, and commas between parameters.", decides: false)

  /// The credentials can be parsed.
  public static let malformedCredentials = Rule(
    .httpAuth, "malformed-credentials", "Authorization has the syntax of its scheme.", .rfc(9110, "11.6.2"),
    fix: "Use a name without colon and control characters, and the parameters of the scheme.", decides: false)

  /// The nonce comes from the server, and the server still accepts it.
  public static let staleNonce = Rule(
    .httpAuth, "stale-nonce", "The server issued the nonce and still accepts it.", .rfc(7616, "3.3"),
    fix: "None is needed: the client repeats the request with the new nonce and the same credential.", decides: false)

  /// The server accepts each request only once.
  public static let replayedNonce = Rule(
    .httpAuth, "replayed-nonce", "The nonce count of Digest increases with every request.", .rfc(7616, "3.4"),
    fix: "Look for an attacker that replays a recorded request.", decides: false)

  /// The rules of HTTP authentication.
  public static let httpAuthentication: [Rule] = [
    .unauthorized, .proxyUnauthorized, .reservedField, .accountLocked, .noHTTPScheme, .realmMismatch,
    .cleartextPassword, .malformedChallenge,
    .malformedCredentials, .staleNonce, .replayedNonce,
  ]
}

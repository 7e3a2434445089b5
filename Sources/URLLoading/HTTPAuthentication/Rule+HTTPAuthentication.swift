import Explanation

extension Rule {
  /// The server takes who the client says it is.
  public static let unauthorized = Rule(
    .httpAuth, "unauthorized", "A request for a protected resource has credentials that the server takes.",
    .rfc(9110, "15.5.2"),
    fix: "Answer the challenge with the name and the password that the server knows for this protection space. "
      + "URLSession asks the delegate of the task, not that of the session.")

  /// A proxy takes who the client says it is.
  public static let proxyUnauthorized = Rule(
    .httpAuth, "proxy-unauthorized", "A request through a proxy that asks has credentials that the proxy takes.",
    .rfc(9110, "15.5.8"),
    fix: "Answer the challenge whose protection space isProxy with the proxy's own name and password, in the delegate "
      + "of the task. For a load that asks no delegate, put them into the credential storage.")

  /// What the loader writes, an app does not.
  public static let reservedField = Rule(
    .httpAuth, "reserved-field", "The field Authorization is the URL Loading System's: an app does not set it.",
    .apple("URLSessionConfiguration.httpAdditionalHeaders"),
    fix:
      "Answer the challenge with a credential; a field of one's own is sent before anybody asks, and not followed up.",
    decides: false)

  /// Nobody tries passwords for ever.
  public static let accountLocked = Rule(
    .httpAuth, "account-locked", "An account is open: passwords were not wrong more often than the server lets pass.",
    .rfc(9110, "15.5.4"),
    fix: "Have the account unlocked, and let the delegate look at previousFailureCount before it answers again.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// Client and server have a scheme in common.
  public static let noHTTPScheme = Rule(
    .httpAuth, "no-scheme", "Whoever asks over HTTP offers an authentication scheme that the client can use.",
    .rfc(9110, "11.6.1"),
    fix: "Have Basic (over https), Digest with MD5 and qop auth, or NTLM offered as well.",
    implies: ["http-auth.unauthorized", "http-auth.proxy-unauthorized"])

  /// Credentials are for the space that asks for them.
  public static let realmMismatch = Rule(
    .httpAuth, "realm-mismatch", "Credentials are for the realm that the server names, in which case counts.",
    .rfc(9110, "11.5"), fix: "Store and look up credentials under exactly the realm of the challenge.", decides: false)

  /// A password is no public matter.
  public static let cleartextPassword = Rule(
    .httpAuth, "cleartext", "A password travels inside TLS only: Base64 hides nothing.", .rfc(7617, "4"),
    fix: "Load the resource over https.", decides: false)

  /// A challenge can be read.
  public static let malformedChallenge = Rule(
    .httpAuth, "malformed-challenge",
    "WWW-Authenticate, and Proxy-Authenticate of a proxy, has the form that HTTP gives it.", .rfc(9110, "11.6.1"),
    fix: "Let the server put quotes around realm and nonce, and commas between parameters.", decides: false)

  /// Credentials can be read.
  public static let malformedCredentials = Rule(
    .httpAuth, "malformed-credentials", "Authorization has the form that its scheme gives it.", .rfc(9110, "11.6.2"),
    fix: "Use a name without colon and control characters, and the parameters of the scheme.", decides: false)

  /// A nonce is one that the server gave out and still takes.
  public static let staleNonce = Rule(
    .httpAuth, "stale-nonce", "A nonce is one that the server has given out and still takes.", .rfc(7616, "3.3"),
    fix: "None is needed: the client sends the request again with the new nonce, and asks nobody.", decides: false)

  /// A request is taken once.
  public static let replayedNonce = Rule(
    .httpAuth, "replayed-nonce", "The nonce count of Digest goes up with every request.", .rfc(7616, "3.4"),
    fix: "Look for someone who sends a recorded request again.", decides: false)

  /// The rules of HTTP authentication.
  public static let httpAuthentication: [Rule] = [
    .unauthorized, .proxyUnauthorized, .reservedField, .accountLocked, .noHTTPScheme, .realmMismatch,
    .cleartextPassword, .malformedChallenge,
    .malformedCredentials, .staleNonce, .replayedNonce,
  ]
}

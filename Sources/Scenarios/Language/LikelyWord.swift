import Explanation

/// Guesses the keyword that the author meant: the keyword for another program's term, or the nearest spelling.
enum LikelyWord {
  /// Returns a hint for the invalid `word` if only the words in `known` are valid.
  static func hint(for word: String, among known: [String]) -> String {
    if let meant = meant[word.lowercased()]?.first(where: known.contains) { return "did you mean '\(meant)'?" }
    return Spelling.hint(for: word, among: known)
  }

  /// Terms that people write, with the keywords that they can mean. The first keyword that is valid at the place is
  /// used.
  private static let meant: [String: [String]] = [
    "rejected": ["refused"], "denied": ["refused"], "blocked": ["refused"], "failed": ["refused"],
    "fail": ["refused"], "error": ["refused"], "ok": ["accepted"], "success": ["accepted"], "passed": ["accepted"],
    "allowed": ["accepted"], "trusted": ["accepted", "trust"], "timeout": ["hangs"],
    "no": ["prevented", "none", "false"], "yes": ["possible", "required", "true"], "never": ["prevented"],
    "safe": ["prevented"], "lost": ["possible"], "broken": ["possible", "break"],
    "mitm": ["intercept"], "sniff": ["eavesdrop"], "listen": ["eavesdrop"], "modify": ["alter"], "change": ["alter"],
    "sslstrip": ["strip"], "attacker": ["eavesdropper", "interceptor"], "mallory": ["interceptor"],
    "eve": ["eavesdropper"], "app": ["client"],
    "san": ["names"], "hosts": ["names", "servers"], "dnsnames": ["names"], "ca": ["issuer", "authorities"],
    "signer": ["issuer"], "signedby": ["issuer"], "validity": ["days"], "expires": ["notAfter"], "cn": ["commonName"],
    "hash": ["signature"], "ciphers": ["cipherSuites"], "suites": ["cipherSuites"], "tls": ["versions"],
    "chain": ["presents", "path"], "certs": ["certificates", "presents"], "url": ["request", "url"],
    "date": ["clock", "date"], "now": ["clock"], "with": ["changes"], "changes": ["with"], "plist": ["infoPlist"],
    "ats": ["infoPlist", "ats"], "reason": ["because"], "reasons": ["because"], "body": ["content", "body"],
    "alpn": ["applicationProtocol", "applicationProtocols"], "description": ["before", "title"],
    "p256": ["secp256r1"], "p-256": ["secp256r1"], "prime256v1": ["secp256r1"],
    "p384": ["secp384r1"], "p-384": ["secp384r1"], "p521": ["secp521r1"],
    "p-521": ["secp521r1"], "curve25519": ["x25519"], "curve448": ["x448"],
    "trust-all": ["accept-all"], "name": ["title"], "password": ["application_data.client.1"],
  ]
}

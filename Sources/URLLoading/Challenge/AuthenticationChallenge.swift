/// What a challenge asks for: `NSURLProtectionSpace.authenticationMethod`.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  /// Whether to go on with a server that shows this chain.
  case serverTrust = "NSURLAuthenticationMethodServerTrust"
}

/// What a delegate answers a challenge with: `NSURLSession.AuthChallengeDisposition`.
public enum ChallengeDisposition: String, Sendable, Hashable, CaseIterable {
  /// A credential; for a server's trust, the word that the server is to be trusted.
  case useCredential
  /// The system decides, as if there were no delegate.
  case performDefaultHandling
  /// The load is given up.
  case cancelAuthenticationChallenge
}

/// The result of SecTrustEvaluate (Security, SecTrust.h).
public enum SecTrustResultType: UInt32, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// There was no evaluation.
  case invalid = 0
  /// The certificate is trusted by an explicit decision of the user.
  case proceed = 1
  /// The user must be asked. This result is deprecated since OS X 10.9 and iOS 7.
  case confirm = 2
  /// The user marked the certificate Never Trust.
  case deny = 3
  /// The certificate is trusted without a decision of the user, which is the usual result for a trusted server.
  case unspecified = 4
  /// The certificate is not trusted, but other anchors, another date or the user's decision can change this result.
  case recoverableTrustFailure = 5
  /// The certificate is not trusted, and nothing can change this result.
  case fatalTrustFailure = 6
  /// An error other than a trust failure occurred.
  case otherError = 7

  /// Whether the certificate is trusted, which is the case for `proceed` and `unspecified`.
  public var isTrusted: Bool { self == .proceed || self == .unspecified }

  /// The name of the constant, such as `kSecTrustResultUnspecified`.
  public var description: String {
    switch self {
    case .invalid: "kSecTrustResultInvalid"
    case .proceed: "kSecTrustResultProceed"
    case .confirm: "kSecTrustResultConfirm"
    case .deny: "kSecTrustResultDeny"
    case .unspecified: "kSecTrustResultUnspecified"
    case .recoverableTrustFailure: "kSecTrustResultRecoverableTrustFailure"
    case .fatalTrustFailure: "kSecTrustResultFatalTrustFailure"
    case .otherError: "kSecTrustResultOtherError"
    }
  }
}

extension SecTrustResultType {
  /// The meaning as a sentence, based on SecTrust.h.
  public var meaning: String {
    switch self {
    case .invalid: "No evaluation has happened yet, or a setting is invalid."
    case .proceed: "The user explicitly trusts the certificate, or SecTrustSetExceptions was called: accept."
    case .confirm:
      "Ask the user (Ask Permission): not returned since OS X 10.5, deprecated since OS X 10.9 and iOS 7."
    case .deny: "The user or an administrator marked the certificate Never Trust."
    case .unspecified: "The evaluation succeeded without a user decision. This is the usual result: accept."
    case .recoverableTrustFailure:
      "The chain is not trusted now: it is expired, has another name or an unknown root, or uses SHA-1, for example."
    case .fatalTrustFailure:
      "The chain is not trusted, and no setting helps: RSA below 1024 bits, MD5, revoked, malformed, or blocked."
    case .otherError: "An error that is not a trust failure; until OS X 10.10, also a revoked certificate."
    }
  }

  /// The app's correct reaction.
  public var advice: String {
    switch self {
    case .proceed, .unspecified: "Continue: answer the challenge with credentialForTrust, or with default handling."
    case .invalid: "Evaluate first: before that, the value has no meaning."
    case .confirm: "Treat this result as a refusal."
    case .deny: "Refuse; only the user can change this setting."
    case .recoverableTrustFailure:
      "Refuse. If the app has reasons to trust it, set anchors, a date or a policy, and evaluate again."
    case .fatalTrustFailure: "Refuse: no setting of the app makes this chain trusted."
    case .otherError: "Refuse, and check the error."
    }
  }
}

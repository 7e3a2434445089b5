/// The answer of SecTrustEvaluate: Security, SecTrust.h.
public enum SecTrustResultType: UInt32, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// Nothing was evaluated.
  case invalid = 0
  /// Trusted, and the user said so.
  case proceed = 1
  /// Ask the user; deprecated since OS X 10.9 and iOS 7.
  case confirm = 2
  /// The user said never to trust it.
  case deny = 3
  /// Trusted, and the user said nothing: the usual good answer.
  case unspecified = 4
  /// Not trusted as it is; other anchors, another date or the user's word could change that.
  case recoverableTrustFailure = 5
  /// Not trusted, and nothing can change that.
  case fatalTrustFailure = 6
  /// Something else than trust went wrong.
  case otherError = 7

  /// Whether the answer means trust: proceed and unspecified do.
  public var isTrusted: Bool { self == .proceed || self == .unspecified }

  /// The constant's name: `kSecTrustResultUnspecified`.
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
  /// What it means, as a sentence: SecTrust.h.
  public var meaning: String {
    switch self {
    case .invalid: "No evaluation has happened yet, or a setting is bad."
    case .proceed: "The user trusts it explicitly, or SecTrustSetExceptions was called: accept."
    case .confirm:
      "Ask the user, who chose Ask Permission: not returned since OS X 10.5, deprecated since OS X 10.9 and iOS 7."
    case .deny: "The user or an administrator said never to trust it."
    case .unspecified: "The evaluation succeeded and the user said nothing: the usual good answer, accept."
    case .recoverableTrustFailure: "Not trusted as it is: expired, another name, an unknown root, SHA-1."
    case .fatalTrustFailure:
      "Not trusted, whatever is changed: RSA below 1024 bits, MD5, revoked, malformed, or blocked by the system."
    case .otherError: "Something else than trust went wrong; until OS X 10.10 also a revoked certificate."
    }
  }

  /// What an app does with it.
  public var advice: String {
    switch self {
    case .proceed, .unspecified: "Go on: answer the challenge with credentialForTrust, or with default handling."
    case .invalid: "Evaluate first: before that the value says nothing."
    case .confirm: "Treat it as a refusal."
    case .deny: "Refuse; only the user can change it."
    case .recoverableTrustFailure:
      "Refuse, unless the app knows better: own anchors, another date, a policy for another name, then evaluate again."
    case .fatalTrustFailure: "Refuse: nothing the app sets makes this chain good."
    case .otherError: "Refuse, and look at the error beside it."
    }
  }
}

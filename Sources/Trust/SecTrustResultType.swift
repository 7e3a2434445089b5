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

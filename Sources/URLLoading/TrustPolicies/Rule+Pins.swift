import Explanation
import Trust

// What only a library decides; what SecTrust itself finds keeps its own rule.
extension Rule {
  /// Pins are there where they are wanted.
  public static let noPins = Rule(
    .pin, "no-pins", "A policy that pins has something to compare with.", .apple("Bundle"),
    fix: "Put the certificate into the app's own bundle as a .cer file in DER, or set it by hand. A library that is "
      + "linked as a framework looks into the framework's bundle.")

  /// Pins can be read.
  public static let unreadablePin = Rule(
    .pin, "unreadable", "A pinned certificate is DER.", .apple("SecCertificateCreateWithData(_:_:)"),
    fix: "Convert PEM with 'openssl x509 -outform der'.")

  /// AFNetworking since 2.6: whoever lets invalid certificates pass and compares names has to pin.
  public static let pinRequired = Rule(
    .pin, "required-for-domain",
    "AFNetworking since 2.6: a name is compared for certificates that may be invalid only where something is pinned.",
    .library("AFSecurityPolicy"), fix: "Pin the certificate, or set allowInvalidCertificates to NO.")

  /// The trust is good before pins are looked at.
  public static let untrustedPath = Rule(
    .pin, "untrusted-path", "The library evaluates the trust before it compares pins, and it is good.",
    .library("AFSecurityPolicy, TSKPinningValidator, ServerTrustEvaluation"),
    fix: "Fix the reasons that the evaluation found: a pin makes no chain trusted.")

  /// The trust is good with the pins as anchors.
  public static let untrustedByPins = Rule(
    .pin, "untrusted-by-pins", "The chain leads to a pinned certificate, which is the only anchor then.",
    .library("AFSecurityPolicy"),
    fix: "Pin the certificate that the server presents, and ship the next one before the server uses it.")

  /// The same rule; if the chain fails for reasons that no pin changes, with the fixes for these reasons.
  static func untrustedByPins(because reasons: [Rule]) -> Rule {
    let others = reasons.filter { ![.noAnchor, .noIssuer, .selfSigned].contains($0) }
    return others.isEmpty ? untrustedByPins : untrustedByPins.fixed(by: others.map(\.fix).joined(separator: " "))
  }

  /// All certificates are pinned.
  public static let chainNotAllPinned = Rule(
    .pin, "chain-not-all-pinned",
    "AFNetworking 2.1 to 2.5 with validatesCertificateChain: every certificate of the path is pinned, the root that is not "
      + "sent too.", .library("AFSecurityPolicy"),
    fix: "Bundle every certificate of the path, or set validatesCertificateChain to NO.")

  /// The path is read with the anchors that count.
  public static let readBeforeAnchors = Rule(
    .pin, "read-before-anchors",
    "The path that is compared was read after the pinned certificates became anchors; AFNetworking 2.6 and 2.7 read it "
      + "before.", .library("AFSecurityPolicy"), fix: "Let the server send the root too, or move to 3.0.")

  /// Every host has its evaluator.
  public static let noEvaluator = Rule(
    .pin, "no-evaluator", "Alamofire 5: a host has an evaluator, unless allHostsMustBeEvaluated is false.",
    .library("ServerTrustManager"), fix: "Name the host exactly: no wildcard, no port, the same case.")

  /// The key is of a kind that can be hashed.
  public static let unsupportedKey = Rule(
    .pin, "unsupported-key", "TrustKit: the hash of every key up to the pinned one can be made.",
    .library("TSKSPKIHashCache"), fix: "Use RSA 2048 or 4096, P-256 or P-384.")

  /// A root of the user's own is exempt.
  public static let userAnchorExempt = Rule(
    .pin, "user-anchor-exempt", "TrustKit on macOS: pins are compared also under a root that a user installed.",
    .library("TSKIgnorePinningForUserDefinedTrustAnchors"),
    fix: "Set TSKIgnorePinningForUserDefinedTrustAnchors to NO.", decides: false)

  /// A root of the user's own is refused.
  public static let userAnchorBlocked = Rule(
    .pin, "user-anchor-blocked", "TrustKit on macOS: no root that a user installed stands on a path without a pin.",
    .library("TSKIgnorePinningForUserDefinedTrustAnchors"),
    fix: "Set TSKIgnorePinningForUserDefinedTrustAnchors to YES where an inspecting proxy is wanted.")

  /// Who reports only refuses nothing.
  public static let reportOnly = Rule(
    .pin, "report-only", "A path without a pin is refused, and not only reported.", .library("TSKEnforcePinning"),
    fix: "Set TSKEnforcePinning to YES once the reports are quiet.", decides: false)

  /// Somebody learns of it.
  public static let pinReported = Rule(
    .pin, "reported", "TrustKit: what its validator refuses, or would have refused, is reported to a server.",
    .library("TSKReportUris, TSKDisableDefaultReportUri"),
    fix: "Set TSKReportUris, and read what arrives there before TSKEnforcePinning is set to YES.", decides: false)

  /// Pins were looked at.
  public static let pinsNotEvaluated = Rule(
    .pin, "not-evaluated", "The app's pins are compared on this connection.", .rfc(7469, "2.6"),
    fix: "List the host, and see that its entry has not expired.", decides: false)

  /// What refuses is refused.
  public static let failsOpen = Rule(
    .pin, "fails-open",
    "What a policy refuses ends the load; AFNetworking 3.0.0 to 3.0.4 rejects the protection space, and the system decides.",
    .library("AFURLSessionManager"), fix: "Move to AFNetworking 3.1 or later.", decides: false)

  /// Something is looked at.
  public static let acceptsEverything = Rule(
    .pin, "accepts-everything", "A policy refuses some certificate.", .library("AFSecurityPolicy"),
    fix: "Set allowInvalidCertificates to NO; AFNetworking 2.5.1 accepts all without pins: move on.", decides: false)

  /// The host is compared.
  public static let hostNotChecked = Rule(
    .pin, "host-not-checked", "The name of the host is compared with those in the certificate.", .rfc(9525, "6.1"),
    fix: "Set validatesDomainName (validateHost) to true, and pin the server's own certificate or key.",
    decides: false)

  /// Dates are looked at.
  public static let datesNotChecked = Rule(
    .pin, "dates-not-checked", "The dates of the certificates are looked at.", .rfc(5280, "6.1.3"),
    fix: "Let the library evaluate the trust before it compares keys.", decides: false)

  /// The library can be set up so.
  public static let invalidPinning = Rule(
    .pin, "invalid-configuration", "The library takes its configuration, and throws no exception at it.",
    .library("AFHTTPSessionManager, TrustKit configuration"), fix: "Configure it as the exception says.")

  /// Pins come in the collection that the property wants.
  public static let wrongPinType = Rule(
    .pin, "wrong-type", "pinnedCertificates is of the type that this release declares, and holds NSData.",
    .library("AFSecurityPolicy"), fix: "Give 2.x an NSArray of NSData, and 3.x an NSSet of NSData.", decides: false)

  /// The rules of libraries that pin.
  public static let pinning: [Rule] = [
    .noPins, .unreadablePin, .pinRequired, .untrustedPath, .untrustedByPins, .chainNotAllPinned, .readBeforeAnchors,
    .noEvaluator, .unsupportedKey, .userAnchorExempt, .userAnchorBlocked, .reportOnly, .pinReported, .pinsNotEvaluated,
    .failsOpen,
    .acceptsEverything, .hostNotChecked, .datesNotChecked, .invalidPinning, .wrongPinType,
  ]
}

extension Clause {
  /// A page of a library's own source.
  static func library(_ section: String) -> Clause { Clause(document: "library source", section: section) }
}

import Explanation
import Trust

// Checks that only a library performs; the checks of SecTrust keep their own rules.
extension Rule {
  /// Pins are present if they are required.
  public static let noPins = Rule(
    .pin, "no-pins", "A policy that compares pins contains at least one pin.", .apple("Bundle"),
    fix: "Put the certificate into the app's own bundle as a .cer file in DER, or set it in code. A library that is "
      + "linked as a framework reads the framework's bundle.")

  /// The files of the pins can be read.
  public static let unreadablePin = Rule(
    .pin, "unreadable", "A pinned certificate is in DER format.", .apple("SecCertificateCreateWithData(_:_:)"),
    fix: "Convert PEM to DER with 'openssl x509 -outform der'.")

  /// In AFNetworking since 2.6, a policy that allows invalid certificates and compares names must have pins.
  public static let pinRequired = Rule(
    .pin, "required-for-domain",
    "Since AFNetworking 2.6, a policy that compares names and allows invalid certificates must also pin certificates.",
    .library("AFSecurityPolicy"), fix: "Pin the certificate, or set allowInvalidCertificates to NO.")

  /// The trust is valid before pins are compared.
  public static let untrustedPath = Rule(
    .pin, "untrusted-path", "The chain passes the library's trust evaluation, which precedes the comparison of pins.",
    .library("AFSecurityPolicy, TSKPinningValidator, ServerTrustEvaluation"),
    fix: "Fix the violations that the evaluation found: a pin does not make a chain trusted.")

  /// The trust is valid with the pins as anchors.
  public static let untrustedByPins = Rule(
    .pin, "untrusted-by-pins",
    "The chain leads to a pinned certificate, because pinned certificates are the only "
      + "anchors.",
    .library("AFSecurityPolicy"),
    fix: "Pin the certificate that the server presents, and add the next certificate to the app before the server uses "
      + "it.")

  /// Returns the rule `untrustedByPins`. If the chain fails for other reasons, the rule has the fixes for these.
  static func untrustedByPins(because reasons: [Rule]) -> Rule {
    let others = reasons.filter { ![.noAnchor, .noIssuer, .selfSigned].contains($0) }
    return others.isEmpty ? untrustedByPins : untrustedByPins.fixed(by: others.map(\.fix).joined(separator: " "))
  }

  /// All certificates of the chain are pinned.
  public static let chainNotAllPinned = Rule(
    .pin, "chain-not-all-pinned",
    "In AFNetworking 2.1 to 2.5 with validatesCertificateChain, every certificate in the path is pinned, including the "
      + "root that the server omits.", .library("AFSecurityPolicy"),
    fix: "Bundle every certificate in the path, or set validatesCertificateChain to NO.")

  /// The library reads the path after it sets the anchors.
  public static let readBeforeAnchors = Rule(
    .pin, "read-before-anchors",
    "The library reads the path after it sets the pinned certificates as anchors; AFNetworking 2.6 and 2.7 read it "
      + "earlier.", .library("AFSecurityPolicy"),
    fix:
      "Make the server send the root too, or update to AFNetworking 3.0.")

  /// Every host has an evaluator.
  public static let noEvaluator = Rule(
    .pin, "no-evaluator", "In Alamofire 5, every host has an evaluator, unless allHostsMustBeEvaluated is false.",
    .library("ServerTrustManager"), fix: "Write the exact host name: no wildcard, no port, and the same case.")

  /// TrustKit can hash the key.
  public static let unsupportedKey = Rule(
    .pin, "unsupported-key", "TrustKit can hash every key in the path up to the pinned key.",
    .library("TSKSPKIHashCache"), fix: "Use an RSA key of 2048 or 4096 bits, or a P-256 or P-384 key.")

  /// Pins also apply under a root that the user installed.
  public static let userAnchorExempt = Rule(
    .pin, "user-anchor-exempt", "On macOS, TrustKit also compares pins if the path ends in a user-installed root.",
    .library("TSKIgnorePinningForUserDefinedTrustAnchors"),
    fix: "Set TSKIgnorePinningForUserDefinedTrustAnchors to NO.", decides: false)

  /// A path without a pin does not end at a root that the user installed.
  public static let userAnchorBlocked = Rule(
    .pin, "user-anchor-blocked",
    "On macOS, TrustKit accepts a path that ends in a user-installed root only if it contains a pinned key.",
    .library("TSKIgnorePinningForUserDefinedTrustAnchors"),
    fix: "Set TSKIgnorePinningForUserDefinedTrustAnchors to YES if you want to allow an inspecting proxy.")

  /// A path without a pinned key is refused.
  public static let reportOnly = Rule(
    .pin, "report-only", "The library refuses a path without a pinned key, instead of only reporting it.",
    .library("TSKEnforcePinning"),
    fix: "Set TSKEnforcePinning to YES when no more reports arrive.", decides: false)

  /// The failures of the validator are reported to a server.
  public static let pinReported = Rule(
    .pin, "reported",
    "TrustKit reports each refusal of its validator to a server, even if it does not enforce the "
      + "refusal.",
    .library("TSKReportUris, TSKDisableDefaultReportUri"),
    fix: "Set TSKReportUris, and read the reports before you set TSKEnforcePinning to YES.", decides: false)

  /// The library compared the pins.
  public static let pinsNotEvaluated = Rule(
    .pin, "not-evaluated", "The library compares the app's pins on this connection.", .rfc(7469, "2.6"),
    fix: "Add an entry for the host, and make sure that the entry has not expired.", decides: false)

  /// A refusal by the policy ends the load.
  public static let failsOpen = Rule(
    .pin, "fails-open",
    "A refusal ends the load; AFNetworking 3.0.0 to 3.0.4 only rejects the protection space, and the system decides.",
    .library("AFURLSessionManager"), fix: "Update to AFNetworking 3.1 or later.", decides: false)

  /// The policy performs at least one check.
  public static let acceptsEverything = Rule(
    .pin, "accepts-everything", "The policy refuses at least some certificates.", .library("AFSecurityPolicy"),
    fix: "Set allowInvalidCertificates to NO. Update AFNetworking 2.5.1, which accepts all certificates if there are "
      + "no pins.", decides: false)

  /// The library compares the host name.
  public static let hostNotChecked = Rule(
    .pin, "host-not-checked", "The library compares the host with the names in the certificate.", .rfc(9525, "6.1"),
    fix: "Set validatesDomainName (validateHost) to true, and pin the server's own certificate or key.",
    decides: false)

  /// The library checks the certificates' dates.
  public static let datesNotChecked = Rule(
    .pin, "dates-not-checked", "The library checks the dates of the certificates.", .rfc(5280, "6.1.3"),
    fix: "Make the library evaluate the trust before it compares keys.", decides: false)

  /// The library accepts its configuration.
  public static let invalidPinning = Rule(
    .pin, "invalid-configuration", "The library accepts its configuration and throws no exception.",
    .library("AFHTTPSessionManager, TrustKit configuration"), fix: "Correct the setting that the exception names.")

  /// The value of pinnedCertificates has the declared type.
  public static let wrongPinType = Rule(
    .pin, "wrong-type", "pinnedCertificates has the type that this release declares, and contains NSData objects.",
    .library("AFSecurityPolicy"), fix: "Assign an NSArray of NSData in 2.x, or an NSSet of NSData in 3.x.",
    decides: false)

  /// The rules about the pins of libraries.
  public static let pinning: [Rule] = [
    .noPins, .unreadablePin, .pinRequired, .untrustedPath, .untrustedByPins, .chainNotAllPinned, .readBeforeAnchors,
    .noEvaluator, .unsupportedKey, .userAnchorExempt, .userAnchorBlocked, .reportOnly, .pinReported, .pinsNotEvaluated,
    .failsOpen,
    .acceptsEverything, .hostNotChecked, .datesNotChecked, .invalidPinning, .wrongPinType,
  ]
}

extension Clause {
  /// Creates a clause for a class or setting in a library's source.
  static func library(_ section: String) -> Clause { Clause(document: "library source", section: section) }
}

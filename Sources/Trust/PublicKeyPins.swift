import Cryptography
import Explanation
import PKIX

/// A list of public keys, at least one of which must occur on the path (RFC 7469 section 2.6, and Apple's
/// NSPinnedDomains).
public struct PublicKeyPins: Sendable, Hashable {
  /// A public key, identified by its fingerprint.
  public struct Pin: Sendable, Hashable {
    /// The name in findings, such as `api.key`. For an unknown key, it is the fingerprint in Base64.
    public let name: String
    /// The SHA-256 of the key's SubjectPublicKeyInfo in DER (RFC 7469 section 2.4).
    public let fingerprint: [UInt8]

    /// Creates a pin from a fingerprint.
    public init(name: String, fingerprint: [UInt8]) {
      self.name = name
      self.fingerprint = fingerprint
    }

    /// Creates a pin for the key of `certificate`.
    public init(keyOf certificate: Certificate, named name: String) {
      self.init(name: "\(name).key", fingerprint: Pin.fingerprint(of: certificate))
    }

    /// Returns the SHA-256 of the certificate's SubjectPublicKeyInfo.
    public static func fingerprint(of certificate: Certificate) -> [UInt8] {
      Hash.sha256.digest(certificate.subjectPublicKeyInfo)
    }
  }

  /// The location of the key on the path.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// Anywhere.
    case path
    /// The key is in the server's own certificate (NSPinnedLeafIdentities).
    case leaf
    /// The key is in any certificate except the server's own (NSPinnedCAIdentities).
    case authorities
  }

  /// The keys; an empty list matches nothing.
  public let pins: [Pin]
  /// The location of the key on the path.
  public let place: Place

  /// Whether paths to a user's anchor are exempt, as RFC 7469 section 2.6 allows.
  public let exemptsUserAnchors: Bool

  /// The confidence that the loader checks the pins.
  public let confidence: Finding.Confidence

  /// Creates a list of pins, one of which must occur at `place`.
  public init(
    _ pins: [Pin], at place: Place = .path, exemptsUserAnchors: Bool = false, confidence: Finding.Confidence = .certain
  ) {
    self.pins = pins
    self.place = place
    self.exemptsUserAnchors = exemptsUserAnchors
    self.confidence = confidence
  }

  /// Checks the pins on a trusted path.
  ///
  /// RFC 7469 section 2.6 requires a connection without errors. Pins never make a path trusted.
  func finding(
    on path: [Certificate], isTrusted: Bool, host: String?, _ evaluator: TrustEvaluator
  ) -> Finding {
    let subject = host.map(Finding.Subject.host) ?? .connection
    guard isTrusted else { return evaluator.diagnostics.enforcement.note(.pinMismatch, on: subject, .notEvaluated) }
    if exemptsUserAnchors, path.last.flatMap(evaluator.requirements.store.kind) == .user {
      return evaluator.diagnostics.enforcement.note(.pinMismatch, on: subject, .notApplicable)
    }
    let candidates = certificates(of: path)
    let known = Set(pins.map(\.fingerprint))
    // If pins are required but absent, Security's policy for servers refuses the chain: SecPolicyServer.c.
    let isMissing = pins.isEmpty && place == .path
    let isMet = candidates.contains { known.contains(Pin.fingerprint(of: $0)) }
    return evaluator.diagnostics.enforcement.check(
      isMissing
        ? Rule.pinMismatch.citing(.apple("SecPolicyCheckPinningRequired"))
        : isMet ? (place == .path ? .pathPinMismatch : .pinMismatch) : violated(on: path, evaluator), on: subject,
      isMet,
      required: isMissing ? .word("pins for this host") : .anyOf(pins.map(\.name)),
      found: candidates.isEmpty && place == .authorities
        ? .word("no certificate above the server's certificate")
        : .words(candidates.map { "\(evaluator.diagnostics.names($0)).key" }),
      confidence: confidence)
  }

  /// Checks an app's own pins on the path of its evaluation.
  ///
  /// The app makes this comparison itself, so it does not affect the result of the evaluation.
  public func finding(
    on evaluation: TrustEvaluation, isTrusted: Bool, host: String?, _ evaluator: TrustEvaluator
  ) -> Finding {
    finding(on: evaluation.path, isTrusted: isTrusted, host: host, evaluator)
  }

  /// Returns the rule with a fix for these pins. For pins in an Info.plist, the clause refers to Apple's documentation.
  private func violated(on path: [Certificate], _ evaluator: TrustEvaluator) -> Rule {
    let base = place == .path ? Rule.pathPinMismatch : .pinMismatch
    let diagnosis = PinDiagnosis(path, at: place) { evaluator.diagnostics.names($0) }
    if let fix = diagnosis.fix(for: pins) { return base.fixed(by: fix) }
    if place == .path { return .pathPinMismatch }
    return Rule.pinMismatch.fixed(by: "\(Rule.pinMismatch.fix) \(diagnosis.keys)")
  }

  private func certificates(of path: [Certificate]) -> [Certificate] {
    switch place {
    case .path: path
    case .leaf: Array(path.prefix(1))
    case .authorities: Array(path.dropFirst())
    }
  }
}

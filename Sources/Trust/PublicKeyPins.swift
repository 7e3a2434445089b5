import Cryptography
import Explanation
import PKIX

/// Public keys of which the validated path must have one: RFC 7469 section 2.6, and Apple's NSPinnedDomains.
public struct PublicKeyPins: Sendable, Hashable {
  /// A public key by its fingerprint.
  public struct Pin: Sendable, Hashable {
    /// What findings call it: `api.key`, or the fingerprint in Base64 of a key that nobody here has.
    public let name: String
    /// SHA-256 of its SubjectPublicKeyInfo in DER (RFC 7469 section 2.4).
    public let fingerprint: [UInt8]

    /// The key with this fingerprint.
    public init(name: String, fingerprint: [UInt8]) {
      self.name = name
      self.fingerprint = fingerprint
    }

    /// The key of `certificate`, which a reader knows by `name`.
    public init(keyOf certificate: Certificate, named name: String) {
      self.init(name: "\(name).key", fingerprint: Pin.fingerprint(of: certificate))
    }

    /// SHA-256 of the certificate's SubjectPublicKeyInfo.
    public static func fingerprint(of certificate: Certificate) -> [UInt8] {
      Hash.sha256.digest(certificate.subjectPublicKeyInfo)
    }
  }

  /// Where on the path the key may be.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// Anywhere.
    case path
    /// In the server's own certificate: NSPinnedLeafIdentities.
    case leaf
    /// In any certificate but the server's own: NSPinnedCAIdentities.
    case authorities
  }

  /// The keys; none of them matches where there are none.
  public let pins: [Pin]
  /// Where on the path one of them must be.
  public let place: Place

  /// Whether nothing is asked of a path to an anchor that the user installed: RFC 7469 section 2.6 allows it.
  public let exemptsUserAnchors: Bool

  /// How sure it is that whoever loads looks at them.
  public let confidence: Finding.Confidence

  /// One of `pins` must be at `place`.
  public init(
    _ pins: [Pin], at place: Place = .path, exemptsUserAnchors: Bool = false, confidence: Finding.Confidence = .certain
  ) {
    self.pins = pins
    self.place = place
    self.exemptsUserAnchors = exemptsUserAnchors
    self.confidence = confidence
  }

  /// Holds the pins against a path; not against one that is not trusted, since RFC 7469 section 2.6 asks for a
  /// connection without errors, and pins never make a path trusted.
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
    // Where pins are demanded and there are none, Security's own policy for servers is refused: SecPolicyServer.c.
    let isMissing = pins.isEmpty && place == .path
    let isMet = candidates.contains { known.contains(Pin.fingerprint(of: $0)) }
    return evaluator.diagnostics.enforcement.check(
      isMissing
        ? Rule.pinMismatch.citing(.apple("SecPolicyCheckPinningRequired"))
        : isMet ? (place == .path ? .pathPinMismatch : .pinMismatch) : violated(on: path, evaluator), on: subject,
      isMet,
      required: isMissing ? .word("pins for this host") : .anyOf(pins.map(\.name)),
      found: candidates.isEmpty && place == .authorities
        ? .word("no certificate above the server's own")
        : .words(candidates.map { "\(evaluator.diagnostics.names($0)).key" }),
      confidence: confidence)
  }

  /// Holds the pins against the path of an evaluation that an app made: its own comparison, of which the result of the
  /// evaluation knows nothing.
  public func finding(
    on evaluation: TrustEvaluation, isTrusted: Bool, host: String?, _ evaluator: TrustEvaluator
  ) -> Finding {
    finding(on: evaluation.path, isTrusted: isTrusted, host: host, evaluator)
  }

  /// The rule with what helps these pins. The clause is Apple's for the lists of an app's plist.
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

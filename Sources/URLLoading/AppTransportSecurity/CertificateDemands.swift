import Cryptography
import Explanation
import PKIX
import Trust

extension AppTransportSecurity {
  /// The properties of the server's own certificate that App Transport Security checks.
  public struct ServerCertificate: Sendable, Hashable {
    /// The kind and size of a public key.
    public enum Key: Sendable, Hashable {
      /// An RSA key, with the size of its modulus in bits.
      case rsa(bits: Int)
      /// A key on an elliptic curve, with the size of the curve in bits.
      case ellipticCurve(bits: Int)
      /// A key of another kind, with the name of the kind.
      case other(String)
    }

    /// The certificate's index in the chain; 0 is the leaf.
    public let index: Int
    /// The certificate's name in findings.
    public let name: String
    /// The certificate's public key.
    public let key: Key
    /// The hash of the certificate's signature, spelt as in RFC 5754 and RFC 3279: `SHA-256`, `SHA-1`, `MD5`; nil when
    /// unknown.
    public let signatureHash: String?
    /// The size of that hash in bits; nil when unknown.
    public let signatureHashBits: Int?

    /// Creates a certificate's properties.
    public init(index: Int = 0, name: String, key: Key, signatureHash: String?, signatureHashBits: Int?) {
      self.index = index
      self.name = name
      self.key = key
      self.signatureHash = signatureHash
      self.signatureHashBits = signatureHashBits
    }

    /// Reads the properties of a received certificate.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - index: its index in the chain; 0 is the leaf.
    ///   - name: its name in findings; nil for the certificate's own name.
    public init(_ certificate: Certificate, index: Int = 0, name: String? = nil) {
      let hash = certificate.signatureScheme?.hash
      self.init(
        index: index, name: name ?? certificate.displayName, key: Key(certificate.publicKey),
        signatureHash: hash?.name, signatureHashBits: hash.map { 8 * $0.digestSize })
    }

    fileprivate var subject: Finding.Subject { .certificate(index: index, name: name) }
  }
}

extension AppTransportSecurity.Decision {
  /// Checks the server's own certificate for `ats.key-size` and `ats.leaf-hash`.
  public func findings(
    on leaf: AppTransportSecurity.ServerCertificate, enforcement: Enforcement = .standard
  ) -> [Finding] {
    if case .notApplicable = standing {
      return [
        enforcement.note(.atsKeySize, on: leaf.subject, .notApplicable, found: leaf.key.detail),
        enforcement.note(.atsLeafHash, on: leaf.subject, .notApplicable, found: hash(leaf)),
      ]
    }
    return [keySize(leaf, enforcement), leafHash(leaf, enforcement)]
  }

  /// Checks the SCTs of the server's certificate for `ats.certificate-transparency`.
  ///
  /// The check applies if the app requires SCTs and the system honours this requirement. It applies under any root,
  /// because documentation exempts none.
  ///
  /// - Parameters:
  ///   - leaf: the server's own certificate.
  ///   - name: its name in findings.
  ///   - evaluation: the system's trust evaluation, which has the SCTs.
  ///   - enforcement: the rules in force.
  public func findings(
    onTimestampsOf leaf: Certificate, name: String, evaluation: TrustEvaluation, enforcement: Enforcement = .standard
  ) -> [Finding] {
    guard requiresCertificateTransparency else { return [] }
    return [
      evaluation.transparencyFinding(
        .atsCertificateTransparency, of: leaf, on: .certificate(index: 0, name: name),
        confidence: .likely("documentation requires valid SCTs from known logs, but does not state how many"),
        enforcement: enforcement)
    ]
  }

  /// Checks whether an app may accept a server that the system does not trust (`ats.trust-loosening`).
  ///
  /// Call this function after a delegate accepts a refused chain. If the rule is violated, the system ignores the
  /// delegate.
  public func findingOnLooseningTrust(enforcement: Enforcement = .standard) -> Finding {
    let subject = Finding.Subject.host(load.url.host)
    if case .notApplicable = standing { return enforcement.note(.atsTrustLoosening, on: subject, .notApplicable) }
    let finding = enforcement.check(.atsTrustLoosening, on: subject, false, confidence: confidence)
    return (isRequired ? finding : finding.overridden(by: .exception)).helping(self)
  }

  private func keySize(_ leaf: AppTransportSecurity.ServerCertificate, _ enforcement: Enforcement) -> Finding {
    let isDemanded = requirements?.requiresKeySize == true
    let finding = enforcement.check(
      .atsKeySize, on: leaf.subject, leaf.key.isLongEnough, required: leaf.key.required, found: leaf.key.detail,
      confidence: keySizeConfidence)
    return (isDemanded || finding.outcome == .satisfied ? finding : finding.overridden(by: .exception)).helping(self)
  }

  private var keySizeConfidence: Finding.Confidence {
    guard requirements?.requiresForwardSecrecy == false else { return .certain }
    return .conflicting(
      "according to documentation, NSExceptionRequiresForwardSecrecy = NO removes this check; the open engine keeps it")
  }

  private func leafHash(_ leaf: AppTransportSecurity.ServerCertificate, _ enforcement: Enforcement) -> Finding {
    let isDemanded = requirements?.requiresLeafHash == true
    if isDemanded, leaf.signatureHashBits == nil {
      return enforcement.note(.atsLeafHash, on: leaf.subject, .unknown, required: .atLeast(.word("SHA-256")))
    }
    let finding = enforcement.check(
      .atsLeafHash, on: leaf.subject, (leaf.signatureHashBits ?? 0) >= 256, required: .atLeast(.word("SHA-256")),
      found: hash(leaf), confidence: isDemanded ? hashConfidence(leaf) : .certain)
    return (isDemanded || finding.outcome == .satisfied ? finding : finding.overridden(by: .exception)).helping(self)
  }

  /// Returns the confidence that SHA-1 is rejected. Reports about iOS 9 disagree on this.
  private func hashConfidence(_ leaf: AppTransportSecurity.ServerCertificate) -> Finding.Confidence {
    guard profile.name == .ios9, leaf.signatureHash == "SHA-1" else { return .certain }
    return .conflicting(
      "documentation requires SHA-256, and some reports show that iOS 9 refuses SHA-1; other reports (forums 13472, "
        + "radar 22227634) show that iOS 9 accepts it")
  }

  private func hash(_ leaf: AppTransportSecurity.ServerCertificate) -> Detail {
    leaf.signatureHash.map { .word($0) } ?? .absent
  }
}

extension AppTransportSecurity.ServerCertificate.Key {
  /// Creates the kind and size of a public key.
  public init(_ key: PublicKey) {
    switch (key.algorithmName, key.bits) {
    case ("RSA", let bits?): self = .rsa(bits: bits)
    case (let name, let bits?) where name.hasPrefix("EC "): self = .ellipticCurve(bits: bits)
    case (let name, _): self = .other(name)
    }
  }

  fileprivate var isLongEnough: Bool {
    switch self {
    case .rsa(let bits): bits >= 2048
    case .ellipticCurve(let bits): bits >= 256
    case .other: false
    }
  }

  fileprivate var required: Detail {
    switch self {
    case .rsa: .atLeast(.bits(2048))
    case .ellipticCurve: .atLeast(.bits(256))
    case .other: .anyOf(["RSA", "EC"])
    }
  }

  fileprivate var detail: Detail {
    switch self {
    case .rsa(let bits), .ellipticCurve(let bits): .bits(bits)
    case .other(let name): .word(name)
    }
  }
}

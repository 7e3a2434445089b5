import Cryptography
import Explanation

/// Builds all paths from a leaf through candidates to an anchor, depth first (RFC 4158).
///
/// The issuer of each certificate must be the subject of the next. Among several issuers, those with a matching key
/// identifier come first, then those that are valid at the time. The next criteria are the distance to an anchor by
/// names, and the order of the candidates. No key appears twice in a path (section 2.4.2).
///
/// Paths without an anchor are kept too. If the leaf signed itself, the path with only the leaf is also kept, even if
/// other certificates have the leaf's name. `Limits` bounds the work.
public struct PathBuilding: Sendable {
  /// The limits of the work.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of visits to certificates.
    public var steps = 20_000
    /// The maximum number of kept paths that end at an anchor.
    public var anchoredPaths = 512
    /// The maximum number of kept paths without an anchor.
    public var partialPaths = 8
    /// The maximum number of certificates in one path.
    public var length = 128
    /// The maximum number of certificates in all kept paths that end at an anchor. A certificate is counted again for
    /// each path.
    public var certificates = 4096

    /// The default limits.
    public init() {}
  }

  /// All paths, those with an anchor first, in the order in which they were found. There is always at least one.
  public var paths: [CertificatePath] { anchored + partial }
  /// The paths without an anchor, in the order in which they were found.
  public var deadEnds: [CertificatePath] { partial }
  /// Whether all paths within the maximum length were tried.
  public private(set) var isComplete = true
  /// Whether a path would have exceeded the maximum length.
  public private(set) var isTooLong = false

  private let candidates: CertificatePool
  private let anchors: CertificatePool
  private let time: Instant
  private let limits: Limits
  private let verifiesSignatures: Bool
  private let decisions: PathDecisions
  private let memory: SignatureCache
  private var distances: AnchorDistances?
  private var steps = 0
  /// The number of certificates in the kept paths that end at an anchor.
  private var kept = 0
  private var anchored: [CertificatePath] = []
  private var partial: [CertificatePath] = []
  private var path: [Certificate] = []

  /// Builds all paths from `leaf` through `candidates` to `anchors`. Certificates that are valid at `time` come first.
  ///
  /// With `verifiesSignatures`, the search follows only issuers whose key verifies the signature. It then finds a valid
  /// path even if many certificates have the issuer's name.
  public init(
    from leaf: Certificate, over candidates: [Certificate], to anchors: CertificatePool, at time: Instant,
    limits: Limits = Limits(), verifiesSignatures: Bool = false, decisions: PathDecisions = .standard,
    memory: SignatureCache? = nil
  ) {
    self.memory = memory ?? SignatureCache()
    self.verifiesSignatures = verifiesSignatures
    self.decisions = decisions
    self.candidates = CertificatePool(candidates.filter { $0 != leaf })
    self.anchors = anchors
    self.time = time
    self.limits = limits
    extend(with: leaf)
  }

  /// Returns the finding on whether the limits allowed all paths to be tried.
  public func finding(on subject: Finding.Subject, _ enforcement: Enforcement) -> Finding {
    if isComplete && isTooLong {
      return enforcement.check(
        .buildingLimit, on: subject, false, required: .word("at most \(limits.length) certificates in a path"),
        found: .word("a longer path"))
    }
    return enforcement.check(
      .buildingLimit, on: subject, isComplete, required: .word("at most \(limits.steps) steps"),
      found: .word("\(steps) steps"))
  }

  private mutating func extend(with certificate: Certificate) {
    path.append(certificate)
    if anchors.contains(certificate) {
      keep(.anchor)
    } else if let anchor = mistakenAnchor(certificate) {
      anchored.append(CertificatePath(path, takingLastFor: anchor))
    } else {
      followIssuers(of: certificate)
    }
    path.removeLast()
  }

  /// Returns the anchor that a faulty decision mistakes the certificate for.
  private func mistakenAnchor(_ certificate: Certificate) -> Certificate? {
    guard let isAnchor = decisions.isAnchor else { return nil }
    return anchors.certificates(named: certificate.subject).first { isAnchor(certificate, $0) }
  }

  private mutating func followIssuers(of certificate: Certificate) {
    let found = anchors.issuers(of: certificate) + candidates.issuers(of: certificate).filter { !anchors.contains($0) }
    steps += 1 + found.count
    let others = found.filter { $0 != certificate }
    let fresh = others.filter { other in !path.contains { $0.hasSameKey(as: other) } && isLinked(certificate, other) }
    guard !fresh.isEmpty else {
      return keep(deadEnd(at: certificate, isLoop: !others.isEmpty))
    }
    guard path.count < limits.length else {
      isTooLong = true
      return keep(.tooLong)
    }
    if path.count == 1, isSelfSigned(certificate) { keep(.noIssuer) }
    for issuer in issuersToTry(fresh, for: certificate) {
      guard steps < limits.steps, anchored.count < limits.anchoredPaths, kept < limits.certificates else {
        isComplete = false
        if anchored.isEmpty && partial.isEmpty { keep(.tooLong) }
        return
      }
      extend(with: issuer)
    }
  }

  private mutating func isLinked(_ certificate: Certificate, _ issuer: Certificate) -> Bool {
    guard verifiesSignatures, let scheme = certificate.signatureScheme else { return true }
    let result = memory.result(of: certificate, by: issuer) {
      certificate.signatureError(by: issuer.publicKey, scheme)
    }
    // Once the limit of verifications is reached, the result for this certificate is unknown.
    guard let result else { return true }
    return result == nil
  }

  /// Returns whether the certificate signed itself. It is then its own issuer (RFC 5280 section 3.2), and other
  /// certificates with the same name are not.
  private func isSelfSigned(_ certificate: Certificate) -> Bool {
    guard certificate.isSelfIssued, let scheme = certificate.signatureScheme else { return false }
    let result = memory.result(of: certificate, by: certificate) {
      certificate.signatureError(by: certificate.publicKey, scheme)
    }
    guard let result else { return false }
    return result == nil
  }

  private func deadEnd(at certificate: Certificate, isLoop: Bool) -> CertificatePath.End {
    if certificate.isSelfIssued { return .noIssuer }
    return isLoop ? .loop : anchors.certificates.isEmpty ? .noAnchors : .noIssuer
  }

  private mutating func keep(_ end: CertificatePath.End) {
    if end == .anchor {
      anchored.append(CertificatePath(path, end: end))
      kept += path.count
    } else if partial.count < limits.partialPaths {
      partial.append(CertificatePath(path, end: end))
    }
  }

  private mutating func issuersToTry(_ issuers: [Certificate], for certificate: Certificate) -> [Certificate] {
    let preferred = preferred(issuers, for: certificate)
    guard let decide = decisions.issuersToTry else { return preferred }
    let found = PathDecisions.FoundIssuers(
      presented: issuers.filter { !anchors.contains($0) }, anchors: issuers.filter(anchors.contains),
      preferred: preferred)
    return decide(found, certificate)
  }

  private mutating func preferred(_ issuers: [Certificate], for certificate: Certificate) -> [Certificate] {
    guard issuers.count > 1 else { return issuers }
    let distances = self.distances ?? AnchorDistances(over: candidates, to: anchors)
    self.distances = distances
    let ranked = issuers.enumerated().map { offset, issuer in
      let distance = anchors.contains(issuer) ? -1 : distances.names(from: issuer)
      return (rank: (rank(issuer, for: certificate), distance, offset), issuer: issuer)
    }
    return ranked.sorted { $0.rank < $1.rank }.map(\.issuer)
  }

  /// Returns the rank of an issuer; 0 is the best.
  ///
  /// A matching key identifier ranks before an absent one, and an absent one before a different one. Among equals,
  /// certificates that are valid at the time come first.
  private func rank(_ issuer: Certificate, for certificate: Certificate) -> Int {
    let isValid = issuer.notBefore <= time && time <= issuer.notAfter
    let claimed = certificate.authorityKeyIdentifier?.keyIdentifier
    let identifier = issuer.subjectKeyIdentifier?.keyIdentifier
    let fit = claimed == nil || identifier == nil ? 1 : claimed == identifier ? 0 : 2
    return fit * 2 + (isValid ? 0 : 1)
  }
}

extension Certificate {
  /// Returns whether the signature verifies with the key of `issuer`.
  public func isSigned(by issuer: Certificate) -> Bool {
    guard let scheme = signatureScheme else { return false }
    return signatureError(by: issuer.publicKey, scheme) == nil
  }

  /// Returns the reason why the signature does not verify with `key`; nil if it verifies.
  func signatureError(by key: PublicKey, _ scheme: SignatureScheme) -> SignatureError? {
    do throws(SignatureError) {
      try signatureValue.verify(key, over: Array(der[tbsCertificate]), scheme, signatureAlgorithm)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the algorithm that was actually used for the signature.
  ///
  /// The result is nil if it is the algorithm that the certificate names. The two may differ in salt, hash, mask or
  /// padding.
  func signedForm(by key: PublicKey) -> AlgorithmIdentifier? {
    let message = Array(der[tbsCertificate])
    switch key {
    case .rsa(let rsa):
      if let form = rsa.pssForm(of: signature, over: message) {
        return form == signatureAlgorithm.pssParameters ? nil : AlgorithmIdentifier(.rsassaPSS, parameters: form.der)
      }
      guard signatureAlgorithm.oid == .rsassaPSS else { return nil }
      return Certificate.verified(signature, message, key, [.rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512])
    case .ec: return Certificate.verified(signature, message, key, [.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512])
    default: return nil
    }
  }

  private static func verified(
    _ signature: [UInt8], _ message: [UInt8], _ key: PublicKey, _ schemes: [SignatureScheme]
  ) -> AlgorithmIdentifier? {
    for scheme in schemes {
      let verified: Void? = try? key.verify(signature, over: message, scheme)
      if verified != nil { return AlgorithmIdentifier(scheme) }
    }
    return nil
  }

  /// Returns whether both certificates have the same key and subject. A path must not contain two such certificates.
  fileprivate func hasSameKey(as other: Certificate) -> Bool {
    subjectPublicKeyInfo == other.subjectPublicKeyInfo && subject == other.subject
  }
}

extension SignatureError {
  /// Whether the key may have signed in a form other than the one that the certificate names.
  var mayBeOtherForm: Bool {
    switch self {
    case .padding, .mismatch, .modulusTooShort, .digestInfo: true
    default: false
    }
  }
}

/// Certificates, indexed by subject.
///
/// A pool contains the certificates that a server presented, or the anchors of a trust store.
public struct CertificatePool: Sendable {
  /// The certificates in order, without duplicates.
  public let certificates: [Certificate]
  private let members: Set<Certificate>
  private let bySubject: [NameKey: [Certificate]]

  /// Creates a pool from certificates.
  public init(_ certificates: [Certificate]) {
    var members: Set<Certificate> = []
    self.certificates = certificates.filter { members.insert($0).inserted }
    self.members = members
    bySubject = Dictionary(grouping: self.certificates) { NameKey($0.subject) }
  }

  /// Returns whether the pool contains a certificate, compared byte by byte.
  public func contains(_ certificate: Certificate) -> Bool { members.contains(certificate) }

  /// Returns the certificates with the given subject, in order.
  public func certificates(named subject: DistinguishedName) -> [Certificate] {
    bySubject[NameKey(subject)] ?? []
  }

  /// Returns the certificates whose subject is the issuer of `certificate`, in order.
  public func issuers(of certificate: Certificate) -> [Certificate] {
    bySubject[NameKey(certificate.issuer)] ?? []
  }
}

/// The minimum number of names between a certificate and an anchor, ignoring signatures.
///
/// Path building first tries the issuer with the shortest possible way to an anchor (RFC 4158 section 3.5 sorts by the
/// likelihood of an anchor).
struct AnchorDistances {
  private var distances: [NameKey: Int] = [:]

  init(over candidates: CertificatePool, to anchors: CertificatePool) {
    let issued = Dictionary(grouping: candidates.certificates) { NameKey($0.issuer) }
    var reached = Set(anchors.certificates.map { NameKey($0.subject) })
    var distance = 0
    while !reached.isEmpty {
      for name in reached { distances[name] = distance }
      let next = reached.flatMap { (issued[$0] ?? []).map { NameKey($0.subject) } }
      reached = Set(next.filter { distances[$0] == nil })
      distance += 1
    }
  }

  /// Returns the number of names from the issuer of `certificate` to an anchor.
  ///
  /// The result is the largest integer if no names lead to an anchor.
  func names(from certificate: Certificate) -> Int { distances[NameKey(certificate.issuer)] ?? .max }
}

/// A key for names in a dictionary; equal for names that match. Unlike an array, it hashes all bytes in one call.
private struct NameKey: Hashable {
  private let bytes: [UInt8]

  init(_ name: DistinguishedName) { bytes = name.comparisonKey }

  func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

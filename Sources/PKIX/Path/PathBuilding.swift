import Cryptography
import Explanation

/// Path building, RFC 4158: all paths from a leaf over candidates to an anchor, found depth first.
///
/// Names chain; among several issuers those whose key identifier fits come first, then those valid at the time, then
/// those that are fewer names away from an anchor, then the order of the candidates. No key appears twice in a path
/// (section 2.4.2). Paths that lead nowhere are kept too, and that of a leaf alone that its own key signed, whoever
/// else has its name. The work is bounded, whatever the candidates are.
public struct PathBuilding: Sendable {
  /// How much work is done at most.
  public struct Limits: Sendable, Hashable {
    /// Certificates looked at, each time anew.
    public var steps = 20_000
    /// Paths to an anchor that are kept.
    public var anchoredPaths = 512
    /// Paths that lead nowhere that are kept.
    public var partialPaths = 8
    /// Certificates in one path.
    public var length = 128
    /// Certificates in all paths to an anchor that are kept, each time anew.
    public var certificates = 4096

    /// The usual limits.
    public init() {}
  }

  /// The paths in the order they were found, those to an anchor before those that lead nowhere; never empty.
  public var paths: [CertificatePath] { anchored + partial }
  /// The paths that lead nowhere, in the order they were found.
  public var deadEnds: [CertificatePath] { partial }
  /// Whether all paths were tried that are not too long.
  public private(set) var isComplete = true
  /// Whether a path would have been longer than allowed.
  public private(set) var isTooLong = false

  private let candidates: CertificatePool
  private let anchors: CertificatePool
  private let time: Instant
  private let limits: Limits
  private let verifiesSignatures: Bool
  private let decisions: PathDecisions
  private let memory: SignatureMemory
  private var distances: AnchorDistances?
  private var steps = 0
  /// How many certificates the paths to an anchor have.
  private var kept = 0
  private var anchored: [CertificatePath] = []
  private var partial: [CertificatePath] = []
  private var path: [Certificate] = []

  /// Builds all paths from `leaf` over `candidates` to `anchors`; certificates valid at `time` are preferred.
  ///
  /// With `verifiesSignatures` only issuers whose key made the signature are followed: where many certificates have the
  /// name of one issuer, no path is lost among the paths that cannot be valid.
  public init(
    from leaf: Certificate, over candidates: [Certificate], to anchors: CertificatePool, at time: Instant,
    limits: Limits = Limits(), verifiesSignatures: Bool = false, decisions: PathDecisions = .standard,
    memory: SignatureMemory? = nil
  ) {
    self.memory = memory ?? SignatureMemory()
    self.verifiesSignatures = verifiesSignatures
    self.decisions = decisions
    self.candidates = CertificatePool(candidates.filter { $0 != leaf })
    self.anchors = anchors
    self.time = time
    self.limits = limits
    extend(with: leaf)
  }

  /// Whether the limits allowed all paths to be tried.
  public func finding(on subject: Finding.Subject, _ enforcement: Enforcement) -> Finding {
    if isComplete && isTooLong {
      return enforcement.check(
        .buildingLimit, on: subject, false, required: .word("at most \(limits.length) certificates in a path"),
        found: .word("a path of more"))
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

  /// The anchor that the certificate is taken for without being it.
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
    // Where too many were verified already, nothing is known of this one.
    guard let result else { return true }
    return result == nil
  }

  /// Whether the certificate's own key signed it: then it is its own issuer (RFC 5280 section 3.2), and others of that
  /// name are not.
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

  /// 0 is the best: a fitting key identifier, an unknown one, a different one; each first if valid at the time.
  private func rank(_ issuer: Certificate, for certificate: Certificate) -> Int {
    let isValid = issuer.notBefore <= time && time <= issuer.notAfter
    let claimed = certificate.authorityKeyIdentifier?.keyIdentifier
    let identifier = issuer.subjectKeyIdentifier?.keyIdentifier
    let fit = claimed == nil || identifier == nil ? 1 : claimed == identifier ? 0 : 2
    return fit * 2 + (isValid ? 0 : 1)
  }
}

extension Certificate {
  /// Whether the key of `issuer` made the signature.
  public func isSigned(by issuer: Certificate) -> Bool {
    guard let scheme = signatureScheme else { return false }
    return signatureError(by: issuer.publicKey, scheme) == nil
  }

  /// Why the signature does not verify with `key`; nil where it does.
  func signatureError(by key: PublicKey, _ scheme: SignatureScheme) -> SignatureError? {
    do throws(SignatureError) {
      try signatureValue.verify(key, over: Array(der[tbsCertificate]), scheme, signatureAlgorithm)
      return nil
    } catch {
      return error
    }
  }

  /// In which way the key made the signature, if it did so in another than the one announced: with another salt, hash,
  /// mask or padding.
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

  /// Whether both are for the same key of the same subject, which must not repeat in a path.
  fileprivate func hasSameKey(as other: Certificate) -> Bool {
    subjectPublicKeyInfo == other.subjectPublicKeyInfo && subject == other.subject
  }
}

extension SignatureError {
  /// Whether the key may have made the signature in another way than the one announced.
  var mayBeOtherForm: Bool {
    switch self {
    case .padding, .mismatch, .modulusTooShort, .digestInfo: true
    default: false
    }
  }
}

/// Certificates that can be asked for by subject: those a server presented, or the anchors of a trust store.
public struct CertificatePool: Sendable {
  /// The certificates in order, each once.
  public let certificates: [Certificate]
  private let members: Set<Certificate>
  private let bySubject: [NameKey: [Certificate]]

  /// A pool of these certificates.
  public init(_ certificates: [Certificate]) {
    var members: Set<Certificate> = []
    self.certificates = certificates.filter { members.insert($0).inserted }
    self.members = members
    bySubject = Dictionary(grouping: self.certificates) { NameKey($0.subject) }
  }

  /// Whether this certificate, byte by byte, is in the pool.
  public func contains(_ certificate: Certificate) -> Bool { members.contains(certificate) }

  /// The certificates with this subject, in order.
  public func certificates(named subject: DistinguishedName) -> [Certificate] {
    bySubject[NameKey(subject)] ?? []
  }

  /// The certificates whose subject is the issuer of `certificate`, in order.
  public func issuers(of certificate: Certificate) -> [Certificate] {
    bySubject[NameKey(certificate.issuer)] ?? []
  }
}

/// How many names at least lie between a certificate and an anchor, whatever the signatures: among many issuers the way
/// that may be short is tried first (RFC 4158 section 3.5 sorts by what is likely to lead to an anchor).
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

  /// The number of names from the issuer of `certificate` on; the largest number where no names lead to an anchor.
  func names(from certificate: Certificate) -> Int { distances[NameKey(certificate.issuer)] ?? .max }
}

/// A name as a key: equal for names that match. It hashes all bytes at once, which an array does one by one.
private struct NameKey: Hashable {
  private let bytes: [UInt8]

  init(_ name: DistinguishedName) { bytes = name.comparisonKey }

  func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

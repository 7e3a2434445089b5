import Explanation

/// Determines the status of certificates from CRLs (RFC 5280 section 6.3).
///
/// CRLs are not fetched; the given CRLs are the cache of section 6.3.3. For a CRL issuer that is not on the path, a
/// path to the same anchor is built (f). Its certificates must not be revoked either.
public struct RevocationChecking: Sendable {
  /// The maximum depth of status checks for CRL issuers.
  private static let maximumDepth = 3
  /// The maximum number of CRLs used for one certificate.
  private static let maximumUses = 256
  /// The maximum number of certificates with the name of a CRL issuer that are tried.
  private static let maximumIssuers = 16
  /// The maximum number of steps in the search for the path of a CRL issuer.
  private static let maximumSteps = 1000

  let time: Instant
  /// The complete CRLs and the delta CRLs, by the name of their issuer.
  private let complete: [[UInt8]: [CertificateRevocationList]]
  private let deltas: [[UInt8]: [CertificateRevocationList]]
  private let candidates: CertificatePool
  let requiresConformance: Bool
  let enforcement: Enforcement
  private let memory: SignatureCache

  /// Creates a check from CRLs, and from certificates that may be those of the CRL issuers.
  ///
  /// With `requiresConformance`, CRLs must also meet the requirements of section 5 on CRL issuers.
  public init(
    _ crls: [CertificateRevocationList], candidates: [Certificate], at time: Instant,
    requiresConformance: Bool = false, enforcement: Enforcement = .standard, memory: SignatureCache? = nil
  ) {
    self.time = time
    self.memory = memory ?? SignatureCache()
    self.candidates = CertificatePool(candidates)
    self.requiresConformance = requiresConformance
    self.enforcement = enforcement
    complete = Dictionary(grouping: crls.filter { $0.decodedExtensions.baseNumber == nil }) { $0.issuer.comparisonKey }
    deltas = Dictionary(grouping: crls.filter { $0.decodedExtensions.baseNumber != nil }) { $0.issuer.comparisonKey }
  }

  /// Returns the status of the certificate at `index` of `path`, which must not be its anchor.
  public func status(at index: Int, of path: CertificatePath) -> RevocationStatus {
    statement(at: index, of: path).status
  }

  /// Returns the status of the certificate at `index` of `path`, with its date and the reasons for rejected CRLs.
  public func statement(at index: Int, of path: CertificatePath) -> RevocationStatement {
    statement(at: index, of: path, pending: [])
  }

  /// Performs section 6.3.3 for one certificate. `pending` contains the CRLs whose issuers are being checked.
  private func statement(
    at index: Int, of path: CertificatePath, pending: Set<CertificateRevocationList>
  ) -> RevocationStatement {
    guard path.certificates.indices.contains(index), pending.count < RevocationChecking.maximumDepth else {
      return RevocationStatement(.undetermined(.noValidIssuer))
    }
    let certificate = path.certificates[index]
    var covered: RevocationReasons = []
    var nearest = RevocationRejectionReason.noCRL
    var rejections = CRLRejections()
    func refuse(_ rejection: CRLRejection, _ crl: CertificateRevocationList) {
      nearest = max(nearest, rejection.obstacle)
      rejections.add(rejection, of: crl)
    }
    var uses = 0
    var dates: [Instant] = []
    for point in points(of: certificate) {
      for crl in crls(for: point, certificate) where !pending.contains(crl) {
        uses += 1
        guard uses <= RevocationChecking.maximumUses else {
          return RevocationStatement(.undetermined(nearest), rejections: rejections.all)
        }
        let use = CRLApplicability(crl, point, certificate, at: time)
        if let rejection = use.rejection ?? (requiresConformance ? use.nonconformance : nil) {
          refuse(rejection, crl)
          continue
        }
        guard !use.reasons.isSubset(of: covered) else { continue }  // (e)
        let signer = validIssuer(of: crl, above: index, on: path, pending: pending)
        guard case .success(let issuer) = signer else {
          if case .failure(let rejection) = signer { refuse(rejection, crl) }
          continue
        }
        let delta = delta(to: use, by: issuer)
        let date = (delta ?? crl).thisUpdate
        if let entry = use.entry(delta) { return RevocationStatement(.revoked(entry.date, entry.reason), asOf: date) }
        dates.append(date)
        covered.formUnion(use.reasons)  // (l)
        nearest = max(nearest, .someReasons)
      }
    }
    if covered.isSuperset(of: .all) { return RevocationStatement(.good, asOf: dates.min()) }
    var reasons = rejections.all
    if !covered.isEmpty { reasons.insert(.someReasons(missing: RevocationReasons.all.subtracting(covered)), at: 0) }
    if reasons.isEmpty { reasons = otherLists(than: certificate) }
    return RevocationStatement(.undetermined(nearest), rejections: reasons)
  }

  /// Returns the rejections of CRLs that no distribution point of `certificate` allows.
  private func otherLists(than certificate: Certificate) -> [CRLRejection] {
    let key = certificate.issuer.comparisonKey
    if let delta = deltas[key]?.first { return [.deltaAlone(delta)] }
    let named = certificate.crlIssuers.dropFirst().flatMap { complete[$0.comparisonKey] ?? [] }
    if let crl = named.first { return [.notIndirect(crl)] }
    let crls = complete.filter { $0.key != key }.values.flatMap(\.self)
    return crls.isEmpty ? [] : [.otherIssuers(crls, certificate)]
  }

  /// Returns the certificate's distribution points, and one that represents all other CRLs of its issuer.
  private func points(of certificate: Certificate) -> [DistributionPoint] {
    (certificate.distributionPoints?.points ?? []).prefix(32) + [
      DistributionPoint(.full([.directoryName(certificate.issuer)]))
    ]
  }

  /// Returns the complete CRLs of the CRL issuer of a distribution point ((b)(1)).
  private func crls(for point: DistributionPoint, _ certificate: Certificate) -> [CertificateRevocationList] {
    guard !point.issuer.isEmpty else { return complete[certificate.issuer.comparisonKey] ?? [] }
    let issuers = point.issuer.compactMap { name -> DistinguishedName? in
      if case .directoryName(let name) = name { name } else { nil }
    }
    let crls = issuers.flatMap { complete[$0.comparisonKey] ?? [] }
    return crls.filter { $0.decodedExtensions.scope?.indirectCRL == true }
  }

  /// Returns a current delta CRL for the complete CRL that is signed with the same key ((c), (h)).
  private func delta(to use: CRLApplicability, by issuer: Certificate) -> CertificateRevocationList? {
    deltas[use.crl.issuer.comparisonKey]?.filter { delta in
      use.isCompleted(by: delta) && memory.isSigned(delta, by: issuer)
    }.max { DecodedCRLExtensions.isAtMost($0.decodedExtensions.number ?? [], $1.decodedExtensions.number ?? []) }
  }

  /// Returns the certificate of the CRL issuer, or the rejection that is nearest to a result ((f), (g)).
  ///
  /// The certificate's key signed the CRL, and the certificate is valid under the same anchor.
  private func validIssuer(
    of crl: CertificateRevocationList, above index: Int, on path: CertificatePath,
    pending: Set<CertificateRevocationList>
  ) -> Result<Certificate, CRLRejection> {
    let above = path.certificates[(index + 1)...]
    if let issuer = above.first(where: { mayIssue($0, crl) }) { return .success(issuer) }
    var nearest = signerRejection(of: crl, on: path)
    guard let anchor = path.anchor else { return .failure(nearest) }
    let named = (path.certificates[...index] + candidates.certificates(named: crl.issuer)).filter {
      !above.contains($0) && $0.subject.matches(crl.issuer)
    }
    let likely = named.filter { crl.names($0) } + named.filter { !crl.names($0) }
    for candidate in likely.prefix(RevocationChecking.maximumIssuers) where mayIssue(candidate, crl) {
      guard let rejection = rejection(of: candidate, under: anchor, pending: pending.union([crl])) else {
        return .success(candidate)
      }
      if rejection.obstacle >= nearest.obstacle { nearest = rejection }
    }
    return .failure(nearest)
  }

  /// Returns the reason why no CA of the path signed the CRL.
  ///
  /// The key does not have cRLSign, another key signed, or there is no certificate.
  private func signerRejection(of crl: CertificateRevocationList, on path: CertificatePath) -> CRLRejection {
    let issuers = path.certificates.dropFirst().filter { $0.subject.matches(crl.issuer) }
    let others = candidates.certificates(named: crl.issuer).filter { $0.subject.matches(crl.issuer) }
    let unfit = (issuers + others).prefix(RevocationChecking.maximumIssuers).first {
      $0.keyUsage?.contains(.cRLSign) == false && memory.isSigned(crl, by: $0)
    }
    if let unfit { return .lacksCRLSign(unfit) }
    let able = issuers.first { $0.keyUsage?.contains(.cRLSign) != false }
    return able.map { CRLRejection.badSignature(on: crl, by: $0) } ?? CRLRejection.noCertificate(of: crl)
  }

  private func mayIssue(_ certificate: Certificate, _ crl: CertificateRevocationList) -> Bool {
    certificate.subject.matches(crl.issuer) && certificate.keyUsage?.contains(.cRLSign) != false
      && memory.isSigned(crl, by: certificate)
  }

  /// Returns the reason why a certificate is not that of a valid CRL issuer; nil if it is.
  private func rejection(
    of certificate: Certificate, under anchor: Certificate, pending: Set<CertificateRevocationList>
  ) -> CRLRejection? {
    var limits = PathBuilding.Limits()
    limits.steps = RevocationChecking.maximumSteps
    let building = PathBuilding(
      from: certificate, over: candidates.certificates, to: CertificatePool([anchor]), at: time, limits: limits,
      memory: memory)
    var isRevoked = false
    var why = "its certificate has no path to the same root"
    for path in building.paths where path.isAnchored {
      let findings = PathValidation(path, at: time, enforcement: enforcement, memory: memory).findings
      if let rule = findings.deciding.first {
        why = "its certificate violates \(rule.id)"
        continue
      }
      let statuses = path.certificates.indices.dropLast().map { statement(at: $0, of: path, pending: pending).status }
      if statuses.allSatisfy({ $0 == .good }) { return nil }
      isRevoked = isRevoked || statuses.contains { if case .revoked = $0 { true } else { false } }
      why = "the status of its own certificate is unknown"
    }
    return .refusedIssuer(certificate, isRevoked: isRevoked, isRevoked ? "its certificate is revoked" : why)
  }
}

extension CertificateRevocationList {
  /// Returns whether the CRL identifies the key of `certificate` as its signing key.
  fileprivate func names(_ certificate: Certificate) -> Bool {
    guard let claimed = decodedExtensions.authorityKeyIdentifier?.keyIdentifier else { return false }
    return certificate.subjectKeyIdentifier?.keyIdentifier == claimed
  }
}

/// One CRL applied to one certificate through one distribution point (RFC 5280 section 6.3.3 (b) to (k)).
struct CRLApplicability {
  let crl: CertificateRevocationList
  private let point: DistributionPoint
  let certificate: Certificate
  let time: Instant

  init(
    _ crl: CertificateRevocationList, _ point: DistributionPoint, _ certificate: Certificate, at time: Instant
  ) {
    self.crl = crl
    self.point = point
    self.certificate = certificate
    self.time = time
  }

  /// (d) interim_reasons_mask.
  var reasons: RevocationReasons {
    (point.reasons ?? .all).intersection(crl.decodedExtensions.scope?.onlySomeReasons ?? .all)
  }

  /// Returns the certificate's entry on the delta CRL or the complete CRL ((i), (j), (k)). The result is nil if the
  /// certificate is not revoked.
  func entry(_ delta: CertificateRevocationList?) -> CertificateRevocationList.Entry? {
    let entry = delta?.entry(for: certificate) ?? crl.entry(for: certificate)
    return entry?.reason == .removeFromCRL ? nil : entry
  }

  /// Returns whether `delta` is a current delta CRL for this CRL (c).
  ///
  /// It must have the same scope, and its base must not be newer than this CRL.
  func isCompleted(by delta: CertificateRevocationList) -> Bool {
    guard let base = delta.decodedExtensions.baseNumber, let number = crl.decodedExtensions.number,
      let deltaNumber = delta.decodedExtensions.number
    else { return false }
    return DecodedCRLExtensions.isAtMost(base, number) && DecodedCRLExtensions.isAtMost(number, deltaNumber)
      && delta.decodedExtensions.scope == crl.decodedExtensions.scope && delta.decodedExtensions.defect == nil
      && delta.decodedExtensions.authorityKeyIdentifier == crl.decodedExtensions.authorityKeyIdentifier
      && CRLApplicability.isCurrent(delta, at: time)
  }

  private static func isCurrent(_ crl: CertificateRevocationList, at time: Instant) -> Bool {
    // A CRL without nextUpdate must not remain current forever.
    crl.thisUpdate <= time && time <= crl.nextUpdate ?? crl.thisUpdate.adding(days: maximumDaysWithoutNextUpdate)
  }

  /// The number of days for which a CRL without nextUpdate is accepted. Section 5.1.2.5 requires nextUpdate.
  ///
  /// The value is the maximum validity for CRLs of server certificates (Baseline Requirements section 4.9.7).
  static let maximumDaysWithoutNextUpdate = 10

  /// Returns whether the issuing distribution point has a name of the certificate's distribution point ((b)(2)(i)).
  func sharesName(_ name: DistributionPointName) -> Bool {
    let own = Set(name.names(issuer: crl.issuer).map(ComparableName.init))
    let asked = point.name?.names(issuer: point.directoryIssuer ?? certificate.issuer) ?? point.issuer
    return asked.contains { own.contains(ComparableName($0)) }
  }
}

extension DistributionPoint {
  /// The first distinguished name of the CRL issuer.
  fileprivate var directoryIssuer: DistinguishedName? {
    issuer.lazy.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }.first
  }
}

/// A general name for comparison by meaning. Distinguished names are compared without regard to case and space.
private struct ComparableName: Hashable {
  private let key: [UInt8]

  init(_ name: GeneralName) {
    if case .directoryName(let name) = name {
      key = [GeneralName.Tag.directoryName] + name.comparisonKey
    } else {
      key = name.der
    }
  }
}

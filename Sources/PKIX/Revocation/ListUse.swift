import Explanation

/// One revocation list used for one certificate by way of one distribution point, RFC 5280 section 6.3.3 (b) to (k).
struct ListUse {
  let list: CertificateRevocationList
  private let point: DistributionPoint
  private let certificate: Certificate
  private let time: Instant

  init(
    _ list: CertificateRevocationList, _ point: DistributionPoint, _ certificate: Certificate, at time: Instant
  ) {
    self.list = list
    self.point = point
    self.certificate = certificate
    self.time = time
  }

  /// Why the list does not tell about the certificate; nil when, by all but its signature, it does.
  var obstacle: RevocationObstacle? {
    if !coversCertificate { return .otherScope }
    if !ListUse.isCurrent(list, at: time) { return entry(nil) == nil ? .notCurrent : .notCurrentButListed }
    return list.readings.obstacle == nil ? nil : .unprocessedExtension
  }

  /// What section 5 demands of those who issue lists, beside what section 6 asks.
  var nonconformance: RevocationObstacle? { list.readings.isConforming ? nil : .nonconforming }

  /// (d) interim_reasons_mask.
  var reasons: RevocationReasons {
    (point.reasons ?? .all).intersection(list.readings.scope?.onlySomeReasons ?? .all)
  }

  /// (i), (j), (k): the entry about the certificate on the delta list, else on the list; nil when it is not revoked.
  func entry(_ delta: CertificateRevocationList?) -> CertificateRevocationList.Entry? {
    let entry = delta?.entry(for: certificate) ?? list.entry(for: certificate)
    return entry?.reason == .removeFromCRL ? nil : entry
  }

  /// (c): whether `delta` is a current delta list of the same scope whose base is not beyond this list.
  func isCompleted(by delta: CertificateRevocationList) -> Bool {
    guard let base = delta.readings.baseNumber, let number = list.readings.number,
      let deltaNumber = delta.readings.number
    else { return false }
    return RevocationListReadings.isAtMost(base, number) && RevocationListReadings.isAtMost(number, deltaNumber)
      && delta.readings.scope == list.readings.scope && delta.readings.obstacle == nil
      && delta.readings.authorityKeyIdentifier == list.readings.authorityKeyIdentifier
      && ListUse.isCurrent(delta, at: time)
  }

  private static func isCurrent(_ list: CertificateRevocationList, at time: Instant) -> Bool {
    list.thisUpdate <= time && list.nextUpdate.map { time <= $0 } ?? true
  }

  /// (b)(2): whether the issuing distribution point includes the certificate.
  private var coversCertificate: Bool {
    guard let scope = list.readings.scope else { return true }
    let isAuthority = certificate.basicConstraints?.isAuthority == true
    if scope.onlyContainsAttributeCerts || scope.onlyContainsUserCerts && isAuthority
      || scope.onlyContainsCACerts && !isAuthority
    {
      return false
    }
    guard let name = scope.name else { return true }
    let own = Set(name.names(issuer: list.issuer).map(ComparableName.init))
    let asked = point.name?.names(issuer: point.directoryIssuer ?? certificate.issuer) ?? point.issuer
    return asked.contains { own.contains(ComparableName($0)) }
  }
}

extension DistributionPoint {
  /// The first distinguished name among those of the lists' issuer.
  fileprivate var directoryIssuer: DistinguishedName? {
    issuer.lazy.compactMap { if case .directoryName(let name) = $0 { name } else { nil } }.first
  }
}

/// A general name that equals another when both mean the same: distinguished names without regard to case and space.
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

import Explanation

/// Proxy certificates, RFC 3820 section 4, where the caller allows them: end entities that issue for themselves.
extension PathValidation {
  /// Whether the certificate at `index` is a proxy and proxies are allowed.
  func isProxy(_ index: Int) -> Bool {
    inputs.allowsProxyCertificates && path.certificates[index].readings.proxyInformation != nil
  }

  /// Section 4.1.3 for the issuer at `index` of a proxy, in place of RFC 5280 section 6.1.4 (k) to (n).
  mutating func prepareForProxy(_ certificate: Certificate, _ index: Int) {
    let proxy = path.certificates[index - 1]
    let mayIssue =
      certificate.basicConstraints?.isAuthority != true
      && certificate.keyUsage?.contains(.digitalSignature) != false && state.maxProxyLength > 0
    let isNamed = proxy.subject.isOneCommonName(below: certificate.subject)
    let hasNoOthers = proxy.first(.subjectAltName) == nil && proxy.first(.issuerAltName) == nil
    check(
      .proxyCertificate, index - 1, mayIssue && isNamed && hasNoOthers,
      required: .word("\(certificate.subject) and one common name"), found: .word(proxy.subject.description))
    let length = proxy.readings.proxyInformation?.pathLength ?? .max
    state.maxProxyLength = min(max(0, state.maxProxyLength - 1), length)
  }
}

extension DistinguishedName {
  /// Section 3.4: the issuer's name and one more relative name, which is a common name.
  fileprivate func isOneCommonName(below issuer: DistinguishedName) -> Bool {
    let (own, above) = (relativeNames, issuer.relativeNames)
    guard own.count == above.count + 1, let last = own.last, last.count == 1 else { return false }
    return last.first?.type == .commonName && comparisonKey.starts(with: issuer.comparisonKey)
  }
}

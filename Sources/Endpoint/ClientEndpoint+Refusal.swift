import Explanation
import PKIX
import TLS
import Trust

extension ClientEndpoint {
  /// The decision that the server refused the client's certificate, with the rule that the alert suggests.
  ///
  /// Nil if the server did not refuse it. Only the server knows the defect of the certificate, because the client
  /// receives only an alert (RFC 5246 section 7.2.2).
  public var refusalOfIdentity: Decision? {
    guard let alert, alert.refusesClient, let leaf = shownCertificates.first.flatMap({ try? Certificate(der: $0) })
    else { return nil }
    let name = trust.diagnostics.names(leaf)
    guard let rule = refusingRule(alert.description, leaf).flatMap(Rule.clientRule) else {
      return Decision(
        .trust(
          .identityRefused(
            .init(name: name, alert: alert.description, isAboutCertificate: false, validity: nil))))
    }
    let finding = configuration.tls.enforcement.check(
      rule, on: .handshake(.certificate), false, found: .word(name),
      confidence: .likely("the server sends only the alert \(alert.description) after the client's certificate"))
    return Decision(
      .trust(
        .identityRefused(
          .init(
            name: name, alert: alert.description, isAboutCertificate: true, validity: validity(leaf, against: rule)))),
      [finding])
  }

  /// The rule of path validation that an alert identifies as violated; nil if the alert can have several reasons.
  private func refusingRule(_ alert: AlertDescription, _ leaf: Certificate) -> Rule? {
    switch alert {
    case .certificateExpired: trust.requirements.date < leaf.notBefore ? .notYetValid : .expired
    case .certificateRevoked: .revoked
    // A server that trusts other CAs has this finding.
    case .unknownCA where shownCertificates.count > 1: .noAnchor
    case .unknownCA: leaf.isSelfIssued ? .selfSigned : .noIssuer
    // OpenSSL sends this alert for the wrong purpose. If the certificate has the client purpose, the alert can have
    // many other reasons.
    case .unsupportedCertificate where !leaf.isForClients: .extendedKeyUsage
    default: nil
    }
  }

  /// The client's date and the end of the validity, if the server wrongly reports an expired certificate.
  private func validity(_ leaf: Certificate, against rule: Rule) -> (date: Instant, end: Instant)? {
    guard rule == Rule.clientRule(for: .expired), trust.requirements.date <= leaf.notAfter else { return nil }
    return (trust.requirements.date, leaf.notAfter)
  }
}

extension Certificate {
  /// Whether the extended key usage allows TLS clients (RFC 5280 section 4.2.1.12).
  fileprivate var isForClients: Bool {
    guard let purposes = extendedKeyUsage?.purposes else { return true }
    return purposes.contains(ExtendedKeyUsage.clientAuth) || purposes.contains(ExtendedKeyUsage.any)
  }
}

import Explanation
import PKIX
import TLS
import Trust

extension ClientEndpoint {
  /// That the server has refused the client after it was shown a certificate, and by which rule as far as the alert tells;
  /// nil where it has not. What is wrong with the certificate the server knows, and a client learns an alert: RFC 5246
  /// section 7.2.2.
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
      confidence: .likely("the server says \(alert.description) after the client's certificate, and no more"))
    return Decision(
      .trust(
        .identityRefused(
          .init(
            name: name, alert: alert.description, isAboutCertificate: true, validity: validity(leaf, against: rule)))),
      [finding])
  }

  /// The rule of a path that an alert says to be violated; nil where it may be one of many.
  private func refusingRule(_ alert: AlertDescription, _ leaf: Certificate) -> Rule? {
    switch alert {
    case .certificateExpired: trust.requirements.date < leaf.notBefore ? .notYetValid : .expired
    case .certificateRevoked: .revoked
    // As a server finds that trusts other authorities.
    case .unknownCA where shownCertificates.count > 1: .noAnchor
    case .unknownCA: leaf.isSelfIssued ? .selfSigned : .noIssuer
    // OpenSSL's word for a purpose that does not fit; of a certificate that says it is for clients it may mean much else.
    case .unsupportedCertificate where !leaf.isForClients: .extendedKeyUsage
    default: nil
    }
  }

  /// The client's date and the end of the validity, if the server says that the certificate has expired and it has not.
  private func validity(_ leaf: Certificate, against rule: Rule) -> (date: Instant, end: Instant)? {
    guard rule == Rule.clientRule(for: .expired), trust.requirements.date <= leaf.notAfter else { return nil }
    return (trust.requirements.date, leaf.notAfter)
  }
}

extension Certificate {
  /// Whether it may be shown by a client of TLS, as far as it says what it is for: RFC 5280 section 4.2.1.12.
  fileprivate var isForClients: Bool {
    guard let purposes = extendedKeyUsage?.purposes else { return true }
    return purposes.contains(ExtendedKeyUsage.clientAuth) || purposes.contains(ExtendedKeyUsage.any)
  }
}

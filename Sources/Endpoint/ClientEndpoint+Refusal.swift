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
    let name = trust.names(leaf)
    let asked = "It asked with a CertificateRequest, was shown the certificate \(name), and gave up with "
    guard let rule = refusingRule(alert.description, leaf).flatMap(Rule.clientRule) else {
      return Decision(
        title: "the server gives up after it was shown a certificate",
        narration: "\(asked)\(alert.description). That may be about the certificate; why, only the server's log says.",
        findings: [])
    }
    let finding = configuration.tls.enforcement.check(
      rule, on: .handshake(.certificate), false, found: .word(name),
      confidence: .likely("the server says \(alert.description) after the client's certificate, and no more"))
    return Decision(
      title: "the server refuses the certificate that it was shown",
      narration: "\(asked)\(alert.description) (RFC 5246 section 7.2.2). \(alert.description.statement)"
        + validity(leaf, against: rule),
      findings: [finding])
  }

  /// The rule of a path that an alert says to be violated; nil where it may be one of many.
  private func refusingRule(_ alert: AlertDescription, _ leaf: Certificate) -> Rule? {
    switch alert {
    case .certificateExpired: trust.date < leaf.notBefore ? .notYetValid : .expired
    case .certificateRevoked: .revoked
    // As a server finds that trusts other authorities.
    case .unknownCA where shownCertificates.count > 1: .noAnchor
    case .unknownCA: leaf.isSelfIssued ? .selfSigned : .noIssuer
    // OpenSSL's word for a purpose that does not fit; of a certificate that says it is for clients it may mean much else.
    case .unsupportedCertificate where !leaf.isForClients: .extendedKeyUsage
    default: nil
    }
  }

  /// What the client's own clock says against the server's.
  private func validity(_ leaf: Certificate, against rule: Rule) -> String {
    guard rule == Rule.clientRule(for: .expired), trust.date <= leaf.notAfter else { return "" }
    return " At the client's date, \(trust.date), \(trust.names(leaf)) is valid, until \(leaf.notAfter): one of those "
      + "that came with it may not be, or the clocks differ."
  }
}

extension Certificate {
  /// Whether it may be shown by a client of TLS, as far as it says what it is for: RFC 5280 section 4.2.1.12.
  fileprivate var isForClients: Bool {
    guard let purposes = extendedKeyUsage?.purposes else { return true }
    return purposes.contains(ExtendedKeyUsage.clientAuth) || purposes.contains(ExtendedKeyUsage.any)
  }
}

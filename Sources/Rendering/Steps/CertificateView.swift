import Cryptography
import Explanation
import PKIX

/// The fields of a certificate as text.
public struct CertificateView: Sendable {
  private let name: String
  private let certificate: Certificate

  /// Creates a view of a certificate that the user knows as `name`.
  public init(name: String, certificate: Certificate) {
    self.name = name
    self.certificate = certificate
  }

  /// Returns the subject, issuer, validity, key, signature, extensions and SHA-256 fingerprint.
  public func document() -> Document {
    var document = Document()
    document.heading("Certificate \(name)")
    document.facts(facts, indent: 2)
    guard !certificate.extensions.isEmpty else { return document }
    document.paragraph("extensions", indent: 2)
    document.facts(
      certificate.extensions.map { item in
        let critical: [Span] = item.critical ? [Span("critical ", .strong)] : []
        return Document.Fact(item.oid.name, RichText(critical + [Span(certificate.meaning(of: item))]))
      }, indent: 4)
    return document
  }

  private var facts: [Document.Fact] {
    let key = certificate.publicKey
    let isSelfIssued = certificate.isSelfIssued ? " (itself)" : ""
    return [
      .init("subject", "\(certificate.subject.description)"),
      .init("issuer", "\(certificate.issuer.description)\(isSelfIssued)"),
      .init("version", "\(String(certificate.version))"), .init("serial", "\(Hex.string(certificate.serialNumber))"),
      .init("valid", "\(certificate.notBefore.description) to \(certificate.notAfter.description)"),
      .init("key", "\(key.algorithmName)\(key.bits.map { ", \($0) bits" } ?? "")"),
      .init("signature", "\(certificate.signatureAlgorithm.description)"),
      .init("SHA-256", "\(Hex.string(Hash.sha256.digest(certificate.der)))"),
    ]
  }
}

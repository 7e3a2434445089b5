/// Names that a reader knows certificates by.
public struct CertificateNames: Sendable {
  private let name: @Sendable (Certificate) -> String

  /// Names given by a function.
  public init(_ name: @escaping @Sendable (Certificate) -> String) { self.name = name }

  /// These names, and common names for other certificates.
  public init(_ names: [(name: String, certificate: Certificate)]) {
    let table = Dictionary(names.map { ($0.certificate, $0.name) }) { first, _ in first }
    self.init { table[$0] ?? $0.displayName }
  }

  /// Common names, and where there is none the first host name or the subject.
  public static let common = CertificateNames { $0.displayName }

  /// The name of one certificate.
  public func callAsFunction(_ certificate: Certificate) -> String { name(certificate) }
}

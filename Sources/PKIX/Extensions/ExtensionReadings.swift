/// What the extensions of one certificate say, read once, and what could not be read.
struct ExtensionReadings: Sendable {
  private(set) var basicConstraints: BasicConstraints?
  private(set) var keyUsage: KeyUsage?
  private(set) var extendedKeyUsage: ExtendedKeyUsage?
  private(set) var subjectAlternativeName: SubjectAlternativeName?
  private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
  private(set) var subjectKeyIdentifier: SubjectKeyIdentifier?
  private(set) var malformations: [CertificateError] = []

  init(_ extensions: [Certificate.Extension]) {
    var seen = Set<OID>(minimumCapacity: extensions.count)
    for item in extensions {
      if !seen.insert(item.oid).inserted {
        malformations.append(
          CertificateError(
            place: item.range.lowerBound, field: item.oid.name, message: "appears twice",
            hint: "RFC 5280 section 4.2: a certificate has at most one of each extension."))
      } else {
        read(item)
      }
    }
  }

  private mutating func read(_ item: Certificate.Extension) {
    do throws(CertificateError) {
      switch item.oid {
      case .basicConstraints: basicConstraints = try BasicConstraints(der: item.value)
      case .keyUsage: keyUsage = try KeyUsage(der: item.value)
      case .extKeyUsage: extendedKeyUsage = try ExtendedKeyUsage(der: item.value)
      case .subjectAltName: subjectAlternativeName = try SubjectAlternativeName(der: item.value)
      case .authorityKeyIdentifier: authorityKeyIdentifier = try AuthorityKeyIdentifier(der: item.value)
      case .subjectKeyIdentifier: subjectKeyIdentifier = try SubjectKeyIdentifier(der: item.value)
      default: break
      }
    } catch {
      malformations.append(error.shifted(by: item.valueRange.lowerBound))
    }
  }

  /// The extensions that path validation processes.
  static let processed: Set<OID> = [
    .basicConstraints, .keyUsage, .extKeyUsage, .subjectAltName, .authorityKeyIdentifier, .subjectKeyIdentifier,
  ]
}

extension Certificate {
  /// Basic constraints, nil when absent or malformed.
  public var basicConstraints: BasicConstraints? { readings.basicConstraints }
  /// Key usage, nil when absent or malformed.
  public var keyUsage: KeyUsage? { readings.keyUsage }
  /// Extended key usage, nil when absent or malformed.
  public var extendedKeyUsage: ExtendedKeyUsage? { readings.extendedKeyUsage }
  /// Subject alternative names, nil when absent or malformed.
  public var subjectAlternativeName: SubjectAlternativeName? { readings.subjectAlternativeName }
  /// Authority key identifier, nil when absent or malformed.
  public var authorityKeyIdentifier: AuthorityKeyIdentifier? { readings.authorityKeyIdentifier }
  /// Subject key identifier, nil when absent or malformed.
  public var subjectKeyIdentifier: SubjectKeyIdentifier? { readings.subjectKeyIdentifier }
  /// What extensions hold that is not what their names promise, and extensions that appear twice.
  public var malformations: [CertificateError] { readings.malformations }
  /// The extension with this object identifier, as it stands.
  public func first(_ oid: OID) -> Extension? { extensions.first { $0.oid == oid } }
}

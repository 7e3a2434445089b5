/// What an extension of a certificate says, RFC 5280 section 4.2.
public protocol CertificateExtension: Sendable, Hashable {
  /// The extension's object identifier.
  static var oid: OID { get }
  /// Reads the contents of `extnValue`; places in errors count from its first byte.
  init(der: [UInt8]) throws(CertificateError)
  /// The contents of `extnValue`.
  var der: [UInt8] { get }
  /// What it says, in one line.
  var meaning: String { get }
}

extension Certificate {
  /// An extension as it stands in the certificate.
  public struct Extension: Sendable, Hashable {
    /// Which extension.
    public let oid: OID
    /// Whether a validator that does not know the extension must refuse the certificate.
    public let critical: Bool
    /// The contents of `extnValue`.
    public let value: [UInt8]
    /// The bytes of the certificate that the extension occupies; empty for one not yet issued.
    public let range: Range<Int>
    /// The bytes of the certificate that `value` occupies; empty for one not yet issued.
    public let valueRange: Range<Int>

    /// An extension as read, or to be issued.
    public init(
      _ oid: OID, critical: Bool = false, value: [UInt8], range: Range<Int> = 0..<0, valueRange: Range<Int> = 0..<0
    ) {
      self.oid = oid
      self.critical = critical
      self.value = value
      self.range = range
      self.valueRange = valueRange
    }

    /// The extension that says `content`, to be issued.
    public init(_ content: some CertificateExtension, critical: Bool = false) {
      self.init(type(of: content).oid, critical: critical, value: content.der)
    }

    var der: [UInt8] {
      DER.sequence(
        DER.objectIdentifier(oid), critical ? DER.boolean(true) : [], DER.octetString(value))
    }
  }
}

/// What the extensions of one certificate say, read once, and what could not be read.
struct ExtensionReadings: Sendable {
  private(set) var basicConstraints: BasicConstraints?
  private(set) var keyUsage: KeyUsage?
  private(set) var extendedKeyUsage: ExtendedKeyUsage?
  private(set) var subjectAlternativeName: SubjectAlternativeName?
  private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
  private(set) var subjectKeyIdentifier: SubjectKeyIdentifier?
  private(set) var nameConstraints: NameConstraints?
  private(set) var certificatePolicies: CertificatePolicies?
  private(set) var policyMappings: PolicyMappings?
  private(set) var policyConstraints: PolicyConstraints?
  private(set) var inhibitAnyPolicy: InhibitAnyPolicy?
  private(set) var authorityInformationAccess: AuthorityInformationAccess?
  private(set) var distributionPoints: CRLDistributionPoints?
  private(set) var proxyInformation: ProxyCertificateInformation?
  private(set) var malformations: [CertificateError] = []
  /// The extensions that are present and cannot be decoded.
  private(set) var undecodable: [OID] = []

  init(_ extensions: [Certificate.Extension]) {
    var seen = SeenExtensions(extensions.count)
    for (place, item) in extensions.enumerated() {
      if !seen.isNew(item.oid, after: extensions[..<place]) {
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
      case .nameConstraints: nameConstraints = try NameConstraints(der: item.value)
      case .certificatePolicies: certificatePolicies = try CertificatePolicies(der: item.value)
      case .policyMappings: policyMappings = try PolicyMappings(der: item.value)
      case .policyConstraints: policyConstraints = try PolicyConstraints(der: item.value)
      case .inhibitAnyPolicy: inhibitAnyPolicy = try InhibitAnyPolicy(der: item.value)
      case .cRLDistributionPoints: distributionPoints = try CRLDistributionPoints(der: item.value)
      case ProxyCertificateInformation.oid: proxyInformation = try ProxyCertificateInformation(der: item.value)
      case AuthorityInformationAccess.oid:
        authorityInformationAccess = try AuthorityInformationAccess(der: item.value)
      default: break
      }
    } catch {
      malformations.append(error.shifted(by: item.valueRange.lowerBound))
      undecodable.append(item.oid)
    }
  }

  /// The extensions that path validation processes.
  static let processed: Set<OID> = [
    .basicConstraints, .keyUsage, .extKeyUsage, .subjectAltName, .authorityKeyIdentifier, .subjectKeyIdentifier,
    .nameConstraints, .certificatePolicies, .policyMappings, .policyConstraints, .inhibitAnyPolicy,
    // That nobody need ask is a right and no demand: RFC 6960 section 4.2.2.2.1.
    .cRLDistributionPoints, .ocspNoCheck,
  ]
}

/// Whether an extension was there before: a few are looked at one by one, of many a set is kept.
private struct SeenExtensions {
  private static let few = 16
  private var set: Set<OID>?

  init(_ count: Int) { set = count > Self.few ? [] : nil }

  mutating func isNew(_ oid: OID, after earlier: ArraySlice<Certificate.Extension>) -> Bool {
    set?.insert(oid).inserted ?? !earlier.contains { $0.oid == oid }
  }
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
  /// Name constraints, nil when absent or malformed.
  public var nameConstraints: NameConstraints? { readings.nameConstraints }
  /// The policies it was issued under, nil when absent or malformed.
  public var policies: [OID]? { readings.certificatePolicies?.policies }
  /// Policy mappings, nil when absent or malformed.
  public var policyMappings: PolicyMappings? { readings.policyMappings }
  /// Policy constraints, nil when absent or malformed.
  public var policyConstraints: PolicyConstraints? { readings.policyConstraints }
  /// Where anyPolicy ends, nil when absent or malformed.
  public var inhibitAnyPolicy: InhibitAnyPolicy? { readings.inhibitAnyPolicy }
  /// Where to find the issuer and its responder, nil when absent or malformed.
  public var authorityInformationAccess: AuthorityInformationAccess? { readings.authorityInformationAccess }
  /// Where its revocation lists are, nil when absent or malformed.
  public var distributionPoints: CRLDistributionPoints? { readings.distributionPoints }
  /// What extensions hold that is not what their names promise, and extensions that appear twice.
  public var malformations: [CertificateError] { readings.malformations }
  /// Whether the extension is present and cannot be decoded: it is malformed, and nothing else is known of it.
  public func hasUndecodable(_ oid: OID) -> Bool { readings.undecodable.contains(oid) }
  /// The extension with this object identifier, as it stands.
  public func first(_ oid: OID) -> Extension? { extensions.first { $0.oid == oid } }
}

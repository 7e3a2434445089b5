/// The decoded content of a certificate extension (RFC 5280 section 4.2).
public protocol CertificateExtension: Sendable, Hashable {
  /// The extension's object identifier.
  static var oid: OID { get }
  /// Reads the contents of `extnValue`. Offsets in errors are relative to the first byte of the contents.
  init(der: [UInt8]) throws(CertificateError)
  /// The contents of `extnValue`.
  var der: [UInt8] { get }
  /// A description of the content in one line.
  var meaning: String { get }
}

extension Certificate {
  /// An extension as encoded in the certificate.
  public struct Extension: Sendable, Hashable {
    /// The type of the extension.
    public let oid: OID
    /// Whether a validator that does not support the extension must refuse the certificate.
    public let critical: Bool
    /// The contents of `extnValue`.
    public let value: [UInt8]
    /// The byte range of the extension in its certificate; empty if the certificate is not yet issued.
    public let range: Range<Int>
    /// The byte range of `value` in the certificate; empty if the certificate is not yet issued.
    public let valueRange: Range<Int>

    /// Creates an extension that was read from a certificate, or that is to be issued.
    public init(
      _ oid: OID, critical: Bool = false, value: [UInt8], range: Range<Int> = 0..<0, valueRange: Range<Int> = 0..<0
    ) {
      self.oid = oid
      self.critical = critical
      self.value = value
      self.range = range
      self.valueRange = valueRange
    }

    /// Creates an extension with `content` that is to be issued.
    public init(_ content: some CertificateExtension, critical: Bool = false) {
      self.init(type(of: content).oid, critical: critical, value: content.der)
    }

    var der: [UInt8] {
      DER.sequence(
        DER.objectIdentifier(oid), critical ? DER.boolean(true) : [], DER.octetString(value))
    }
  }
}

/// The extensions of one certificate, decoded once, and those that are malformed.
struct DecodedExtensions: Sendable {
  /// The way in which a validator handles an extension.
  private enum Handling {
    /// Path validation supports the extension, so it may be critical.
    case processed
    /// The extension must be well-formed.
    case checked
    /// The extension is ignored if it is malformed.
    case optional
  }

  /// The extensions that are decoded. To support a new one, add its type and a row here.
  private static let table: [(type: any CertificateExtension.Type, handling: Handling)] = [
    (AuthorityKeyIdentifier.self, .processed),
    (SubjectKeyIdentifier.self, .processed),
    (KeyUsage.self, .processed),
    (CertificatePolicies.self, .processed),
    (PolicyMappings.self, .processed),
    (SubjectAlternativeName.self, .processed),
    (BasicConstraints.self, .processed),
    (NameConstraints.self, .processed),
    (PolicyConstraints.self, .processed),
    (ExtendedKeyUsage.self, .processed),
    (CRLDistributionPoints.self, .processed),
    (InhibitAnyPolicy.self, .processed),
    (FreshestCRL.self, .optional),
    (AuthorityInformationAccess.self, .checked),
    (ProxyCertificateInformation.self, .checked),
    (TLSFeature.self, .optional),
  ]
  private static let rows = Dictionary(uniqueKeysWithValues: table.map { ($0.type.oid, $0) })

  /// The extensions that path validation supports. id-pkix-ocsp-nocheck has no content and requires no action of a
  /// validator (RFC 6960 section 4.2.2.2.1).
  static let processed = Set(table.filter { $0.handling == .processed }.map { $0.type.oid }).union([.ocspNoCheck])

  private var contents: [any CertificateExtension] = []
  private(set) var malformations: [CertificateError] = []
  /// The extensions that are present but cannot be decoded.
  private(set) var undecodable: [OID] = []

  init(_ extensions: [Certificate.Extension]) {
    contents.reserveCapacity(extensions.count)
    var seen = SeenExtensions(extensions.count)
    for (place, item) in extensions.enumerated() {
      if !seen.isNew(item.oid, after: extensions[..<place]) {
        malformations.append(
          CertificateError(
            place: item.range.lowerBound, field: item.oid.name, message: "appears twice",
            hint: "RFC 5280 section 4.2: an extension appears at most once in a certificate."))
      } else if let row = Self.rows[item.oid] {
        decode(item, as: row.type, row.handling)
      }
    }
  }

  private mutating func decode(
    _ item: Certificate.Extension, as type: any CertificateExtension.Type, _ handling: Handling
  ) {
    do throws(CertificateError) {
      contents.append(try type.init(der: item.value))
    } catch {
      guard handling != .optional else { return }
      malformations.append(error.shifted(by: item.valueRange.lowerBound))
      undecodable.append(item.oid)
    }
  }

  /// Returns the extension of the given type; nil if it is absent or malformed.
  func content<Content: CertificateExtension>(_ type: Content.Type) -> Content? {
    for content in contents where Swift.type(of: content) == type { return content as? Content }
    return nil
  }

  /// Returns the extension with an object identifier; nil if it is absent, malformed or not decoded.
  func content(_ oid: OID) -> (any CertificateExtension)? { contents.first { type(of: $0).oid == oid } }
}

/// A set that detects repeated extensions. It compares a few extensions one by one, and hashes them if there are many.
private struct SeenExtensions {
  private static let few = 16
  private var set: Set<OID>?

  init(_ count: Int) { set = count > Self.few ? [] : nil }

  mutating func isNew(_ oid: OID, after earlier: ArraySlice<Certificate.Extension>) -> Bool {
    set?.insert(oid).inserted ?? !earlier.contains { $0.oid == oid }
  }
}

extension Certificate {
  /// Decodes the extension of the given type; nil if it is absent or malformed.
  func decoded<Content: CertificateExtension>(_ type: Content.Type = Content.self) -> Content? {
    decodedExtensions.content(type)
  }

  /// The errors for malformed and repeated extensions.
  public var malformations: [CertificateError] { decodedExtensions.malformations }
  /// Returns whether the extension is present but malformed, so that its content is unknown.
  public func hasUndecodable(_ oid: OID) -> Bool { decodedExtensions.undecodable.contains(oid) }
  /// Returns the first extension with an object identifier, as encoded.
  public func first(_ oid: OID) -> Extension? { extensions.first { $0.oid == oid } }
}

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

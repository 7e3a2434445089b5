import Explanation

/// A name of a host, an address, a mailbox or another type (RFC 5280 section 4.2.1.6).
public enum GeneralName: Sendable, Hashable {
  /// A host name, as encoded in the certificate.
  case dnsName(String)
  /// An address of four or sixteen bytes.
  case ipAddress([UInt8])
  /// A mailbox as encoded.
  case rfc822Name(String)
  /// A URI as encoded.
  case uniformResourceIdentifier(String)
  /// A distinguished name.
  case directoryName(DistinguishedName)
  /// A name of another type, with its identifier octet and content octets.
  case other(tag: UInt8, content: [UInt8])

  static func read(_ cursor: inout DERCursor) throws(CertificateError) -> GeneralName {
    let element = try cursor.next("GeneralName")
    switch element.tag {
    case Tag.rfc822Name: return .rfc822Name(try text("rfc822Name", element, in: cursor))
    case Tag.dnsName: return .dnsName(try text("dNSName", element, in: cursor))
    case Tag.uniformResourceIdentifier:
      return .uniformResourceIdentifier(try text("uniformResourceIdentifier", element, in: cursor))
    case Tag.directoryName: return .directoryName(try directoryName(element, in: cursor))
    case Tag.ipAddress:
      guard element.content.count == 4 || element.content.count == 16 else {
        throw cursor.error(
          "iPAddress", at: element.content.lowerBound, "\(element.content.count) bytes",
          "An address has 4 bytes (IPv4) or 16 bytes (IPv6).")
      }
      return .ipAddress(cursor.content(element))
    case Tag.otherName:
      var parts = cursor.inside(element)
      _ = try parts.objectIdentifier("type-id")
      _ = try parts.next("otherName value", DERTag.context(0, constructed: true))
      try parts.finish("otherName")
      return .other(tag: element.tag, content: cursor.content(element))
    case Tag.registeredID:
      guard OID(content: cursor.content(element)) != nil else {
        throw cursor.error(
          "registeredID", at: element.content.lowerBound, "\(element.content.count) bytes", "an object identifier")
      }
      return .other(tag: element.tag, content: cursor.content(element))
    case Tag.x400Address, Tag.ediPartyName:
      return .other(tag: element.tag, content: cursor.content(element))
    case let tag:
      throw cursor.error(
        "GeneralName", at: element.range.lowerBound, "\(DERTag.name(tag)) instead of one of the tags [0] to [8]",
        "RFC 5280 section 4.2.1.6")
    }
  }

  /// Reads the remaining names in `cursor`, of which there must be at least one.
  static func readAll(_ cursor: inout DERCursor) throws(CertificateError) -> [GeneralName] {
    var names: [GeneralName] = []
    repeat { names.append(try GeneralName.read(&cursor)) } while !cursor.isAtEnd
    return names
  }

  /// Reads an IA5String.
  static func text(
    _ field: String, _ element: DERElement, in cursor: DERCursor
  ) throws(CertificateError) -> String {
    let content = cursor.bytes[element.content]
    guard content.allSatisfy({ $0 < 0x80 }) else {
      throw cursor.error(
        field, at: element.content.lowerBound, "a character beyond ASCII",
        "An IA5String contains only ASCII. Write international names as A-labels (RFC 5890).")
    }
    return String(decoding: content, as: UTF8.self)
  }

  static func directoryName(
    _ element: DERElement, in cursor: DERCursor
  ) throws(CertificateError) -> DistinguishedName {
    var inner = cursor.inside(element)
    let name = try DistinguishedName.read(&inner, "directoryName")
    try inner.finish("directoryName")
    return name
  }

  /// The identifier octets of the name types.
  enum Tag {
    static let otherName = DERTag.context(0, constructed: true)
    static let rfc822Name = DERTag.context(1)
    static let dnsName = DERTag.context(2)
    static let x400Address = DERTag.context(3, constructed: true)
    static let directoryName = DERTag.context(4, constructed: true)
    static let ediPartyName = DERTag.context(5, constructed: true)
    static let uniformResourceIdentifier = DERTag.context(6)
    static let ipAddress = DERTag.context(7)
    static let registeredID = DERTag.context(8)
  }

  var der: [UInt8] {
    switch self {
    case .dnsName(let name): DER.element(Tag.dnsName, Array(name.utf8))
    case .ipAddress(let bytes): DER.element(Tag.ipAddress, bytes)
    case .rfc822Name(let name): DER.element(Tag.rfc822Name, Array(name.utf8))
    case .uniformResourceIdentifier(let name): DER.element(Tag.uniformResourceIdentifier, Array(name.utf8))
    case .directoryName(let name): DER.element(Tag.directoryName, name.der)
    case .other(let tag, let content): DER.element(tag, content)
    }
  }

  /// The type and text of the name: `DNS:api.example`, `IP:192.0.2.1`, `email:a@example`, `URI:http://example/`,
  /// `DirName:CN=a`. The text is in quotation marks if it could be mistaken for several names.
  public var meaning: String {
    switch self {
    case .dnsName(let name): "DNS:\(ShownText.quotedIfNeeded(name))"
    case .ipAddress(let bytes): "IP:\(GeneralName.address(bytes))"
    case .rfc822Name(let name): "email:\(ShownText.quotedIfNeeded(name))"
    case .uniformResourceIdentifier(let name): "URI:\(ShownText.quotedIfNeeded(name))"
    case .directoryName(let name): "DirName:\(name)"
    case .other(let tag, let content): "\(DERTag.name(tag)):\(Hex.string(content))"
    }
  }

  /// The RFC's name for the type, followed by the text in quotation marks, such as `dNSName "api.example"`.
  public var quoted: String {
    switch self {
    case .dnsName(let name): "dNSName \(ShownText.quoted(name))"
    case .ipAddress(let bytes): "iPAddress \(GeneralName.address(bytes))"
    case .rfc822Name(let name): "rfc822Name \(ShownText.quoted(name))"
    case .uniformResourceIdentifier(let name): "uniformResourceIdentifier \(ShownText.quoted(name))"
    case .directoryName(let name): "directoryName \(ShownText.quoted(name.description))"
    case .other: meaning
    }
  }

  /// Formats an address in its usual notation. IPv6 addresses have all eight groups.
  static func address(_ bytes: [UInt8]) -> String {
    if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
    return stride(from: 0, to: bytes.count - 1, by: 2).map { place in
      String(UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]), radix: 16)
    }.joined(separator: ":")
  }
}

/// The hosts and addresses for which the certificate is valid (RFC 5280 section 4.2.1.6).
public struct SubjectAlternativeName: CertificateExtension {
  /// id-ce-subjectAltName.
  public static let oid = OID.subjectAltName
  /// The names, in order.
  public let names: [GeneralName]

  /// Creates the extension with these names.
  public init(_ names: [GeneralName]) { self.names = names }

  /// Reads a GeneralNames value with at least one name.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("GeneralNames", DERTag.sequence))
    try whole.finish("GeneralNames")
    names = try GeneralName.readAll(&parts)
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: names.map(\.der)) }

  /// The names in one line, such as `DNS:api.example, IP:192.0.2.1`.
  public var meaning: String { names.map(\.meaning).joined(separator: ", ") }

  /// The host names, in order.
  public var dnsNames: [String] {
    names.compactMap { if case .dnsName(let name) = $0 { name } else { nil } }
  }

  /// The addresses, in order, with four or sixteen bytes each.
  public var ipAddresses: [[UInt8]] {
    names.compactMap { if case .ipAddress(let bytes) = $0 { bytes } else { nil } }
  }
}

extension Certificate {
  /// The subject alternative names; nil if the extension is absent or malformed.
  public var subjectAlternativeName: SubjectAlternativeName? { decoded() }
}

/// A distinguished name: a sequence of sets of attributes, RFC 5280 section 4.1.2.4.
///
/// It keeps its encoding; equality is equality of bytes. Names of a chain are compared with `matches(_:)`.
public struct DistinguishedName: Sendable, Hashable, CustomStringConvertible {
  /// One attribute of a name.
  public struct Attribute: Sendable, Hashable {
    /// What it is: `2.5.4.3` is the common name.
    public let type: OID
    /// The identifier octet of its string type: 12 is UTF8String, 19 PrintableString.
    public let tag: UInt8
    /// The content octets of its value.
    public let value: [UInt8]

    /// An attribute with this value, as a UTF8String.
    public init(_ type: OID, _ text: String) {
      self.init(type: type, tag: DERTag.utf8String, value: Array(text.utf8))
    }

    /// An attribute of any string type.
    public init(type: OID, tag: UInt8, value: [UInt8]) {
      self.type = type
      self.tag = tag
      self.value = value
    }
  }

  /// The encoding, a SEQUENCE of relative distinguished names.
  public let der: [UInt8]
  /// Equal for names that match, and only for those: made once, as a name is compared many times over.
  let comparisonKey: [UInt8]
  /// The last, and so most specific, common name.
  public let commonName: String?

  /// A name of these attributes, one relative distinguished name each, in the order of their encoding.
  public init(_ attributes: [Attribute]) {
    self.init(
      checked: DER.sequence(of: attributes.map { DER.element(DERTag.set, $0.der) }), attributes.map { [$0] })
  }

  /// The name with this common name and, before it, this organization.
  public init(commonName: String, organization: String? = nil) {
    let organization = organization.map { [Attribute(.organizationName, $0)] } ?? []
    self.init(organization + [Attribute(.commonName, commonName)])
  }

  /// Reads an encoding; throws when it is not a distinguished name.
  public init(der: [UInt8]) throws(CertificateError) {
    var cursor = DERCursor(der)
    self = try DistinguishedName.read(&cursor, "name")
    try cursor.finish("name")
  }

  private init(checked der: [UInt8], _ relativeNames: [[Attribute]]) {
    self.der = der
    comparisonKey = DistinguishedName.comparisonKey(of: relativeNames)
    commonName = relativeNames.joined().last { $0.type == .commonName }?.text
  }

  static func read(_ cursor: inout DERCursor, _ field: String) throws(CertificateError) -> DistinguishedName {
    let element = try cursor.next(field, DERTag.sequence)
    var names = cursor.inside(element)
    var all: [[Attribute]] = []
    while !names.isAtEnd { all.append(try attributes(&names)) }
    return DistinguishedName(checked: cursor.encoding(element), all)
  }

  private static func attributes(_ cursor: inout DERCursor) throws(CertificateError) -> [Attribute] {
    var set = cursor.inside(try cursor.next("RelativeDistinguishedName", DERTag.set))
    var attributes: [Attribute] = []
    repeat {
      var pair = set.inside(try set.next("AttributeTypeAndValue", DERTag.sequence))
      let type = try pair.objectIdentifier("type")
      let value = try pair.next("value")
      try pair.finish("AttributeTypeAndValue")
      attributes.append(Attribute(type: type, tag: value.tag, value: pair.content(value)))
    } while !set.isAtEnd
    return attributes
  }

  /// Names are equal when their bytes are.
  public static func == (left: DistinguishedName, right: DistinguishedName) -> Bool { left.der == right.der }
  /// Hashes the encoding.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }

  /// The attributes of each relative distinguished name, in the order of the encoding.
  public var relativeNames: [[Attribute]] {
    var whole = DERCursor(der)
    guard let element = try? whole.next("name") else { return [] }
    var names = whole.inside(element)
    var all: [[Attribute]] = []
    while !names.isAtEnd, let attributes = try? DistinguishedName.attributes(&names) { all.append(attributes) }
    return all
  }

  /// All common names in the order of the encoding; nil for one that is no text.
  public var commonNames: [String?] {
    relativeNames.joined().filter { $0.type == .commonName }.map(\.text)
  }

  /// Whether there is no attribute at all.
  public var isEmpty: Bool { der == [DERTag.sequence, 0] }

  /// RFC 4514: the most specific part first, `CN=api.example,O=Example`.
  public var description: String {
    relativeNames.reversed().map { $0.map(\.description).joined(separator: "+") }.joined(separator: ",")
  }
}

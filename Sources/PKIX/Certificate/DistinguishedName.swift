import Explanation

/// A distinguished name: a sequence of RDNs, each a set of attributes (RFC 5280 section 4.1.2.4).
///
/// A name keeps its encoding. Two names are equal if their bytes are equal; path validation compares names with
/// `matches(_:)`.
public struct DistinguishedName: Sendable, Hashable, CustomStringConvertible {
  /// One attribute of a name.
  public struct Attribute: Sendable, Hashable {
    /// The type of the attribute, such as `2.5.4.3` for a common name.
    public let type: OID
    /// The identifier octet of the string type, such as 12 for UTF8String or 19 for PrintableString.
    public let tag: UInt8
    /// The content octets of the value.
    public let value: [UInt8]

    /// Creates an attribute with this value as a UTF8String.
    public init(_ type: OID, _ text: String) {
      self.init(type: type, tag: DERTag.utf8String, value: Array(text.utf8))
    }

    /// Creates an attribute of any string type.
    public init(type: OID, tag: UInt8, value: [UInt8]) {
      self.type = type
      self.tag = tag
      self.value = value
    }
  }

  /// The encoded name, which is a SEQUENCE of RDNs.
  public let der: [UInt8]
  /// A comparison key. Two names match if and only if their keys are equal. It is stored because names are compared
  /// often.
  let comparisonKey: [UInt8]
  /// The last common name, which is the most specific one.
  public let commonName: String?

  /// Creates a name from attributes in the order of their encoding, with one attribute in each RDN.
  public init(_ attributes: [Attribute]) {
    self.init(
      checked: DER.sequence(of: attributes.map { DER.element(DERTag.set, $0.der) }), attributes.map { [$0] })
  }

  /// Creates a name with a common name and, before it, an organization.
  public init(commonName: String, organization: String? = nil) {
    let organization = organization.map { [Attribute(.organizationName, $0)] } ?? []
    self.init(organization + [Attribute(.commonName, commonName)])
  }

  /// Returns this name with one more RDN, which is a common name.
  public func adding(commonName: String) -> DistinguishedName {
    DistinguishedName(relativeNames.joined() + [Attribute(.commonName, commonName)])
  }

  /// Reads an encoded name. Throws an error if the bytes are not a distinguished name.
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

  private init(_ der: [UInt8], comparisonKey: [UInt8], commonName: String?) {
    self.der = der
    self.comparisonKey = comparisonKey
    self.commonName = commonName
  }

  static func read(_ cursor: inout DERCursor, _ field: String) throws(CertificateError) -> DistinguishedName {
    let element = try cursor.next(field, DERTag.sequence)
    if let name = usual(cursor, element) { return name }
    var names = cursor.inside(element)
    var all: [[Attribute]] = []
    while !names.isAtEnd { all.append(try attributes(&names)) }
    return DistinguishedName(checked: cursor.encoding(element), all)
  }

  /// Reads the usual form of a name in one pass.
  ///
  /// In this form, each RDN has one attribute with ASCII text of at most 127 bytes. The result is nil for every other
  /// form, and for a malformed name.
  private static func usual(_ cursor: DERCursor, _ element: DERElement) -> DistinguishedName? {
    let bytes = cursor.bytes
    var key: [UInt8] = []
    key.reserveCapacity(element.content.count)
    var commonName: Range<Int>?
    var place = element.content.lowerBound
    let end = element.content.upperBound
    while place < end {
      // SET, SEQUENCE and type: their three lengths must agree.
      guard end - place > 8, bytes[place] == DERTag.set, bytes[place + 2] == DERTag.sequence,
        bytes[place + 4] == DERTag.objectIdentifier, bytes[place + 1] < 0x80,
        bytes[place + 1] == bytes[place + 3] &+ 2
      else { return nil }
      let next = place + 2 + Int(bytes[place + 1])
      let type = place + 6..<place + 6 + Int(bytes[place + 5])
      guard next <= end, bytes[place + 5] < 0x80, type.upperBound + 2 <= next, OID.isContent(bytes[type]) else {
        return nil
      }
      let text = type.upperBound + 2..<next
      guard Attribute.isText(bytes[type.upperBound]), Int(bytes[type.upperBound + 1]) == text.count else { return nil }
      key.append(DERTag.set)
      key += bytes[place + 4..<type.upperBound]
      guard Attribute.appendFolded(bytes[text], to: &key) else { return nil }
      if bytes[type].elementsEqual(OID.commonName.content) { commonName = text }
      place = next
    }
    return DistinguishedName(
      cursor.encoding(element), comparisonKey: key,
      commonName: commonName.map { String(decoding: bytes[$0], as: UTF8.self) })
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

  /// Returns whether two names have equal bytes.
  public static func == (left: DistinguishedName, right: DistinguishedName) -> Bool { left.der == right.der }
  /// Hashes the encoding.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }

  /// The attributes of each RDN, in the order of the encoding.
  public var relativeNames: [[Attribute]] {
    var whole = DERCursor(der)
    guard let element = try? whole.next("name") else { return [] }
    var names = whole.inside(element)
    var all: [[Attribute]] = []
    while !names.isAtEnd, let attributes = try? DistinguishedName.attributes(&names) { all.append(attributes) }
    return all
  }

  /// All common names in the order of the encoding; nil for a common name that is not text.
  public var commonNames: [String?] {
    relativeNames.joined().filter { $0.type == .commonName }.map(\.text)
  }

  /// All organizations in the order of the encoding.
  public var organizations: [String] {
    relativeNames.joined().filter { $0.type == .organizationName }.compactMap(\.text)
  }

  /// Whether the name has no attributes.
  public var isEmpty: Bool { der == [DERTag.sequence, 0] }

  /// The name in the form of RFC 4514, most specific part first, such as `CN=api.example,O=Example`.
  public var description: String {
    relativeNames.reversed().map { $0.map(\.description).joined(separator: "+") }.joined(separator: ",")
  }
}

extension DistinguishedName.Attribute: CustomStringConvertible {
  /// The value as text. It is nil if its type is not a string type, or if its bytes do not fit the type.
  public var text: String? {
    switch tag {
    case DERTag.utf8String, DERTag.printableString, DERTag.ia5String: String(validating: value, as: UTF8.self)
    case DERTag.teletexString: String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    case DERTag.bmpString: units(of: 2).flatMap { String(validating: $0.map { UInt16($0) }, as: UTF16.self) }
    case DERTag.universalString: units(of: 4).flatMap { String(validating: $0, as: UTF32.self) }
    default: nil
    }
  }

  /// The attribute in the form of RFC 4514 section 2.3, such as `CN=api.example`. A value that is not text is in
  /// hexadecimal.
  public var description: String {
    guard let text else { return "\(type.name)=#\(Hex.string(DER.element(tag, value)))" }
    return "\(type.name)=\(DistinguishedName.Attribute.escaped(text))"
  }

  var der: [UInt8] { DER.sequence(DER.objectIdentifier(type), DER.element(tag, value)) }

  private func units(of size: Int) -> [UInt32]? {
    guard value.count % size == 0 else { return nil }
    return stride(from: 0, to: value.count, by: size).map { start in
      value[start..<start + size].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  // RFC 4514 section 2.4.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let edge = index == 0 && (scalar == " " || scalar == "#") || index == scalars.count - 1 && scalar == " "
      if ShownText.isInvisible(scalar) {
        for byte in String(scalar).utf8 { escaped += "\\" + Hex.string([byte]) }
      } else {
        if edge || "\"+,;<>\\".unicodeScalars.contains(scalar) { escaped += "\\" }
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension DistinguishedName {
  /// Returns whether two names identify the same entity (RFC 5280 section 7.1).
  ///
  /// Case, white space and string types are ignored. Values that are not text are compared byte by byte.
  public func matches(_ other: DistinguishedName) -> Bool { comparisonKey == other.comparisonKey }

  /// Computes a comparison key. Names that match have equal keys.
  static func comparisonKey(of relativeNames: [[Attribute]]) -> [UInt8] {
    var key: [UInt8] = []
    for attributes in relativeNames {
      let keys = attributes.map(\.comparisonKey)
      key.append(DERTag.set)
      for part in keys.count > 1 ? keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) : keys { key += part }
    }
    return key
  }
}

extension DistinguishedName.Attribute {
  fileprivate var comparisonKey: [UInt8] {
    var key = DER.objectIdentifier(type)
    key += folded.map { DER.element(DERTag.utf8String, $0) } ?? DER.element(tag, value)
    return key
  }

  /// The text in lower case with single spaces between words; nil if the value is not text.
  private var folded: [UInt8]? {
    if isASCII { return foldedASCII }
    return text.map { text in
      let words = text.lowercased().split { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
      return Array(words.joined(separator: " ").utf8)
    }
  }

  /// Whether the value is ASCII text, which can be converted to lower case without Unicode tables.
  private var isASCII: Bool { DistinguishedName.Attribute.isText(tag) && value.allSatisfy { $0 < 0x80 } }

  /// Returns whether a string type encodes ASCII characters unchanged.
  fileprivate static func isText(_ tag: UInt8) -> Bool {
    tag == DERTag.utf8String || tag == DERTag.printableString || tag == DERTag.ia5String
  }

  private var foldedASCII: [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(value.count)
    DistinguishedName.Attribute.fold(value[...], to: &folded)
    return folded
  }

  /// Appends short ASCII text in lower case, encoded as a UTF8String. Returns false for other text.
  fileprivate static func appendFolded(_ text: ArraySlice<UInt8>, to key: inout [UInt8]) -> Bool {
    guard text.count < 0x80, text.allSatisfy({ $0 < 0x80 }) else { return false }
    key.append(DERTag.utf8String)
    let place = key.count
    key.append(0)
    fold(text, to: &key)
    key[place] = UInt8(key.count - place - 1)
    return true
  }

  /// Appends ASCII text in lower case with single spaces between words.
  private static func fold(_ text: ArraySlice<UInt8>, to folded: inout [UInt8]) {
    let start = folded.count
    for byte in text {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: if folded.count > start, folded[folded.count - 1] != 0x20 { folded.append(0x20) }
      case 0x41...0x5A: folded.append(byte | 0x20)
      default: folded.append(byte)
      }
    }
    if folded.count > start, folded[folded.count - 1] == 0x20 { folded.removeLast() }
  }
}

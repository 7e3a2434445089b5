/// The identifier octets used in certificates (X.680 section 8.4).
enum DERTag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let objectIdentifier: UInt8 = 0x06
  static let enumerated: UInt8 = 0x0A
  static let utf8String: UInt8 = 0x0C
  static let printableString: UInt8 = 0x13
  static let teletexString: UInt8 = 0x14
  static let ia5String: UInt8 = 0x16
  static let utcTime: UInt8 = 0x17
  static let generalizedTime: UInt8 = 0x18
  static let universalString: UInt8 = 0x1C
  static let bmpString: UInt8 = 0x1E
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// Returns the identifier octet of a context-specific tag, such as `[0]`.
  static func context(_ number: UInt8, constructed: Bool = false) -> UInt8 {
    0x80 | (constructed ? 0x20 : 0) | (number & 0x1F)
  }

  /// Returns the name of an identifier octet, such as `SEQUENCE` or `[3]`.
  static func name(_ tag: UInt8) -> String {
    if tag & 0xC0 == 0x80 { return "[\(tag & 0x1F)]" }
    return names[tag] ?? "tag 0x\(String(tag, radix: 16))"
  }

  private static let names: [UInt8: String] = [
    boolean: "BOOLEAN", integer: "INTEGER", bitString: "BIT STRING", octetString: "OCTET STRING", null: "NULL",
    objectIdentifier: "OBJECT IDENTIFIER", enumerated: "ENUMERATED", utf8String: "UTF8String",
    printableString: "PrintableString",
    teletexString: "TeletexString", ia5String: "IA5String", utcTime: "UTCTime", generalizedTime: "GeneralizedTime",
    universalString: "UniversalString", bmpString: "BMPString", sequence: "SEQUENCE", set: "SET",
  ]
}

/// Writes values in the distinguished encoding rules (X.690). Each function returns one complete encoding.
enum DER {
  /// Encodes a value from its identifier octet and its contents.
  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count + 6)
    bytes.append(tag)
    if content.count < 0x80 {
      bytes.append(UInt8(content.count))
    } else {
      bytes += longLength(content.count)
    }
    bytes += content
    return bytes
  }

  /// Encodes a SEQUENCE of encoded values.
  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(DERTag.sequence, elements.flatMap { $0 }) }

  /// Encodes a SEQUENCE of encoded values.
  static func sequence(of elements: [[UInt8]]) -> [UInt8] { element(DERTag.sequence, elements.flatMap { $0 }) }

  /// Encodes an OBJECT IDENTIFIER.
  static func objectIdentifier(_ oid: OID) -> [UInt8] { element(DERTag.objectIdentifier, oid.content) }

  /// Encodes a non-negative INTEGER from its big-endian bytes.
  static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    let digits = magnitude.drop { $0 == 0 }
    guard let first = digits.first else { return element(DERTag.integer, [0]) }
    return element(DERTag.integer, (first >= 0x80 ? [0] : []) + digits)
  }

  /// Encodes a non-negative INTEGER.
  static func integer(_ number: Int) -> [UInt8] {
    integer((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }

  /// Encodes a BOOLEAN.
  static func boolean(_ flag: Bool) -> [UInt8] { element(DERTag.boolean, [flag ? 0xFF : 0x00]) }

  /// Encodes whole octets as a BIT STRING.
  static func bitString(_ octets: [UInt8], unused: UInt8 = 0) -> [UInt8] {
    element(DERTag.bitString, [unused] + octets)
  }

  /// Encodes an OCTET STRING.
  static func octetString(_ octets: [UInt8]) -> [UInt8] { element(DERTag.octetString, octets) }

  /// Encodes a length in the long form (X.690 section 8.1.3.5).
  private static func longLength(_ count: Int) -> [UInt8] {
    var digits: [UInt8] = []
    var rest = count
    while rest > 0 {
      digits.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(digits.count)] + digits
  }
}

/// Writes values in the distinguished encoding rules, X.690: each function gives one complete encoding.
enum DER {
  /// A value with this identifier octet and these contents.
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

  /// A SEQUENCE of encodings.
  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(DERTag.sequence, elements.flatMap { $0 }) }

  /// A SEQUENCE of encodings.
  static func sequence(of elements: [[UInt8]]) -> [UInt8] { element(DERTag.sequence, elements.flatMap { $0 }) }

  /// An OBJECT IDENTIFIER.
  static func objectIdentifier(_ oid: OID) -> [UInt8] { element(DERTag.objectIdentifier, oid.content) }

  /// A non-negative INTEGER of these big-endian bytes.
  static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    let digits = magnitude.drop { $0 == 0 }
    guard let first = digits.first else { return element(DERTag.integer, [0]) }
    return element(DERTag.integer, (first >= 0x80 ? [0] : []) + digits)
  }

  /// A non-negative INTEGER.
  static func integer(_ number: Int) -> [UInt8] {
    integer((0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
  }

  /// A BOOLEAN.
  static func boolean(_ flag: Bool) -> [UInt8] { element(DERTag.boolean, [flag ? 0xFF : 0x00]) }

  /// A BIT STRING of whole octets.
  static func bitString(_ octets: [UInt8], unused: UInt8 = 0) -> [UInt8] {
    element(DERTag.bitString, [unused] + octets)
  }

  /// An OCTET STRING.
  static func octetString(_ octets: [UInt8]) -> [UInt8] { element(DERTag.octetString, octets) }

  /// The long form of a length, X.690 section 8.1.3.5.
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

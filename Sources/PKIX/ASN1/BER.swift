/// The parts of the basic encoding rules (BER) that files use instead of DER.
///
/// A program that writes a file in one pass does not know the lengths in advance. It uses indefinite lengths (X.690
/// section 8.1.3.6) and strings split into pieces (section 8.7.3). RFC 7292 section 4 allows both in PKCS #12 files.
enum BER {
  /// The maximum depth of nested values.
  private static let maximumDepth = 32

  /// Converts values to definite lengths in the shortest form, and octet strings to one piece (sections 10.1 and 10.2).
  ///
  /// The result is nil if the bytes are not a sequence of values.
  static func definite(_ bytes: [UInt8]) -> [UInt8]? {
    var position = 0
    var output: [UInt8] = []
    while position < bytes.count {
      guard let element = element(bytes, &position, before: bytes.count, depth: 0) else { return nil }
      output += element
    }
    return output
  }

  private static func element(
    _ bytes: [UInt8], _ position: inout Int, before end: Int, depth: Int
  ) -> [UInt8]? {
    guard depth < maximumDepth, end - position >= 2, bytes[position] & 0x1F != 0x1F else { return nil }
    let tag = bytes[position]
    position += 1
    let isConstructed = tag & 0x20 != 0
    guard let length = length(bytes, &position, before: end) else { return nil }
    guard let count = length.count else {
      guard isConstructed else { return nil }
      var content: [UInt8] = []
      // Two zero bytes end the content of an indefinite length: X.690 section 8.1.5.
      while end - position >= 2, bytes[position] != 0 || bytes[position + 1] != 0 {
        guard let part = part(of: tag, bytes, &position, before: end, depth: depth) else { return nil }
        content += part
      }
      guard end - position >= 2 else { return nil }
      position += 2
      return DER.element(primitive(tag), content)
    }
    guard count <= end - position else { return nil }
    let last = position + count
    guard isConstructed else {
      defer { position = last }
      return DER.element(tag, Array(bytes[position..<last]))
    }
    var content: [UInt8] = []
    while position < last {
      guard let part = part(of: tag, bytes, &position, before: last, depth: depth) else { return nil }
      content += part
    }
    return DER.element(primitive(tag), content)
  }

  /// Reads a nested value. For a piece of an octet string, the result is only its content.
  private static func part(
    of tag: UInt8, _ bytes: [UInt8], _ position: inout Int, before end: Int, depth: Int
  ) -> [UInt8]? {
    guard let element = element(bytes, &position, before: end, depth: depth + 1) else { return nil }
    return tag == constructedOctetString ? content(ofOctetString: element) : element
  }

  /// Returns the content of an octet string in DER; nil for any other type of value.
  static func content(ofOctetString der: [UInt8]) -> [UInt8]? {
    var cursor = DERCursor(der)
    guard let element = try? cursor.next("OCTET STRING", DERTag.octetString), cursor.isAtEnd else { return nil }
    return cursor.content(element)
  }

  private static let constructedOctetString = DERTag.octetString | 0x20

  private static func primitive(_ tag: UInt8) -> UInt8 { tag == constructedOctetString ? DERTag.octetString : tag }

  /// The encoded length of a value's content.
  private struct Length {
    /// The number of bytes; nil if the length is indefinite.
    let count: Int?
  }

  private static func length(_ bytes: [UInt8], _ position: inout Int, before end: Int) -> Length? {
    let first = Int(bytes[position])
    position += 1
    if first < 0x80 { return Length(count: first) }
    let count = first & 0x7F
    if count == 0 { return Length(count: nil) }
    guard count <= 8, end - position >= count else { return nil }
    var length = 0
    for byte in bytes[position..<position + count] {
      guard length < 1 << 32 else { return nil }
      length = length << 8 | Int(byte)
    }
    position += count
    return Length(count: length)
  }
}

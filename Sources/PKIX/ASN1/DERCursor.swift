import Explanation

/// One encoded value: its identifier octet, and the byte ranges of the whole value and of its contents (X.690 section
/// 8.1).
struct DERElement: Sendable, Hashable {
  let tag: UInt8
  let range: Range<Int>
  let content: Range<Int>
}

/// Reads values in the distinguished encoding rules one after the other (X.690 sections 8 and 10).
///
/// A cursor knows its position in the whole input. Every error therefore has an offset, and every element has a byte
/// range. A cursor reads only the requested fields, so reading a certificate builds no tree.
struct DERCursor: Sendable {
  let bytes: [UInt8]
  private(set) var position: Int
  let end: Int

  /// Creates a cursor over all of `bytes`.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = 0
    end = bytes.count
  }

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position >= end }

  /// The identifier octet of the next value; nil at the end.
  var nextTag: UInt8? { position < end ? bytes[position] : nil }

  /// Returns a cursor over the contents of `element`.
  func inside(_ element: DERElement) -> DERCursor { DERCursor(bytes, element.content) }

  /// Returns a cursor over the octets in `range` of the whole input.
  func inside(_ range: Range<Int>) -> DERCursor { DERCursor(bytes, range) }

  /// Reads the next element, with any tag.
  mutating func next(_ field: String) throws(CertificateError) -> DERElement {
    let start = position
    guard start < end else { throw missing(field) }
    let tag = bytes[start]
    guard tag & 0x1F != 0x1F else {
      throw error(field, at: start, "a tag number above 30", "The tag number of a certificate field is at most 30.")
    }
    let content = try contentRange(field, after: start + 1)
    position = content.upperBound
    return DERElement(tag: tag, range: start..<content.upperBound, content: content)
  }

  /// Reads the next element, which must have the given tag.
  mutating func next(_ field: String, _ tag: UInt8) throws(CertificateError) -> DERElement {
    guard let found = nextTag else { throw missing(field) }
    guard found == tag else {
      throw error(
        field, at: position, "\(DERTag.name(found)) instead of \(DERTag.name(tag))",
        "Compare the bytes with the ASN.1 module of the standard.")
    }
    return try next(field)
  }

  /// Reads the next element if it has the given tag; otherwise returns nil.
  mutating func optional(_ field: String, _ tag: UInt8) throws(CertificateError) -> DERElement? {
    nextTag == tag ? try next(field) : nil
  }

  /// Throws an error if unread bytes remain.
  func finish(_ field: String) throws(CertificateError) {
    guard isAtEnd else {
      throw error(field, at: position, "\(end - position) bytes too many", "No bytes may follow the last field.")
    }
  }

  func error(_ field: String, at place: Int, _ message: String, _ hint: String) -> CertificateError {
    CertificateError(place: place, field: field, message: message, hint: hint)
  }

  private func missing(_ field: String) -> CertificateError {
    error(field, at: end, "missing", "The data ends before this field; it may be truncated.")
  }

  private func contentRange(_ field: String, after start: Int) throws(CertificateError) -> Range<Int> {
    guard start < end else { throw truncated(field) }
    let first = Int(bytes[start])
    var content = start + 1
    var length = first
    if first >= 0x80 {
      let count = first & 0x7F
      guard (1...4).contains(count) else {
        let what = count == 0 ? "an indefinite length" : "a length of \(count) bytes"
        throw error(field, at: start, what, "The distinguished encoding rules (DER) do not allow this length here.")
      }
      guard end - content >= count else { throw truncated(field) }
      length = bytes[content..<content + count].reduce(0) { $0 << 8 | Int($1) }
      content += count
      guard length >= 0x80, count == 1 || length >> (8 * (count - 1)) > 0 else {
        throw error(
          field, at: start, "a length that is not in its shortest form",
          "X.690 section 10.1 requires the shortest form.")
      }
    }
    guard length <= end - content else { throw truncated(field) }
    return content..<content + length
  }

  private func truncated(_ field: String) -> CertificateError {
    error(field, at: end, "cut short", "The encoded length is greater than the number of bytes that follow.")
  }
}

extension DERCursor {
  /// Returns the content octets of `element`.
  func content(_ element: DERElement) -> [UInt8] { Array(bytes[element.content]) }

  /// Returns the encoding of `element`.
  func encoding(_ element: DERElement) -> [UInt8] { Array(bytes[element.range]) }

  /// Reads a BOOLEAN, whose bits must be all set or all clear (X.690 section 11.1).
  mutating func boolean(_ field: String) throws(CertificateError) -> Bool {
    let element = try next(field, DERTag.boolean)
    let value = content(element)
    guard value == [0x00] || value == [0xFF] else {
      throw error(field, at: element.range.lowerBound, "a BOOLEAN that is neither 00 nor ff", "X.690 section 11.1")
    }
    return value == [0xFF]
  }

  /// Reads the content octets of an INTEGER in its shortest form (X.690 section 8.3.2).
  mutating func integer(_ field: String, _ tag: UInt8 = DERTag.integer) throws(CertificateError) -> [UInt8] {
    let element = try next(field, tag)
    let value = content(element)
    guard !value.isEmpty else {
      throw error(
        field, at: element.range.lowerBound, "an INTEGER without content",
        "X.690 section 8.3.1: an INTEGER has at least one byte.")
    }
    let shortest =
      value.count < 2 || !(value[0] == 0x00 && value[1] < 0x80) && !(value[0] == 0xFF && value[1] >= 0x80)
    guard shortest else {
      throw error(
        field, at: element.range.lowerBound, "an INTEGER that is not in its shortest form", "X.690 section 8.3.2")
    }
    return value
  }

  /// Reads an INTEGER from 0 to 2^31 - 1.
  mutating func smallInteger(_ field: String, _ tag: UInt8 = DERTag.integer) throws(CertificateError) -> Int {
    let start = position
    let value = try integer(field, tag)
    guard value[0] < 0x80, value.count <= 4 else {
      throw error(
        field, at: start, "a number that is negative or too large", "This field is a small, non-negative number.")
    }
    return value.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads an INTEGER (0..MAX) that is a number of certificates. A number larger than any possible path becomes the
  /// largest integer.
  mutating func count(_ field: String, _ tag: UInt8 = DERTag.integer) throws(CertificateError) -> Int {
    let start = position
    let value = try integer(field, tag)
    guard let first = value.first, first < 0x80 else {
      throw error(field, at: start, "a negative number", "RFC 5280 defines this field as INTEGER (0..MAX).")
    }
    return value.count < 8 ? value.reduce(0) { $0 << 8 | Int($1) } : .max
  }

  /// Reads an OBJECT IDENTIFIER (X.690 section 8.19).
  mutating func objectIdentifier(_ field: String) throws(CertificateError) -> OID {
    let element = try next(field, DERTag.objectIdentifier)
    guard let oid = OID(content: bytes[element.content]) else {
      throw error(field, at: element.range.lowerBound, "an invalid OBJECT IDENTIFIER", "X.690 section 8.19")
    }
    return oid
  }

  /// Reads a BIT STRING (X.690 sections 8.6 and 11.2): its octets, and the number of unused bits in the last one.
  mutating func bitString(
    _ field: String, _ tag: UInt8 = DERTag.bitString
  ) throws(CertificateError) -> (octets: Range<Int>, unused: Int) {
    let element = try next(field, tag)
    let start = element.content.lowerBound
    let last = element.content.upperBound - 1
    guard !element.content.isEmpty, bytes[start] < 8, bytes[start] == 0 || element.content.count > 1,
      bytes[last] & ((UInt8(1) << bytes[start]) &- 1) == 0
    else {
      throw error(
        field, at: element.range.lowerBound, "a BIT STRING with a wrong number of unused bits", "X.690 section 11.2")
    }
    return (start + 1..<element.content.upperBound, Int(bytes[start]))
  }

  /// Reads a signature (RFC 5280 section 4.1.1.3). The number of unused bits is kept for the verification.
  mutating func signatureValue() throws(CertificateError) -> Signature {
    let element = try next("signatureValue", DERTag.bitString)
    guard let unused = bytes[element.content].first, unused < 8 else {
      throw error(
        "signatureValue", at: element.range.lowerBound, "a BIT STRING with a wrong number of unused bits",
        "X.690 section 8.6.2.2")
    }
    return Signature(bytes: Array(bytes[element.content].dropFirst()), unusedBits: Int(unused))
  }

  /// Reads a UTCTime or GeneralizedTime in the only form that RFC 5280 section 4.1.2.5 allows.
  mutating func time(_ field: String) throws(CertificateError) -> Instant {
    let element = try next(field)
    let digits: Int
    switch element.tag {
    case DERTag.utcTime: digits = 12
    case DERTag.generalizedTime: digits = 14
    default:
      throw error(
        field, at: element.range.lowerBound, "\(DERTag.name(element.tag)) instead of a time",
        "Dates through 2049 are UTCTime; dates from 2050 on are GeneralizedTime.")
    }
    guard let instant = DERTime.instant(bytes[element.content], digits: digits) else {
      if DERTime.hasForm(bytes[element.content], digits: digits) {
        throw error(
          field, at: element.content.lowerBound,
          "\(String(decoding: bytes[element.content], as: UTF8.self)), a date or time that does not exist",
          "Months are 01 to 12, hours 00 to 23, minutes and seconds 00 to 59.")
      }
      throw error(
        field, at: element.content.lowerBound, "not a time of the form \(digits == 12 ? "YY" : "YYYY")MMDDHHMMSSZ",
        "RFC 5280 section 4.1.2.5 requires seconds and the zone Z, without fractional seconds.")
    }
    return instant
  }
}

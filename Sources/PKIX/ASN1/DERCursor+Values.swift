import Explanation

extension DERCursor {
  /// The content octets of `element`.
  func content(_ element: DERElement) -> [UInt8] { Array(bytes[element.content]) }

  /// The encoding of `element`.
  func encoding(_ element: DERElement) -> [UInt8] { Array(bytes[element.range]) }

  /// A BOOLEAN, X.690 section 11.1: all bits or none.
  mutating func boolean(_ field: String) throws(CertificateError) -> Bool {
    let element = try next(field, DERTag.boolean)
    let value = content(element)
    guard value == [0x00] || value == [0xFF] else {
      throw error(field, at: element.range.lowerBound, "a BOOLEAN that is neither 00 nor ff", "X.690 section 11.1")
    }
    return value == [0xFF]
  }

  /// The content octets of an INTEGER in its shortest form, X.690 section 8.3.2.
  mutating func integer(_ field: String, _ tag: UInt8 = DERTag.integer) throws(CertificateError) -> [UInt8] {
    let element = try next(field, tag)
    let value = content(element)
    let shortest =
      value.count < 2 || !(value[0] == 0x00 && value[1] < 0x80) && !(value[0] == 0xFF && value[1] >= 0x80)
    guard !value.isEmpty, shortest else {
      throw error(field, at: element.range.lowerBound, "an INTEGER in more bytes than it needs", "X.690 section 8.3.2")
    }
    return value
  }

  /// An INTEGER from 0 to 2^31 - 1.
  mutating func smallInteger(_ field: String, _ tag: UInt8 = DERTag.integer) throws(CertificateError) -> Int {
    let start = position
    let value = try integer(field, tag)
    guard value[0] < 0x80, value.count <= 4 else {
      throw error(field, at: start, "a number that is negative or too large", "It counts something small.")
    }
    return value.reduce(0) { $0 << 8 | Int($1) }
  }

  /// An OBJECT IDENTIFIER, X.690 section 8.19.
  mutating func objectIdentifier(_ field: String) throws(CertificateError) -> OID {
    let element = try next(field, DERTag.objectIdentifier)
    guard let oid = OID(content: bytes[element.content]) else {
      throw error(field, at: element.range.lowerBound, "an OBJECT IDENTIFIER that is not one", "X.690 section 8.19")
    }
    return oid
  }

  /// A BIT STRING, X.690 sections 8.6 and 11.2: its octets, and how many bits of the last are unused.
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
        field, at: element.range.lowerBound, "a BIT STRING with a wrong count of unused bits", "X.690 section 11.2")
    }
    return (start + 1..<element.content.upperBound, Int(bytes[start]))
  }

  /// A signature, as it stands: RFC 5280 section 4.1.1.3. Bits that are not used are counted and left to whoever verifies
  /// it.
  mutating func signatureValue() throws(CertificateError) -> Signature {
    let element = try next("signatureValue", DERTag.bitString)
    guard let unused = bytes[element.content].first, unused < 8 else {
      throw error(
        "signatureValue", at: element.range.lowerBound, "a BIT STRING with a wrong count of unused bits",
        "X.690 section 8.6.2.2")
    }
    return Signature(bytes: Array(bytes[element.content].dropFirst()), unusedBits: Int(unused))
  }

  /// UTCTime or GeneralizedTime in the one form that RFC 5280 section 4.1.2.5 allows for each.
  mutating func time(_ field: String) throws(CertificateError) -> Instant {
    let element = try next(field)
    let digits: Int
    switch element.tag {
    case DERTag.utcTime: digits = 12
    case DERTag.generalizedTime: digits = 14
    default:
      throw error(
        field, at: element.range.lowerBound, "\(DERTag.name(element.tag)) where a time belongs",
        "UTCTime until 2049, GeneralizedTime from 2050.")
    }
    guard let instant = DERTime.instant(bytes[element.content], digits: digits) else {
      throw error(
        field, at: element.content.lowerBound, "not a time of the form \(digits == 12 ? "YY" : "YYYY")MMDDHHMMSSZ",
        "RFC 5280 section 4.1.2.5: seconds are written, the zone is Z, there is no fraction.")
    }
    return instant
  }
}

import Explanation
import Testing

@testable import PKIX

@Suite("Distinguished Encoding Rules")
struct DERTests {
  @Test(
    "an indefinite, too long or non-minimal length is an error with its position",
    arguments: [
      ("0481050000000000", 1), ("0480", 1), ("04820005ffffffffff", 1), ("0485000000000100", 1), ("040500", 3),
    ])
  func wrongLengths(_ text: String, _ place: Int) throws {
    var cursor = DERCursor(try #require(Hex.bytes(text)))
    let error = #expect(throws: CertificateError.self) { try cursor.next("value") }
    #expect(error?.place == place)
    #expect(error?.field == "value")
  }

  @Test("a minimal length is read", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
  func lengths(_ count: Int) throws {
    var cursor = DERCursor(DER.octetString([UInt8](repeating: 7, count: count)))
    #expect(try cursor.next("value", DERTag.octetString).content.count == count)
    try cursor.finish("value")
  }

  @Test("object identifiers keep their arcs", arguments: ["2.5.29.19", "1.2.840.113549.1.1.11", "2.999.3", "0.9.2342"])
  func objectIdentifiers(_ text: String) throws {
    let oid = try #require(OID(text))
    #expect(oid.description == text)
    #expect(OID(content: oid.content) == oid)
  }

  @Test("an invalid object identifier is refused", arguments: ["", "1", "3.1", "1.40", "1..2", "1.a", "1.-2"])
  func wrongObjectIdentifiers(_ text: String) { #expect(OID(text) == nil) }

  @Test("invalid content octets of an object identifier are refused", arguments: ["", "80", "8001", "5580", "558001"])
  func wrongContent(_ text: String) throws { #expect(OID(content: try #require(Hex.bytes(text))) == nil) }

  @Test(
    "times before 2050 have a two-digit year, later times four digits",
    arguments: [
      ("1950-01-01", "500101000000Z"), ("2049-12-31T23:59:59Z", "491231235959Z"), ("2050-01-01", "20500101000000Z"),
      ("1949-12-31", "19491231000000Z"),
    ])
  func times(_ date: String, _ text: String) throws {
    let instant = try #require(Instant(date))
    let encoding = DERTime.encoded(instant)
    #expect(String(decoding: encoding.dropFirst(2), as: UTF8.self) == text)
    var cursor = DERCursor(encoding)
    #expect(try cursor.time("notBefore") == instant)
  }

  @Test(
    "a time without seconds, or with fraction, zone or impossible day, is an error",
    arguments: [
      "1611010000Z", "161101000000+0100", "20161101000000.5Z", "161301000000Z", "160230000000Z", "", "16110100000aZ",
    ])
  func wrongTimes(_ text: String) {
    for tag in [DERTag.utcTime, DERTag.generalizedTime] {
      var cursor = DERCursor(DER.element(tag, Array(text.utf8)))
      let error = #expect(throws: CertificateError.self) { try cursor.time("notBefore") }
      #expect(error?.place == 2)
    }
  }

  @Test("the error tells an impossible date from a malformed one, and names a bad INTEGER")
  func wrongValues() {
    func message(_ tag: UInt8, _ content: [UInt8]) -> String? {
      var cursor = DERCursor(DER.element(tag, content))
      let read = { () throws(CertificateError) in
        if tag == DERTag.integer { _ = try cursor.integer("field") } else { _ = try cursor.time("field") }
      }
      do throws(CertificateError) { try read() } catch { return error.message }
      return nil
    }
    #expect(message(DERTag.utcTime, Array("260230000000Z".utf8))?.contains("260230000000Z") == true)
    #expect(message(DERTag.utcTime, Array("2602300000Z".utf8))?.contains("YYMMDDHHMMSSZ") == true)
    #expect(message(DERTag.utcTime, Array("260228000000Z".utf8)) == nil)
    #expect(message(DERTag.integer, [])?.contains("INTEGER") == true)
    #expect(message(DERTag.integer, [0, 5])?.contains("INTEGER") == true)
    #expect(message(DERTag.integer, [5]) == nil)
  }

  @Test("the unused bits of a bit string are counted and zero", arguments: ["030208ff", "030101", "03020101", "0300"])
  func wrongBitStrings(_ text: String) throws {
    var cursor = DERCursor(try #require(Hex.bytes(text)))
    #expect(throws: CertificateError.self) { try cursor.bitString("keyUsage") }
  }
}

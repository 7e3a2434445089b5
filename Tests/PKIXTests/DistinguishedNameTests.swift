import Explanation
import Testing

@testable import PKIX

@Suite("Distinguished names")
struct DistinguishedNameTests {
  private func name(_ text: String, tag: UInt8 = DERTag.utf8String) -> DistinguishedName {
    DistinguishedName([.init(type: .commonName, tag: tag, value: Array(text.utf8))])
  }

  @Test("the string form begins with the most specific RDN and escapes as RFC 4514 requires")
  func text() {
    #expect(
      DistinguishedName(commonName: "api", organization: "Example, Inc.").description == "CN=api,O=Example\\, Inc.")
    #expect(name(" #a+b\"\\<>; ").description == "CN=\\ #a\\+b\\\"\\\\\\<\\>\\;\\ ")
    #expect(name("#a\u{0}").description == "CN=\\#a\\00")
    #expect(DistinguishedName([.init(type: OID(1, 2, 3), tag: 4, value: [1, 2])]).description == "1.2.3=#04020102")
  }

  @Test("names match regardless of case, white space and string type")
  func matching() {
    #expect(name("Root  CA ").matches(name("root ca", tag: DERTag.printableString)))
    #expect(!name("Root CA").matches(name("RootCA")))
    #expect(!name("Root CA").matches(DistinguishedName(commonName: "Root CA", organization: "Example")))
  }

  @Test("values that are not strings match byte by byte")
  func binary() {
    let first = DistinguishedName([.init(type: .commonName, tag: 4, value: [0x41])])
    #expect(first.matches(DistinguishedName([.init(type: .commonName, tag: 4, value: [0x41])])))
    #expect(!first.matches(DistinguishedName([.init(type: .commonName, tag: 4, value: [0x61])])))
  }

  @Test(
    "a name that is encoded and decoded is the same name",
    arguments: [
      "", "a", "Root  CA ", " x\t y", "Bücher", String(repeating: "A", count: 127), String(repeating: "b", count: 300),
    ])
  func reading(_ text: String) throws {
    for tag in [DERTag.utf8String, DERTag.printableString, DERTag.teletexString, 4] {
      let made = DistinguishedName([
        .init(type: .organizationName, tag: tag, value: Array(text.utf8)), .init(.commonName, "first"),
        .init(type: .commonName, tag: tag, value: Array(text.utf8)), .init(type: OID(1, 2, 3), tag: tag, value: [0x41]),
      ])
      let read = try DistinguishedName(der: made.der)
      #expect(read == made)
      #expect(read.comparisonKey == made.comparisonKey)
      #expect(read.commonName == made.commonName)
    }
  }

  @Test("a name that is truncated or has a wrong length is refused")
  func malformed() {
    let der = DistinguishedName(commonName: "api", organization: "Example").der
    for count in 1..<der.count {
      #expect(throws: CertificateError.self) { try DistinguishedName(der: Array(der.prefix(count))) }
    }
    for place in [1, 3, 5, 7, 12] {
      for change: UInt8 in [1, 0xFF] {
        var altered = der
        altered[place] &+= change
        #expect(throws: CertificateError.self, "\(place)") { try DistinguishedName(der: altered) }
      }
    }
  }

  @Test("the last common name is the most specific")
  func commonName() {
    let both = DistinguishedName([.init(.commonName, "outer"), .init(.commonName, "inner")])
    #expect(both.commonName == "inner")
    #expect(DistinguishedName([]).commonName == nil)
    #expect(DistinguishedName([]).isEmpty)
  }

  @Test("a BMPString name is decoded as text", arguments: ["Zürich", "例え"])
  func wideCharacters(_ text: String) {
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(DistinguishedName.Attribute(type: .commonName, tag: DERTag.bmpString, value: units).text == text)
  }

  @Test("an RDN without attributes is an error with its position")
  func emptySet() throws {
    let error = #expect(throws: CertificateError.self) { try DistinguishedName(der: [0x30, 2, 0x31, 0]) }
    #expect(error?.place == 4)
  }
}

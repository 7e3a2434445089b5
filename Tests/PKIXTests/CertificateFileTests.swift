import Cryptography
import Testing

@testable import PKIX

@Suite("Certificate files in unusual forms")
struct CertificateFileTests {
  /// SignedData without signers (RFC 5652 section 5.1), with the certificates in this order.
  private func bundle(_ certificates: [Certificate]) -> [UInt8] {
    let tag = DERTag.context(0, constructed: true)
    let signed = DER.sequence(
      DER.integer(1), DER.element(DERTag.set, []), DER.sequence(DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 7, 1))),
      DER.element(tag, certificates.flatMap(\.der)), DER.element(DERTag.set, []))
    return DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 7, 2)), DER.element(tag, signed))
  }

  @Test("the leaf is found anywhere in a PKCS #7 SET, and PEM keeps its order")
  func set() throws {
    let chain = Array(try Hierarchy().issue().prefix(3))
    for order in [chain, chain.reversed(), [chain[1], chain[0], chain[2]]] {
      for bytes in [bundle(order), Array(PEM.encode("PKCS7", bundle(order)).utf8)] {
        let contents = try Certificate.FileContents(bytes)
        #expect(contents.isSet && contents.leafCount == 1 && contents.certificates.first == chain[0])
        #expect(Set(contents.certificates.map(\.der)) == Set(chain.map(\.der)))
      }
      let file = try Certificate.FileContents(Array(order.map(\.pem).joined().utf8))
      #expect(!file.isSet && file.certificates == order)
    }
  }

  @Test(
    "labels that other programs write are read (RFC 7468 section 5.1, OpenSSL)",
    arguments: ["CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE", "TRUSTED CERTIFICATE"])
  func labels(_ label: String) throws {
    let leaf = try #require(try Hierarchy().issue().first)
    let settings = label == "TRUSTED CERTIFICATE" ? DER.sequence(DER.sequence()) : []
    let contents = try Certificate.FileContents(Array(PEM.encode(label, leaf.der + settings).utf8))
    #expect(contents.certificates == [leaf] && contents.unused.isEmpty)
    #expect(contents.trusted == (label == "TRUSTED CERTIFICATE" ? [1] : []))
  }

  @Test("PEM blocks of other types are reported with their lines, and certificates are not")
  func unused() throws {
    let leaf = try #require(try Hierarchy().issue().first)
    let text = PEM.encode("PRIVATE KEY", [1, 2, 3]) + leaf.pem + PEM.encode("X509 CRL", [1])
    let contents = try Certificate.FileContents(Array(text.utf8))
    #expect(contents.unused.map(\.label) == ["PRIVATE KEY", "X509 CRL"] && contents.unused.first?.line == 1)
    #expect(try Certificate.FileContents(Array(leaf.pem.utf8)).unused.isEmpty)
  }

  @Test("a certificate is found despite UTF-16, a missing BEGIN line or missing line breaks")
  func texts() throws {
    let leaf = try #require(try Hierarchy().issue().first)
    let utf16: [UInt8] = leaf.pem.utf16.reduce([0xff, 0xfe]) { $0 + [UInt8($1 & 0xff), UInt8($1 >> 8)] }
    let forms: [[UInt8]] = [
      utf16, Array(Base64.encode(leaf.der).utf8), Array(leaf.pem.replacing("\n", with: " ").utf8),
    ]
    for form in forms { #expect(try Certificate.FileContents(form).certificates == [leaf]) }
    #expect(throws: Certificate.FileError.self) { try Certificate.FileContents(Array("MIIB".utf8)) }
  }
}

import Cryptography
import Explanation
import SwiftASN1
import Oracles
import Testing

@testable import PKIX

@Suite("Certificates")
struct CertificateTests {
  /// A certificate made by `openssl`.
  private func made(_ arguments: String...) throws -> Certificate {
    let openssl = try OpenSSL()
    let extra = arguments.joined(separator: "\n")
    try openssl.write(
      "c.cnf",
      "[req]\nprompt=no\ndistinguished_name=d\nx509_extensions=x\n[d]\nO=Example\nCN=api.example\n[x]\n\(extra)\n")
    let answer = try openssl.run(
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-config", "c.cnf", "-days", "30",
      "-set_serial", "0x80", "-out", "c.pem")
    #expect(answer.status == 0, "\(answer.output)")
    return try #require(try Certificate.certificates(inPEMOrDER: openssl.read("c.pem")).first)
  }

  @Test("every field of a certificate that openssl made is read")
  func madeByOpenSSL() throws {
    let certificate = try made(
      "basicConstraints=critical,CA:TRUE,pathlen:3", "keyUsage=critical,digitalSignature,keyCertSign,decipherOnly",
      "extendedKeyUsage=serverAuth,clientAuth", "subjectAltName=DNS:api.example,IP:192.0.2.1,IP:::1,email:a@b.example",
      "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid:always")
    #expect(certificate.version == 3)
    #expect(certificate.serialNumber == [0, 0x80])
    #expect(certificate.subject.description == "CN=api.example,O=Example")
    #expect(certificate.basicConstraints == BasicConstraints(isCA: true, pathLength: 3))
    #expect(certificate.keyUsage == [.digitalSignature, .keyCertSign, .decipherOnly])
    #expect(certificate.extendedKeyUsage?.purposes == [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth])
    #expect(certificate.subjectAlternativeName?.dnsNames == ["api.example"])
    #expect(
      certificate.subjectAlternativeName?.ipAddresses == [[192, 0, 2, 1], [UInt8](repeating: 0, count: 15) + [1]])
    #expect(certificate.subjectAlternativeName?.names.count == 4)
    #expect(certificate.authorityKeyIdentifier?.keyIdentifier == certificate.subjectKeyIdentifier?.keyIdentifier)
    #expect(certificate.signatureScheme == .rsaPKCS1SHA256)
    #expect(certificate.publicKey.bits == 2048)
    #expect(certificate.malformations.isEmpty)
    #expect(certificate.notAfter.secondsSince1970 - certificate.notBefore.secondsSince1970 == 30 * 86_400)
  }

  @Test("extensions are encoded as openssl encodes them")
  func sameExtensions() throws {
    let certificate = try made(
      "basicConstraints=critical,CA:TRUE,pathlen:0", "keyUsage=critical,cRLSign,keyCertSign",
      "extendedKeyUsage=serverAuth", "subjectAltName=DNS:api.example,IP:192.0.2.1", "subjectKeyIdentifier=hash")
    #expect(certificate.first(.basicConstraints)?.value == BasicConstraints(isCA: true, pathLength: 0).der)
    #expect(certificate.first(.keyUsage)?.value == ([.cRLSign, .keyCertSign] as KeyUsage).der)
    #expect(certificate.first(.extKeyUsage)?.value == ExtendedKeyUsage([ExtendedKeyUsage.serverAuth]).der)
    let names = SubjectAlternativeName([.dnsName("api.example"), .ipAddress([192, 0, 2, 1])])
    #expect(certificate.first(.subjectAltName)?.value == names.der)
    let identifier = SubjectKeyIdentifier(Hash.sha1.digest(certificate.publicKey.subjectPublicKey))
    #expect(certificate.first(.subjectKeyIdentifier)?.value == identifier.der)
  }

  @Test("every field has its name, its bytes and its meaning")
  func fields() throws {
    let certificate = try Hierarchy().issue()[0]
    let field = certificate.field
    #expect(field.range == 0..<certificate.der.count)
    #expect(field.first("tbsCertificate")?.range == certificate.tbsCertificate)
    #expect(field.first("notAfter")?.meaning == "2017-06-01T00:00:00Z")
    #expect(field.first("subjectAltName")?.meaning == "DNS:api.example, IP:192.0.2.1")
    #expect(field.first("keyUsage")?.meaning == "critical: digitalSignature, keyEncipherment")
    let names = try #require(field.first("tbsCertificate")).children.map(\.name)
    #expect(
      names == [
        "version", "serialNumber", "signature", "issuer", "validity", "subject", "subjectPublicKeyInfo", "extensions",
      ])
    #expect(coversItself(field))
  }

  private func coversItself(_ field: Field) -> Bool {
    var place = field.range.lowerBound
    for child in field.children {
      guard child.range.lowerBound >= place, coversItself(child) else { return false }
      place = child.range.upperBound
    }
    return place <= field.range.upperBound
  }

  @Test("a certificate truncated at any byte is an error with its position")
  func truncated() throws {
    let der = try Hierarchy().issue()[0].der
    #expect(throws: Never.self) { try Certificate(der: der) }
    for count in 0..<der.count {
      let error = #expect(throws: CertificateError.self) { try Certificate(der: Array(der.prefix(count))) }
      #expect(error?.place == count)
    }
    let error = #expect(throws: CertificateError.self) { try Certificate(der: der + [0]) }
    #expect(error?.place == der.count)
  }

  @Test("a flipped bit results in an error or in a certificate that does not validate")
  func flipped() throws {
    let chain = try Hierarchy().issue()
    let der = chain[0].der
    var random = DeterministicRandom(seed: .number(5), label: "flips")
    for _ in 0..<400 {
      let draw = random.bytes(3)
      var changed = der
      let place = (Int(draw[0]) << 8 | Int(draw[1])) % der.count
      changed[place] ^= 1 << (draw[2] & 7)
      guard let certificate = try? Certificate(der: changed) else { continue }
      #expect(throws: Never.self) { try DER.parse(changed) }
      _ = certificate.field
      let path = CertificatePath([certificate, chain[1], chain[2]], end: .anchor)
      #expect(PathValidation(path, at: Hierarchy.now).findings.contains { $0.refuses })
    }
  }

  @Test("PEM contains any number of certificates among other blocks")
  func pem() throws {
    let chain = try Hierarchy().issue()
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    let text = chain[0].pem + key + chain[1].pem
    #expect(try Certificate.certificates(inPEMOrDER: Array(text.utf8)) == [chain[0], chain[1]])
    #expect(try Certificate.certificates(inPEMOrDER: chain[2].der) == [chain[2]])
    #expect(throws: Certificate.FileError.self) { try Certificate.certificates(inPEMOrDER: Array(key.utf8)) }
    #expect(throws: Certificate.FileError.self) { try Certificate.certificates(inPEMOrDER: []) }
  }
}

import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Testing
import Trust

@testable import URLLoading

@Suite("SecPKCS12Import, by release")
struct PKCS12ImportTests {
  private static let key = PrivateKey.ec(KeyStore.ecKey(owner: "alice", curve: .p256))

  /// A file with a self-signed certificate and its key.
  private func file(
    _ passphrase: String = "test", _ protection: PKCS12.Protection, _ mac: PKCS12.MAC, key: PrivateKey = Self.key
  ) throws -> [UInt8] {
    var random = DeterministicRandom(seed: .number(1), label: "p12")
    var template = CertificateTemplate.authority(
      DistinguishedName(commonName: "alice"), notBefore: Instant(secondsSince1970: 1_470_000_000),
      notAfter: Instant(secondsSince1970: 1_500_000_000))
    template.signatureScheme = .ecdsaSHA256
    let authority = try CertificateAuthority(root: template, key: Self.key, random: &random)
    return try PKCS12(friendlyName: "alice", key: key.pkcs8, certificates: [authority.certificate])
      .encoded(passphrase: passphrase, protection: protection, mac: mac, random: &random)
  }

  private func imported(
    _ bytes: [UInt8], _ passphrase: String?, _ os: String
  ) throws -> PKCS12Import {
    PKCS12Import(bytes, passphrase: passphrase, os: try #require(OSVersion(os)))
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let protection: PKCS12.Protection
    let mac: PKCS12.MAC
    /// The status with the right passphrase on iOS 17, and on iOS 18.
    let old: Int
    let new: Int
    var testDescription: String { "\(protection.rawValue), \(mac.rawValue)" }
  }

  // Apple's source of Security, by the tags of iOS 17 and iOS 18; -26275 is errSecDecode, -25293 errSecAuthFailed.
  static let rows = [
    Row(protection: .pbes1TripleDES, mac: .sha1, old: 0, new: 0),
    Row(protection: .pbes1RC2, mac: .sha1, old: 0, new: 0),
    Row(protection: .pbes1TripleDES, mac: .sha256, old: -25293, new: 0),
    Row(protection: .pbes2AES, mac: .sha256, old: -25293, new: 0),
    Row(protection: .pbes2AES, mac: .sha1, old: -26275, new: 0),
    Row(protection: .pbes2AES, mac: .none, old: -26275, new: -26275),
    Row(protection: .pbes1TripleDES, mac: .none, old: -26275, new: -26275),
  ]

  @Test("each release has its own status for each protection of a file", arguments: rows)
  func protection(row: Row) throws {
    let bytes = try file("test", row.protection, row.mac)
    for (os, status) in [("iOS 8", row.old), ("iOS 17", row.old), ("iOS 18", row.new), ("iOS 26", row.new)] {
      let result = try imported(bytes, "test", os)
      #expect(result.status == status, "\(os)")
      #expect(result.isSuccess == (result.items.count == 1))
      #expect(result.findings.deciding == (status == 0 ? [] : [Rule.unsupportedPKCS12]))
      #expect(result.error?.registration != nil || status == 0)
    }
  }

  @Test("a wrong passphrase and an unsupported MAC both result in errSecAuthFailed")
  func wrongPassphrase() throws {
    let bytes = try file("test", .pbes1TripleDES, .sha1)
    for os in ["iOS 8", "iOS 17", "iOS 18", "macOS 14"] {
      let result = try imported(bytes, "Test", os)
      #expect(result.status == -25293 && result.items.isEmpty && result.findings.deciding == [.badPassphrase])
      #expect(try imported(bytes, nil, os).status == (os == "macOS 14" ? -25260 : -25293))
    }
  }

  @Test("an empty passphrase is two zero bytes, and from iOS 18 on also no bytes")
  func empty() throws {
    let bytes = try file("", .pbes1TripleDES, .sha1)
    #expect(try imported(bytes, "", "iOS 17").isSuccess && imported(bytes, "", "iOS 18").isSuccess)
    #expect(try imported(bytes, nil, "iOS 17").status == -25293)
    #expect(try imported(bytes, nil, "iOS 18").isSuccess)
  }

  @Test("data that is not PKCS #12 is errSecDecode", arguments: ["", "30", "3003020103", "hello"])
  func malformed(text: String) throws {
    let bytes = Hex.bytes(text) ?? Array(text.utf8)
    #expect(try imported(bytes, "test", "iOS 18").status == -26275)
    #expect(try imported(bytes, "test", "iOS 18").findings.deciding == [.malformedPKCS12])
    #expect(try imported(bytes, "test", "macOS 14").status == -25257)
  }

  @Test("the identity is the key with its certificate")
  func identity() throws {
    let item = try #require(imported(file("test", .pbes1RC2, .sha1), "test", "iOS 12").items.first)
    #expect(item.key.publicKey == Self.key.publicKey && item.chain.first?.publicKey == Self.key.publicKey)
  }

  @Test("a BER file is read (RFC 7292 section 4), and the system's result is unknown")
  func encoding() throws {
    let der = try file("test", .pbes1TripleDES, .sha1)
    // A PFX with indefinite length (X.690 section 8.1.3.6).
    let header = der[1] == 0x82 ? 4 : 2
    let ber = [0x30, 0x80] + Array(der[header...]) + [0, 0]
    #expect(try PKCS12.Archive(ber).open(.init("test")) == PKCS12.Archive(der).open(.init("test")))
    let known = try imported(der, "test", "iOS 18")
    #expect(known.isSuccess && known.confidence == .certain && !known.findings.contains { $0.outcome == .unknown })
    let doubtful = try imported(ber, "test", "iOS 18")
    #expect(doubtful.items.count == 1 && doubtful.findings.deciding.isEmpty && doubtful.confidence != .certain)
    let finding = try #require(doubtful.findings.first { $0.rule == .malformedPKCS12 })
    #expect(finding.outcome == .unknown && finding.found.description.contains("BER"))
  }

  @Test(
    "PBES2 with a cipher missing in Apple's source is read, with unknown status",
    .needs(.openssl), arguments: ["AES-128-CBC", "AES-192-CBC", "AES-256-CBC", "CAMELLIA-256-CBC"])
  func otherCiphers(_ cipher: String) throws {
    let openssl = try OpenSSL()
    try openssl.write("own.p12", try file("test", .pbes2AES, .sha256))
    let key = ["pkcs12", "-in", "own.p12", "-passin", "pass:test", "-nodes", "-out", "own.pem"]
    let export = ["pkcs12", "-export", "-in", "own.pem", "-passout", "pass:test", "-out", "other.p12"]
    for arguments in [key, export + ["-keypbe", cipher, "-certpbe", cipher]] {
      let answer = try openssl.run(arguments)
      #expect(answer.status == 0, "\(answer.output)")
    }
    let result = try imported(try openssl.read("other.p12"), "test", "iOS 18")
    #expect(result.findings.deciding.isEmpty)
    #expect((result.confidence == .certain) == (cipher == "AES-256-CBC"))
    #expect((result.limit != nil) == cipher.hasPrefix("CAMELLIA") && result.items.isEmpty == (result.limit != nil))
  }

  @Test("too many iterations are a limit of this program, not a refusal")
  func iterations() throws {
    let limit = PKCS12.maximumIterations
    let der = try file("test", .pbes1TripleDES, .sha1)
    // MacData ends with the iterations, INTEGER 2048, which become 2^23 - 1; the PFX gets an indefinite length.
    let header = der[1] == 0x82 ? 4 : 2
    let mac = Array(der.suffix(59))
    #expect(mac.prefix(2) == [0x30, 57] && mac.suffix(4) == [2, 2, 8, 0])
    let more = [0x30, 58] + mac.dropFirst(2).dropLast(4) + [2, 3, 0x7f, 0xff, 0xff]
    let longer = [0x30, 0x80] + der[header...].dropLast(59) + more + [0, 0]
    let result = try imported(longer, "test", "iOS 18")
    #expect(result.limit?.contains("\(limit)") == true && result.items.isEmpty && result.findings.deciding.isEmpty)
    #expect(result.findings.contains { $0.rule == .unsupportedPKCS12 && $0.outcome == .unknown })
    #expect(try imported(der, "test", "iOS 18").limit == nil)
  }
}

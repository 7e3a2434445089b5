import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import PKIX

/// PKCS #12 files in less common forms: BER, which RFC 7292 section 4 allows, and PBMAC1, RFC 9579.
@Suite("PKCS #12 in other forms")
struct PKCS12FormTests {
  private func file(_ mac: PKCS12.MAC = .sha256) throws -> [UInt8] {
    var hierarchy = Hierarchy()
    hierarchy.kind = { .ec(KeyStore.ecKey(owner: $0, curve: .p256)) }
    for template in [\Hierarchy.root, \.issuing, \.leaf] { hierarchy[keyPath: template].signatureScheme = .ecdsaSHA256 }
    let key = KeyStore.ecKey(owner: "api", curve: .p256)
    var random = DeterministicRandom(seed: .number(1), label: "p12")
    return try PKCS12(friendlyName: "alice", key: key.pkcs8, certificates: try hierarchy.issue())
      .encoded(passphrase: "test", mac: mac, random: &random)
  }

  /// Encodes the same values with indefinite lengths, and some octet strings in two segments.
  private func open(_ der: [UInt8]) throws -> [UInt8] {
    var cursor = DERCursor(der)
    var output: [UInt8] = []
    while !cursor.isAtEnd {
      let element = try cursor.next("any")
      let content = cursor.content(element)
      if element.tag & 0x20 != 0 {
        output += [element.tag, 0x80] + (try open(content)) + [0, 0]
      } else if element.tag == DERTag.octetString, content.count > 100 {
        let half = content.count / 2
        let pieces = DER.octetString(Array(content[..<half])) + DER.octetString(Array(content[half...]))
        output += [0x24, 0x80] + pieces + [0, 0]
      } else {
        output += cursor.encoding(element)
      }
    }
    return output
  }

  @Test(
    "indefinite lengths and segmented octet strings are read as OpenSSL reads them", .needs(.openssl)
  )
  func indefinite() throws {
    let der = try file()
    let ber = try open(der)
    #expect(ber != der && BER.definite(ber) == der && BER.definite(der) == der)
    let archive = try PKCS12.Archive(ber)
    #expect(!archive.isDER)
    #expect(try PKCS12.Archive(der).isDER)
    #expect(try archive.open(.init("test")) == PKCS12.Archive(der).open(.init("test")))
    #expect(throws: PKCS12Error.macMismatch) { try archive.open(.init("Test")) }
    let openssl = try OpenSSL()
    try openssl.write("ber.p12", ber)
    let answer = try openssl.run(["pkcs12", "-in", "ber.p12", "-passin", "pass:test", "-nodes", "-out", "all"])
    #expect(answer.status == 0, "\(answer.output)")
    #expect(String(decoding: try openssl.read("all"), as: UTF8.self).contains("PRIVATE KEY"))
  }

  @Test("BER that is truncated, nested too deep or never ends is refused without a trap")
  func hostile() throws {
    let ber = try open(try file())
    for count in stride(from: 0, to: ber.count, by: 7) {
      #expect(throws: PKCS12Error.self) { try PKCS12.Archive(Array(ber[..<count])).open(.init("test")) }
    }
    #expect(BER.definite([UInt8](repeating: 0x30, count: 4000).flatMap { [$0, 0x80] }) == nil)
    #expect(BER.definite([0x04, 0x80, 0, 0]) == nil)
    #expect(BER.definite([0x24, 0x80, 0x02, 0x01, 0x00, 0, 0]) == nil)
    #expect(BER.definite([0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8)) == nil)
    #expect(BER.definite([0x30, 0x81, 0x00]) == [0x30, 0x00])
  }

  /// The file with its MAC replaced by a PBMAC1 MacData that python3 computed.
  private func pbmac1(
    length: Int? = 32, iterations: Int = 2048, function: String = "sha256", passphrase: String = "test"
  ) throws -> [UInt8] {
    let bare = try file(.none)
    var whole = DERCursor(bare)
    var fields = whole.inside(try whole.next("PFX", DERTag.sequence))
    _ = try fields.next("version")
    let content = try fields.next("authSafe")
    var safe = fields.inside(content)
    _ = try safe.next("contentType")
    var explicit = safe.inside(try safe.next("content"))
    let data = explicit.content(try explicit.next("data"))
    let salt = [UInt8](0..<16)
    let script = """
      import hashlib, hmac, sys
      data, salt, name, count, length = sys.argv[1:6]
      key = hashlib.pbkdf2_hmac(name, sys.argv[6].encode("utf-8"), bytes.fromhex(salt), int(count), int(length))
      print(hmac.new(key, bytes.fromhex(data), "sha512").hexdigest())
      """
    let arguments = [
      Hex.string(data), Hex.string(salt), function, String(iterations), String(max(1, length ?? 32)), passphrase,
    ]
    let output = Command.output([try #require(Python.interpreter()), "-c", script] + arguments)
    let digits = try #require(output).prefix { $0.isHexDigit }
    let code = try #require(Hex.bytes(String(digits)))
    let hashes: [String: UInt] = ["sha1": 7, "sha256": 9, "sha512": 11]
    func hmac(_ name: String) throws -> [UInt8] {
      let number = try #require(hashes[name])
      return DER.sequence(DER.objectIdentifier(OID(1, 2, 840, 113549, 2, number)), DER.element(DERTag.null, []))
    }
    let derivation = DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 5, 12)),
      DER.sequence(
        DER.octetString(salt), DER.integer(iterations), length.map { DER.integer($0) } ?? [], try hmac(function)))
    let algorithm = DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 5, 14)), DER.sequence(derivation, try hmac("sha512")))
    // With PBMAC1, the salt and iteration count of MacData are ignored.
    let mac = DER.sequence(DER.sequence(algorithm, DER.octetString(code)), DER.octetString([1]), DER.integer(1))
    return DER.sequence(DER.integer(3), fields.encoding(content), mac)
  }

  @Test("PBMAC1 with a MAC computed by python3 is read", .needs(.python), arguments: ["sha1", "sha256", "sha512"])
  func pbmac1(function: String) throws {
    for passphrase in ["test", "Grün"] {
      let archive = try PKCS12.Archive(pbmac1(function: function, passphrase: passphrase))
      guard case .pbmac1(.sha512, let parameters) = archive.integrity else {
        Issue.record("\(archive.integrity)")
        return
      }
      #expect(parameters.iterations == 2048)
      if passphrase == "test" { #expect(try archive.open(.init(passphrase)).keys.count == 1) }
      #expect(throws: PKCS12Error.macMismatch) { try archive.open(.init("tost")) }
    }
  }

  @Test("PBMAC1 with a missing or short key length, or absurd iterations, is refused", .needs(.python))
  func malformed() throws {
    for length in [nil, 19, 0] { #expect(throws: PKCS12Error.self) { try PKCS12.Archive(pbmac1(length: length)) } }
    #expect(try PKCS12.Archive(pbmac1(length: 20)).open(.init("test")).keys.count == 1)
    let slow = try PKCS12.Archive(pbmac1(iterations: 1_000_001))
    #expect(throws: PKCS12Error.iterations(1_000_001)) { try slow.open(.init("test")) }
  }
}

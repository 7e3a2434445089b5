import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import PKIX

@Suite("PKCS #12 files")
struct PKCS12Tests {
  /// A server's certificate under a root, and its key.
  private func identity() throws -> (key: [UInt8], chain: [Certificate]) {
    var hierarchy = Hierarchy()
    hierarchy.kind = { .ec(KeyStore.ecKey(owner: $0, curve: .p256)) }
    for template in [\Hierarchy.root, \.issuing, \.leaf] { hierarchy[keyPath: template].signatureScheme = .ecdsaSHA256 }
    return (try Hierarchy.key(ec: "api").pkcs8, try hierarchy.issue())
  }

  private func file(
    _ passphrase: String = "test", _ protection: PKCS12.Protection = .pbes2AES, _ mac: PKCS12.MAC = .sha256
  ) throws -> [UInt8] {
    let (key, chain) = try identity()
    var random = DeterministicRandom(seed: .number(1), label: "p12")
    return try PKCS12(friendlyName: "alice", key: key, certificates: chain)
      .encoded(passphrase: passphrase, protection: protection, mac: mac, random: &random)
  }

  /// Checks that `contents` are the complete identity.
  private func expectIdentity(_ contents: PKCS12.Contents) throws {
    let (key, chain) = try identity()
    let own = try #require(contents.keys.first)
    #expect(contents.keys.count == 1 && contents.certificates.map(\.der) == chain.map(\.der))
    #expect(try PrivateKey(der: own.information).pkcs8 == key)
    #expect(contents.certificate(of: own)?.der == chain.first?.der)
  }

  @Test("a file is read back with every protection", arguments: PKCS12.Protection.allCases, PKCS12.MAC.allCases)
  func roundTrip(protection: PKCS12.Protection, mac: PKCS12.MAC) throws {
    for passphrase in ["test", "", "Pässwört 🔑"] {
      let archive = try PKCS12.Archive(file(passphrase, protection, mac))
      try expectIdentity(try archive.open(.init(passphrase)))
      let wrong = mac == .none ? PKCS12Error.undecipherable : .macMismatch
      #expect(throws: wrong) { try archive.open(.init(passphrase + "x")) }
    }
  }

  @Test(
    "OpenSSL reads the files with every protection", .needs(.openssl), arguments: PKCS12.Protection.allCases,
    PKCS12.MAC.allCases)
  func openSSLReads(protection: PKCS12.Protection, mac: PKCS12.MAC) throws {
    let openssl = try OpenSSL()
    for passphrase in ["test", ""] {
      try openssl.write("alice.p12", try file(passphrase, protection, mac))
      var arguments = [
        "pkcs12", "-in", "alice.p12", "-passin", "pass:\(passphrase)", "-nodes", "-legacy", "-out", "all",
      ]
      if mac == .none { arguments.append("-nomacver") }
      let answer = try openssl.run(arguments)
      #expect(answer.status == 0, "\(answer.output)")
      let text = String(decoding: try openssl.read("all"), as: UTF8.self)
      #expect(text.contains("friendlyName: alice") && text.contains("PRIVATE KEY"))
      #expect(text.split(separator: "BEGIN CERTIFICATE").count == 4)
    }
  }

  /// The options of `openssl pkcs12`, and the encryptions that its file then uses.
  static let exports: [([String], [String])] = [
    ([], ["PBES2 with AES-256-CBC and HMAC-SHA-256", "PBES2 with AES-256-CBC and HMAC-SHA-256"]),
    (["-legacy"], ["PBES1 with RC2-40", "PBES1 with 3DES"]),
    (
      ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1", "-legacy"],
      ["PBES1 with 3DES", "PBES1 with 3DES"]
    ),
    (
      ["-keypbe", "PBE-SHA1-RC2-128", "-certpbe", "PBE-SHA1-RC4-128", "-legacy"],
      ["PBES1 with RC4-128", "PBES1 with RC2-128"]
    ),
    (["-keypbe", "PBE-SHA1-RC4-40", "-certpbe", "NONE", "-legacy"], ["PBES1 with RC4-40"]),
    (
      ["-keypbe", "aes-128-cbc", "-certpbe", "aes-192-cbc", "-macalg", "sha512", "-iter", "10000"],
      ["PBES2 with AES-192-CBC and HMAC-SHA-256", "PBES2 with AES-128-CBC and HMAC-SHA-256"]
    ),
    (
      ["-keypbe", "des-ede3-cbc", "-certpbe", "aes-256-cbc", "-macalg", "sha384"],
      ["PBES2 with AES-256-CBC and HMAC-SHA-256", "PBES2 with 3DES and HMAC-SHA-256"]
    ),
    (["-nomac"], ["PBES2 with AES-256-CBC and HMAC-SHA-256"]),
  ]

  @Test("files that OpenSSL exports are read, modern and legacy", .needs(.openssl), arguments: exports)
  func openSSLWrites(options: [String], encryptions: [String]) throws {
    let (key, chain) = try identity()
    let openssl = try OpenSSL()
    try openssl.write("key.pem", PEM.encode("PRIVATE KEY", key))
    try openssl.write("leaf.pem", chain[0].pem)
    try openssl.write("others.pem", chain[1].pem + chain[2].pem)
    for passphrase in ["test", "", "Grün"] {
      let answer = try openssl.run(
        [
          "pkcs12", "-export", "-inkey", "key.pem", "-in", "leaf.pem", "-certfile", "others.pem", "-name", "alice",
          "-out", "alice.p12", "-passout", "pass:\(passphrase)",
        ] + options)
      #expect(answer.status == 0, "\(answer.output)")
      let archive = try PKCS12.Archive(try openssl.read("alice.p12"))
      let contents = try archive.open(.init(passphrase))
      try expectIdentity(contents)
      #expect(contents.encryptions.map(\.name) == encryptions)
      #expect(contents.keys.first?.friendlyName == "alice" && contents.keys.first?.localKeyID?.count == 20)
      #expect(throws: PKCS12Error.self) { try archive.open(.init("wrong")) }
    }
  }

  @Test("keytool reads these files, and its own files are read", .needs(.openssl, .keytool))
  func keytool() throws {
    let folder = try OpenSSL()
    let store = folder.path("store.p12")
    for algorithm in [[], ["-J-Dkeystore.pkcs12.legacy"]] {
      _ = Command.output(["rm", "-f", store])
      let made = Command.output(
        ["keytool"] + algorithm + [
          "-genkeypair", "-alias", "alice", "-keyalg", "RSA", "-dname", "CN=alice", "-storetype", "PKCS12", "-keystore",
          store, "-storepass", "testtest",
        ])
      #expect(made != nil)
      let archive = try PKCS12.Archive(try folder.read("store.p12"))
      let contents = try archive.open(.init("testtest"))
      let key = try #require(contents.keys.first)
      let leaf = try Certificate(der: try #require(contents.certificate(of: key)).der)
      #expect(try PrivateKey(der: key.information).publicKey == leaf.publicKey)
      #expect(key.friendlyName == "alice")
    }
    for protection in PKCS12.Protection.allCases {
      try folder.write("ours.p12", try file("testtest", protection, protection == .pbes2AES ? .sha256 : .sha1))
      let listed = Command.output([
        "keytool", "-list", "-storetype", "PKCS12", "-keystore", folder.path("ours.p12"), "-storepass", "testtest",
      ])
      #expect(listed?.contains("alice") == true && listed?.contains("PrivateKeyEntry") == true)
    }
  }

  @Test("a file opens only with the form of the empty passphrase that made it")
  func empty() throws {
    let archive = try PKCS12.Archive(file("", .pbes1TripleDES, .sha1))
    try expectIdentity(try archive.open(.init("")))
    #expect(throws: PKCS12Error.macMismatch) { try archive.open(.absent) }
  }

  @Test("an unsupported algorithm is named in the error")
  func support() throws {
    let archive = try PKCS12.Archive(file())
    #expect(throws: PKCS12Error.unsupported("PBES2 with AES-256-CBC and HMAC-SHA-256")) {
      try archive.open(.init("test"), supports: { _ in false })
    }
  }

  @Test("a file truncated at any byte is refused")
  func cut() throws {
    let bytes = try file("test", .pbes1RC2, .sha1)
    for count in bytes.indices {
      #expect(throws: PKCS12Error.self) { try PKCS12.Archive(Array(bytes[..<count])).open(.init("test")) }
    }
  }

  @Test("a flipped bit is detected, or does not change the contents", arguments: PKCS12.MAC.allCases)
  func flipped(mac: PKCS12.MAC) throws {
    let bytes = try file("test", .pbes1TripleDES, mac)
    let genuine = try PKCS12.Archive(bytes).open(.init("test"))
    var noticed = 0
    // Not every byte, because each trial computes some thousand hashes.
    let places = Array(stride(from: 0, to: bytes.count, by: 29))
    for index in places {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      guard let contents = try? PKCS12.Archive(changed).open(.init("test")) else {
        noticed += 1
        continue
      }
      // Without a MAC, the file format cannot detect a changed certificate.
      if mac != .none { #expect(contents == genuine) }
    }
    #expect(noticed > (mac == .none ? 0 : places.count - 3))
  }

  @Test("an iteration count that would take too long is refused at once")
  func iterations() throws {
    let bytes = try file()
    let count: [UInt8] = [0x02, 0x02, 0x08, 0x00]
    let places = bytes.indices.filter { bytes[$0...].starts(with: count) }
    #expect(places.count == 3)
    for place in places {
      var absurd = bytes
      absurd.replaceSubrange(place + 2..<place + 4, with: [0x00, 0x00])
      #expect(throws: PKCS12Error.self) { try PKCS12.Archive(absurd).open(.init("test")) }
    }
    // The iteration count of the MAC: the largest INTEGER that fits, and then zero.
    let archive = try PKCS12.Archive(Self.macOnly(iterations: [0x7f, 0xff, 0xff, 0xff]))
    #expect(archive.integrity == .mac(.sha1, iterations: 0x7fff_ffff))
    #expect(throws: PKCS12Error.iterations(0x7fff_ffff)) { try archive.open(.init("test")) }
    #expect(throws: PKCS12Error.self) { try PKCS12.Archive(Self.macOnly(iterations: [0x00])).open(.init("test")) }
    #expect(throws: PKCS12Error.self) { try PKCS12.Archive(Self.macOnly(iterations: [0xff])).open(.init("test")) }
  }

  /// An empty file with a MAC.
  private static func macOnly(iterations: [UInt8]) -> [UInt8] {
    let content = DER.sequence(
      DER.objectIdentifier(.pkcs7Data), DER.element(0xA0, DER.octetString(DER.sequence())))
    let digest = DER.sequence(
      DER.sequence(DER.objectIdentifier(OID(1, 3, 14, 3, 2, 26))), DER.octetString([UInt8](repeating: 0, count: 20)))
    let mac = DER.sequence(digest, DER.octetString([1]), DER.element(DERTag.integer, iterations))
    return DER.sequence(DER.integer(3), content, mac)
  }
}

extension Hierarchy {
  fileprivate static func key(ec owner: String) throws -> ECPrivateKey { KeyStore.ecKey(owner: owner, curve: .p256) }
}

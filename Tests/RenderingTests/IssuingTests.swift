import Foundation
import Oracles
import PKIX
import Rendering
import Scenarios
import Testing

/// The properties that a certificate shares with one made by the commands with another key.
private struct Likeness: Equatable {
  let subject: String
  let issuer: String
  let serial: [UInt8]
  let dates: [String]
  let version: Int
  let key: String
  let signature: String
  /// The extensions that do not depend on a key, with their bytes; only the presence of the others.
  let extensions: Set<String>

  init(_ certificate: Certificate, withoutSerial: Bool = false, leavingOut: Set<OID> = []) {
    subject = certificate.subject.description
    issuer = certificate.issuer.description
    serial = withoutSerial ? [] : certificate.serialNumber
    dates = [certificate.notBefore.description, certificate.notAfter.description]
    version = certificate.version
    key = certificate.publicKey.description
    signature = certificate.signatureAlgorithm.description
    let ofKeys: Set<OID> = [SubjectKeyIdentifier.oid, AuthorityKeyIdentifier.oid]
    extensions = Set(
      certificate.extensions.filter { !leavingOut.contains($0.oid) }.map { item in
        "\(item.oid) \(item.critical) \(ofKeys.contains(item.oid) ? [] : item.value)"
      })
  }
}

@Suite("Commands that make certificates with other programs")
struct IssuingTests {
  static let worlds = [
    "title: the usual hierarchy",
    """
    clock: 2018-01-01
    authorities:
      Root A: { key: rsa-3072, trust: system, signature: sha512 }
      Root B: { key: ec-p384, signature: sha384 }
      B by A: { issuer: Root A, crossSigns: Root B, pathLength: 1, caIssuers: "http://ca.example/b.cer" }
      Limited:
        issuer: B by A
        key: ec-p256
        nameConstraints: { permitted: [example, 192.0.2.0/24], excluded: [evil.example] }
        extendedKeyUsage: [serverAuth, clientAuth]
    certificates:
      api:
        issuer: Limited
        names: [api.example, "*.api.example", 192.0.2.7, "2001:db8::7"]
        notBefore: 2017-12-24T12:34:56Z
        notAfter: 2018-02-03T04:05:06Z
        serial: 0x0123
        break: [unknown-critical-extension]
    server: { presents: [api, Limited, B by A] }
    """,
    """
    certificates: { own: { key: rsa-1024, commonName: "it's /an+ example, \\\\ too", names: [], signature: md5, days: 30 } }
    server: { presents: [own] }
    """,
    """
    authorities: { Old Root: { version: 1, signature: sha1 } }
    certificates:
      api: { issuer: Old Root, names: [api.example], signature: pss-sha256, break: no-authority-key-identifier }
    server: { presents: [api, Old Root] }
    """,
  ]

  /// The certificates that a run evaluated, by their names, and the commands for them.
  private static func recipes(_ text: String) throws -> (recipes: [IssuingRecipe], made: [String: Certificate]) {
    let reader = try ScenarioLibrary.curriculum().reader
    let scenario = try #require(try reader.read(Array(text.utf8), path: "test.yaml").cases.first)
    let simulation = try ScenarioLibrary.player(keys: Curriculum.keys).play(scenario).simulation
    let paths = simulation.accounts.compactMap(\.client.evaluation).flatMap(\.candidates).flatMap(\.path.certificates)
    let named = paths.map { (simulation.world.names($0), $0) }
    return (IssuingView(simulation).recipes, Dictionary(named) { first, _ in first })
  }

  private static func run(_ lines: [String], in folder: URL) -> String? {
    Program.output(["sh", "-c", "cd '\(folder.path)' && { \(lines.joined(separator: "\n")) \n}"], input: "")
  }

  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("issuing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private static func certificate(_ file: URL) throws -> Certificate {
    try #require(try Certificate.certificates(inPEMOrDER: Array(Data(contentsOf: file))).first)
  }

  @Test("the commands make the issued certificates with openssl, but for the keys", arguments: worlds)
  func openSSL(world: String) throws {
    let (recipes, made) = try Self.recipes(world)
    #expect(!recipes.isEmpty)
    try Self.withFolder { folder in
      for recipe in recipes {
        #expect(recipe.openSSL.count >= 4, "\(recipe.name): \(recipe.remarks)")
        #expect(Self.run(recipe.openSSL.map(\.description), in: folder) != nil, "\(recipe.name)")
        let own = try Self.certificate(folder.appendingPathComponent("\(recipe.file).pem"))
        #expect(Likeness(own) == Likeness(try #require(made[recipe.name])), "\(recipe.name)")
      }
    }
  }

  @Test(
    "keytool makes the self-signed ones, but for authorityKeyIdentifier and the serial number",
    .needs(.keytool), arguments: worlds)
  func keytool(world: String) throws {
    let (recipes, made) = try Self.recipes(world)
    try Self.withFolder { folder in
      for recipe in recipes {
        guard let command = recipe.keytool else { continue }
        let export = "keytool -exportcert -rfc -alias \(recipe.file) -keystore \(recipe.file).p12 -storepass trustlab"
        #expect(Self.run([command.description, "\(export) > \(recipe.file).cer"], in: folder) != nil, "\(recipe.name)")
        let own = try Self.certificate(folder.appendingPathComponent("\(recipe.file).cer"))
        let issued = try #require(made[recipe.name])
        let added: Set<OID> = [AuthorityKeyIdentifier.oid, SubjectKeyIdentifier.oid]
        #expect(
          Likeness(own, withoutSerial: true, leavingOut: added)
            == Likeness(issued, withoutSerial: true, leavingOut: added), "\(recipe.name)")
      }
    }
  }

  @Test(
    "a certificate that no command makes has a reason",
    arguments: [
      "signature", "issuer-key", "issuer-name", "version-1", "duplicate-extension", "signature-algorithm",
    ])
  func obstacles(fault: String) throws {
    func recipe(_ more: String) throws -> IssuingRecipe? {
      try Self.recipes("certificates: { api: { issuer: Issuing, names: [api.example]\(more) } }").recipes.last
    }
    let broken = try #require(try recipe(", break: \(fault)"))
    #expect(broken.openSSL.isEmpty, "\(broken.openSSL)")
    let whole = try #require(try recipe(""))
    #expect(!whole.openSSL.isEmpty && Set(broken.remarks).subtracting(whole.remarks).count == 1, "\(broken.remarks)")
  }

  @Test("the commands are shown at the depth of numbers only")
  func shown() throws {
    let result = try #require(Curriculum.result("L3-01"))
    #expect(RunView(result).document(.numbers).text().contains("openssl ca -batch"))
    #expect(!RunView(result).document(.fields).text().contains("openssl ca -batch"))
    #expect(RunView(result).json(.numbers)["issuing"] == RunView(result).json(.story)["issuing"])
  }

  @Test("the commands conform to the schema of runs", .needs(.jsonschema))
  func schema() throws {
    let result = try #require(Curriculum.result("L3-01"))
    #expect(JSONTests.isValid([RunView(result).json(.numbers).text(pretty: false)], "run"))
  }
}

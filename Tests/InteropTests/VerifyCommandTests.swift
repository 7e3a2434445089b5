import Foundation
import Oracles
import Testing

@Suite("The command verify")
struct VerifyCommandTests {
  /// A root and a leaf by openssl, and files that are often mistaken for certificates.
  private static let folder: URL? = {
    guard
      let folder = try? Program.folder([
        "empty.pem": Data(), "garbage": Data((0...255).map { UInt8($0) }),
        "leaf.ext": Data("subjectAltName=DNS:api.example\nextendedKeyUsage=serverAuth\n".utf8),
      ])
    else { return nil }
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    let steps = [
      ["req", "-x509"] + key + ["-keyout", "root.key", "-subj", "/CN=Root", "-days", "900"]
        + ["-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", "root.pem"],
      ["req", "-new"] + key + ["-keyout", "leaf.key", "-subj", "/CN=api.example", "-out", "leaf.csr"],
      ["x509", "-req", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-days", "90"]
        + ["-extfile", "leaf.ext", "-out", "leaf.pem"],
      ["x509", "-in", "leaf.pem", "-outform", "DER", "-out", "leaf.der"],
      ["req", "-in", "leaf.csr", "-outform", "DER", "-out", "csr.der"],
      ["crl2pkcs7", "-nocrl", "-certfile", "leaf.pem", "-outform", "DER", "-out", "leaf.p7"],
      ["pkcs12", "-export", "-in", "leaf.pem", "-inkey", "leaf.key", "-passout", "pass:x", "-out", "leaf.p12"],
    ]
    for step in steps where !OtherPrograms.openssl(step, in: folder) { return nil }
    let path = folder.appendingPathComponent("leaf.der")
    guard let der = try? Data(contentsOf: path) else { return nil }
    try? unusedBits(der).write(to: folder.appendingPathComponent("unused.der"))
    try? (der + der).write(to: folder.appendingPathComponent("two.der"))
    try? (der + [1, 2, 3]).write(to: folder.appendingPathComponent("trailing.der"))
    guard let pem = try? Data(contentsOf: folder.appendingPathComponent("leaf.pem")) else { return nil }
    try? (Data("\u{FEFF}".utf8) + pem + Data("junk behind\n".utf8)).write(to: folder.appendingPathComponent("mark.pem"))
    // After the good certificate comes a block without one.
    try? (pem + Data("-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----\n".utf8)).write(
      to: folder.appendingPathComponent("spoilt.pem"))
    return folder
  }()

  @Test("a certificate that cannot be read is ignored and named, unless it is the leaf")
  func spoilt() throws {
    let folder = try #require(Self.folder)
    let passed = try Program.run("verify", "leaf.pem", "--roots", "root.pem", "spoilt.pem", in: folder)
    #expect(passed.status == 0, "\(passed.errors)")
    #expect(passed.errors.contains("ignored: "), "\(passed.errors)")
    let pem = try String(contentsOf: folder.appendingPathComponent("spoilt.pem"), encoding: .utf8)
    let blocks = pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().reversed()
    let text = blocks.map { "-----BEGIN CERTIFICATE-----" + $0 }.joined()
    try Data(text.utf8).write(to: folder.appendingPathComponent("first.pem"))
    #expect(try Program.run("verify", "first.pem", "--roots", "root.pem", in: folder).status == 2)
  }

  @Test("if the plist requires pins, a host without a matching pin is refused")
  func demandedPins() throws {
    let folder = try #require(Self.folder)
    func verify(_ demand: String) throws -> Program.Result {
      let plist = "<plist><dict><key>NSAppTransportSecurity</key><dict/>\(demand)</dict></plist>"
      let app = try Program.folder(["Info.plist": Data(plist.utf8)]).appendingPathComponent("Info.plist").path
      return try Program.run(
        "verify", "leaf.pem", "--roots", "root.pem", "--host", "api.example", "--plist", app, in: folder)
    }
    let refused = try verify("<key>SecTrustPinningRequired</key><true/>")
    #expect(refused.status == 1 && refused.output.contains("pin.mismatch"), "\(refused.errors)\(refused.output)")
    #expect(refused.output.contains("SecTrustPinningRequired"))
    let accepted = try verify("<key>SecTrustPinningRequired</key><false/>")
    #expect(accepted.status == 0 && !accepted.output.contains("SecTrustPinningRequired"), "\(accepted.output)")
  }

  @Test("the output says whether pins matched, mismatched or were not compared")
  func pins() throws {
    let folder = try #require(Self.folder)
    let pins = "<key>api.example</key><dict><key>NSPinnedLeafIdentities</key><array/></dict>"
    let settings = "<key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>\(pins)</dict></dict>"
    let list = Data("<plist><dict>\(settings)</dict></plist>".utf8)
    let app = try Program.folder(["Info.plist": list]).appendingPathComponent("Info.plist").path
    let chain = ["verify", "leaf.pem", "--roots", "root.pem", "--host", "api.example"]
    let words = chain + ["--plist", app, "--os", "iOS 17"]
    let missed = try Program.run(words, in: folder).output
    #expect(missed.contains("✗ NSPinnedDomains.api.example"), "\(missed)")
    let expired = try Program.run(words + ["--at", "2090-01-01"], in: folder).output
    #expect(expired.contains("NSPinnedDomains.api.example: not compared"), "\(expired)")
  }

  @Test("a folder means the certificates in its files")
  func roots() throws {
    let folder = try #require(Self.folder)
    let result = try Program.run("verify", "leaf.pem", "--roots", ".", "--host", "api.example", in: folder)
    #expect(result.status == 0, "\(result.errors)\(result.output)")
  }

  @Test("a response of openssl's responder decides, and without one hard-fail refuses", .needs(.openssl))
  func answers() throws {
    let folder = try #require(Self.folder)
    func verify(_ arguments: String...) throws -> (status: Int32, text: String) {
      let base = ["verify", "leaf.pem", "--roots", "root.pem", "--profile", "rfc5280"]
      let result = try Program.run(base + arguments, in: folder)
      return (result.status, result.output + result.errors)
    }
    let serial = try #require(
      Command.output(["openssl", "x509", "-in", folder.path + "/leaf.pem", "-noout", "-serial"])
    )
    .trimmingCharacters(in: .whitespacesAndNewlines).replacingOccurrences(of: "serial=", with: "")
    for (state, name) in [("V\t400101000000Z\t", "good"), ("R\t400101000000Z\t200101000000Z", "revoked")] {
      let index = folder.appendingPathComponent("index-\(name)")
      try Data("\(state)\t\(serial)\tunknown\t/CN=api.example\n".utf8).write(to: index)
      let steps = [
        "ocsp", "-index", "index-\(name)", "-rsigner", "root.pem", "-rkey", "root.key", "-CA", "root.pem", "-issuer",
        "root.pem", "-cert", "leaf.pem", "-ndays", "3", "-respout", "\(name).ors", "-no_nonce", "-noverify",
      ]
      #expect(OtherPrograms.openssl(steps, in: folder))
    }
    #expect(try verify("--revocation", "hard-fail").status == 1)
    #expect(try verify("--revocation", "hard-fail").text.contains("chain.revocation-unknown"))
    #expect(try verify("--revocation", "soft-fail").status == 0)
    let good = try verify("--ocsp", "good.ors", "--revocation", "hard-fail")
    #expect(good.status == 0, "\(good.text)")
    let revoked = try verify("--ocsp", "revoked.ors")
    #expect(revoked.status == 1 && revoked.text.contains("chain.revoked"), "\(revoked.text)")
    #expect(try verify("--ocsp", "revoked.ors", "--revocation", "none").status == 0)
    #expect(try verify("--ocsp", "revoked.ors", "--revocation", "apple").status == 1)
    #expect(try verify("--ocsp", "leaf.der").status == 2)
    #expect(try verify("--ct-logs", "leaf.pem").status == 2)
    #expect(try verify("--sct", "leaf.pem").status == 2)
  }

  @Test("a policy that is required explicitly must be present")
  func explicitPolicy() throws {
    let folder = try #require(Self.folder)
    let base = ["verify", "leaf.pem", "--roots", "root.pem", "--profile", "rfc5280"]
    let result = try Program.run(base + ["--explicit-policy"], in: folder)
    #expect(result.status == 1 && result.output.contains("chain.certificate-policy"), "\(result.output)")
    let without = try Program.run(base + ["--inhibit-policy-mapping", "--inhibit-any-policy"], in: folder)
    #expect(without.status == 0)
  }

  @Test(
    "a good chain exits with 0, now and without a date",
    arguments: ["leaf.pem", "leaf.der", "mark.pem", "leaf.p7", "two.der", "spoilt.pem"])
  func accepted(leaf: String) throws {
    let folder = try #require(Self.folder)
    let result = try Program.run("verify", leaf, "--roots", "root.pem", "--host", "api.example", in: folder)
    #expect(result.status == 0, "\(result.errors)\(result.output)")
    #expect(result.output.hasPrefix("✓ accepted\n"))
    #expect(result.output.contains("(now)"))
  }

  @Test("a chain that is not accepted exits with 1 and names every reason")
  func refused() throws {
    let folder = try #require(Self.folder)
    let result = try Program.run(
      "verify", "leaf.pem", "--roots", "root.pem", "--host", "www.example", "--at", "2099-01-01", in: folder)
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("✗ refused  chain.expired, name.mismatch\n"), "\(result.output)")
  }

  /// A certificate whose signatureValue has an unused bit in its last byte.
  private static func unusedBits(_ der: Data) -> Data {
    var der = [UInt8](der)
    let place = der.indices.dropLast(3).last {
      der[$0] == 3 && Int(der[$0 + 1]) == der.count - $0 - 2 && der[$0 + 2] == 0
    }
    if let place { der[place + 2] = 1 }
    return Data(der)
  }

  @Test("a signature with unused bits fails on the path, and is harmless elsewhere")
  func unusedSignatureBits() throws {
    let folder = try #require(Self.folder)
    let beside = try Program.run("verify", "leaf.pem", "unused.der", "--roots", "root.pem", in: folder)
    #expect(beside.status == 0, "\(beside.errors)\(beside.output)")
    let path = try Program.run("verify", "unused.der", "--roots", "root.pem", in: folder)
    #expect(path.status == 1, "\(path.errors)")
    #expect(path.output.hasPrefix("✗ refused  chain.signature-invalid\n"), "\(path.output)")
  }

  @Test("a chain is read from standard input, and the web profile takes no system")
  func standardInput() throws {
    let folder = try #require(Self.folder)
    let leaf = try String(contentsOf: folder.appendingPathComponent("leaf.pem"), encoding: .utf8)
    let result = try Program.run(
      "verify", "-", "--roots", "root.pem", "--profile", "webpki", "--format", "json", input: leaf, in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("{\n  \"trustlab\": 1,\n  \"verdict\": \"accepted\","))
    #expect(result.output.contains("\"os\": null"))
  }

  @Test(
    "input without a certificate is an error with a hint, and exit status 2",
    arguments: [
      (["empty.pem"], "error: … 'empty.pem'"), (["garbage"], "garbage:1:1: error: "),
      (["leaf.key"], "error: … 'leaf.key' … PRIVATE KEY"),
      (["leaf.csr"], "CERTIFICATE REQUEST"), (["csr.der"], "CERTIFICATE REQUEST"),
      (["leaf.p12"], "PKCS #12"),
      (["root.key", "-"], "'root.key' … PRIVATE KEY"), (["-"], "error: "),
      (["leaf.pem", "--crl", "leaf.pem"], "'leaf.pem'"),
      (["leaf.pem", "--crl", "leaf.der"], "'leaf.der'"), (["trailing.der"], "3 bytes"),
      (["none.pem"], "error: … 'none.pem'"), ([], "error: "),
      (["--roots", "root.pem", "leaf.pem"], "error: "),
      (["leaf.pem", "--roots", "leaf.key"], "'leaf.key' … PRIVATE KEY"),
      (["leaf.pem", "--at", "yesterday"], "error: 'yesterday'"),
      (["leaf.pem", "--os", "Windows"], "'Windows'"),
      (["leaf.pem", "--os", "iOS 9", "--profile", "webpki"], "error: --os … apple"),
      (["leaf.pem", "--host", "https://api.example/"], "'https://api.example/'"),
      (["leaf.pem", "--host", "b\u{FC}cher/x"], "\u{FC}cher/x"),
      (["leaf.pem", "--ndjson"], "error: --ndjson"),
      (["--ndjson", "--roots", "-"], "error: "),
    ])
  func unreadable(arguments: [String], error: String) throws {
    let folder = try #require(Self.folder)
    let result = try Program.run(["verify"] + arguments, in: folder)
    #expect(result.status == 2)
    #expect(result.errors.shows(error), "\(result.errors)")
    #expect(result.errors.contains("\nhint: "), "\(result.errors)")
    #expect(result.output.isEmpty)
  }
}

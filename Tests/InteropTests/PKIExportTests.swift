import Foundation
import Oracles
import Testing

@Suite("The command pki export")
struct PKIExportTests {
  @Test("exported keys are private, an export replaces an earlier one, and the command works")
  func export() throws {
    let folder = try Program.folder([:])
    for _ in 1...2 {
      let result = try Program.run("pki", "export", "L1-15", "--output", "my pki", "--now", in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("trustlab verify 'my pki/api.chain.pem' --roots 'my pki/roots.pem'"))
      #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
    let pki = folder.appendingPathComponent("my pki")
    let attributes = try FileManager.default.attributesOfItem(atPath: pki.appendingPathComponent("api.key.pem").path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: pki.path).count == 14)
    let verdict = try Program.run(
      "verify", "my pki/api.chain.pem", "--roots", "my pki/roots.pem", "--host", "api.example", in: folder)
    #expect(verdict.status == 0, "\(verdict.output)")
  }

  @Test("openssl and TrustLab accept the exported CRLs, responses and SCTs", .needs(.openssl))
  func status() throws {
    let text = """
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: 2016-10-20, timestamps: { embedded: 1, ocsp: 2 } }
      server: { presents: [api, Issuing] }
      client: { revocation: hard-fail }
      expect: { verdict: refused }
      """
    let folder = try Program.folder([
      "status.yaml": Data(text.utf8)
    ])
    let export = try Program.run("pki", "export", "status.yaml", "--output", "pki", in: folder)
    #expect(export.status == 0, "\(export.errors)")
    let at = "1477958400"
    let files = "cat pki/Root*.crl pki/Issuing.crl > pki/all.crl"
    _ = Command.output(["sh", "-c", "cd '\(folder.path)' && \(files)"])
    #expect(
      !OtherPrograms.openssl(
        [
          "verify", "-attime", at, "-CAfile", "pki/roots.pem", "-untrusted", "pki/Issuing.pem", "-crl_check_all",
          "-CRLfile", "pki/all.crl", "pki/api.pem",
        ], in: folder))
    #expect(
      OtherPrograms.openssl(
        [
          "verify", "-attime", at, "-CAfile", "pki/roots.pem", "-crl_check_all", "-CRLfile", "pki/all.crl",
          "pki/Issuing.pem",
        ], in: folder))
    let answer = Command.output([
      "sh", "-c",
      "cd '\(folder.path)' && openssl ocsp -respin pki/api.ocsp.der -issuer pki/Issuing.pem -cert pki/api.pem -CAfile "
        + "pki/roots.pem -verify_other pki/Issuing.pem -attime \(at) -no_nonce 2>&1",
    ])
    #expect(answer?.contains("Response verify OK") == true && answer?.contains("revoked") == true, "\(answer ?? "")")
    let base = ["verify", "pki/api.chain.pem", "--roots", "pki/roots.pem", "--at", "2016-11-01"]
    for option in [["--ocsp", "pki/api.ocsp.der"], ["--crl", "pki/Issuing.crl"]] {
      let verdict = try Program.run(base + option, in: folder)
      #expect(verdict.status == 1 && verdict.output.contains("chain.revoked"), "\(verdict.output)")
    }
    let logged = try Program.run(
      base + ["--sct", "pki/api.sct", "--ct-logs", "pki/ct-logs.json"], in: folder)
    #expect(logged.status == 0, "\(logged.output)\(logged.errors)")
    let text509 = Command.output(["sh", "-c", "openssl x509 -noout -text -in '\(folder.path)/pki/api.pem'"])
    #expect(text509?.contains("CT Precertificate SCTs") == true && text509?.contains("2016-10-02") == false)
  }

  @Test("a broken chain is exported broken")
  func broken() throws {
    let folder = try Program.folder([
      "broken.yaml": Data(
        "certificates:\n  api: { issuer: Issuing, names: [api.example], break: signature }\n".utf8)
    ])
    #expect(try Program.run("pki", "export", "broken.yaml", "--output", "pki", in: folder).status == 0)
    let verdict = try Program.run(
      "verify", "pki/api.chain.pem", "--roots", "pki/roots.pem", "--at", "2016-11-01", in: folder)
    #expect(verdict.status == 1)
    #expect(verdict.output.hasPrefix("✗ refused  chain.signature-invalid\n"), "\(verdict.output)")
  }

  @Test("an export that cannot be written is an error with exit status 2")
  func errors() throws {
    let folder = try Program.folder(["file": Data()])
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("pki/api.pem"), withIntermediateDirectories: true)
    for (arguments, error) in [
      (["L1-15", "--output", "file"], "error: 'file'"),
      (["L1-15", "--output", "pki"], "error: … 'pki/api.pem'"), (["L1-15"], "error: "),
      (["L1-51", "--output", "new"], "error: … 'L1-51'"),
      (["L1-15", "--case", "none", "--output", "new"], "error: … L1-15 … 'none'"),
    ] {
      let result = try Program.run(["pki", "export"] + arguments, in: folder)
      #expect(result.status == 2)
      #expect(result.errors.shows(error) && result.errors.contains("\nhint: "), "\(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("new").path))
  }
}

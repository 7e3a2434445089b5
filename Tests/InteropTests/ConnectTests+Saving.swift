import Foundation
import Oracles
import Rendering
import Testing

/// The output of `connect --save`.
extension ConnectTests {
  @Test("--save writes several files, and cannot write to standard output")
  func standardOutput() throws {
    let result = try Program.run("connect", "127.0.0.1:1", "--save", "-")
    #expect(
      result.status == 2 && result.errors.shows("--save … --save"), "\(result)")
  }

  @Test("existing files are not overwritten")
  func existing() throws {
    let folder = try Program.folder(["api.yaml": Data("# mine\n".utf8)])
    let result = try Program.run("connect", "127.0.0.1:1", "--save", "api.yaml", in: folder)
    #expect(result.status == 2 && result.errors.contains("'api.yaml'"), "\(result)")
    #expect(try String(contentsOf: folder.appendingPathComponent("api.yaml"), encoding: .utf8) == "# mine\n")
  }

  @Test("the saved scenario has the same verdict", .needs(.openssl))
  func saving() throws {
    let (server, words) = try good()
    let folder = try Program.folder([:])
    let file = folder.appendingPathComponent("api.yaml").path
    #expect(try Program.run(words + ["--save", file]).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("# ACCEPTED"), "\(text)")
    let test = try Program.run("test", file)
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    // The existing certificates next to it are not overwritten either.
    try FileManager.default.moveItem(atPath: file, toPath: "\(file).mine")
    let beside = try Program.run(words + ["--save", file])
    #expect(beside.status == 2 && beside.errors.contains(".pem' already"), "\(beside.errors)")
    #expect(!FileManager.default.fileExists(atPath: file))
    try FileManager.default.moveItem(atPath: "\(file).mine", toPath: file)
    let format = try Program.run("format", file, "--check")
    #expect(format.status == 0, "\(format.output)")
    // The saved scenario is refused for the same two reasons.
    let other = folder.appendingPathComponent("late.yaml").path
    let late = words.map { $0 == FaultyChains.date ? "2027-06-01" : $0 == "api.example" ? "b.example" : $0 }
    #expect(try Program.run(late + ["--save", other]).status == 1)
    #expect(try String(contentsOfFile: other, encoding: .utf8).contains("because: [chain.expired, name.mismatch]"))
    let again = try Program.run("test", other)
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "a client-certificate request is saved, and whether the server continues without one", .needs(.openssl),
    arguments: [
      ("-Verify", "required", "because: [client-auth.certificate-required]"),
      ("-verify", "optional", "verdict: accepted"),
    ])
  func asking(option: String, way: String, expected: String) throws {
    let (server, words) = try good(option, "1")
    let file = try Program.folder([:]).appendingPathComponent("api.yaml").path
    let result = try Program.run(words + ["--save", file])
    #expect(result.errors.contains("wrote \(file)"), "\(result.errors)")
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("clientAuthentication: \(way)") && text.contains(expected), "\(text)")
    let test = try Program.run("test", file)
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("a server without its intermediate is saved with the used roots, and can be fixed", .needs(.openssl))
  func savingWithoutIssuer() throws {
    let folder = try #require(FaultyChains.folder)
    let server = try PeerServer(openssl: ["-cert", "good.pem", "-key", "leaf.key"], in: folder)
    let own = try Program.folder([:])
    let (file, chain) = (own.appendingPathComponent("x.yaml"), own.appendingPathComponent("x.chain.pem"))
    let paths = ["root.pem", "other.pem"].map { folder.appendingPathComponent($0).path }
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--now", FaultyChains.date, "--roots",
    ]
    let result = try Program.run(words + paths + ["--save", file.path])
    #expect(result.status == 1 && !result.errors.contains("chain.no-anchor"), "\(result.errors)")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("# REFUSED: chain.no-issuer"), "\(text)")
    #expect(text.contains("x.root.pem") && text.contains("x.root-2.pem"), "\(text)")
    #expect(text.contains("because: [chain.no-issuer]"), "\(text)")
    let test = try Program.run("test", file.path)
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    // The same scenario, in which the server also sends the intermediate.
    let pem = try ["good.pem", "issuing.pem"].map {
      try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
    }
    try Data(pem.joined().utf8).write(to: chain)
    let mended = text.replacingOccurrences(
      of: "verdict: refused, because: [chain.no-issuer]", with: "verdict: accepted")
    try Data(mended.utf8).write(to: file)
    let again = try Program.run("test", file.path)
    #expect(mended != text && again.status == 0, "\(again.output)\(again.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("only roots that an incomplete chain names are saved, and other reasons are printed", .needs(.openssl))
  func savingOfManyRoots() throws {
    let folder = try #require(FaultyChains.folder)
    let own = try Program.folder([:])
    // Ten roots, none of which issued a certificate here.
    let others = (1...10).map { "root\($0).pem" }
    for name in others {
      try #require(
        OtherPrograms.openssl(
          ["req", "-x509", "-new", "-key", folder.appendingPathComponent("other.key").path, "-subj", "/CN=\(name)"]
            + ["-days", "20", "-out", name], in: own))
    }
    let server = try PeerServer(openssl: ["-cert", "good.pem", "-key", "leaf.key"], in: folder)
    let file = own.appendingPathComponent("x.yaml").path
    let words = [
      "connect", "127.0.0.1:\(server.port)", "--server-name", "api.example", "--now", FaultyChains.date, "--roots",
    ]
    let result = try Program.run(words + others.map { own.appendingPathComponent($0).path } + ["--save", file])
    #expect(result.errors.shows("chain.no-anchor … chain.no-issuer"))
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let header = text.split(separator: "\n").first ?? ""
    #expect(header.shows("# REFUSED: chain.no-anchor … chain.no-issuer") && !text.contains("x.root"), "\(text)")
    let test = try Program.run("test", file)
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    withExtendedLifetime(server) {}
  }

  @Test("a scenario that would play differently is not saved", .needs(.openssl))
  func unsaved() throws {
    // The identity that the server refuses is not saved: RFC 5246 section 7.4.6.
    let (server, words) = try good("-Verify", "3", "-verify_return_error", "-CAfile", "root.pem")
    let folder = try Program.folder([:])
    let (identity, file) = (
      folder.appendingPathComponent("me.p12").path, folder.appendingPathComponent("api.yaml").path
    )
    try #require(
      OtherPrograms.openssl(
        ["pkcs12", "-export", "-in", "other.pem", "-inkey", "other.key", "-passout", "pass:test", "-out", identity],
        in: try #require(FaultyChains.folder)))
    let result = try Program.run(words + ["--identity", identity, "--passphrase", "test", "--save", file])
    #expect(result.status == 1 && !result.errors.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: file))
    withExtendedLifetime(server) {}
  }
}

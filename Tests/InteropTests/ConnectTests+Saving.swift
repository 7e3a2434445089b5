import Foundation
import Oracles
import Rendering
import Testing

/// What `connect --save` writes.
extension ConnectTests {
  @Test("what is saved are several files, which standard output cannot take")
  func standardOutput() throws {
    let result = try Program.run("connect", "127.0.0.1:1", "--save", "-")
    #expect(
      result.status == 2 && result.errors.shows("--save … '-'"), "\(result)")
  }

  @Test("what somebody has written is not written over")
  func existing() throws {
    let folder = try Program.folder(["api.yaml": Data("# mine\n".utf8)])
    let result = try Program.run("connect", "127.0.0.1:1", "--save", "api.yaml", in: folder)
    #expect(result.status == 2 && result.errors.contains("'api.yaml'"), "\(result)")
    #expect(try String(contentsOf: folder.appendingPathComponent("api.yaml"), encoding: .utf8) == "# mine\n")
  }

  @Test("what is saved is a scenario with the same verdict", .needs(.openssl))
  func saving() throws {
    let (server, words) = try good()
    let folder = try Program.folder([:])
    let file = folder.appendingPathComponent("api.yaml").path
    #expect(try Program.run(words + ["--save", file]).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.contains("# ACCEPTED"), "\(text)")
    let test = try Program.run("test", file)
    #expect(test.status == 0, "\(test.output)\(test.errors)")
    // The certificates beside it are somebody's too.
    try FileManager.default.moveItem(atPath: file, toPath: "\(file).mine")
    let beside = try Program.run(words + ["--save", file])
    #expect(beside.status == 2 && beside.errors.contains(".pem' already"), "\(beside.errors)")
    #expect(!FileManager.default.fileExists(atPath: file))
    try FileManager.default.moveItem(atPath: "\(file).mine", toPath: file)
    let format = try Program.run("format", file, "--check")
    #expect(format.status == 0, "\(format.output)")
    // Refused for two reasons at once, and so it is when it is played again.
    let other = folder.appendingPathComponent("late.yaml").path
    let late = words.map { $0 == FaultyChains.date ? "2027-06-01" : $0 == "api.example" ? "b.example" : $0 }
    #expect(try Program.run(late + ["--save", other]).status == 1)
    #expect(try String(contentsOfFile: other, encoding: .utf8).contains("because: [chain.expired, name.mismatch]"))
    let again = try Program.run("test", other)
    #expect(again.status == 0, "\(again.output)\(again.errors)")
    withExtendedLifetime(server) {}
  }

  @Test(
    "that a server asks who the client is is saved, and whether it goes on without", .needs(.openssl),
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

  @Test("a server without its intermediate is saved with the roots in force, and mended by adding it", .needs(.openssl))
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
    // The same scenario, where the server sends the intermediate too.
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

  @Test("of many roots those that a chain without a path names are saved, and other reasons are said", .needs(.openssl))
  func savingOfManyRoots() throws {
    let folder = try #require(FaultyChains.folder)
    let own = try Program.folder([:])
    // Ten roots of which none issued anything here.
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

  @Test("nothing is saved that would come out otherwise when it is played", .needs(.openssl))
  func unsaved() throws {
    // The identity that the server refuses is no part of what is saved: RFC 5246 section 7.4.6.
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

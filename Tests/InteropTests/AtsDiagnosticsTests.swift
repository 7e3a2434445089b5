import Foundation
import Oracles
import Testing

@Suite("ats diagnostics and ats minimal")
struct AtsDiagnosticsTests {
  private static func server(_ host: String, _ fields: String = "") -> Data {
    Data(
      """
      title: A server
      certificates: { api: { issuer: Issuing, names: [\(host)] } }
      server: { host: \(host)\(fields.isEmpty ? "" : ", " + fields) }
      request: https://\(host)/
      expect: {}
      """.utf8)
  }

  private static let rsa = "cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256]"

  /// A transcript of the real tool; one that begins in the middle is a fragment.
  struct Transcript: Sendable, CustomTestStringConvertible {
    let name: String
    let lines: [String]
    var testDescription: String { name }
    var isWhole: Bool { lines.first == "Starting ATS Diagnostics" }
    /// The URL of the header, without the full stop of its sentence.
    var url: String {
      let header = lines.first { $0.hasPrefix("Configuring ATS Info.plist keys") } ?? ""
      return String(header.split(separator: " ").last?.dropLast() ?? "")
    }
    var host: String { String(url.split(separator: "/").dropFirst().first ?? "") }
    var os: String { lines.contains("TLSv1.3") ? "macOS 10.15" : "macOS 10.13" }
    var fails: Bool { lines.contains("Result : FAIL") }
  }

  private static let transcripts: [Transcript] = {
    return SharedData.names(in: "nscurl").compactMap { name in
      let text = try? String(contentsOfFile: SharedData.path("nscurl/\(name)"), encoding: .utf8)
      return text.map { Transcript(name: name, lines: $0.components(separatedBy: "\n")) }
    }
  }()

  private func own(_ transcript: Transcript, _ fields: String = "") throws -> [String] {
    let folder = try Program.folder(["server.yaml": Self.server(transcript.host, fields)])
    let isVerbose = transcript.lines.contains("ATS Dictionary:")
    return try Program.run(
      ["ats", "diagnostics", transcript.url, "--scenario", "server.yaml", "--os", transcript.os, "--strict-layout"]
        + (isVerbose ? ["--verbose"] : []), in: folder
    ).output.components(separatedBy: "\n")
  }

  /// The lines that are the same in every run: no errors, log lines or results.
  private func layout(_ lines: [String]) -> [String] {
    lines.filter { !$0.hasPrefix("Error : ") && !$0.contains(" nscurl[") }
      .map { $0.hasPrefix("Result : ") ? "Result" : $0 }
  }

  @Test(
    "the output equals the tool's transcript, byte for byte if all tests pass",
    .needsData("nscurl"), arguments: transcripts.filter(\.isWhole))
  func byteForByte(transcript: Transcript) throws {
    let own = try own(transcript, "versions: [TLSv1.3, TLSv1.2]")
    #expect(layout(own) == layout(transcript.lines))
    if !transcript.fails { #expect(own == transcript.lines) }
  }

  @Test(
    "a failure shows the lines that are the same in every run of the tool",
    .needsData("nscurl"), arguments: transcripts.filter { !$0.isWhole })
  func failures(transcript: Transcript) throws {
    let own = try own(transcript, "versions: [TLSv1.0], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA]")
    #expect(layout(transcript.lines).filter { !layout(own).contains($0) } == [])
    let error = try #require(transcript.lines.first { $0.hasPrefix("Error : ") })
    let line = try #require(own.first { $0.hasPrefix("Error : ") })
    let (head, userInfo) = (line.prefix { $0 != "{" }, line.drop { $0 != "{" }.dropFirst().dropLast())
    #expect(error.hasPrefix(head))
    let known = userInfo.components(separatedBy: ", ")
    #expect(known.count == 6)
    for part in known { #expect(error.contains(part), "\(part)") }
    #expect(!line.contains("0x"))
  }

  @Test("--strict-layout prints the tool's headings, and dictionaries only on request")
  func layout() throws {
    let folder = try Program.folder(["server.yaml": Self.server("api.example", Self.rsa)])
    let base = ["ats", "diagnostics", "https://api.example/", "--scenario", "server.yaml"]
    let full = try Program.run(base, in: folder)
    let strict = try Program.run(base + ["--strict-layout"], in: folder)
    #expect(full.status == 1 && strict.status == 1)
    #expect(full.output.hasPrefix(strict.output))
    #expect(strict.output.hasSuffix("\n---\n\n" + String(repeating: "=", count: 80) + "\n"))
    #expect(strict.output.contains("[Use '--verbose' to view"))
    #expect(!strict.output.contains("ATS Dictionary:") && !strict.output.contains("unknown"))
    #expect(strict.output.split(separator: "\n").count { $0.hasPrefix("Result : ") } == 16)
    for part in [
      "ats.no-forward-secrecy", "<key>NSExceptionRequiresForwardSecrecy</key>", "tests 2, 8, 14–16 (unknown:",
    ] {
      #expect(full.output.contains(part), "\(part)")
    }
  }

  @Test("an unqualified host has no quotes, any other host has them")
  func quoting() throws {
    for (host, written) in [("intranet", "        intranet =         {"), ("a-b", "        \"a-b\" =         {")] {
      let folder = try Program.folder(["server.yaml": Self.server(host)])
      let result = try Program.run(
        "ats", "diagnostics", "https://\(host)/", "--scenario", "server.yaml", "-v", "--strict-layout", in: folder)
      #expect(result.output.contains(written + "\n"), "\(host)")
    }
  }

  @Test(
    "an invalid request is an error with a hint",
    arguments: [
      (["api.example"], "https://api.example"), (["ftp://api.example/"], "https://"),
      (["https://api.example/"], "api.example"),
      (["https://apl.example/", "--scenario", "L1-15"], "'api.example'"),
      (["https://api.example/", "--scenario", "L1-15", "--os", "macOS 10.10"], "OS X 10.11"),
      (["https://api.example/", "--scenario", "L1-51"], "L1-"),
      (["https://api.example/", "--scenario", "L2-01"], "L2-01"),
    ])
  func wrongInput(arguments: [String], hint: String) throws {
    let result = try Program.run(["ats", "diagnostics"] + arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("error: "))
    #expect(result.errors.contains(hint), "\(result.errors)")
  }

  @Test(
    "the text names uncertainties of a load without an exception, if there are any",
    arguments: [
      ("http://10.0.0.1/", "direct", 1), ("http://www.apple.com/", "iOS 17", 1), ("http://a.example/", "?", 0),
    ])
  func uncertainty(url: String, word: String, count: Int) throws {
    let text = try Program.run("ats", "minimal", "--url", url, "--os", "iOS 17").output
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("? iOS 17") || $0.hasPrefix("  ? iOS 17") } == count, "\(text)")
    #expect(text.contains(word) == (count > 0), "\(text)")
  }

  @Test("JSON conforms to its schema", .needs(.jsonschema))
  func schemas() throws {
    let folder = try Program.folder([
      "rsa.yaml": Self.server("api.example", Self.rsa), "good.yaml": Self.server("api.example"),
    ])
    for name in ["rsa.yaml", "good.yaml"] {
      let diagnostics = try Program.run(
        "ats", "diagnostics", "https://api.example/", "--scenario", name, "--format", "json", in: folder)
      #expect(try violation(diagnostics.output, of: "ats-diagnostics") == "")
    }
    for arguments in [["http://a.example/", "--loader", "WKWebView"], ["https://a.example/"], ["ftp://a.example/"]] {
      let minimal = try Program.run(["ats", "minimal", "--format", "json", "--url"] + arguments)
      #expect(try violation(minimal.output, of: "ats-minimal") == "")
    }
  }

  private func violation(_ json: String, of schema: String) throws -> String {
    let folder = try Program.folder(["answer.json": Data(json.utf8)])
    return OtherPrograms.violation(in: folder.appendingPathComponent("answer.json"), of: schema)
  }
}

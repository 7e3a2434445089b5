import Foundation
import Oracles
import Rendering
import Testing

/// A fixed list of runs of the program, which together show every member of every schema.
@Suite("Published schemas")
struct SchemaTests {
  /// The documents of one schema.
  private struct Sample: Sendable {
    let schema: String
    let documents: @Sendable () throws -> [JSONValue]
  }

  private static func json(_ text: some StringProtocol) throws -> JSONValue { try JSONValue(reading: Array(text.utf8)) }

  /// The output of these arguments.
  private static func printed(_ arguments: [String], in folder: URL? = nil) throws -> JSONValue {
    try json(Program.run(arguments, in: folder).output)
  }

  /// The output for these requests, one line each.
  private static func lines(_ arguments: [String], _ requests: [String], in folder: URL? = nil) throws -> [JSONValue] {
    let result = try Program.run(arguments, input: requests.joined(separator: "\n") + "\n", in: folder)
    return try result.output.split(separator: "\n").map(json)
  }

  private static let samples: [Sample] = [
    Sample(schema: "run") {
      let runs = [
        ["L1-01"], ["L1-13"], ["L1-15", "--os", "iOS 9"], ["L2-01"], ["L7-01"], ["L7-02"], ["L5-01"], ["L9-01"],
        ["L1-06"], ["L8-01"], ["L11-02"], ["L14-01"], ["L4-01"], ["wrong.yaml"],
        ["L3-09", "--validator", "basic-constraints"], ["L12-13"], ["untried.yaml"],
        ["L0-02"], ["L11-21"], ["L3-15", "--case", "it is fetched from where the certificate says"],
      ]
      let folder = try Program.folder([
        "wrong.yaml": Data("request: http://api.example/\nexpect: { verdict: accepted }\n".utf8),
        "untried.yaml": Data(
          """
          server: { cipherSuites: [TLS_ECDHE_RSA_WITH_RC4_128_SHA] }
          client: { os: iOS 8, cookie: id=k7 }
          connections:
            - { name: first, request: "https://api.example/", expect: { verdict: accepted } }
            - { name: second, request: "https://api.example/", expect: { verdict: accepted } }
          """.utf8),
      ])
      let server = try PeerServer(
        openssl: ["-cert", "cert.pem", "-key", "key.pem"], in: try #require(SelfSigned.folder))
      defer { withExtendedLifetime(server) {} }
      let roots = try #require(SelfSigned.folder).appendingPathComponent("cert.pem").path
      let real = ["127.0.0.1:\(server.port)", "--server-name", "wrong.example", "--user-roots", roots]
      return try runs.map { try printed(["run"] + $0 + ["--format", "json", "--depth", "numbers"], in: folder) }
        + [printed(["connect"] + real + ["--format", "json"], in: folder)]
    },
    Sample(schema: "test") {
      let folder = try Program.folder([
        "mixed.yaml": Data(
          """
          requests: [{ url: http://api.example/, expect: { verdict: accepted } }]
          cases:
            - { name: alone, with: { requests: null, request: http://api.example/ }, expect: { verdict: refused },
                sibling: nowhere }
          """.utf8),
        "nowhere.yaml": Data("expect: { verdict: accepted, content: other }\n".utf8),
        "slip.yaml": Data("expect: { verdikt: x }\n".utf8),
      ])
      return try [
        printed(["test", "mixed.yaml", "slip.yaml", "--format", "json"], in: folder),
        printed(["test", "L3-09", "--validator", "basic-constraints", "--format", "json"], in: folder),
      ]
    },
    Sample(schema: "replay") {
      let folder = try Program.folder([:])
      _ = try Program.run("run", "L1-01", "--pcap", "run.pcap", "--keylog", "run.keys", in: folder)
      return try [["--keylog", "run.keys"], ["--keylog", "run.keys", "--secrets"], []].map {
        try printed(["replay", "run.pcap", "--format", "json"] + $0, in: folder)
      }
    },
    Sample(schema: "repl") {
      try lines(
        ["repl", "L1-01", "--protocol", "json"],
        [#"{"id":1,"line":"run"}"#, #"{"line":"diagram"}"#, #"{"line":"matrix os"}"#, "[]", #"{"complete":"s"}"#])
    },
    Sample(schema: "pki-export") {
      let folder = try Program.folder([:])
      return try ["L1-15", "L4-01"].map {
        try printed(["pki", "export", $0, "--output", "pki", "--format", "json"], in: folder)
      }
    },
    Sample(schema: "limbo") {
      let folder = try Program.folder(["limbo.json": limbo])
      return [try printed(["limbo", "limbo.json", "--format", "json"], in: folder)]
    },
    Sample(schema: "fix-check") {
      try ["L4-12", "L13-07"].map { try printed(["fix-check", $0, "--format", "json"]) }
    },
    Sample(schema: "mutate") {
      let folder = try Program.folder(["purpose.yaml": MutateCommandTests.purpose])
      let mutants = ["eku-ignored", "chain.expired", "chain.self-signed", "handshake.recorded-secret", "goto-fail"]
      return try [["purpose.yaml"], ["L1-13"]].map {
        try printed(["mutate"] + $0 + mutants.flatMap { ["--mutant", $0] } + ["--format", "json"], in: folder)
      }
    },
    Sample(schema: "coverage") {
      [try printed(["coverage", "L1-01", "--format", "json"])]
    },
    Sample(schema: "ats-decide") {
      let text = String(decoding: plist, as: UTF8.self)
      let narrow = text.replacing("<key>NSAllowsArbitraryLoads</key><true/>", with: "")
      let folder = try Program.folder(["Info.plist": Data(narrow.utf8)])
      let urls = [
        "http://a.example/", "https://a.example/", "https://pinned.example/", "http://10.0.0.1/", "http://b.example/",
      ]
      let command = ["ats", "decide", "--plist", "Info.plist", "--url"] + urls + ["--format", "json", "--os"]
      // A widget of the app decides by its own plist.
      let widget = folder.appendingPathComponent("My.app/PlugIns/Widget.appex")
      try FileManager.default.createDirectory(at: widget, withIntermediateDirectories: true)
      try Data(narrow.utf8).write(to: folder.appendingPathComponent("My.app/Info.plist"))
      try plist.write(to: widget.appendingPathComponent("Info.plist"))
      let bundle = ["ats", "decide", "--plist", "My.app", "--url", "http://b.example/", "--format", "json"]
      return try [
        printed(command + ["iOS 8", "iOS 10", "iOS 17", "iOS 18.4", "doc"], in: folder), printed(bundle, in: folder),
      ]
    },
    Sample(schema: "ats-answer") {
      let pins = #""NSPinnedDomains":{"a.example":{"NSPinnedLeafIdentities":[{"SPKI-SHA256-BASE64":"AAAA"}]}}"#
      return try lines(
        ["ats", "decide", "--ndjson"],
        [
          #"{"id":1,"url":"https://a.example/"}"#, #"{"id":2,"url":"http://10.0.0.1/","os":"iOS 17"}"#, "{}",
          #"{"id":3}"#, "x",
          #"{"url":"https://a.example/","os":"iOS 18.4","ats":{\#(pins)}}"#,
        ])
    },
    Sample(schema: "ats-diagnostics") {
      let suites = ", cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256]"
      let folder = try Program.folder(["good.yaml": server(""), "rsa.yaml": server(suites)])
      return try ["good.yaml", "rsa.yaml"].flatMap { name in
        try ["iOS 18.4", "macOS 10.13"].map { os in
          try printed(
            ["ats", "diagnostics", "https://api.example/", "--scenario", name, "--os", os, "--format", "json"],
            in: folder)
        }
      }
    },
    Sample(schema: "ats-minimal") {
      try [
        ["http://a.example/", "--loader", "WKWebView"], ["https://a.example/"], ["ftp://a.example/"],
        ["http://10.0.0.1/", "--os", "iOS 17"], ["http://10.0.0.1/", "http://10.0.0.2/", "--os", "iOS 17"],
      ].map { try printed(["ats", "minimal", "--format", "json", "--url"] + $0) }
    },
    Sample(schema: "ats-minimal-plist") {
      let keys = "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>"
      let folder = try Program.folder([
        "Info.plist": plist, "Both.plist": Data("<plist version=\"1.0\"><dict>\(keys)</dict></plist>".utf8),
        "Blocked.plist": Data(
          "<plist><dict><key>NSAppTransportSecurity</key><dict>\(keys)</dict></dict></plist>".utf8),
      ])
      func command(_ file: String) -> [String] { ["ats", "minimal", "--plist", file, "--format", "json"] }
      let loads = ["http://a.example/", "https://pinned.example/"]
      return try loads.map { try printed(command("Info.plist") + ["--os", "iOS 17", "--url", $0], in: folder) } + [
        try printed(command("Both.plist") + ["--os", "iOS 9", "iOS 17", "--url", "http://printer.local/"], in: folder),
        try printed(command("Blocked.plist") + ["--os", "iOS 17", "--url", "http://b.example/"], in: folder),
      ]
    },
    Sample(schema: "ats-diff") {
      let setting = String(decoding: plist, as: UTF8.self).replacing("a.example", with: "$(HOST)")
      let folder = try Program.folder(["Old.plist": plist, "New.plist": Data(setting.utf8)])
      return try [["Old.plist", "New.plist"], ["New.plist", "Old.plist"], ["Old.plist", "Old.plist"]].map {
        try printed(["ats", "diff"] + $0 + ["--format", "json"], in: folder)
      }
    },
    Sample(schema: "explain") {
      let folder = try Program.folder(["Info.plist": plist])
      let line = "Task finished with error [-1200] _kCFStreamErrorCodeKey=-9802"
      return try [[], ["--plist", "Info.plist", "--url", "https://a.example/", "--os", "iOS 17"]].map {
        try printed(["explain", "--format", "json"] + $0 + [line], in: folder)
      } + [printed(["explain", "--format", "json", "Trust evaluate failure: [leaf SSLHostname]"])]
    },
    Sample(schema: "ats-lint") { [try lint("json")] },
    Sample(schema: "ats-lint-sarif") {
      let folder = try Program.folder(["Info.plist": plist])
      let loads = ["--url", "http://a.example/", "http://pinned.example/", "--os", "iOS 10", "iOS 17"]
      let decided = try printed(
        ["ats", "decide", "--plist", "Info.plist", "--format", "sarif"] + loads, in: folder)
      return [try lint("sarif"), decided]
    },
    Sample(schema: "verify") {
      let folder = FaultyChains.folder
      let app = try Program.folder(["Info.plist": plist]).appendingPathComponent("Info.plist").path
      let more = [
        ["good", "--host", "api.example"], ["good", "--host", "api.example", "--plist", app],
        ["revoked", "--crl", "issuing.crl"], ["three", "--profile", "webpki"],
        ["weak", "--os", "iOS 9"], ["stray"], ["below", "notca.pem", "--validator", "basic-constraints"],
      ]
      return try more.map { words in
        let command = ["verify", "\(words[0]).pem", "issuing.pem", "--roots", "root.pem", "--at", FaultyChains.date]
        return try printed(command + words.dropFirst() + ["--format", "json"], in: folder)
      }
    },
    Sample(schema: "verify-answer") {
      let folder = FaultyChains.folder
      let requests = try ["good", "revoked", "three", "below"].map { name in
        let chain = try [name, "issuing", "notca"].map { name in
          let file = try String(contentsOfFile: "\(folder?.path ?? "")/\(name).pem", encoding: .utf8)
          return JSONValue.string(file).text(pretty: false)
        }.joined(separator: ",")
        return #"{"id":1,"chain":[\#(chain)],"rootsFile":"root.pem","at":"2026-06-01","host":"api.example"}"#
      }
      let wrong = ["x", #"{"id":2,"chain":7}"#, #"{"chain":[]}"#]
      return try lines(["verify", "--ndjson"], requests + wrong, in: folder)
        + lines(["verify", "--ndjson", "--validator", "basic-constraints"], requests, in: folder)
    },
  ]

  private static func lint(_ format: String) throws -> JSONValue {
    let folder = try Program.folder(["Info.plist": plist, "bad.plist": Data("<plist>".utf8)])
    return try printed(["ats", "lint", ".", "--format", format, "--os", "iOS 9", "iOS 18.4"], in: folder)
  }

  private static func server(_ more: String) -> Data {
    Data(
      """
      title: A server
      server: { host: api.example\(more) }
      request: https://api.example/
      expect: {}
      """.utf8)
  }

  /// An app's settings with an exception, a typo, a misplaced key and pins.
  private static let plist = Data(
    """
    <?xml version="1.0"?>
    <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
    <key>NSAllowsArbitraryLoads</key><true/>
    <key>NSAllowArbitraryLoads</key><true/>
    <key>NSAllowArbitraryLoadsInWebContent</key><true/>
    <key>NSExceptionDomains</key><dict>
    <key>a.example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
    <key>A.example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
    <key>10.0.0.0/8</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
    <key>10.1.0.0/8</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
    <key>example</key><dict><key>NSIncludesSubdomains</key><true/>
    <key>NSExceptionRequiresForwardSecrecy</key><false/></dict>
    <key>b.example:8080</key><dict><key>NSExceptionRequiresForwardSecrecy</key><string>NO</string></dict></dict>
    <key>NSPinnedDomains</key><dict><key>pinned.example</key><dict><key>NSPinnedCAIdentities</key><array>
    <dict><key>SPKI-SHA256-BASE64</key><string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></dict>
    <dict><key>SPKI-SHA256-BASE64</key><string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></dict></array>
    </dict></dict></dict></dict></plist>
    """.utf8)

  /// A case that agrees, one that does not, and one that is skipped.
  private static let limbo: Data = {
    let pem = #"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"#
    let cases = [("one", "FAILURE", "SERVER"), ("two", "SUCCESS", "SERVER"), ("three", "SUCCESS", "OTHER")].map {
      """
      {"id": "rfc5280::\($0.0)", "features": null, "validation_kind": "\($0.2)", "trusted_certs": [],
      "untrusted_intermediates": [], "peer_certificate": "\(pem)", "validation_time": null,
      "signature_algorithms": [], "key_usage": [], "extended_key_usage": [], "expected_result": "\($0.1)",
      "expected_peer_name": {"kind": "DNS", "value": "example.com"}, "expected_peer_names": [], "crls": []}
      """
    }
    return Data(#"{"version": 1, "testcases": [\#(cases.joined(separator: ","))]}"#.utf8)
  }()

  @Test(
    "documents conform to their schemas, and every property occurs in some document",
    .needs(.openssl), arguments: samples.map(\.schema))
  func bothWays(name: String) throws {
    let sample = try #require(Self.samples.first { $0.schema == name })
    var schema = try Schema(name)
    for document in try sample.documents() { try schema.check(document) }
    #expect(schema.violations == [])
    #expect(schema.unmet == [], "no sample has these properties")
    #expect(schema.open == [], "these objects allow additional members")
  }
}

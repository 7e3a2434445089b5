import Foundation
import Oracles
import Rendering
import Testing

@Suite("Streams whose output cannot be written")
struct LostStreamTests {
  @Test(
    "a full disk is an error, as for every other command",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() throws {
    let folder = try Program.folder(["in": Data("{\"url\": \"http://a.example/\"}\n".utf8), "err": Data()])
    for command in [["ats", "decide"], ["verify"]] {
      let process = Process()
      process.executableURL = Program.url
      process.arguments = command + ["--ndjson"]
      process.standardInput = try FileHandle(forReadingFrom: folder.appendingPathComponent("in"))
      process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
      process.standardError = try FileHandle(forWritingTo: folder.appendingPathComponent("err"))
      try process.run()
      process.waitUntilExit()
      let errors = try String(contentsOf: folder.appendingPathComponent("err"), encoding: .utf8)
      #expect(process.terminationStatus == 2 && errors.contains("error: "), "\(errors)")
    }
  }
}

@Suite("verify --ndjson", .needs("openssl makes no such chains", unless: { FaultyChains.folder != nil }))
struct VerifyStreamTests {
  /// The text of a file as a JSON string.
  private func pem(_ name: String) throws -> String {
    let folder = try #require(FaultyChains.folder)
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    return "\"" + text.replacing("\n", with: "\\n") + "\""
  }

  /// The DER of a file in base 64 as a JSON string: the text between the boundaries.
  private func der(_ name: String) throws -> String {
    try "\"" + pem(name).split(separator: "-----")[2].replacing("\\n", with: "") + "\""
  }

  private func answers(_ requests: [String], _ options: String...) throws -> [JSONValue] {
    let folder = try #require(FaultyChains.folder)
    let result = try Program.run(
      ["verify", "--ndjson"] + options, input: requests.joined(separator: "\n") + "\n", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.isEmpty)
    return try result.output.split(separator: "\n").map { try JSONValue(reading: Array($0.utf8)) }
  }

  /// A request about a chain with the usual date.
  private func request(_ leaf: String, _ more: String = "") throws -> String {
    try #"{"chain": [\#(der("\(leaf).pem")), \#(pem("issuing.pem"))], "at": "2026-06-01"\#(more)}"#
  }

  private func because(_ answer: JSONValue) -> [String] {
    guard case .array(let rules)? = answer["because"] else { return ["no answer"] }
    return rules.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  @Test("every line is processed in order, a broken one is an error, ids return")
  func stream() throws {
    let roots = try #", "roots": [\#(der("root.pem"))]"#
    let answers = try answers([
      request("good", #", "id": {"a": [1.50, null]}, "host": "api.example"\#(roots)"#), "{\"chain\": oops", "", "[]",
      request("expired", #", "id": 2, "profile": "webpki", "rootsFile": "root.pem", "mine": true"#),
      request("good", #", "id": "last", "host": "www.example", "os": "iOS 12"\#(roots)"#),
    ])
    #expect(answers.count == 6)
    #expect(answers.map { $0["id"] } == [["a": [.number("1.50"), nil]], nil, nil, nil, 2, "last"])
    #expect(answers.map { $0["verdict"] } == ["accepted", nil, nil, nil, "refused", "refused"])
    #expect(answers.map { $0["error"] != nil } == [false, true, true, true, false, false])
    #expect(answers[1]["error"]?.text("message").contains("byte 10") == true)
    #expect(
      answers[3]["error"]?.text("hint").contains(#"{"chain": ["MII…"], "roots": ["MII…"], "host": "api.example"}"#)
        == true)
    #expect(because(answers[4]).first == "chain.expired" && answers[4]["profile"] == "webpki")
    #expect(because(answers[5]) == ["name.mismatch"] && answers[5]["os"] == "iOS 12")
    #expect(
      answers[0].members?.prefix(8).map(\.name) == [
        "trustlab", "id", "verdict", "result", "path", "candidates", "findings", "layer",
      ])
  }

  @Test("results have only the requested members, and unknown members are errors")
  func selection() throws {
    let line = try request("good", #", "id": 1, "roots": [\#(try der("root.pem"))]"#)
    let short = try #require(try answers([line], "--members", "verdict", "path").first)
    #expect(short.members?.map(\.name) == ["trustlab", "id", "verdict", "path"])
    let whole = try #require(try answers([line]).first)
    #expect(whole.members?.map(\.name) == ["trustlab", "id"] + VerifyView.memberNames)
  }

  @Test("every member has its effect, and a missing one has the option's default")
  func members() throws {
    let rows: [(String, String, [String])] = [
      ("good", "", []), ("good", #", "roots": []"#, ["chain.no-anchor"]), ("good", #", "roots": null"#, []),
      ("good", #", "host": "192.0.2.1""#, ["name.mismatch"]), ("good", #", "at": "2028-01-01""#, ["chain.expired"]),
      ("mail", "", ["chain.extended-key-usage"]), ("mail", #", "purpose": "any""#, []),
      ("weak", "", ["chain.key-size"]), ("weak", #", "os": "iOS 9""#, []), ("weak", #", "profile": "rfc5280""#, []),
      ("revoked", "", []), ("revoked", try #", "crl": [\#(pem("issuing.crl"))]"#, ["chain.revoked"]),
      ("good", try #", "crl": [\#(der("issuing.crl"))]"#, []),
      ("good", #", "policy": ["2.23.140.1.2.1"]"#, ["chain.certificate-policy"]),
      ("good", try #", "roots": [], "userRoots": [\#(pem("root.pem"))]"#, []),
      ("good", try #", "roots": [], "appRoots": [\#(der("root.pem"))]"#, []),
    ]
    // A row's own date comes first, because no name may occur twice.
    let requests = try rows.map { row in
      let line = try request(row.0, row.1)
      return row.1.contains("\"at\"") ? line.replacing(", \"at\": \"2026-06-01\"", with: "") : line
    }
    let answers = try answers(requests, "--roots", "root.pem", "--host", "api.example")
    #expect(answers.count == rows.count)
    for (row, answer) in zip(rows, answers) {
      #expect(because(answer) == row.2, "\(row.0)\(row.1) \(answer["error"] ?? nil)")
    }
    #expect(answers[14]["result"] == "kSecTrustResultProceed")
  }

  @Test("a wrong member is named with a hint, and the next line is processed")
  func wrong() throws {
    let rows: [(String, String)] = [
      ("{}", "'chain'"), (#"{"chain": "MII"}"#, "'chain'"),
      (#"{"chain": ["MII*"]}"#, "'chain' 1 … line 1, column 4 … '*'"),
      (#"{"chain": ["MAA="]}"#, "'chain' 1 … byte 2: tbsCertificate"),
      (#"{"chain": [], "roots": [], "rootsFile": "root.pem"}"#, "'roots' … 'rootsFile'"),
      (#"{"chain": [], "rootsFile": "none.pem"}"#, "'none.pem'"),
      (#"{"chain": [], "rootsFile": "-"}"#, "'rootsFile'"),
      (#"{"chain": [], "rootsFile": "leaf.key"}"#, "'leaf.key' … PRIVATE KEY"),
      (#"{"chain": [], "host": "https://a/"}"#, "'https://a/'"),
      (#"{"chain": [], "profile": "webpky"}"#, "'webpky'"),
      (#"{"chain": [], "profile": "webpki", "os": "iOS 9"}"#, "'os' … apple … webpki"),
      (#"{"chain": [], "at": "noon"}"#, "'noon'"),
      (#"{"chain": [], "policy": ["x"]}"#, "'x'"),
      (#"{"chain": [], "userroots": []}"#, "'userroots'"),
      (#"{"chain": [], "at": 7}"#, "'at'"),
    ]
    let answers = try answers(rows.map(\.0) + [#"{"chain": []}"#])
    #expect(answers.count == rows.count + 1)
    for (row, answer) in zip(rows, answers) {
      #expect(answer["error"]?.text("message").shows(row.1) == true, "\(answer)")
      #expect(answer["error"]?["hint"] != nil && answer["error"]?["hint"] != "")
    }
    #expect(answers.last.map(because) == ["chain.no-certificate"])
  }

  @Test("a result's schema is that of verify with an id, without rules and ATS")
  func sameSchema() throws {
    func schema(_ name: String) throws -> JSONValue {
      let file = Program.root.appendingPathComponent("Scenarios/schema/\(name).schema.json")
      return try JSONValue(reading: Array(Data(contentsOf: file)))
    }
    let whole = try schema("verify")
    let answer = try schema("verify-answer")
    guard case .array(let kinds)? = answer["oneOf"], let kind = kinds.first else { throw CancellationError() }
    guard case .array(let required)? = whole["required"] else { throw CancellationError() }
    #expect(kind["required"] == .array(required.filter { $0 != "rules" }) && answer["$defs"] == whole["$defs"])
    #expect(
      kind["properties"]?.members?.filter { $0.name != "id" }
        == whole["properties"]?.members?.filter { !["rules", "ats"].contains($0.name) })
  }

  @Test(
    "results conform to their schema", .needs(.jsonschema))
  func schema() throws {
    let folder = try #require(FaultyChains.folder)
    let roots = #", "id": null, "rootsFile": "root.pem""#
    for line in [try request("good", roots), try request("three", roots), #"{"chain": []}"#, "{}", "x"] {
      let file = folder.appendingPathComponent("answer-\(UUID().uuidString)")
      try Data(Program.run(["verify", "--ndjson"], input: line, in: folder).output.utf8).write(to: file)
      #expect(OtherPrograms.violation(in: file, of: "verify-answer") == "")
    }
    let other = try Program.folder(["answer": Data(#"{"trustlab": 1, "verdict": "accepted"}"#.utf8)])
    #expect(OtherPrograms.violation(in: other.appendingPathComponent("answer"), of: "verify-answer") != "")
  }
}

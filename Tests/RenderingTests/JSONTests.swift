import Foundation
import Oracles
import Rendering
import Scenarios
import Testing

@Suite struct JSONTests {
  @Test("members keep their order, and strings are escaped as RFC 8259 says")
  func writing() {
    let value: JSONValue = ["b": ["a\"\\\n\u{1}é", 1, true, nil], "a": [:], "c": [["x": 0]]]
    #expect(value.text(pretty: false) == #"{"b":["a\"\\\n\u0001é",1,true,null],"a":{},"c":[{"x":0}]}"#)
    #expect(value.text(pretty: true).hasPrefix("{\n  \"b\": [\"a"))
  }

  @Test("the keys of a run stand in the order of the contract")
  func keys() throws {
    let json = RunView(try #require(Curriculum.result("L1-15"))).json()
    #expect(
      json.members?.map(\.name) == [
        "trustlab", "scenario", "case", "os", "clock", "seed", "verdict", "layer", "because", "path", "errors",
        "trustResult", "cipherSuite", "awaited", "content", "server", "executed", "goals", "goalReasons", "attempts",
        "notTried",
        "challenges", "findings", "steps", "knowledge", "knownToNobody", "test", "about", "loads", "proofs",
        "issuerSources",
        "issuing", "rules", "cases",
      ])
    #expect(json["because"] == ["ats.no-forward-secrecy"])
    #expect(json["verdict"] == "refused")
    #expect(json["seed"] == 15)
    #expect(json["test"]?["result"] == "passed")
  }

  @Test("several connections are told one by one")
  func connections() throws {
    let result = try #require(Curriculum.sample.first { $0.connections.count > 1 })
    let connections = try #require(RunView(result).json()["connections"])
    guard case .array(let all) = connections else {
      Issue.record("connections is no array")
      return
    }
    #expect(all.count == result.connections.count)
    #expect(all.first?.members?.prefix(4).map(\.name) == ["name", "url", "verdict", "layer"])
  }

  @Test("the committed schema of scenarios is the one made from the vocabulary")
  func scenarioSchema() throws {
    let made = ScenarioSchema.json().text(pretty: true) + "\n"
    if ProcessInfo.processInfo.environment["TRUSTLAB_WRITE_SCHEMA"] != nil {
      try made.write(to: Self.schema("scenario"), atomically: true, encoding: .utf8)
    }
    let file = try String(contentsOf: Self.schema("scenario"), encoding: .utf8)
    #expect(file == made, "TRUSTLAB_WRITE_SCHEMA=1 swift test --filter scenarioSchema writes it anew")
  }

  @Test(
    "every run and every test run is as its schema says",
    .needs(.jsonschema))
  func schemas() {
    Self.check(Curriculum.sample, TestRun(Array(Curriculum.files.prefix(12)), player: Curriculum.player))
    #expect(!Self.isValid([#"{"trustlab":1}"#], "run"))
  }

  static func check(_ results: [CaseResult], _ test: TestRun) {
    #expect(isValid(results.map { RunView($0).json().text(pretty: false) }, "run"))
    let report = try? JSONValue(reading: TestReport.text(of: test.entries(), as: .json).utf8)
    #expect(isValid([report?.text(pretty: false) ?? ""], "test"))
  }

  static func isValid(_ documents: [String], _ name: String) -> Bool {
    let program =
      "import json,sys,jsonschema;v=jsonschema.Draft202012Validator(json.load(open(sys.argv[1])));"
      + "[v.validate(json.loads(l)) for l in sys.stdin]"
    let input = documents.joined(separator: "\n")
    guard let python = Python.interpreter(having: "jsonschema") else { return false }
    return Command.output([python, "-c", program, schema(name).path], input: input) != nil
  }

  static func schema(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Scenarios/schema/\(name).schema.json")
  }
}

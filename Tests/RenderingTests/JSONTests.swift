import Explanation
import Foundation
import Oracles
import Rendering
import Scenarios
import Simulator
import Testing

@Suite struct JSONTests {
  @Test("members keep their order, and strings are escaped by RFC 8259")
  func writing() {
    let value: JSONValue = ["b": ["a\"\\\n\u{1}é", 1, true, nil], "a": [:], "c": [["x": 0]]]
    #expect(value.text(pretty: false) == #"{"b":["a\"\\\n\u0001é",1,true,null],"a":{},"c":[{"x":0}]}"#)
    #expect(value.text(pretty: true).hasPrefix("{\n  \"b\": [\"a"))
  }

  @Test("the keys of a run have the documented order")
  func keys() throws {
    let json = RunView(try #require(Curriculum.result("L1-15"))).json()
    #expect(
      json.members?.map(\.name) == [
        "trustlab", "scenario", "case", "os", "clock", "seed", "verdict", "layer", "because", "path", "errors",
        "trustResult", "cipherSuite", "awaited", "content", "server", "executed", "goals", "goalReasons", "attempts",
        "notTried",
        "challenges", "rules", "findings", "steps", "values", "diagram", "chain", "cost", "knowledge", "knownToNobody",
        "test", "about", "loads", "proofs", "issuerSources", "issuing", "cases",
      ])
    #expect(json["because"] == ["ats.no-forward-secrecy"])
    #expect(json["verdict"] == "refused")
    #expect(json["seed"] == 15)
    #expect(json["test"]?["result"] == "passed")
  }

  @Test("a value that fits the given columns stays on one line")
  func columns() throws {
    let value: JSONValue = ["a": ["b": [1, ["c": "dé"]]], "e": []]
    #expect(value.text(pretty: true, columns: 40) == #"{"a": {"b": [1, {"c": "dé"}]}, "e": []}"#)
    #expect(
      value.text(pretty: true, columns: 20) == """
        {
          "a": {
            "b": [1, {"c": "dé"}]
          },
          "e": []
        }
        """)
    let run = RunView(try #require(Curriculum.result("L1-01"))).json()
    #expect(try JSONValue(reading: Array(run.text(pretty: true, columns: 120).utf8)) == run)
  }

  @Test("every finding, rule and value is written once, and every reference points to one")
  func references() throws {
    for result in Curriculum.sample {
      let run = RunView(result).json()
      let (rules, findings) = (run["rules"]?.items ?? [], run["findings"]?.items ?? [])
      #expect(Set(rules).count == rules.count && Set(findings).count == findings.count)
      #expect(findings.allSatisfy { rules.indices.contains($0["rule"]?.integer ?? -1) })
      let referring = (run["steps"]?.items ?? []) + (run["chain"]?.items ?? [])
      let references = referring.flatMap { $0["findings"]?.items ?? [] }.compactMap(\.integer)
      #expect(references.allSatisfy(findings.indices.contains), "\(result.scenario.name)")
      // The verdict's findings are those that were not set aside, in their order.
      var seen: Set<Finding> = []
      let counted = result.outcome.findings.filter { seen.insert($0).inserted }.map(\.outcome.rawValue)
      #expect(findings.filter { $0["setAside"] == nil }.compactMap { $0["outcome"]?.string } == counted)
      let names = (run["values"]?.items ?? []).compactMap { $0["name"]?.string }
      let used = (run["steps"]?.items ?? []).flatMap { $0["values"]?.items ?? [] }.compactMap(\.string)
      #expect(Set(names).count == names.count && Set(names) == Set(used))
    }
  }

  @Test("several connections are listed one by one")
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
    #expect(file == made, "TRUSTLAB_WRITE_SCHEMA=1 swift test --filter scenarioSchema rewrites it")
  }

  @Test(
    "every run and every test run conforms to its schema",
    .needs(.jsonschema))
  func schemas() {
    Self.check(
      Curriculum.sample.map(Shown.init), TestRun(Array(Curriculum.files.prefix(12)), player: Curriculum.player))
    #expect(!Self.isValid([#"{"trustlab":1}"#], "run"))
  }

  @Test("the schema of a run names every kind of attack that is not tried")
  func untriedAttacks() throws {
    let schema = try JSONValue(reading: Array(Data(contentsOf: Self.schema("run"))))
    let attack = schema["properties"]?["notTried"]?["items"]?["properties"]?["attack"]
    #expect(attack?["enum"] == .strings(UntriedAttack.Kind.allCases.map(\.rawValue)))
  }

  static func check(_ runs: [Shown], _ test: TestRun) {
    #expect(isValid(runs.map { $0.text(.json).replacing("\n", with: " ") }, "run"))
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

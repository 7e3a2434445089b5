import Foundation
import Oracles
import Rendering
import Scenarios
import Testing

/// The JSON Schema of scenario files, checked by python3's jsonschema as editors use it.
@Suite("The schema of scenarios, by another program", .needs(.jsonschema))
struct ScenarioSchemaTests {
  /// Converts YAML to JSON: an unquoted word may be a number, a boolean or null by YAML 1.2's core schema.
  private func json(_ node: Node) -> JSONValue {
    switch node {
    case .scalar(let text, let quoted, _):
      if node.isNull { return .null }
      if !quoted, ["true", "false"].contains(text) { return .boolean(text == "true") }
      if !quoted, let number = Int(text) { return .integer(number) }
      return .string(text)
    case .list(let items, _): return .array(items.map(json))
    case .map(let entries, _): return .object(entries.map { .init($0.key, json($0.value)) })
    }
  }

  /// The violations of each of these texts; empty for a valid text.
  private func violations(_ texts: [String]) throws -> [String] {
    let documents = try texts.map { json(try YAMLDocument(Array($0.utf8), file: "x").root) }
    let text = JSONValue.array(documents).text(pretty: false)
    let folder = try Program.folder(["documents.json": Data(text.utf8)])
    let schema = Program.root.appendingPathComponent("Scenarios/schema/scenario.schema.json").path
    let program = """
      import json, sys, jsonschema
      validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      for document in json.load(open(sys.argv[2])):
          print(" ".join(error.json_path for error in validator.iter_errors(document)))
      """
    let file = folder.appendingPathComponent("documents.json").path
    let output = try #require(OtherPrograms.python(program, schema, file, having: "jsonschema"))
    return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test("every scenario of the curriculum conforms to the schema")
  func curriculum() throws {
    let paths = try ScenarioLibrary.curriculum().paths
    let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
    let violations = try violations(texts)
    #expect(violations.count == paths.count && paths.count > 150)
    for (path, violation) in zip(paths, violations) { #expect(violation.isEmpty, "\(path): \(violation)") }
  }

  @Test("mistakes that a schema can detect are violations")
  func slips() throws {
    let slips = [
      "client: { os: iOS 99 }", "client: { os: macOS 3 }", "os: iOS 9", "client: { fetchesIssuers: \"false\" }",
      "server: { cipherSuites: [ECDHE-RSA-AES128-GCM-SHA256] }", "clock: 2016-02-30", "clock: 2016-04-31",
      "certificates: { api: { days: 1 year } }", "certificates: { api: { signature: sha257 } }",
      "network: [{ drop: ServerHelo }]", "expect: { because: [chain.expird] }", "expect: { verdict: refuse }",
      "cases: [{ name: a, with: { os: iOS 9 } }]", "sweep: { clint.os: [iOS 9] }",
    ]
    for (slip, violation) in zip(slips, try violations(slips)) { #expect(!violation.isEmpty, "\(slip)") }
    let right = [
      "cases: [{ name: a, with: { client.os: iOS 9, network: null } }]", "sweep: { client.os: [iOS 9] }",
      "client: { os: iOS 9 }", "client: { os: macOS 10.13 }", "client: { fetchesIssuers: false }",
      "server: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256] }", "clock: 2016-02-29", "clock: 2016-04-30",
      "certificates: { api: { days: 365, signature: sha256 } }", "network: [eavesdrop, { drop: ServerHello }]",
      "expect: { unreviewed: true, because: [chain.expired], errors: [NSURLErrorDomain -1202] }",
      "expect: { verdict: not-applicable, knowledge: { eavesdropper: { lacks: [first.master_secret] } } }",
    ]
    for (text, violation) in zip(right, try violations(right)) { #expect(violation.isEmpty, "\(text): \(violation)") }
  }
}

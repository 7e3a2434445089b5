import Foundation
import Rendering
import Testing

/// A fixed list of runs of the program, which together show every member of every schema.
@Suite("Published schemas")
struct SchemaTests {
  /// The documents of one schema.
  private struct Sample {
    let schema: String
    let documents: () throws -> [JSONValue]
  }

  private static func json(_ text: some StringProtocol) throws -> JSONValue { try JSONValue(reading: Array(text.utf8)) }

  /// What these arguments print.
  private static func printed(_ arguments: [String], in folder: URL? = nil) throws -> JSONValue {
    try json(Program.run(arguments, in: folder).output)
  }

  /// A line each.
  private static func lines(_ arguments: [String], _ requests: [String], in folder: URL? = nil) throws -> [JSONValue] {
    let result = try Program.run(arguments, input: requests.joined(separator: "\n") + "\n", in: folder)
    return try result.output.split(separator: "\n").map(json)
  }

  private static let samples: [Sample] = [
    Sample(schema: "run") {
      let runs = [
        ["L1-01"], ["L1-13"], ["L1-15", "--os", "iOS 9"], ["L2-01"], ["L7-01"], ["L7-02"], ["L5-01"], ["L9-01"],
        ["L1-06"], ["L8-01"], ["L11-02"], ["L12-01"], ["L13-01"],
      ]
      return try runs.map { try printed(["run"] + $0 + ["--format", "json", "--depth", "numbers"]) }
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
        "slip.yaml": Data("expect: { verdikt: x }\n".utf8),
      ])
      return [try printed(["test", "mixed.yaml", "slip.yaml", "--format", "json"], in: folder)]
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
      return [try printed(["pki", "export", "L1-15", "--output", "pki", "--format", "json"], in: folder)]
    },
  ]

  @Test(
    "every document is as its schema says, and every property of a schema is in some document",
    arguments: samples.map(\.schema))
  func bothWays(name: String) throws {
    let sample = try #require(Self.samples.first { $0.schema == name })
    var schema = try Schema(name)
    for document in try sample.documents() { try schema.check(document) }
    #expect(schema.violations == [])
    #expect(schema.unmet == [], "no sample has these")
    #expect(schema.open == [], "these take any further member")
  }
}

import Oracles
import Rendering
import Scenarios
import Testing

@Suite("Describing a scenario")
struct DescribeTests {
  /// The cases of a file as JSON, by name: every one, or the first.
  private static func runs(_ file: ScenarioFile, all: Bool) throws -> [String: String] {
    texts(of: try file.cases.prefix(all ? .max : 1).map { try Curriculum.player.play($0) })
  }

  private static func texts(of results: [CaseResult]) -> [String: String] {
    var texts: [String: String] = [:]
    for result in results {
      // The baseline's CA keys that no case uses are known to no party, and are left out.
      let members = (RunView(result).json().members ?? []).filter { $0.name != "knownToNobody" }
      texts[result.scenario.caseName] = JSONValue.object(members).text(pretty: true)
    }
    return texts
  }

  private static func expanded(_ file: ScenarioFile, _ reader: ScenarioReader) throws -> (String, ScenarioFile) {
    let text = reader.fullText(of: file)
    return (text, try reader.read(Array(text.utf8), path: file.path))
  }

  @Test(
    "with every default expanded, every scenario plays to the same bytes",
    arguments: Array(stride(from: 0, to: Curriculum.files.count, by: 12)))
  func curriculum(index: Int) throws { try Self.check(Curriculum.files[index]) }

  /// Checks that the expanded file plays to the same bytes, in all cases that have results, or in the first.
  static func check(_ file: ScenarioFile, all results: [CaseResult]? = nil) throws {
    let reader = try ScenarioLibrary.curriculum().reader
    let (text, full) = try expanded(file, reader)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(full.cases.map(\.caseName) == file.cases.map(\.caseName))
    #expect(try runs(full, all: results != nil) == results.map(texts) ?? runs(file, all: false))
    // An expanded file does not change when it is expanded again.
    #expect(reader.fullText(of: full) == text)
  }

  @Test(
    "every construct of the language expands to the same bytes",
    arguments: [
      "client: { infoPlist: null }\nserver: { content: { GET /: null, GET /a: b }, groups: null }\nrequest: https://api.example/a",
      """
      title: "quoted: # \\" and \\\\ and \\t, with an end that is longer than a line may be, as titles go, and more"
      server: { content: { GET /: "two\\nlines  and \\u00e9\\u200b" } }
      client: { infoPlist: { NSAllowsArbitraryLoads: "true", Odd Key: [1, 1.5, "1", YES, x y], Long: \(long) } }
      """,
      """
      servers:
        a.example: { presents: [both, Issuing], content: { GET /: a } }
        b.example: { presents: [both, Issuing], content: { GET /: b } }
      certificates:
        both: { issuer: Issuing, names: [a.example, b.example], days: 90 }
      requests: [https://a.example/, { url: https://b.example/, expect: { verdict: accepted } }]
      cases:
        - name: one server
          with: { servers: { b.example: null }, requests: [https://a.example/] }
        - name: "no, and: yes"
          with: { 'servers."b.example".content."GET /"': c }
      """,
      """
      connections:
        - { client: { os: iOS 8 }, request: https://api.example/ }
        - { client: { infoPlist: { NSAllowsArbitraryLoads: true } }, request: http://api.example/ }
      network: [eavesdrop, { leak: first.premaster_secret }]
      """,
      """
      authorities:
        Root A: { trust: system, trustSettings: never, days: 10, notBefore: 2016-10-30 }
        "Root: B": { key: ec-p256, commonName: "null" }
      certificates:
        api: { issuer: Root A, names: [api.example], keyUsage: [], extendedKeyUsage: [clientAuth], break: signature }
        bare: { issuer: Root A, extensions: [basicConstraints, subjectKeyIdentifier] }
      server: { presents: [api, "Root: B", bare] }
      sibling: L1-01
      sweep:
        clock: [2016-11-01, 2016-11-20]
        authorities."Root A".issuer: ["Root: B", null]
      """,
      "server: { webSockets: false }\nrequests: [wss://api.example/a, ws://api.example/]",
      "network: null\ncertificates:\n  api: { names: [api.example] }\nserver: { presents: [api] }",
    ])
  func language(text: String) throws {
    let reader = try ScenarioLibrary.curriculum().reader
    let file = try reader.read(Array(text.utf8), path: "test.yaml")
    let (full, read) = try Self.expanded(file, reader)
    #expect(try Self.runs(read, all: true) == Self.runs(file, all: true), "\(full)")
    #expect(reader.fullText(of: read) == full)
    #expect(full.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(full)")
  }

  private static let long = String(repeating: "abcdefghi/", count: 20)

  @Test("the prose names the load, the expected result and the cases' differences, in 80 columns")
  func prose() throws {
    for file in Curriculum.files {
      let text = ScenarioStory(file).document().text()
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(file.id)")
      // A sentence without content is left out.
      #expect(!text.contains(": ."), "\(file.id)")
      #expect(
        file.cases.dropFirst().allSatisfy { $0.caseName.contains(" = ") || text.contains($0.caseName.prefix(40)) })
    }
    let file = try #require(Curriculum.files.first { $0.id == "L1-15" })
    let text = ScenarioStory(file).document().text()
    #expect(text.shows("2016-11-01 … iOS 10 … https://api.example/ … URLSession"))
    #expect(text.contains(/• Root A: .*rsa-2048/))
    let user = try #require(Curriculum.files.first { $0.id == "L11-11" })
    #expect(ScenarioStory(user).document().text().contains("authorities.\"Root A\".trustSettings: never"))
    #expect(text.shows("refuse … ats.no-forward-secrecy"))
    #expect(text.contains("✓ iOS 8 has no ATS: accepted\n    client.os: iOS 8\n"))
  }
}

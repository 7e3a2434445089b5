import Foundation
import Scenarios
import Testing

@Suite("The canonical form of scenario files")
struct ScenarioFormatTests {
  static let files: [String] = (try? Lab.library().paths) ?? []

  private func formatted(_ text: String) throws -> String {
    try ScenarioFormat.text(of: Array(text.utf8), path: "test.yaml")
  }

  @Test("formatting a file of the curriculum keeps its values and comments, and is idempotent")
  func curriculum() throws {
    #expect(Self.files.count > 150)
    for place in stride(from: 0, to: Self.files.count, by: 6) { try check(Self.files[place]) }
  }

  func check(_ path: String) throws {
    let bytes = try #require(FileManager.default.contents(atPath: path))
    let text = try ScenarioFormat.text(of: Array(bytes), path: path)
    #expect(try formatted(text) == text, "\(path)")
    #expect(Self.words(String(decoding: bytes, as: UTF8.self)) == Self.words(text), "\(path)")
    let reader = try Lab.library().reader
    let (old, new) = (try reader.read(Array(bytes), path: path), try reader.read(Array(text.utf8), path: path))
    #expect(old.cases.map(\.name) == new.cases.map(\.name))
  }

  @Test("a byte order mark is removed, and the rest is formatted as without it")
  func byteOrderMark() throws {
    let text = "title:   x  # why\r\nclient: {os: iOS 9}\n"
    #expect(try formatted("\u{feff}" + text) == formatted(text))
    #expect(try formatted(text) == "title:  x  # why\nclient: { os: iOS 9 }\n")
  }

  @Test("a second mark is no byte order mark")
  func secondMark() throws {
    #expect(throws: Diagnostics.self) { try formatted("\u{feff}\u{feff}title: x\nseed: 1\n") }
  }

  /// The sorted words of a text, without quotes, brackets and line breaks.
  private static func words(_ text: String) -> [String] {
    text.split { " \n\t,:-[]{}'\"".contains($0) }.map(String.init).sorted()
  }

  @Test("a formatted case plays to the same bytes", arguments: ["L1-22", "L3-02", "L9-22", "L0-09", "L12-04", "L8-01"])
  func sameBytes(id: String) throws {
    let path = try #require(try Lab.library().path(ofID: id))
    let bytes = try #require(FileManager.default.contents(atPath: path))
    let text = try ScenarioFormat.text(of: Array(bytes), path: path)
    let reader = try Lab.library().reader
    for (old, new) in zip(
      try reader.read(Array(bytes), path: path).cases, try reader.read(Array(text.utf8), path: path).cases)
    {
      let (before, after) = (try Lab.player.play(old), try Lab.player.play(new))
      #expect(before.simulation.trace.steps.map(\.bytes) == after.simulation.trace.steps.map(\.bytes), "\(old.name)")
      #expect(before.outcome.findings == after.outcome.findings && before.judgement == after.judgement)
    }
  }

  @Test("defined keys are in their defined order, names keep the author's order")
  func order() throws {
    let text = """
      # What it is about.
      expect: { layer: chain, verdict: refused }   # why
      title: x
      certificates:
          evil: {names: [api.example], issuer: Root A}
          api: { issuer:   Root A }


      # The client.
      client:
        loader: URLSession
        os: 'iOS 9'
      """
    #expect(
      try formatted(text) == """
        # What it is about.
        title: x
        certificates:
          evil: { issuer: Root A, names: [api.example] }
          api: { issuer: Root A }

        # The client.
        client:
          os: "iOS 9"
          loader: URLSession
        expect: { verdict: refused, layer: chain }  # why

        """)
  }

  @Test("values stay aligned if most of them were; one additional blank aligns nothing")
  func alignment() throws {
    let table = "title:   x\nlesson:  y\nrequest: https://a.example/\n"
    #expect(try formatted(table) == table)
    #expect(
      try formatted("title: x\nlesson:  y\nrequest: https://a.example/\nexpect: {}\n")
        == "title: x\nlesson: y\nrequest: https://a.example/\nexpect: {}\n")
    // A row that is too wide for its line is not aligned with the others.
    let wide = "names: [\((1...9).map { "host-\($0).example" }.joined(separator: ", "))]"
    for keys in [("api:  ", "alice:"), ("alice:", "api:  ")] {
      let text = "certificates:\n  \(keys.0) { issuer: A }\n  \(keys.1) { \(wide), commonName: alice, days: 3 }\n"
      let once = try formatted(text)
      #expect(try formatted(once) == once, "\(once)")
      #expect(!once.contains(" \n"), "\(once)")
    }
  }

  @Test("a wide entry gets lines of its own, and a list of words few lines")
  func width() throws {
    let names = (1...12).map { "host-\($0).example.org" }.joined(separator: ", ")
    let text = "certificates:\n  api: { issuer: Root A, names: [\(names)] }\n"
    let lines = try formatted(text).split(separator: "\n").map(String.init)
    #expect(lines.prefix(3).map { $0.prefix(12) } == ["certificates", "  api:", "    issuer: "])
    #expect(lines.count == 6 && lines.allSatisfy { $0.count <= 120 })
    #expect(lines.contains { $0.hasPrefix("    names: [host-1.example.org, ") } && lines[4].hasPrefix("      host-"))
  }

  @Test("comments keep their positions above, behind or below an entry")
  func comments() throws {
    let text = """
      # one

      title: "a # b"  # two
      client:
        infoPlist: {}
        # nine
      network:  # three
        # four
        - eavesdrop  # five
        # six
        - { drop: Alert }
        # seven
      # eight
      request: https://api.example/
      cases:
        # ten
        - name: a
          # eleven
          with: { client.os: iOS 9 }

          # twelve
          expect: { verdict: accepted }
        # thirteen
        - name: b
      # fourteen

      """
    #expect(try formatted(text) == text)
  }

  @Test("comments within brackets make them multi-line")
  func commentsWithin() throws {
    let text = """
      network: [eavesdrop, # first
        { drop: Alert,  # second
          from: server } # third
        # fourth
        ]  # fifth
      """
    let lines = try formatted(text)
    for comment in ["# first", "# second", "# third", "# fourth", "# fifth"] { #expect(lines.contains(comment)) }
    #expect(try formatted(lines) == lines)
  }

  @Test("texts of several lines keep their lines")
  func texts() throws {
    let text = """
      title: A title that goes on
        in the next line
      before: >
        One   # is no comment

        Two.
      after: |-
          kept
            deeper
      disputed: "one
        two"
      """
    let result = try formatted(text)
    #expect(result.contains("before: >\n  One   # is no comment\n\n  Two.\n"))
    #expect(result.contains("after: |-\n  kept\n    deeper\n"))
    #expect(try formatted(result) == result)
  }

  @Test("anchors, tags and documents without a map are refused, because formatting would lose them")
  func refused() throws {
    for (text, line, column) in [
      ("title: &a x\nlesson: *a", 1, 8), ("title: !!str x", 1, 8), ("[a]", 1, 1), ("title: {", 2, 1), ("", 1, 1),
    ] {
      #expect { try formatted(text) } throws: { error in
        (error as? Diagnostics)?.all.contains { $0.mark?.line == line && $0.mark?.column == column } == true
      }
    }
  }
}

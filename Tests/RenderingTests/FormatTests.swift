import Rendering
import Scenarios
import Testing

@Suite struct FormatTests {
  @Test("blocks become the elements of Markdown, nested by their indentation")
  func markdown() {
    let document = Document([
      .heading("A *title*", level: 1), .bullet("1", RichText([Span(" "), Span("step", .strong)]), indent: 0),
      .paragraph("why & <how>", indent: 5), .bullet("✓", RichText("a.rule", .name), indent: 5),
      .facts([.init("key", "a_value")], indent: 8), .table(header: ["a", "b"], rows: [["1|2"]], indent: 0),
      .preformatted(["``` x"], indent: 2),
    ])
    #expect(
      document.markdown() == #"""
        # A \*title\*

        - 1  **step**

          why \& \<how\>

          - ✓ `a.rule`
            - key: a\_value

        | a | b |
        | --- | --- |
        | 1\|2 |  |

        ````text
        ``` x
        ````

        """#)
  }

  @Test("blocks become elements of HTML, and no text becomes markup")
  func html() {
    let document = Document([
      .heading("A & B", level: 2), .paragraph(RichText("<script>", .name), indent: 2),
      .facts([.init("\"k\"", "v")], indent: 0),
    ])
    #expect(
      document.html() == """
        <h2>A &amp; B</h2>
        <p style="margin-left:2ch"><span class="name">&lt;script&gt;</span></p>
        <dl style="margin-left:0ch"><dt>&quot;k&quot;</dt><dd>v</dd></dl>
        """)
  }

  @Test("every run in Markdown and HTML has the content of its text", arguments: Depth.allCases)
  func runs(_ depth: Depth) throws {
    try Self.check((Curriculum.sample(at: depth) + [try DiagramTests.hostile()]).map(Shown.init), depth)
  }

  static func check(_ runs: [Shown], _ depth: Depth) throws {
    for run in runs {
      let (markdown, html, json) = (run.text(.markdown, depth), run.text(.html, depth), try run.json())
      #expect(markdown.contains("```mermaid\nsequenceDiagram\n"))
      #expect(markdown.split(separator: "\n").count { $0.contains("```") }.isMultiple(of: 2))
      #expect(!html.contains("<script") && markdown.firstMatch(of: /[^\\]<script/) == nil)
      #expect(html.hasPrefix("<!doctype html>\n") && html.contains("<svg ") && html.contains("</html>"))
      for rule in json["because"]?.items?.compactMap(\.string) ?? [] {
        #expect(markdown.contains("`\(rule)`") && html.contains(rule))
      }
      let shown = html.replacing("&#39;", with: "'").replacing("&quot;", with: "\"").replacing("&lt;", with: "<")
        .replacing("&gt;", with: ">")
      let steps = try #require(json["steps"]?.items)
      for title in steps.compactMap({ $0["title"]?.string }) { #expect(shown.contains(title)) }
    }
  }
}

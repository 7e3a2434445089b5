import Rendering
import Scenarios
import Testing

@Suite struct DocumentTests {
  @Test("wide glyphs count as two columns, and no line exceeds its width")
  func wideGlyphs() {
    let document = Document([.paragraph("证书链必须通向一个受信任的根 and so on", indent: 2)])
    #expect(document.text(TextStyle(width: 20)) == "  证书链必须通向一个\n  受信任的根 and so\n  on\n")
  }

  @Test("a word wider than the line is broken after punctuation")
  func longWord() {
    let document = Document([.paragraph("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", indent: 0)])
    #expect(document.text(TextStyle(width: 24)) == "TLS_ECDHE_ECDSA_WITH_\nAES_256_GCM_SHA384\n")
  }

  @Test("text from outside cannot move the cursor")
  func controlCharacters() {
    let document = Document([.paragraph("a\u{1b}[2Jb\u{202e}c", indent: 0)])
    #expect(document.text() == "a\\u{1b}[2Jb\\u{202e}c\n")
  }

  @Test("styles become escape sequences only if they are requested")
  func colors() {
    let document = Document([.paragraph(RichText("no", .bad), indent: 0)])
    #expect(document.text() == "no\n")
    #expect(document.text(TextStyle(isColored: true)) == "\u{1b}[31mno\u{1b}[0m\n")
  }

  @Test("code is quoted in plain text, coloured on a terminal, and marked up elsewhere")
  func code() {
    let document = Document([.paragraph(RichText(words: "it says `a < b` here"), indent: 0)])
    #expect(document.text() == "it says 'a < b' here\n")
    #expect(document.text(TextStyle(isColored: true)).contains("it says \u{1b}[34ma < b\u{1b}[0m here"))
    #expect(document.html().contains("it says <code>a &lt; b</code> here"))
    #expect(document.markdown() == "it says `a < b` here\n")
    // An unclosed backtick stays as it is.
    #expect(Document([.paragraph(RichText(words: "a ` b"), indent: 0)]).text() == "a ` b\n")
  }

  @Test("no view of a scenario's words shows a backtick")
  func noBackticks() {
    for result in Curriculum.sample {
      let words = WordsView(result.scenario)
      for part in [words.before, words.question, words.answer(result.outcome), words.after] {
        #expect(!part.text().contains("`"), "\(result.scenario.id)")
      }
    }
  }

  @Test("cells of a table wrap within their columns")
  func tables() {
    let document = Document([
      .table(header: ["name", "meaning"], rows: [["a", "one two three four"]], indent: 0)
    ])
    #expect(document.text(TextStyle(width: 16)) == "name  meaning\na     one two\n      three four\n")
  }

  @Test("every view of every scenario has lines of at most 80 columns", arguments: Depth.allCases)
  func width(_ depth: Depth) { Self.checkWidth(Curriculum.sample(at: depth).map(Shown.init), depth) }

  static func checkWidth(_ runs: [Shown], _ depth: Depth) {
    #expect(!runs.isEmpty)
    for run in runs {
      let lines = run.text(.text, depth).split(separator: "\n")
      #expect(!lines.isEmpty && lines.allSatisfy { columns($0) <= 80 }, "\(run.scenario.name)")
    }
  }

  @Test("every list has lines of at most 80 columns")
  func listWidth() throws {
    let files = Curriculum.files
    let lists = [
      ListView.rules(), ListView.words(), ListView.suites(), ListView.errors(), ListView.mutants(),
      ListView.scenarios(files), ListView.lessons(try ScenarioLibrary.curriculum().lessons()),
    ]
    for (document, json) in lists {
      #expect(document.text().split(separator: "\n").allSatisfy { Self.columns($0) <= 80 })
      #expect(json["trustlab"] == 1)
    }
  }

  @Test("the ASCII fallback is ASCII, and as wide as the diagram that it replaces")
  func ascii() { Self.checkASCII(Curriculum.sample(at: .numbers)) }

  static func checkASCII(_ results: [CaseResult]) {
    for result in results {
      let view = RunView(result)
      #expect(view.document(.numbers).text(TextStyle(isASCII: true)).utf8.allSatisfy { $0 < 0x80 })
      let (unicode, ascii) = (view.diagram().text(), view.diagram().text(TextStyle(isASCII: true)))
      #expect(unicode.split(separator: "\n").map(columns) == ascii.split(separator: "\n").map(columns))
    }
  }

  private static func columns(_ line: Substring) -> Int {
    line.reduce(0) { $0 + ($1.unicodeScalars.contains { (0x2e80...0xffef).contains($0.value) } ? 2 : 1) }
  }
}

import Foundation
import Oracles
import Rendering
import Scenarios
import Testing

@Suite struct DiagramTests {
  @Test("every Mermaid diagram is a sequence diagram by its grammar, its participants declared")
  func mermaid() throws { try Self.checkMermaid((Curriculum.sample + [try Self.hostile()]).map(Shown.init)) }

  static func checkMermaid(_ runs: [Shown]) throws {
    let text = #"(?:[\p{L}\p{So}\p{Sm}\p{Zs}\p{M}\p{Po}\p{N}…✓✗– .,:/_\-+()\[\]'!?=*]|#\d+;|<br/>)+"#
    let statement = try Regex(
      #"  (?:participant p\d+ as "# + text + #"|p\d+--?>>p\d+: "# + text + #"|Note over p\d+(?:,p\d+)?: "# + text + ")")
    for run in runs {
      let lines = run.text(.mermaid).split(separator: "\n")
      #expect(lines.first == "sequenceDiagram")
      let declared = lines.filter { $0.hasPrefix("  participant ") }.count
      for line in lines.dropFirst() {
        #expect(try statement.wholeMatch(in: line) != nil, "\(line)")
        #expect(!line.contains("p\(declared)->") && !line.contains(">p\(declared):"))
      }
    }
  }

  @Test("an SVG picture is well-formed XML, and no text overlaps or is cut off", .needs(.python))
  func svg() throws { try Self.checkSVG((Curriculum.sample + [try Self.hostile()]).map(Shown.init)) }

  static func checkSVG(_ runs: [Shown]) throws {
    let pictures = runs.map { $0.text(.svg) }
    #expect(try areXML(pictures))
    for svg in pictures {
      let picture = try Picture(svg)
      #expect(picture.texts.count > 3)
      // L15-03 has ten parties.
      #expect(picture.width <= 2400)
      #expect(picture.texts.filter { !picture.holds($0) }.isEmpty)
      #expect(picture.overlapping.isEmpty)
    }
  }

  @Test("the picture of L1-15 is the reviewed one")
  func golden() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/L1-15.svg")
    let svg = RunView(try #require(Curriculum.result("L1-15"))).svg() + "\n"
    #expect(
      try String(contentsOf: file, encoding: .utf8) == svg,
      "look at it, then: trustlab run L1-15 --format svg --output Tests/Golden/L1-15.svg")
  }

  @Test("a run fits on a slide of 16:9, in columns with legible text", .needs(.python))
  func slides() throws {
    let slides = Curriculum.sample.map { RunView($0).slide() }
    #expect(try Self.areXML(slides))
    for (slide, result) in zip(slides, Curriculum.sample) {
      #expect(slide.contains("viewBox=\"0 0 1600 900\""))
      let scales = slide.matches(of: /translate\(([0-9]+) 44\) scale\(([0-9.]+)\)/).compactMap { Double($0.output.2) }
      #expect((1...4).contains(scales.count) && Set(scales).count == 1)
      // Every step is on it.
      for step in result.simulation.trace.steps { #expect(slide.contains(">\(step.number)</tspan>")) }
    }
  }

  @Test("a picture shows plain HTTP, hides encrypted content, and marks ATS only if it applied")
  func said() throws {
    let plain = RunView(try #require(Curriculum.result("L0-03")))
    #expect(plain.diagram().text().contains("\"send money to"))
    #expect(plain.diagram().text().contains("· App Transport Security"))
    #expect(plain.svg().contains("send money to") && plain.mermaid().contains("send money to account 666"))
    let protected = RunView(try #require(Curriculum.result("L0-04")))
    #expect(!protected.diagram().text().contains("hello") && protected.diagram().text().contains("✓ App Transport"))
  }

  @Test("a step of HTTP shows the content and its recipient")
  func steps() throws {
    func step(_ id: String, _ title: String) throws -> String {
      let run = try #require(Curriculum.result(id)).simulation
      let step = try #require(run.trace.steps.last { $0.title.contains(title) })
      return StepView(step: step, simulation: run).document(.story).text()
    }
    #expect(
      try step("L0-03", "HTTP response").contains("200 OK: send money to account 666"))
    #expect(try step("L0-03", "HTTP request").contains("GET /"))
    #expect(try step("L0-02", "alters").contains("200 OK: it costs 900"))
    #expect(try step("L0-02", "receives the content").contains("it costs 900"))
    #expect(try step("L0-04", "ApplicationData").contains("200 OK: hello"))
    #expect(try !step("L0-04", "ServerHello").contains("200 OK"))
  }

  @Test("encrypted messages are marked even without colour, and leaked secrets are named")
  func signs() throws {
    let view = RunView(try #require(Curriculum.result("L7-01")))
    #expect(view.mermaid().contains("p0-->>p2: 11  🔒 Finished"))
    #expect(view.mermaid().contains("p0->>p2: 2  ClientHello client_random"))
    #expect(view.mermaid().contains("Note over p1: 23  ! api.key leaks (2016-12-01)"))
    #expect(view.svg().contains("class=\"lock\"") && view.svg().contains("class=\"eye blind\""))
    #expect(!view.svg().contains("var(") && !view.svg().contains("url("))
  }

  @Test("a resumed session is labelled by its id or ticket, never its master secret")
  func resumption() throws {
    for (id, label) in [
      ("L1-16", "ClientHello client_random session_id"), ("L1-18", "ClientHello client_random offered_session_ticket"),
    ] {
      let view = RunView(try #require(Curriculum.result(id)))
      // Long labels are broken.
      let mermaid = view.mermaid().replacing("<br/>", with: " ")
      // The middle lane of the text is within the label.
      let text = Self.text(view).replacing(" ──┆ ", with: " ")
      for lines in [mermaid.split(separator: "\n"), text.split(separator: "\n")] {
        #expect(lines.count { $0.contains(label) } == 1, "\(id)")
        #expect(!lines.contains { ($0.contains(">>p") || $0.hasSuffix(" clear")) && $0.contains("master_secret") })
      }
    }
  }

  @Test("a host that begins with the connection's name keeps it")
  func hostNames() throws {
    let view = RunView(try #require(Curriculum.result("L13-07")))
    #expect(Self.text(view).contains(" register.example creates alice.p12"))
  }

  private static func text(_ view: RunView) -> String { view.diagram().text() }

  @Test("an option limits a refusal to its first reason")
  func firstError() throws {
    let result = try #require(Curriculum.result("L4-12"))
    let reasons = result.outcome.verdict.because.map(\.id)
    let view = RunView(result)
    for text in [view.mermaid(), view.svg()] { #expect(reasons.allSatisfy { Self.flat(text).contains($0) }) }
    for text in [view.mermaid(firstError: true), view.svg(firstError: true)] {
      #expect(reasons.map { Self.flat(text).contains($0) } == [true, false, false])
    }
  }

  private static func flat(_ text: String) -> String { text.replacing("<br/>", with: "") }

  /// A scenario whose names contain markup.
  static func hostile() throws -> CaseResult {
    let host = String(repeating: "a-very-long-label-of-a-host.", count: 7) + "example"
    let text = """
      title: "<script>alert('1')</script> %%{init}%% # ; end \\" & \\u202e \\uFFFE ```"
      certificates: { api: { issuer: Issuing, names: [\(host)] } }
      server: { host: \(host) }
      requests:
        - { url: "https://\(host)/", name: "first; <b>" }
        - { url: "https://\(host)/?a=`x`|y&z", name: second }
      """
    let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "hostile.yaml")
    return try ScenarioLibrary.player(keys: Curriculum.keys).play(try #require(file.cases.first))
  }

  /// Whether Python's XML parser finds all of these well-formed.
  private static func areXML(_ texts: [String]) throws -> Bool {
    let program = """
      import json, sys, xml.dom.minidom as dom
      for text in json.load(sys.stdin):
          dom.parseString(text.encode())
      """
    let input = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    return Command.output([try #require(Python.interpreter()), "-c", program], input: input) != nil
  }
}

/// The texts of a picture, as boxes: a column of the font is 7.9 wide at most.
private struct Picture {
  struct Text: CustomStringConvertible {
    let description: String
    let left: Double
    let right: Double
    let bottom: Double
    var top: Double { bottom - 13 }

    func overlaps(_ other: Text) -> Bool {
      left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
  }

  let width: Double
  let height: Double
  let texts: [Text]

  /// Whether a text is within the picture.
  func holds(_ text: Text) -> Bool { text.left >= 0 && text.right <= width && text.top >= 0 && text.bottom <= height }

  /// The first pair of neighbouring texts that overlap.
  var overlapping: [Text] {
    let sorted = texts.sorted { $0.top < $1.top }
    for (index, text) in sorted.enumerated() {
      let below = sorted[(index + 1)...].prefix { $0.top < text.bottom }
      if let other = below.first(where: text.overlaps) { return [text, other] }
    }
    return []
  }

  init(_ svg: String) throws {
    let size = try #require(try /width="(\d+)" height="(\d+)"/.firstMatch(in: svg))
    (width, height) = (Double(size.1) ?? 0, Double(size.2) ?? 0)
    let text = /<text xml:space="preserve" x="(\d+)" y="(\d+)" text-anchor="(\w+)">(.*?)<\/text>/
    texts = svg.matches(of: text).map { match in
      let words = match.4.replacing(/<[^>]*>/, with: "").replacing(/&[^;]*;/, with: "x")
      let (x, y, size) = (Double(match.1) ?? 0, Double(match.2) ?? 0, Double(words.count) * 7.9)
      let left = match.3 == "start" ? x : match.3 == "end" ? x - size : x - size / 2
      return Text(description: String(words), left: left, right: left + size, bottom: y)
    }
  }
}

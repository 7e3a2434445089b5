import Endpoint
import Explanation
import Learning
import Scenarios
import Simulator

/// A lesson as 16:9 slides, with one step on each slide and notes for the speaker.
///
/// Arrow keys and the space bar change slides, and `n` shows the notes. In print, each slide is a page with its notes
/// below.
public struct SlidePages: Sendable {
  private let pages: LessonPages

  /// Creates the slides of a lesson.
  public init(_ pages: LessonPages) { self.pages = pages }

  private struct Slide {
    let body: Document
    let notes: Document
    var isTitle = false
    /// A 16:9 picture in place of text; nil for none.
    var picture: String?
  }

  /// The slides as a self-contained HTML page.
  public func html() -> String {
    let slides =
      [opening] + pages.runs.enumerated().flatMap { slidesOfRun($1, isWhole: $0 < LessonPages.shown) }
    let sections = slides.enumerated().map { number, slide in
      """
      <section class="slide\(slide.isTitle ? " title" : "")" id="s\(number + 1)"><div class="body">\(slide.picture ?? slide.body.html())</div>
      <footer>\(XMLText.escaped(pages.title))<span>\(number + 1) / \(slides.count)</span></footer></section>
      <aside class="notes">\(slide.notes.html())</aside>
      """
    }
    return HTMLPage.text(title: pages.title, body: Self.style + sections.joined(separator: "\n") + Self.script)
  }

  private var opening: Slide {
    var body = Document()
    body.heading("\(pages.title)", level: 1)
    body.paragraph("\(pages.lesson.goal)")
    var notes = Document()
    notes.paragraph(RichText("A plan of 45 minutes", .strong))
    for part in pages.plan { notes.paragraph("\(part.minutes) min: \(part.what) \(part.with)") }
    return Slide(body: body, notes: notes, isTitle: true)
  }

  /// Returns the steps of a run that become slides. If the class does not go through the run, only decisions and
  /// attacks are included.
  private func slidesOfRun(_ run: CaseResult, isWhole: Bool) -> [Slide] {
    let words = WordsView(run.scenario)
    var body = Document()
    body.heading("\(run.scenario.id): \(run.scenario.about.title)", level: 1)
    body += words.before + words.question
    body.bullet(RichText("?", .warning), RichText("What will the verdict be, and why?", .strong))
    var notes = Document()
    notes.facts([
      .init("show it", "trustlab repl \(run.scenario.id)"),
      .init("sources", "\(run.scenario.about.sources.joined(separator: "; "))"),
    ])
    let steps = run.simulation.trace.steps
    return [Slide(body: body, notes: notes, isTitle: true)]
      + steps.filter { step in
        isWhole || step.interference != nil || step.findings.contains { $0.outcome == .violated }
      }.map { slide(of: $0, run, count: steps.count) } + (isWhole ? [overview(of: run)] : []) + [ending(run, words)]
  }

  private func slide(of step: Step, _ run: CaseResult, count: Int) -> Slide {
    var body = Document()
    body.paragraph(RichText("\(run.scenario.id), step \(step.number) of \(count)", .dim))
    body.heading("\(step.title)", level: 2)
    body.paragraph(RichText(step.to.map { "\(step.from.name) → \($0.name)" } ?? step.from.name, .name))
    // The text below the title of the step's own view: the narration, the checks, and the values that each party
    // learns.
    let story = StepView(step: step, simulation: run.simulation).document(.story)
    body.blocks += story.blocks.dropFirst().prefix(Self.mostBlocks)
    var notes = Document()
    for finding in step.findings.filter({ $0.outcome == .violated || $0.outcome == .satisfied }).prefix(6) {
      notes.bullet(finding.glyph, "\(finding.rule.statement) (\(finding.rule.clause))")
    }
    notes.paragraph(RichText("trustlab repl \(run.scenario.id), then goto \(step.number)", .dim))
    return Slide(body: body, notes: notes)
  }

  /// Returns a slide with the whole run.
  private func overview(of run: CaseResult) -> Slide {
    var notes = Document()
    notes.paragraph(
      "This slide shows the whole run, with every message and decision. Ask which values an eavesdropper knows.")
    return Slide(body: Document(), notes: notes, picture: RunView(run).slide())
  }

  private func ending(_ run: CaseResult, _ words: WordsView) -> Slide {
    let because = run.outcome.verdict.because
    var body = Document()
    body.paragraph(RichText(run.scenario.id, .dim))
    body.heading(
      run.outcome.verdict.word.glyph + RichText(" " + run.outcome.verdict.word.rawValue.uppercased()), level: 2)
    for rule in because {
      body.bullet(RichText("✗", .bad), RichText([Span(rule.id, .name), Span("  \(rule.violation)")]))
    }
    if run.simulation.calculation == nil {
      body.facts(Goal.allCases.map { .init($0.rawValue, "\((run.outcome.goals[$0] ?? .notApplicable).rawValue)") })
    }
    body += words.after
    var notes = words.answer(run.outcome)
    for rule in because { notes.paragraph("\(rule.id): \(rule.clause)") }
    return Slide(body: body, notes: notes)
  }

  /// The maximum number of blocks on a slide.
  private static let mostBlocks = 6

  private static let style = """
    <style>
    body{max-width:none;margin:0;padding:0;font-size:1rem}
    .slide{box-sizing:border-box;width:100vw;aspect-ratio:16/9;max-height:100vh;padding:5vw 6vw 3vw;display:flex;\
    flex-direction:column;font-size:2.1vw;line-height:1.4;overflow:hidden;border-bottom:1px solid var(--line)}
    .slide .body{flex:1;overflow:hidden}.slide svg{width:100%;height:100%}.slide h1{font-size:1.7em;line-height:1.15;margin:.2em 0 .6em}
    .slide h2{font-size:1.5em;margin:.2em 0 .5em}.slide p{margin:.5em 0}.slide.title .body{align-content:center}
    .slide footer{display:flex;justify-content:space-between;font-size:.55em;color:var(--dim)}
    .notes{padding:1em 6vw;background:var(--note);display:none}.with-notes .notes{display:block}
    @media print{@page{size:297mm 210mm;margin:0}.slide{width:297mm;height:167mm;font-size:6.2mm;padding:14mm 18mm 8mm}\
    .notes{display:block;height:43mm;box-sizing:border-box;overflow:hidden;font-size:3.2mm;break-after:page;padding:4mm 18mm}}
    </style>
    """

  private static let script = """
    <script>
    const slides=[...document.querySelectorAll('.slide')];let at=0;
    const show=n=>{at=Math.max(0,Math.min(slides.length-1,n));slides[at].scrollIntoView()};
    addEventListener('keydown',e=>{
      if(['ArrowRight','ArrowDown','PageDown',' '].includes(e.key)){e.preventDefault();show(at+1)}
      else if(['ArrowLeft','ArrowUp','PageUp'].includes(e.key)){e.preventDefault();show(at-1)}
      else if(e.key==='n')document.body.classList.toggle('with-notes')});
    </script>
    """
}

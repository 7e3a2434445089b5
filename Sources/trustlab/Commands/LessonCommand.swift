import ArgumentParser
import Foundation
import Learning
import Rendering
import Scenarios

/// The `trustlab lesson` command.
struct LessonCommand: ParsableCommand {
  /// The form in which the lesson is printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case html
    case slides
    case worksheet
    case key
  }

  static let configuration = CommandConfiguration(
    commandName: "lesson",
    abstract: "Print a lesson for a class, as text with its timing, slides, worksheets or an answer key.",
    discussion: """
      Examples:
        trustlab lesson L1
        trustlab lesson L1 --format slides --output L1.html
        trustlab lesson L2 --format worksheet --student ann --student bob \\
          --output sheets.html
        trustlab lesson L2 --format key --student ann --student bob --output key.html

      All students get the same kinds of questions in the same order. Each student gets different cases and numbers, \
      and a different order of options. The same name always gets the same sheet. All pages are self-contained, and \
      fit on A4 paper when you print them.
      """)

  @Argument(help: "The lesson, such as L1.")
  var lesson: String

  @Option(help: "The output: text, html, slides, worksheet or key.")
  var format = Format.text

  @Option(help: "The student's name, for a worksheet or key. Can be repeated.")
  var student: [String] = []

  @OptionGroup var output: OutputOptions
  @OptionGroup var styling: StyleOptions

  func run() throws {
    let library = try ScenarioLibrary.curriculum()
    let lessons = try library.lessons()
    guard let found = lessons.lesson(lesson) else {
      throw Diagnostics("no such lesson: '\(lesson)'", hint: Spelling.hint(for: lesson, among: lessons.map(\.id)))
    }
    guard student.isEmpty || [.worksheet, .key].contains(format) else {
      throw Diagnostics("--student applies only to worksheets and keys", hint: "add --format worksheet or --format key")
    }
    let workbench = Workbench()
    var files: [ScenarioFile] = []
    for id in found.scenarios { files.append(try workbench.file(for: id)) }
    switch format {
    case .worksheet: try output.write(try papers(found, files, workbench, library).worksheet())
    case .key: try output.write(try papers(found, files, workbench, library).key())
    case .text, .html, .slides: try write(try pages(found, files, workbench, library))
    }
  }

  private func write(_ pages: LessonPages) throws {
    switch format {
    case .html: try output.write(pages.html())
    case .slides: try output.write(SlidePages(pages).html())
    default: try output.write(pages.document().text(output.style(styling)))
    }
  }

  private func pages(
    _ lesson: Lesson, _ files: [ScenarioFile], _ workbench: Workbench, _ library: ScenarioLibrary
  ) throws -> LessonPages {
    var runs: [CaseResult] = []
    for file in files {
      if let scenario = file.cases.first { runs.append(try workbench.play(scenario, of: file)) }
    }
    let words = FileManager.default.contents(atPath: "\(library.folder)/\(lesson.id)/README.md")
    return LessonPages(lesson, runs: runs, words: words.map { String(decoding: $0, as: UTF8.self) } ?? "")
  }

  private func papers(
    _ lesson: Lesson, _ files: [ScenarioFile], _ workbench: Workbench, _ library: ScenarioLibrary
  ) throws -> WorksheetPages {
    var plan = Progress.Quiz.Plan()
    let papers = try (student.isEmpty ? [""] : student).map { id in
      let examiner = Examiner(player: workbench.player, student: Student(id))
      return WorksheetPages.Paper(
        student: id,
        questions: try examiner.sheet(of: lesson, files: files, plan: &plan).map { question, subject in
          (question, subject.scenario.id, library.reader.situation(of: subject.scenario, for: question.kind))
        })
    }
    return WorksheetPages(lesson, papers)
  }
}

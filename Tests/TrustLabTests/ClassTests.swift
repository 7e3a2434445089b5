import Foundation
import Learning
import Rendering
import Scenarios
import Testing

@testable import trustlab

@Suite("Material for a class")
struct ClassTests {
  private static func lesson(_ id: String) throws -> (Lesson, [ScenarioFile], ScenarioLibrary) {
    let library = try ScenarioLibrary.curriculum()
    let lesson = try #require(try library.lessons().lesson(id))
    return (lesson, try lesson.scenarios.map { try Bench.workbench.file(for: $0) }, library)
  }

  @Test("a lesson has its texts, a plan and every scenario; a slide has one step")
  func pages() throws {
    let (lesson, files, _) = try Self.lesson("L2")
    let runs = try files.compactMap { try $0.cases.first.map(Bench.workbench.player.play) }
    let pages = LessonPages(lesson, runs: runs, words: "# Title\n\nWhat it is about.\n\n- one\n- two\n")
    let text = pages.document().text()
    #expect(text.contains("What it is about.") && text.contains("公钥") && lesson.scenarios.allSatisfy(text.contains))
    #expect(pages.plan.map(\.minutes).reduce(0, +) == 45)
    let slides = SlidePages(pages).html()
    let steps = runs.prefix(3).reduce(0) { $0 + $1.simulation.trace.steps.count }
    #expect(slides.components(separatedBy: "class=\"slide").count > steps)
    #expect(slides.contains("aspect-ratio:16/9") && slides.contains("class=\"notes\""))
  }

  @Test("a worksheet has no answers, its key all, and two students get the same kinds")
  func papers() throws {
    let (lesson, files, library) = try Self.lesson("L2")
    var plan = Progress.Quiz.Plan()
    let papers = try ["ann", "bob"].map { id in
      WorksheetPages.Paper(
        student: id,
        questions: try Examiner(player: Bench.workbench.player, student: Student(id))
          .sheet(of: lesson, files: files, plan: &plan)
          .map {
            (
              $0.question, $0.subject.scenario.id,
              library.reader.situation(of: $0.subject.scenario, for: $0.question.kind)
            )
          }
      )
    }
    #expect(papers[0].questions.map(\.question.kind) == papers[1].questions.map(\.question.kind))
    #expect(papers[0].questions.map(\.question.answer) != papers[1].questions.map(\.question.answer))
    let pages = WorksheetPages(lesson, papers)
    #expect(pages.worksheet().contains("student ann") && !pages.worksheet().contains("python3"))
    for one in papers[0].questions {
      if case .number(let number) = one.question.solution {
        #expect(pages.key().contains("\(number)") && !pages.worksheet().contains(">\(number)<"))
      }
    }
  }

  @Test("the shell writes the sheet of a quiz in the form that the grades read")
  func sheet() throws {
    let path = NSTemporaryDirectory() + "sheet-\(UUID().uuidString).json"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var session = Bench.session("student ann", "quiz L0", "answer a 3", "reveal", "", "hint", "reveal")
    let said = session.evaluate("sheet \(path)").text
    #expect(said.contains(path), "\(said)")
    let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
    let sheet = try SheetFile.sheet(bytes, file: path)
    #expect(sheet.student == "ann" && sheet.begun == 1 && sheet.entries.count == 2)
    #expect(sheet.entries[0].answers.first == "a 3" && sheet.entries[1].hints == 1)
    #expect(sheet.seal(.everybody) == .unaltered)
    #expect(Bench.session().evaluated("sheet x.json").isError)
  }
}

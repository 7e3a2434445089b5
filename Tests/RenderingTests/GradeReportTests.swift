import Learning
import Rendering
import Scenarios
import Testing

@Suite("The grades of a class")
struct GradeReportTests {
  private static let key = Sheet.Key.teacher(Array(repeating: 7, count: 32))

  /// Thirty students with ten questions each; every third student answers the second question wrongly and is certain.
  private static func rows() -> [GradeReport.Row] {
    (1...30).map { number in
      let entries = (1...10).map { place in
        let isWrong = place == 2 && number % 3 == 0
        return Sheet.Entry(
          scenario: "L1-0\(place)", kind: "risk", asked: "What?", answers: ["a 3"], hints: 0, confidence: 3,
          result: isWrong ? "wrong" : "right", right: isWrong ? "b" : "a")
      }
      var sheet = Sheet(
        lesson: "L1", student: "s\(number)", begun: 1, entries: entries, codes: [], isTeachers: true)
      sheet.codes = sheet.codes(key)
      // One student has changed the result in the file.
      if number == 9 { sheet.entries[1].result = "right" }
      return GradeReport.Row(file: "s\(number).json", sheet: sheet, seal: sheet.seal(key))
    }
  }

  @Test("the report marks the student who cheated, and the hardest question")
  func cheat() {
    let report = GradeReport(Self.rows())
    let text = report.document().text()
    #expect(!report.isClean && report.csv().split(separator: "\n").count { $0.contains(/altered .*2/) } == 1)
    #expect(text.components(separatedBy: "✗ altered").count == 2)
    #expect(text.contains(/L1-02 risk +21 of 30 .*9/), "\(text)")
    #expect(text.components(separatedBy: "a 3, not b").count - 1 == 9)
  }

  @Test("a teacher may let an answer count, and the report shows it")
  func overruled() throws {
    let report = GradeReport(Self.rows(), overrulings: [try .init("s3:2=right"), try .init("s99:1=right")])
    #expect(report.csv().contains("s3,L1,10,10,9,1,1,sealed,s3.json"))
    #expect(report.document().text().contains("overruled: s3, question 2, is now graded right"))
    #expect(report.unused.map(\.student) == ["s99"])
    #expect(throws: Diagnostics.self) { try GradeReport.Overruling("s3=right") }
  }

  @Test("no cell becomes a spreadsheet formula, and commas and quotes stay within their cells")
  func csv() {
    let entry = Sheet.Entry(
      scenario: "L1-01", kind: "risk", asked: "", answers: [], hints: 0, confidence: 0, result: "open", right: "")
    let sheet = Sheet(lesson: "L1", student: "=1+1", begun: 1, entries: [entry], codes: [], isTeachers: false)
    let csv = GradeReport([.init(file: "a,\"b\".json", sheet: sheet, seal: .unaltered)]).csv()
    #expect(csv.contains("'=1+1,L1,1,0,0,0,1,unaltered,\"a,\"\"b\"\".json\"\r\n"))
  }

  @Test("a written sheet is read unchanged, and a damaged one is named with its error")
  func file() throws {
    let sheet = Self.rows()[0].sheet
    #expect(try SheetFile.sheet(Array(SheetFile.text(of: sheet).utf8), file: "s1.json") == sheet)
    for (text, part) in [("", "not JSON"), ("{}", "are missing"), ("[]", "are missing")] {
      #expect { try SheetFile.sheet(Array(text.utf8), file: "x.json") } throws: { "\($0)".contains(part) }
    }
    let broken = SheetFile.text(of: sheet).replacing("\"hints\": 0", with: "\"hints\": \"0\"")
    #expect { try SheetFile.sheet(Array(broken.utf8), file: "x.json") } throws: { "\($0)".contains("question 1") }
  }
}

import Oracles
import Rendering
import Scenarios
import Testing

/// What other suites hold against the first case of some files, held against every case of all, or
/// those that `Sweep` chooses.
@Suite("The cases of the curriculum, as they are shown")
struct CurriculumSweep {
  @Test(
    "with every default expanded, every case of a file plays to the same bytes",
    arguments: Sweep.part(of: Array(Curriculum.files.indices)))
  func expanded(index: Int) throws {
    let file = Curriculum.files[index]
    try DescribeTests.check(file, all: Curriculum.results(of: file))
  }

  @Test("the text diagram of every run can be drawn from its JSON alone")
  func picture() throws { try DiagramJSONTests.check(Shown.all) }

  @Test("every Mermaid diagram is a sequence diagram by its grammar")
  func mermaid() throws { try DiagramTests.checkMermaid(Shown.all) }

  @Test("nothing in an SVG picture overlaps or is cut off, and it is well-formed XML", .needs(.python))
  func svg() throws { try DiagramTests.checkSVG(Shown.all) }

  @Test("every run in Markdown and HTML says what its text says", arguments: Depth.allCases)
  func formats(_ depth: Depth) throws { try FormatTests.check(Shown.all, depth) }

  @Test("every view has lines of at most 80 columns", arguments: Depth.allCases)
  func width(_ depth: Depth) { DocumentTests.checkWidth(Shown.all, depth) }

  @Test("the ASCII fallback is ASCII, and as wide as the diagram it stands for")
  func ascii() { DocumentTests.checkASCII(Curriculum.results) }

  @Test("every form says that toy numbers are toys; no other run does")
  func toys() throws { try CalculationViewTests.check(Shown.all) }

  /// A test run plays its cases itself; every sixth file has all that it tells.
  @Test("every run and the test run of every sixth file is as its schema says", .needs(.jsonschema))
  func schemas() {
    let files = stride(from: 0, to: Curriculum.files.count, by: 6).map { Curriculum.files[$0] }
    JSONTests.check(Shown.all, TestRun(files, player: Curriculum.player))
  }

  @Test("tshark decrypts every run, and finds nothing wrong in it", .needs(.tshark))
  func tshark() throws { try TsharkTests.check(Curriculum.results) }
}

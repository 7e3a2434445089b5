import Oracles
import Rendering
import Scenarios
import Testing

/// Repeats checks of other suites on every case of all files, or on those that `Sweep` chooses.
@Suite("Views of the curriculum's cases")
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

  @Test("an SVG picture is well-formed XML, and no text overlaps or is cut off", .needs(.python))
  func svg() throws { try DiagramTests.checkSVG(Shown.all) }

  @Test("every run in Markdown and HTML has the content of its text", arguments: Depth.allCases)
  func formats(_ depth: Depth) throws { try FormatTests.check(Shown.all, depth) }

  @Test("every view has lines of at most 80 columns", arguments: Depth.allCases)
  func width(_ depth: Depth) { DocumentTests.checkWidth(Shown.all, depth) }

  @Test("the ASCII fallback is ASCII, and as wide as the diagram that it replaces")
  func ascii() { DocumentTests.checkASCII(Curriculum.twentieth) }

  @Test("every form marks toy numbers as toys, and marks no other run")
  func toys() throws { try CalculationViewTests.check(Shown.all) }

  /// A test run plays its cases itself; every sixth file covers all its features.
  @Test("every run, and the test run of every sixth file, conforms to its schema", .needs(.jsonschema))
  func schemas() {
    let files = stride(from: 0, to: Curriculum.files.count, by: 6).map { Curriculum.files[$0] }
    JSONTests.check(Shown.all, TestRun(files, player: Curriculum.player))
  }

  /// tshark reports problems in some of the other cases, such as an empty fragment that a peer sends on purpose.
  @Test("tshark decrypts every twentieth run, and reports no problem", .needs(.tshark))
  func tshark() throws { try TsharkTests.check(Curriculum.twentieth) }
}

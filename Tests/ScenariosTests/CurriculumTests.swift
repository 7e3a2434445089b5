import Scenarios
import Simulator
import Testing

@Suite("The curriculum")
struct CurriculumTests {
  @Test(
    "every case has its expected result",
    arguments: stride(from: 0, to: Lab.cases.count, by: 10).map { Lab.cases[$0].name })
  func passes(name: String) throws {
    let scenario = try Lab.scenario(named: name)
    let result = try Lab.player.play(scenario)
    #expect(result.judgement.mismatches == [])
    #expect(result.judgement.result == .passed)
  }

  @Test("the run of a lesson skips no case")
  func run() throws {
    let entries = TestRun(try Lab.library().files().filter { $0.id.hasPrefix("L4-") }, player: Lab.player).entries()
    #expect(entries.allSatisfy { $0.result == .passed } && !entries.isEmpty)
  }

  @Test("every refused case has an accepted sibling")
  func siblings() throws {
    let files = try Lab.library().files()
    for file in files {
      #expect(file.warnings.isEmpty, "\(file.path)")
      let refused = file.cases.filter { !$0.expectsAcceptance }
      #expect(
        refused.isEmpty || refused.allSatisfy { $0.sibling != nil } || file.cases.contains(where: \.expectsAcceptance))
      // A case is skipped if its sibling is not found.
      for name in refused.compactMap(\.sibling) where file.scenario(named: name) == nil {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        let other = files.first { $0.id == parts.first }
        #expect(parts.count == 2 ? other?.scenario(named: parts[1]) != nil : other != nil, "\(file.id): \(name)")
      }
    }
  }

  @Test("every file has a first expectation, a title, a lesson and sources")
  func about() throws {
    for file in try Lab.library().files() {
      let scenario = try #require(file.cases.first)
      #expect(file.lines.first?.hasPrefix("# ") == true)
      let word = scenario.expectation?.verdict == .hangs ? "HANGS" : "REFUSED"
      if !scenario.expectsAcceptance { #expect(file.lines.first?.contains(word) == true, "\(file.id)") }
      #expect(!scenario.about.title.isEmpty)
      #expect(scenario.about.lesson == file.id)
      #expect(!scenario.about.sources.isEmpty)
      #expect(file.path.hasSuffix("/\(file.id.prefix { $0 != "-" })/\(file.id).yaml"))
    }
  }

  @Test("a scenario is found by its id in upper or lower case")
  func finding() throws {
    let library = try Lab.library()
    #expect(library.path(ofID: "l1-01")?.hasSuffix("/L1/L1-01.yaml") == true)
    #expect(library.path(ofID: "L99-99") == nil)
    #expect(Set(library.ids).count == library.ids.count)
  }

  @Test("playing a scenario twice gives the same bytes")
  func determinism() throws {
    for scenario in try Lab.library().cases where ["L1-01", "L7-02"].contains(scenario.name) {
      let first = try Lab.player.play(scenario).simulation.trace
      let second = try Lab.player.play(scenario).simulation.trace
      #expect(first.steps.map(\.bytes) == second.steps.map(\.bytes))
      #expect(first.values == second.values)
    }
  }

  @Test("counting numbers the hello randoms and the premaster secret consecutively")
  func counting() throws {
    let scenario = try Lab.scenario(named: "L1-01")
    let values = try Lab.player.play(scenario).simulation.trace.values
    let bytes = ["client_random", "server_random", "premaster_secret"].flatMap { values[$0]?.bytes ?? [] }
    #expect(bytes.count == 32 + 32 + 48)
    #expect(Array(bytes.prefix(4)) == [0, 1, 2, 3] || Array(bytes.prefix(4)) == [1, 2, 3, 4])
    // The premaster secret begins with the client's version: RFC 5246 section 7.4.7.1.
    #expect(Array(bytes[64..<66]) == [3, 3])
    let isConsecutive = zip(bytes[..<64], bytes[1..<64]).allSatisfy { $1 == $0 &+ 1 }
    #expect(isConsecutive && bytes[66..<112].elementsEqual(bytes[66..<112].indices.map { bytes[66] &+ UInt8($0 - 66) }))
  }
}

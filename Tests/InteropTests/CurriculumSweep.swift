import Oracles
import Rendering
import Testing

/// What other suites hold against a part of the curriculum, held against all of it.
@Suite("The whole curriculum, by the program")
struct CurriculumSweep {
  @Test("every case is in exactly one shard")
  func shards() throws {
    let list = try JSONValue(reading: Array(Program.run("list", "scenarios", "--format", "json").output.utf8))
    let all = (list["scenarios"]?.items ?? []).map { $0.text("scenario") }
    #expect(!all.isEmpty && Set(all).count == all.count)
    #expect(try TestFormatTests.shards(["test", "--format", "tap"]).joined().sorted() == all.sorted())
  }
}

@Suite("The plists of all shipped apps, by the program")
struct ShippedAppsSweep {
  @Test(
    "they are decided about in 80 columns, and as the schema says", .needsData("plists"), .needs(.jsonschema),
    arguments: SharedData.plistPaths)
  func decisions(plist: String) throws { try AtsDecideTests.check(plist) }
}

import Oracles
import Rendering
import Testing

/// Checks that other suites make on a part of the curriculum, here on all of it.
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
    "decisions fit 80 columns and conform to the schema", .needsData("plists"), .needs(.jsonschema),
    arguments: SharedData.plistPaths)
  func decisions(plist: String) throws { try AtsDecideTests.check(plist) }
}

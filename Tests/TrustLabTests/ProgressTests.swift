import Foundation
import Learning
import Testing

@testable import trustlab

@Suite("Saved progress")
struct ProgressTests {
  private static func folder() -> String { NSTemporaryDirectory() + "progress-\(UUID().uuidString)" }

  @Test("played scenarios are known in the next session, of this student alone")
  func kept() throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var keeper = try #require(ProgressKeeper(["TRUSTLAB_PROGRESS": folder]))
    var progress = Learning.Progress(student: Student("ann"))
    let greeting = keeper.load(into: &progress)
    #expect(greeting?.contains(folder) == true)
    progress.played = ["L1-01"]
    let first = keeper.keep(&progress)
    #expect(first == nil)
    var next = try #require(ProgressKeeper(["TRUSTLAB_PROGRESS": folder]))
    var again = Learning.Progress(student: Student("ann"))
    let said = next.load(into: &again)
    #expect(said?.contains("1") == true && again.played == ["L1-01"])
    var other = Learning.Progress(student: Student("bob"))
    _ = next.keep(&other)
    #expect(other.played == [])
  }

  @Test(
    "a damaged file is named and set aside, and nothing of it is lost", arguments: ["", "{", "[1]", "{\"played\": 1}"])
  func damaged(text: String) throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/\(ProgressKeeper.name(of: "ann"))"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var keeper = try #require(ProgressKeeper(["TRUSTLAB_PROGRESS": folder]))
    var progress = Learning.Progress(student: Student("ann"))
    let told = keeper.load(into: &progress)
    let said = try #require(told)
    #expect(said.contains(path) && said.contains("damaged-1"))
    #expect(try String(contentsOfFile: "\(path).damaged-1", encoding: .utf8) == text)
  }

  @Test("a student's id never leads out of the folder", arguments: ["../../x", "/etc/passwd", "..", "", "a/b", "李雷"])
  func paths(id: String) {
    let name = ProgressKeeper.name(of: id)
    #expect(name.hasSuffix(".json") && !name.contains("/") && !name.hasPrefix("."))
  }

  @Test("a folder that cannot be written is reported, and the session continues")
  func unwritable() throws {
    var keeper = try #require(ProgressKeeper(["TRUSTLAB_PROGRESS": "/dev/null/x"]))
    var progress = Learning.Progress(student: Student("ann"))
    _ = keeper.load(into: &progress)
    progress.played = ["L1-01"]
    let said = keeper.keep(&progress)
    #expect(said?.contains("/dev/null/x") == true)
    #expect(ProgressKeeper(["TRUSTLAB_PROGRESS": "off", "HOME": "/home/x"]) == nil)
  }
}

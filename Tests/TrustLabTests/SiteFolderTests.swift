import Foundation
import Site
import Testing

@testable import trustlab

/// Each test has a folder with a former site of two pages.
@Suite("The folder of a site") final class SiteFolderTests {
  private let home = FileManager.default.temporaryDirectory.appendingPathComponent("site-\(UUID().uuidString)")
  private var site: URL { home.appendingPathComponent("site") }

  init() throws { try write(["index.html": "front", "scenarios/old/index.html": "old"]) }
  deinit { try? FileManager.default.removeItem(at: home) }

  private func write(_ pages: [String: String]) throws {
    let folder = try SiteFolder(site.path)
    for (path, text) in pages { try folder.write(SiteFile(path: path, bytes: Array(text.utf8))) }
    try folder.finish()
  }

  private func put(_ text: String, at name: String) throws {
    let file = site.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: site.appendingPathComponent(name).path)
  }

  @Test("a page that the new site lacks is deleted, with its empty folder")
  func stale() throws {
    try write(["index.html": "front"])
    #expect(has("index.html") && has(SiteFolder.manifest))
    #expect(!has("scenarios"))
  }

  @Test("files that TrustLab did not write, or that were changed later, stay")
  func ownFiles() throws {
    try put("mine", at: "scenarios/notes.txt")
    try put("changed", at: "scenarios/old/index.html")
    try write(["index.html": "front"])
    #expect(has("scenarios/notes.txt") && has("scenarios/old/index.html"))
  }

  @Test(
    "a manifest deletes nothing outside the folder",
    arguments: ["../outside.txt", "link/outside.txt", "link", ".hidden", "/outside.txt", "a//b.txt", "index.html/x"])
  func hostile(name: String) throws {
    for file in ["../outside.txt", ".hidden", "a/b.txt"] { try put("old", at: file) }
    let link = site.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: home)
    let manifest = try String(contentsOf: site.appendingPathComponent(SiteFolder.manifest), encoding: .utf8)
    try put(manifest.replacing("scenarios/old/index.html", with: name), at: SiteFolder.manifest)
    try write(["index.html": "front"])
    for kept in ["../outside.txt", "link/outside.txt", ".hidden", "a/b.txt"] { #expect(has(kept), "\(kept)") }
  }

  @Test("names that differ in case only are one file to some systems")
  func ignoredCase() throws {
    try write(["INDEX.html": "front"])
    #expect(has("index.html"))
  }
}

import Foundation
import Testing

@Suite("Extensions decide by their own plists")
struct BundleListTests {
  private static func plist(_ settings: String) -> Data {
    Data(
      "<plist><dict><key>CFBundleIdentifier</key><string>x</string><key>NSAppTransportSecurity</key><dict>\(settings)</dict></dict></plist>"
        .utf8)
  }

  private static let lifted = "<key>NSAllowsArbitraryLoads</key><true/>"

  /// An app with a widget, each with these settings.
  private static func app(_ name: String, _ own: String, widget: String?, in folder: URL) throws {
    let lists = [("", own)] + (widget.map { [("PlugIns/Widget.appex", $0)] } ?? [])
    for (place, settings) in lists {
      let bundle = folder.appendingPathComponent(name).appendingPathComponent(place)
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try plist(settings).write(to: bundle.appendingPathComponent("Info.plist"))
    }
  }

  @Test("ats diff also compares the plists of extensions")
  func difference() throws {
    let folder = try Program.folder([:])
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.app("Old.app", "", widget: "", in: folder)
    try Self.app("New.app", "", widget: Self.lifted, in: folder)
    try Self.app("Bare.app", "", widget: nil, in: folder)
    let gains = try Program.run("ats", "diff", "Old.app", "New.app", in: folder)
    #expect(gains.status == 1 && gains.output.contains("PlugIns/Widget.appex/Info.plist"), "\(gains.output)")
    #expect(try Program.run("ats", "diff", "Old.app", "Old.app", in: folder).status == 0)
    // A new extension is compared with an empty plist.
    #expect(try Program.run("ats", "diff", "Bare.app", "New.app", in: folder).status == 1)
    #expect(try Program.run("ats", "diff", "New.app", "Bare.app", in: folder).status == 0)
  }

  @Test("ats decide reports each extension's decisions, and its exit status is that of the app")
  func decision() throws {
    let folder = try Program.folder([:])
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.app("My.app", "", widget: Self.lifted, in: folder)
    let words = ["ats", "decide", "--plist", "My.app", "--url", "http://a.example/", "--os", "iOS 18.4"]
    let text = try Program.run(words, in: folder)
    #expect(text.status == 1 && text.output.contains("My.app/PlugIns/Widget.appex/Info.plist"), "\(text.output)")
    let json = try Program.run(words + ["--format", "json"], in: folder).output
    let decisions = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    #expect(decisions.map { $0["verdict"] as? String } == ["blocked", "allowed"])
    #expect(decisions.map { $0["list"] as? String } == [nil, "My.app/PlugIns/Widget.appex/Info.plist"])
  }
}

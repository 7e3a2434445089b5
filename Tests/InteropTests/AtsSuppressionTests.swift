import Foundation
import Oracles
import Testing

/// One file of suppressions for `ats lint` and `ats decide`.
@Suite("Suppressions of App Transport Security")
struct AtsSuppressionTests {
  private static let entry = "NSExceptionDomains.a.example.NSExceptionAllowsInsecureHTTPLoads"
  private static let whole = "NSAppTransportSecurity.\(entry)"

  private static func plist(_ settings: String) -> Data {
    let head = "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key>\n"
    let domains =
      "<dict><key>NSExceptionDomains</key><dict><key>a.example</key>\n<dict>\(settings)</dict></dict></dict>"
    return Data("\(head)\(domains)</dict></plist>\n".utf8)
  }

  private static let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
  private static let old = "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.1</string>"

  private static let noIdentity = "<key>NSPinnedLeafIdentities</key><array/>"

  /// The results of both commands for `App/Info.plist` with a file of suppressions that has `entries`.
  private static func results(
    _ entries: String, of settings: String = insecure, url: String = "http://a.example/"
  ) throws -> (lint: Program.Result, decide: Program.Result) {
    let folder = try Program.folder(["reasons.yaml": Data("\(entries)\n".utf8)])
    defer { try? FileManager.default.removeItem(at: folder) }
    let app = folder.appendingPathComponent("App")
    try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
    try plist(settings).write(to: app.appendingPathComponent("Info.plist"))
    let gate = ["--deny", "plist.app-review", "--suppressions", "reasons.yaml"]
    let load = ["--plist", "App/Info.plist", "--url", url, "--os", "iOS 17"]
    return (
      try Program.run(["ats", "lint", "App/Info.plist"] + gate, in: folder),
      try Program.run(["ats", "decide"] + load + gate, in: folder)
    )
  }

  @Test(
    "an entry applies in both commands, by key, parent key or path",
    arguments: [
      "key: \(entry)", "key: \(whole)", "file: App/Info.plist", "file: Info.plist", "key: NSExceptionDomains.a.example",
      "key: NSAppTransportSecurity", "file: ./App/Info.plist, key: \(whole)",
    ])
  func met(words: String) throws {
    let (lint, decide) = try Self.results("- { rule: plist.app-review, \(words), reason: known }")
    #expect(lint.status == 0 && !lint.namesStaleEntries, "\(lint.errors)")
    #expect(decide.status == 0 && !decide.namesStaleEntries, "\(decide.errors)")
  }

  @Test(
    "an entry for a missing file is named if a similarly named file was examined")
  func missingFile() throws {
    for (file, isNamed) in [("Ap/Info.plist", true), ("App/Info.plis", true), ("Widget/Info.plist", false)] {
      let (lint, decide) = try Self.results("- { rule: plist.app-review, file: \(file), reason: known }")
      for result in [lint, decide] {
        #expect(result.status == 1)
        #expect(
          result.errors.shows("'\(file)' … hint: … 'App/") == isNamed)
      }
    }
  }

  @Test(
    "an entry for another key does not apply, and the correct entry is shown",
    arguments: [
      "key: NSExceptionDomains.b.example", "key: NSExceptionDomains.a.exam", "key: default",
      "file: App/Info.plist, key: NSPinnedDomains", "file: Info.plist, key: NSPinnedDomains",
    ])
  func unmet(words: String) throws {
    let (lint, decide) = try Self.results("- { rule: plist.app-review, \(words), reason: known }")
    for result in [lint, decide] {
      #expect(result.status == 1 && result.errors.shows("note: … plist.app-review"))
      let meant = "{ rule: plist.app-review, key: \(Self.whole), file: App/Info.plist, reason: known }"
      #expect(result.errors.shows("hint: … - \(meant)"), "\(result.errors)")
    }
  }

  @Test("an entry for a file or load that was not examined is ignored silently")
  func elsewhere() throws {
    for file in ["Widget/Info.plist", "a.example/ on iOS 18"] {
      let (lint, decide) = try Self.results("- { rule: plist.app-review, file: \(file), reason: known }")
      #expect(lint.status == 1 && !lint.namesStaleEntries, "\(lint.errors)")
      #expect(decide.status == 1 && !decide.namesStaleEntries, "\(decide.errors)")
    }
  }

  @Test("an entry for a file without findings is named, and applies to no other file")
  func withoutFindings() throws {
    let folder = try Program.folder([
      "reasons.yaml": Data("- { rule: plist.app-review, file: B.plist, reason: known }\n".utf8),
      "A.plist": Self.plist(Self.insecure), "B.plist": Self.plist(""),
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    func errors(_ files: String...) throws -> String {
      try Program.run(["ats", "lint"] + files + ["--suppressions", "reasons.yaml"], in: folder).errors
    }
    for text in [try errors("A.plist", "B.plist"), try errors(".")] {
      #expect(text.contains("plist.app-review (B.plist)"), "\(text)")
      #expect(!text.contains("hint: "), "\(text)")
    }
    #expect(try !errors("A.plist").contains("plist.app-review"))
  }

  @Test("a load's own name still works as an entry, in decisions only")
  func loads() throws {
    for name in ["\"http://a.example/ on iOS 17\"", "a.example/ on iOS 17"] {
      let (lint, decide) = try Self.results("- { rule: plist.app-review, file: \(name), reason: known }")
      #expect(decide.status == 0 && !decide.namesStaleEntries, "\(decide.errors)")
      #expect(lint.status == 1)
    }
    let other = try Self.results("- { rule: plist.app-review, file: a.example/ on iOS 18, reason: known }")
    #expect(other.decide.status == 1)
  }

  @Test("rules of the other command are ignored silently, and unknown rules are errors")
  func rules() throws {
    let good = "- { rule: plist.app-review, reason: known }"
    let (lint, decide) = try Self.results(
      "\(good)\n- { rule: plist.unknown-key, reason: old }\n- { rule: ats.insecure-http, reason: old }")
    #expect(lint.status == 0 && lint.errors.contains("plist.unknown-key"))
    #expect(!lint.errors.contains("ats.insecure-http") && !lint.errors.contains("hint"), "\(lint.errors)")
    #expect(decide.status == 0 && decide.errors.contains("ats.insecure-http"))
    #expect(!decide.errors.contains("plist.unknown-key"), "\(decide.errors)")
    let slip = try Self.results("\(good)\n- { rule: ats.insecure-htp, reason: old }")
    #expect(slip.lint.status == 2 && slip.lint.errors.contains("'ats.insecure-http'"))
  }

  @Test("a decision matches a key that weakens TLS by its path; each needs a reason")
  func severalKeys() throws {
    let key = "NSAppTransportSecurity.NSExceptionDomains.a.example.NSExceptionMinimumTLSVersion"
    let version = "- { rule: plist.app-review, key: \(key), reason: an old server }"
    let one = try Self.results(version, of: Self.old, url: "https://a.example/")
    #expect(one.lint.status == 0 && one.decide.status == 0, "\(one.lint.errors)\(one.decide.errors)")
    let two = try Self.results(version, of: Self.insecure + "\n" + Self.old)
    #expect(two.lint.status == 1 && two.decide.status == 1)
    let both = try Self.results(
      "\(version)\n- { rule: plist.app-review, key: \(Self.whole), reason: known }", of: Self.insecure + "\n" + Self.old
    )
    #expect(both.lint.status == 0 && both.decide.status == 0)
    #expect(!both.lint.namesStaleEntries && !both.decide.namesStaleEntries, "\(both.decide.errors)")
  }

  @Test("a load that its own pins block is matched by those pins' key only")
  func pins() throws {
    let pins = "<dict>\(Self.noIdentity)</dict>"
    let settings = "<key>NSPinnedDomains</key><dict><key>api.example</key>\(pins)</dict>"
    let head = "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key>"
    let folder = try Program.folder(["Info.plist": Data("\(head)<dict>\(settings)</dict></dict></plist>".utf8)])
    defer { try? FileManager.default.removeItem(at: folder) }
    func status(_ key: String) throws -> Int32 {
      try Data("- { rule: pin.mismatch, key: \(key), reason: known }\n".utf8).write(
        to: folder.appendingPathComponent("reasons.yaml"))
      let load = ["--plist", "Info.plist", "--url", "https://api.example/", "--os", "iOS 17"]
      return try Program.run(["ats", "decide"] + load + ["--suppressions", "reasons.yaml"], in: folder).status
    }
    #expect(try status("NSAppTransportSecurity.NSPinnedDomains.api.example") == 0)
    #expect(try status("NSPinnedDomains.api.example") == 0)
    #expect(try status("NSPinnedDomains.b.example") == 1)
  }

  @Test("for a load that its pins block, the hint names the keys of the pins")
  func pinHint() throws {
    let pins = "<key>NSPinnedDomains</key><dict><key>api.example</key><dict>\(Self.noIdentity)</dict></dict>"
    let settings = "<key>NSAppTransportSecurity</key><dict>\(pins)</dict>"
    let demand = "<key>SecTrustPinningRequired</key><true/>"
    let folder = try Program.folder([
      "Info.plist": Data("<plist version=\"1.0\"><dict>\(settings)\(demand)</dict></plist>".utf8),
      "reasons.yaml": Data("- { rule: pin.mismatch, key: NSPinnedDomains.b.example, reason: known }\n".utf8),
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    for (host, key) in [
      ("api.example", "NSAppTransportSecurity.NSPinnedDomains.api.example"),
      ("other.example", "SecTrustPinningRequired"),
    ] {
      let load = ["--plist", "Info.plist", "--url", "https://\(host)/", "--os", "iOS 17"]
      let result = try Program.run(["ats", "decide"] + load + ["--suppressions", "reasons.yaml"], in: folder)
      let meant = "- { rule: pin.mismatch, key: \(key), file: Info.plist, reason: known }"
      #expect(
        result.status == 1 && result.errors.shows("hint: … \(meant)"), "\(result.errors)")
    }
  }

  @Test("the key for an entry is shown with a finding, as text and for Xcode")
  func shown() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.insecure)])
    defer { try? FileManager.default.removeItem(at: folder) }
    let text = try Program.run("ats", "lint", "Info.plist", in: folder)
    #expect(text.output.contains("  ^\n  at \(Self.whole)\n"), "\(text.output)")
    let line = try Program.run("ats", "lint", "Info.plist", "--format", "xcode", in: folder).output
    #expect(line.contains(" (\(Self.whole)) [plist.app-review]"), "\(line)")
    try Self.plist("<key>NS\nKey</key><true/>").write(to: folder.appendingPathComponent("Info.plist"))
    let broken = try Program.run("ats", "lint", "Info.plist", "--format", "xcode", in: folder).output
    let lines = broken.split(separator: "\n").filter { $0.contains("[plist.unknown-key]") }
    #expect(lines.count == 1 && lines.allSatisfy { $0.contains("warning:") && $0.contains("'NS Key'") }, "\(broken)")
  }
}

import Foundation
import Oracles
import Testing

/// Apps, archives, settings and baselines from untrusted sources.
@Suite("Apps and build settings from untrusted sources")
struct HostileAppTests {
  private static let plist = Data(
    """
    <?xml version="1.0"?>
    <plist version="1.0"><dict><key>NSAppTransportSecurity</key>
    <dict><key>NSExceptionDomains</key><dict><key>$(HOST)</key><dict>
    <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict></dict></dict></plist>
    """.utf8)

  /// A folder with the output of a Python program.
  private static func folder(_ program: String) throws -> URL {
    let folder = try Program.folder(["Info.plist": plist])
    let written = OtherPrograms.python("import os, sys, zipfile\nos.chdir(sys.argv[1])\n" + program, folder.path)
    try #require(written != nil)
    return folder
  }

  @Test(
    "a zip bomb exceeds the limit, and a large archive does not",
    .needs(.python, .libarchive))
  func bombs() throws {
    let folder = try Self.folder(
      """
      def write(name, parts):
          with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
              for path, size in parts: archive.writestr(path, b"\\0" * size if size else open("Info.plist").read())
      write("one.ipa", [("Payload/My.app/Info.plist", 17 << 20)])
      write("many.ipa", [(f"Payload/My.app/PlugIns/{n}.appex/Info.plist", 15 << 20) for n in range(5)])
      write("beside.ipa", [("Payload/My.app/movie.mp4", 200 << 20), ("Payload/My.app/Info.plist", 0)])
      """)
    for (name, words) in [("one", "16 MiB"), ("many", "64 MiB")] {
      let result = try Program.run("ats", "lint", "\(name).ipa", in: folder)
      #expect(result.status == 2 && result.errors.contains(words), "\(result.errors)")
    }
    let beside = try Program.run("ats", "lint", "beside.ipa", "--define", "HOST=a.example", in: folder)
    #expect(beside.status == 0, "\(beside.output)\(beside.errors)")
  }

  @Test(
    "links out of a bundle and back into it are not followed; inner links are",
    .needs(.python, .libarchive))
  func links() throws {
    let folder = try Self.folder(
      """
      os.makedirs("Out.app"); os.makedirs("Empty.app")
      os.symlink("../Info.plist", "Out.app/Info.plist")
      os.makedirs("My.app/PlugIns/Real.appex"); os.makedirs("Other.appex")
      for place in ["My.app", "My.app/PlugIns/Real.appex", "Other.appex"]:
          open(f"{place}/Info.plist", "w").write(open("Info.plist").read())
      os.makedirs("Away.app/PlugIns"); os.symlink("../../Other.appex", "Away.app/PlugIns/Other.appex")
      os.makedirs("Far.app"); os.symlink("../My.app/PlugIns", "Far.app/PlugIns")
      for app in ["Away.app", "Far.app"]: open(f"{app}/Info.plist", "w").write(open("Info.plist").read())
      for name in "abc": os.symlink("..", f"My.app/PlugIns/{name}.app")
      for name in "de": os.symlink("../../My.app", f"My.app/PlugIns/{name}.app")
      os.makedirs("In.app/Versions"); os.symlink("Versions/Info.plist", "In.app/Info.plist")
      open("In.app/Versions/Info.plist", "w").write(open("Info.plist").read())
      for app in ["Lent.app", "Part.app"]: os.makedirs(f"{app}/PlugIns/W.appex")
      os.symlink("../Info.plist", "Lent.app/Info.plist")
      os.symlink("../../../Info.plist", "Part.app/PlugIns/W.appex/Info.plist")
      for place in ["Lent.app/PlugIns/W.appex", "Part.app"]:
          open(f"{place}/Info.plist", "w").write(open("Info.plist").read())
      entry = zipfile.ZipInfo("Payload/My.app/Info.plist"); entry.create_system = 3; entry.external_attr = 0xA1FF << 16
      with zipfile.ZipFile("link.ipa", "w") as archive: archive.writestr(entry, "/etc/passwd")
      """)
    let out = try Program.run("ats", "lint", "Out.app", in: folder)
    #expect(out.status == 2 && out.errors.shows("error: 'Out.app/Info.plist' … 'Out.app'"))
    #expect(out.errors.contains("hint: "))
    // Nor may an app or its extension refer to the other, if its own plist is outside.
    for (app, list) in [("Lent.app", "Info.plist"), ("Part.app", "PlugIns/W.appex/Info.plist")] {
      for words in [["lint", app], ["decide", "--plist", app, "--url", "https://a.example/"]] {
        let lent = try Program.run(["ats"] + words, in: folder)
        #expect(lent.status == 2 && lent.errors.shows("'\(app)/\(list)' … '\(app)'"))
      }
    }
    // The target of such a link would be skipped without notice.
    for (app, link) in [("Away.app", "PlugIns/Other.appex"), ("Far.app", "PlugIns/Real.appex")] {
      let away = try Program.run("ats", "lint", app, in: folder)
      #expect(away.status == 2 && away.errors.shows("'\(app)/\(link)' … '\(app)'"))
    }
    let empty = try Program.run("ats", "lint", "Empty.app", in: folder)
    #expect(empty.status == 2 && empty.errors.shows("Info.plist … 'Empty.app'"))
    let own = try Program.run("ats", "lint", "My.app", "--format", "json", in: folder).output
    #expect(own.components(separatedBy: "\"file\":").count == 3, "\(own)")
    #expect(own.contains("My.app/Info.plist") && own.contains("PlugIns/Real.appex/Info.plist"))
    #expect(try Program.run("ats", "lint", "In.app", "--define", "HOST=a.example", in: folder).status == 0)
    // Nor may the bundle's folder supply a plist from outside; the other bundles are still examined.
    let lent = try Program.folder(["Mine.plist": Data("<plist><dict/></plist>".utf8)])
    try FileManager.default.createSymbolicLink(
      atPath: lent.appendingPathComponent("Other.plist").path, withDestinationPath: "/etc/passwd")
    let all = try Program.run("ats", "lint", ".", in: lent)
    #expect(all.status == 2 && !(all.output + all.errors).contains("root:"), "\(all)")
    #expect(all.errors.shows("Other.plist' … '.'"), "\(all.errors)")
    #expect(all.errors.contains("hint: "))
    let link = try Program.run("ats", "lint", "link.ipa", in: folder)
    #expect(link.status == 2 && !link.output.contains("root:"), "\(link.output)\(link.errors)")
    #expect(link.errors.shows("'Payload/My.app/Info.plist' … 'link.ipa'"), "\(link.errors)")
  }

  @Test("archive names that are marked as UTF-8 are read in any locale", .needs(.python, .libarchive))
  func names() throws {
    let folder = try Self.folder(
      """
      with zipfile.ZipFile("B.ipa", "w") as archive:
          for name in ["Payload/Bücher.app", "Payload/Bücher.app/PlugIns/微信.appex"]:
              archive.write("Info.plist", name + "/Info.plist")
          archive.writestr("Payload/Bücher.app/Übung.png", b"")
      """)
    for locale in ["C", "C.UTF-8"] {
      let words = ["env", "LC_ALL=\(locale)", Program.url.path, "ats", "lint", "B.ipa", "--format", "json"]
      let output = try #require(
        Command.output(["sh", "-c", "cd '\(folder.path)' && " + words.joined(separator: " ") + "; true"]))
      #expect(output.contains("B.ipa/Payload/Bücher.app/Info.plist"), "\(locale): \(output)")
      #expect(output.contains("B.ipa/Payload/Bücher.app/PlugIns/微信.appex/Info.plist"))
    }
  }

  @Test(
    "duplicate archive entries are errors, and one of two apps must be named",
    .needs(.python, .libarchive))
  func ambiguousArchives() throws {
    let folder = try Self.folder(
      """
      import warnings
      warnings.simplefilter("ignore")
      open_list = b"<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/>" \\
          b"</dict></dict></plist>"
      def write(name, *parts):
          with zipfile.ZipFile(name, "w") as archive:
              for path, data in parts: archive.writestr(path, data)
      empty = b"<plist><dict><key>CFBundlePackageType</key><string>APPL</string></dict></plist>"
      write("dup.ipa", ("Payload/My.app/Info.plist", empty), ("Payload/My.app/Info.plist", open_list))
      write("dot.ipa", ("Payload/My.app/Info.plist", empty), ("./Payload/My.app/Info.plist", open_list))
      write("two.ipa", ("Payload/A.app/Info.plist", empty), ("Payload/B.app/Info.plist", open_list))
      write("one.ipa", ("Payload/A.app/Info.plist", empty), ("Payload/A.app/PlugIns/B.appex/Info.plist", open_list))
      """)
    for name in ["dup.ipa", "dot.ipa", "dup.ipa/Payload/My.app/Info.plist"] {
      let lint = try Program.run("ats", "lint", name, in: folder)
      #expect(lint.status == 2 && !lint.output.contains("no NSAppTransportSecurity"), "\(lint.output)")
      #expect(lint.errors.contains("'Payload/My.app/Info.plist'"), "\(lint.errors)")
    }
    func decide(_ name: String) throws -> Program.Result {
      try Program.run(
        "ats", "decide", "--plist", name, "--url", "http://a.example/", "--os", "iOS 17", in: folder)
    }
    let two = try decide("two.ipa")
    #expect(two.status == 2 && two.errors.contains("'two.ipa'"), "\(two.errors)")
    #expect(two.errors.contains("'two.ipa/Payload/B.app/Info.plist'"))
    #expect(try decide("two.ipa/Payload/A.app/Info.plist").status == 1)
    #expect(try decide("two.ipa/Payload/B.app/Info.plist").status == 0)
    #expect(try decide("one.ipa").status == 1)
    let both = try Program.run("ats", "lint", "two.ipa", "--format", "json", in: folder)
    #expect(both.status == 0 && both.output.components(separatedBy: "\"file\":").count == 3, "\(both.output)")
  }

  @Test("a pipe in a bundle or folder is skipped, and a named one is read", .needs(.python))
  func pipes() throws {
    let folder = try Self.folder(
      """
      for name in ["My.app", "App"]:
          os.makedirs(name); os.mkfifo(f"{name}/Info.plist")
      """)
    for name in ["My.app", "App"] {
      let lint = try Program.run("ats", "lint", name, in: folder)
      #expect(lint.status == 2 && lint.errors.contains("'\(name)/Info.plist'"), "\(lint.errors)")
    }
    let decide = try Program.run("ats", "decide", "--plist", "My.app", "--url", "http://a.example/", in: folder)
    #expect(decide.status == 2 && decide.errors.contains("'My.app/Info.plist'"), "\(decide.errors)")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "exec cat Info.plist > App/Info.plist"]
    shell.currentDirectoryURL = folder
    try shell.run()
    let named = try Program.run("ats", "lint", "App/Info.plist", "--define", "HOST=a.example", in: folder)
    if shell.isRunning { shell.terminate() }
    shell.waitUntilExit()
    #expect(named.status == 0, "\(named.output)\(named.errors)")
  }

  @Test("an xcconfig may not include itself, nor others more often than a project can")
  func includes() throws {
    var files = [
      "Info.plist": Self.plist, "a.xcconfig": Data("#include \"b.xcconfig\"\n".utf8),
      "b.xcconfig": Data("HOST = x\n#include \"./sub/../a.xcconfig\"\n".utf8),
      "fan0.xcconfig": Data("HOST = a.example\n".utf8),
    ]
    for level in 1...25 {
      let line = "#include \"fan\(level - 1).xcconfig\"\n"
      files["fan\(level).xcconfig"] = Data((line + line).utf8)
    }
    let folder = try Program.folder(files)
    func lint(_ name: String) throws -> Program.Result {
      try Program.run("ats", "lint", "Info.plist", "--xcconfig", "\(name).xcconfig", in: folder)
    }
    let loop = try lint("a")
    #expect(loop.status == 2 && loop.errors.contains("b.xcconfig:2:1: error: './sub/../a.xcconfig'"))
    #expect(loop.errors.contains("#include?"))
    let fan = try lint("fan25")
    #expect(fan.status == 2 && fan.errors.contains(".xcconfig"), "\(fan.errors)")
    #expect(try lint("fan5").status == 0)
  }

  @Test("settings that double themselves are an error, and settings that multiply each other terminate")
  func growth() throws {
    let doubling = (0..<60).map { _ in "HOST = $(inherited)$(inherited)\n" }.joined()
    let naming = (0..<15).map { "S\($0) = " + String(repeating: "$(S\($0 + 1))", count: 10) + "\n" }.joined()
    let folder = try Program.folder([
      "Info.plist": Self.plist, "doubling.xcconfig": Data(("HOST = a\n" + doubling).utf8),
      "naming.xcconfig": Data((naming + "HOST = $(S0)\nS15 = \n").utf8),
    ])
    func lint(_ name: String) throws -> Program.Result {
      try Program.run("ats", "lint", "Info.plist", "--xcconfig", "\(name).xcconfig", in: folder)
    }
    let doubled = try lint("doubling")
    #expect(doubled.status == 2 && doubled.errors.shows("'HOST' … 64 KiB"), "\(doubled.errors)")
    #expect(try lint("naming").errors.isEmpty)
  }

  @Test(
    "a baseline must be complete, and of this version and command",
    arguments: [
      (#"{"trustlab": 2, "baseline": "ats lint", "findings": []}"#, ""),
      ("{}", "'trustlab' … 'baseline' … 'findings'"),
      (#"{"baseline": "ats lint", "findings": []}"#, "'trustlab'"),
      (#"{"trustlab": 1, "baseline": "ats decide", "findings": []}"#, "'ats decide'"),
      (#"{"trustlab": 1, "baseline": "ats lint"}"#, ""),
      (#"{"trustlab": 1, "baseline": "ats lint", "findings": [{"rule": "x"}]}"#, "keyPath"),
      ("[]", ""),
    ])
  func baselines(text: String, words: String) throws {
    let folder = try Program.folder(["Info.plist": Self.plist, "base.json": Data(text.utf8)])
    let result = try Program.run("ats", "lint", "Info.plist", "--baseline", "base.json", in: folder)
    #expect(result.status == 2 && (words.isEmpty || result.errors.shows(words)), "\(result.errors)")
    #expect(result.errors.contains("--write-baseline base.json"))
  }
}

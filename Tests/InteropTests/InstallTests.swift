import Foundation
import Oracles
import Testing

@Suite("The installed program, and its use in CI")
struct InstallTests {
  /// The output and exit status of a shell command.
  private static func shell(_ command: String, _ environment: [String: String] = [:]) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = Program.root
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test("an installed program has its scenarios, completion for three shells and a manual page")
  func install() throws {
    let folder = try Program.folder([:])
    let files = "make install-files PROGRAM='\(Program.url.path)' DESTDIR='\(folder.path)' PREFIX="
    let (status, output) = try Self.shell(files)
    #expect(status == 0, "\(output)")
    // Without an environment variable, the installed program finds its scenarios.
    let run = try Self.shell(
      "cd / && '\(folder.path)/bin/trustlab' list scenarios | head -n 3", ["TRUSTLAB_SCENARIOS": ""])
    #expect(run.0 == 0 && run.1.contains("L0"), "\(run.1)")
    let site = try Self.shell(
      "cd / && '\(folder.path)/bin/trustlab' site L1-15 --output '\(folder.path)/site'", ["TRUSTLAB_SCENARIOS": ""])
    #expect(site.0 == 0 && FileManager.default.fileExists(atPath: "\(folder.path)/site/player.js"), "\(site.1)")
    let bash = "\(folder.path)/share/bash-completion/completions/trustlab"
    #expect(try Self.shell("bash -n '\(bash)' && grep -c -- --baseline '\(bash)'").0 == 0)
    for name in ["zsh/site-functions/_trustlab", "fish/vendor_completions.d/trustlab.fish"] {
      #expect(try String(contentsOfFile: "\(folder.path)/share/\(name)", encoding: .utf8).contains("ats"))
    }
  }

  @Test("the manual page has every command and option, and no request unknown to man(7)")
  func manual() throws {
    let page = try Program.run("manual").output
    let lines = page.split(separator: "\n").map(String.init)
    let known = ["TH", "nh", "ad", "SH", "B", "I", "PP", "SS", "nf", "fi", "TP"]
    for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(known.contains(line.dropFirst().prefix { $0 != " " }.description), "\(line)")
    }
    for section in ["trustlab ats lint", "trustlab pki export", "trustlab test"] {
      #expect(lines.contains(".SS \"\(section)\""))
    }
    #expect(page.contains("\\fB\\-\\-write\\-baseline\\fR \\fIfile\\fR"))
    #expect(!page.contains("manual \\-\\-output"))
    // Each opening of a block of examples has its end.
    #expect(lines.count { $0 == ".nf" } == lines.count { $0 == ".fi" })
  }

  @Test("the action passes quoted arguments unchanged, executes nothing in them, and keeps the status")
  func action() throws {
    let folder = try Program.folder([
      "Info.plist": Data("<plist><dict><key>NSAppTransportSecurity</key><string>x</string></dict></plist>".utf8),
      "My Info.plist": Data("<plist><dict/></plist>".utf8),
    ])
    func run(_ arguments: String, fail: String = "true") throws -> (status: Int32, noted: String, output: String) {
      let noted = folder.appendingPathComponent("output")
      try Data().write(to: noted)
      let path = "\(Program.url.deletingLastPathComponent().path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
      let (status, output) = try Self.shell(
        "cd '\(folder.path)' && '\(Program.root.path)/.ci/action' run",
        ["ARGUMENTS": arguments, "FAIL": fail, "GITHUB_OUTPUT": noted.path, "PATH": path])
      return (status, try String(contentsOf: noted, encoding: .utf8), output)
    }
    let good = try run("ats lint 'My Info.plist'")
    #expect(good.status == 0 && good.noted == "status=0\n", "\(good.output)")
    let bad = try run("ats lint Info.plist")
    #expect(bad.status == 1 && bad.noted == "status=1\n")
    #expect(try run("ats lint Info.plist", fail: "false").status == 0)
    let hostile = try run("ats lint \"$(touch made)\" ; touch made")
    #expect(hostile.status == 2)
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("made").path))
  }
}

import Foundation
import Oracles
import Testing

@Suite("The output of 'run'")
struct RunOutputTests {
  @Test(
    "each format goes to standard output, and to a file that is named",
    arguments: [
      ("markdown", "# L1-15: "), ("html", "<!doctype html>"), ("mermaid", "sequenceDiagram\n"), ("svg", "<svg "),
    ])
  func formats(format: String, beginning: String) throws {
    let shown = try Program.run("run", "L1-15", "--format", format)
    #expect(shown.status == 0 && shown.errors.isEmpty, "\(shown.errors)")
    #expect(shown.output.hasPrefix(beginning))
    #expect(shown.output.contains("ats.no-forward-secrecy"))
    let folder = try Program.folder([:])
    let written = try Program.run("run", "L1-15", "--format", format, "--output", "out", in: folder)
    #expect((written.output, written.errors) == ("", "wrote out\n"))
    #expect(try String(contentsOf: folder.appendingPathComponent("out"), encoding: .utf8) == shown.output)
  }

  @Test("a capture and key log are written even after an unexpected result")
  func capture() throws {
    let folder = try Program.folder([:])
    let result = try Program.run("run", "L1-01", "--pcap", "run.pcap", "--keylog", "run.keys", in: folder)
    #expect(result.status == 0)
    #expect(
      result.errors.split(separator: "\n").show(["run.pcap … 25 … 1", "run.keys … 1"]))
    #expect(try Data(contentsOf: folder.appendingPathComponent("run.pcap")).count > 24)
    #expect(
      try String(contentsOf: folder.appendingPathComponent("run.keys"), encoding: .utf8).hasPrefix("CLIENT_RANDOM "))
    #expect(try Program.run("run", "L1-15", "--os", "iOS 9", "--pcap", "refused.pcap", in: folder).status == 1)
    #expect(try Data(contentsOf: folder.appendingPathComponent("refused.pcap")).count > 24)
  }

  @Test("a key log is readable by its owner alone, even over an existing file")
  func keyLogMode() throws {
    let folder = try Program.folder(["old.keys": Data("old".utf8)])
    for name in ["new.keys", "old.keys"] {
      #expect(try Program.run("run", "L1-01", "--keylog", name, in: folder).status == 0)
      let file = folder.appendingPathComponent(name)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("CLIENT_RANDOM "))
    }
  }

  @Test(
    "unwritable or contradictory output is an error with a hint",
    arguments: [
      (["--pcap", "nowhere/run.pcap"], "'nowhere/run.pcap'"),
      (["--keylog", "nowhere/run.keys"], "'nowhere/run.keys'"),
      (["--pcap", "same", "--keylog", "same"], "--pcap … --keylog"),
      (["--format", "svg", "--depth", "numbers"], "--depth"),
      (["--format", "mermaid", "--depth", "story"], "--depth"),
      (["--format", "json", "--first-error"], "--first-error"),
    ])
  func refused(options: [String], message: String) throws {
    let result = try Program.run(["run", "L1-01"] + options, in: try Program.folder([:]))
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("error: ") && result.errors.shows(message), "\(result.errors)")
    #expect(result.errors.contains("\nhint: "), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test("a clock outside the range of captures is an error, but only for a capture")
  func clock() throws {
    let folder = try Program.folder([
      "old.yaml": Data("clock: 1950-01-01T00:00:00Z\nrequest: https://api.example/\n".utf8)
    ])
    let result = try Program.run("run", "old.yaml", "--pcap", "old.pcap", in: folder)
    #expect(result.status == 2)
    #expect(result.errors.shows("error: … 1950-01-01T00:00:00Z"))
    #expect(try Program.run("run", "old.yaml", in: folder).status == 0)
  }
}

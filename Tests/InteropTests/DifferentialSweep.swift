import Foundation
import Oracles
import Testing

/// Mutated certificate chains, evaluated by TrustLab, OpenSSL and pyca cryptography.
@Suite(
  "Verdicts next to those of OpenSSL and pyca cryptography", .needs(.openssl),
  .enabled("the classes of disagreement are about OpenSSL 3.0") {
    Command.output(["openssl", "version"])?.hasPrefix("OpenSSL 3.0.") == true
  })
struct DifferentialSweep {
  private static let folder = Program.root.appendingPathComponent("Tests/InteropTests/Differential")

  private static let absence = "pyca cryptography 48.0.0 is not installed: 'make test-more' installs it"

  /// The interpreter that `make test-more` sets up, or another that has the right version of pyca cryptography.
  private static let python: String? = {
    let made = folder.appendingPathComponent(".venv/bin/python").path
    if FileManager.default.isExecutableFile(atPath: made) { return made }
    return Python.interpreter(having: "cryptography.x509.verification").flatMap { interpreter in
      let test = "import cryptography, sys; sys.exit(cryptography.__version__ != '48.0.0')"
      return Command.output([interpreter, "-c", test]) == nil ? nil : interpreter
    }
  }()

  /// The output of a script, and whether it found nothing to report.
  private func run(
    _ script: String = "Differential/differential.py", _ arguments: String...
  ) throws -> (isExplained: Bool, output: String) {
    let python = try #require(Self.python)
    let file = Program.temporary.appendingPathComponent("differential-\(UUID().uuidString)")
    try Data().write(to: file)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    let path = Self.folder.deletingLastPathComponent().appendingPathComponent(script).path
    process.arguments = [path, "--program", Program.url.path] + arguments
    process.standardInput = FileHandle.nullDevice
    let handle = try FileHandle(forWritingTo: file)
    (process.standardOutput, process.standardError) = (handle, handle)
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus == 0, try String(contentsOf: file, encoding: .utf8))
  }

  @Test(
    "every disagreement is of a class that names its clause",
    .needs(DifferentialSweep.absence, unless: { DifferentialSweep.python != nil }))
  func disagreements() throws {
    let result = try run("Differential/differential.py", "--every", "\(Sweep.every)")
    #expect(result.isExplained, "\(result.output)")
    #expect(result.output.contains(", 0 failed\n"), "\(result.output)")
  }

  @Test(
    "a disagreement without a class fails the comparison",
    .needs(DifferentialSweep.absence, unless: { DifferentialSweep.python != nil }))
  func unexplained() throws {
    let result = try run(
      "Differential/differential.py", "--only", "extKeyUsage.sgc/leaf/0", "--without", "server-gated-cryptography")
    #expect(!result.isExplained)
    #expect(result.output.contains("UNEXPLAINED  extKeyUsage.sgc/leaf/0"), "\(result.output)")
  }

  @Test(
    "the fix that each rule prints, applied to the mutated chain, removes the finding",
    .needs(DifferentialSweep.absence, unless: { DifferentialSweep.python != nil }))
  func fixes() throws {
    let result = try run("Fixes/fixes.py", "--every", "\(Sweep.every)")
    #expect(result.isExplained && result.output.contains(", 0 failed\n"), "\(result.output)")
  }

  @Test(
    "the same holds for the chains of public reports",
    .needs(DifferentialSweep.absence, unless: { DifferentialSweep.python != nil }),
    .enabled("the reports are not at hand") { SharedData.exists("reports/reports.json") })
  func reportedFixes() throws {
    let result = try run("Fixes/fixes.py", "--reports", SharedData.path("reports"))
    #expect(result.isExplained && result.output.contains(", 0 failed\n"), "\(result.output)")
  }

  @Test(
    "a fix that leaves its finding fails",
    .needs(DifferentialSweep.absence, unless: { DifferentialSweep.python != nil }))
  func remainingFixes() throws {
    let result = try run("Fixes/fixes.py", "--every", "15", "--idle", "chain.extended-key-usage")
    #expect(!result.isExplained && result.output.contains("remains: extKeyUsage"), "\(result.output)")
  }

  @Test("every class of disagreement is in docs/differences.md", .needs(.python))
  func documented() throws {
    let program = """
      import sys
      sys.dont_write_bytecode = True
      sys.path.insert(0, sys.argv[1])
      from classes import CLASSES
      print(*(item.name for item in CLASSES))
      """
    let names = try #require(OtherPrograms.python(program, Self.folder.path)).split(whereSeparator: \.isWhitespace)
    let page = try String(contentsOf: Program.root.appendingPathComponent("docs/differences.md"), encoding: .utf8)
    #expect(names.count > 10)
    #expect(names.filter { !page.contains("`\($0)`") } == [])
  }
}

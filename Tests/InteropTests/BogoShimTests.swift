import Foundation
import Oracles
import Testing

@Suite("The shim for BoringSSL's test runner")
struct BogoShimTests {
  @Test("every conversation with OpenSSL ends as the flags request", .needs(.python, .openssl))
  func conversations() throws {
    let folder = try Program.folder(["out": Data()])
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("out")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "Tests/Bogo/runner.py", Program.beside("trustlab-bogo").path]
    process.currentDirectoryURL = Program.root
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    let report = try String(contentsOf: output, encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(report)")
  }
}

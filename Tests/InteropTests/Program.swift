import Foundation
import Oracles

/// Runs the program as its users do.
struct Program {
  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  static let url = beside("trustlab")

  /// A program next to the tests' executable, from the same build.
  static func beside(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
  }

  static func run(_ arguments: String..., input: String = "", in folder: URL? = nil) throws -> Result {
    try run(arguments, input: input, in: folder)
  }

  static func run(
    _ arguments: [String], input: String = "", in place: URL? = nil, environment more: [String: String] = [:]
  ) throws -> Result {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = place ?? root
    var environment = ProcessInfo.processInfo.environment
    environment["TRUSTLAB_CACHE"] = cache.path
    environment.merge(more) { $1 }
    process.environment = environment
    // Files, not pipes: an unread pipe that is full would stop the program.
    let folder = try Self.folder(["in": Data(input.utf8), "out": Data(), "err": Data()])
    defer { try? FileManager.default.removeItem(at: folder) }
    let (out, err) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("err"))
    process.standardInput = try FileHandle(forReadingFrom: folder.appendingPathComponent("in"))
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try process.run()
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: try String(contentsOf: out, encoding: .utf8),
      errors: try String(contentsOf: err, encoding: .utf8))
  }

  /// The package's folder.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Keys are made once for all tests of this run.
  private static let cache = temporary.appendingPathComponent("keys")

  /// The folder for output of this process's tests; it is emptied when the process ends.
  static let temporary: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trustlab-\(getpid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Program.temporary) }
    return folder
  }()

  /// A new folder with these files.
  static func folder(_ files: [String: Data]) throws -> URL {
    let folder = temporary.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, data) in files { try data.write(to: folder.appendingPathComponent(name)) }
    return folder
  }
}

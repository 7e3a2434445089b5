import Foundation

/// A folder of its own in which `openssl` runs, removed when the last reference goes.
final class OpenSSL {
  struct Answer {
    let status: Int32
    let output: String
  }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent(name))) }

  @discardableResult
  func run(_ arguments: String...) throws -> Answer { try run(arguments) }

  @discardableResult
  func run(_ arguments: [String]) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
  }
}

import Foundation

/// The second implementation.
enum OpenSSL {
  struct Result {
    let status: Int32
    let output: [UInt8]
  }

  static let path = ["/usr/bin/openssl", "/opt/homebrew/bin/openssl", "/usr/local/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Runs `openssl` in its own directory, which contains `files`.
  static func run(_ arguments: [String], files: [String: [UInt8]] = [:]) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (name, bytes) in files { try Data(bytes).write(to: directory.appendingPathComponent(name)) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path ?? "/usr/bin/openssl")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Result(status: process.terminationStatus, output: Array(output))
  }
}

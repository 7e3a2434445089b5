import Foundation

/// A temporary folder in which `openssl` runs, removed with the last reference.
public final class OpenSSL {
  /// The result of a command.
  public struct Answer {
    /// Its exit status.
    public let status: Int32
    /// Standard output and standard error together.
    public let output: String
  }

  private let folder: URL

  /// A new, empty folder.
  public init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Writes a file into the folder.
  public func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// Writes a file of these bytes into the folder.
  public func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
  }

  /// The path of a file in the folder.
  public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The bytes of a file in the folder.
  public func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// Runs `openssl` with these arguments.
  @discardableResult
  public func run(_ arguments: String...) throws -> Answer { try run(arguments) }

  /// Runs `openssl` with these arguments.
  @discardableResult
  public func run(_ arguments: [String]) throws -> Answer {
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

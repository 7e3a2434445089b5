import Foundation

/// Runs `tshark`, the command line of Wireshark, on capture files.
public enum Tshark {
  /// Whether it is installed.
  public static let isInstalled = (try? run(["--version"]))?.status == 0

  /// The result of a command.
  public struct Answer {
    /// Its exit status.
    public let status: Int32
    /// Standard output.
    public let output: String
  }

  /// Reads a capture with its key log, checks all checksums, and prints the output that `arguments` select.
  public static func read(_ capture: [UInt8], keyLog: String, _ arguments: [String]) throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tshark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, keys) = (folder.appendingPathComponent("run.pcap"), folder.appendingPathComponent("run.keys"))
    try Data(capture).write(to: file)
    try Data(keyLog.utf8).write(to: keys)
    let checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    return try run(["-n", "-r", file.path, "-o", "tls.keylog_file:\(keys.path)"] + checks + arguments)
  }

  private static func run(_ arguments: [String]) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["tshark"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
  }
}
